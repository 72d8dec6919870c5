"""One step of the core, all inputs of a life from home to open counted. A bar in nanoseconds, as nobody has its like.

The one row that isn't driven from outside: a step can't be told from the system calls around it there. The program
links the core that users get, built as users get it, and feeds it as the engine does."""

import os
import pathlib

from figures import CURFEW, Line, judge, place, skipped

ROW = "core"
BAR_NS = 200
LIVES = {"aware": "an aware app", "plain": "a plain app", "ten": "an aware app, one of ten"}


def measure(bench):
    program = pathlib.Path(bench.curfew).with_name("core-step")
    if not os.access(program, os.X_OK):
        yield skipped(ROW, "one step", f"{program.name} isn't built; `make bench` does that", CURFEW)
        return
    samples = {life: [] for life in LIVES}
    for _ in range(bench.rounds(9, 3)):
        for life, nanoseconds, _ in bench.figures([program, 500_000], 60):
            samples[life].append(nanoseconds)
    for life, figures in samples.items():
        line = Line(ROW, f"one step of {LIVES[life]}", "ns", figures, who=CURFEW, bar=f"≤ {BAR_NS} ns")
        line.verdict = judge(line.figure, BAR_NS, " ns")
        yield place(line, f"one step of the core, × the bar of {BAR_NS} ns", LIVES[life], BAR_NS, limit=BAR_NS)
