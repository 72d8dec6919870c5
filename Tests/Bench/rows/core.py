"""One step of the core, all inputs of a life from home to open counted. A bar in nanoseconds, as nobody has its like.

The one row that isn't driven from outside: a step can't be told from the system calls around it there. The program
links the core that users get, built as users get it, and feeds it as the engine does."""

import os
import pathlib

from figures import CURFEW, Line, compare, hold, judge, place, skipped

ROW = "core"
BAR_NS = 200
BAR_OF_MANY = 1.2
LIVES = {"aware": "an aware app", "plain": "a plain app"}
# Most of the others have a deadline too.
CROWDS = {"ten": "an aware app, one of 10", "thousand": "an aware app, one of 1,000",
          "thousands": "an aware app, one of 5,000"}


def measure(bench):
    program = pathlib.Path(bench.curfew).with_name("core-step")
    if not os.access(program, os.X_OK):
        yield skipped(ROW, "one step", f"{program.name} isn't built; `make bench` does that", CURFEW)
        return
    samples = {life: [] for life in LIVES | CROWDS}
    for _ in range(bench.rounds(9, 3)):
        for life, nanoseconds, _ in bench.figures([program, 500_000], 60):
            samples[life].append(nanoseconds)
    panel = f"one step of the core, × the bar of {BAR_NS} ns"
    lines = {life: Line(ROW, f"one step of {what}", "ns", samples[life], who=CURFEW)
             for life, what in (LIVES | CROWDS).items()}
    for life, what in LIVES.items():
        line = lines[life]
        line.bar, line.verdict = f"≤ {BAR_NS} ns", judge(line.figure, BAR_NS, " ns")
        yield place(line, panel, what, BAR_NS, limit=BAR_NS)
    alone = lines["aware"]
    for life, what in CROWDS.items():
        line = hold(compare(lines[life], {"alone": alone}), "alone", BAR_OF_MANY)
        yield place(line, panel, what, BAR_NS, limit=BAR_OF_MANY * alone.figure)
