"""A request on the control channel, as a program in the app asks: on the descriptor that CURFEW_FD names."""

import os

from figures import CURFEW, LIMIT, Line, compare, hold, place

ROW = "roundtrip"
BAR = 1.5


def settings():
    """(where, the CPUs both are started on, arguments that move the client). Unpinned, the scheduler's placement
    decides: tenfold either way, and not the same for both. The pinned figures are the ones to trust."""
    cpus = sorted(os.sched_getaffinity(0))
    yield "both on one CPU", {cpus[0]}, []
    if len(cpus) > 1:
        yield "on two CPUs", {cpus[0]}, [cpus[1]]
    yield "not pinned", None, []


def measure(bench):
    count, program = (1000 if bench.options.quick else 5000), bench.program("roundtrip")
    commands = {"C echo": [program, "echo", count], "curfew remaining": bench.curfew_run() + [program, "app", count]}
    samples = {(where, name): [] for where, _, _ in settings() for name in commands}
    for _ in range(bench.rounds(5, 1)):
        for where, cpus, more in settings():
            for name, command in commands.items():
                lines = bench.figures([*command, *more], 60, cpus)
                samples[where, name] += [line[0] for line in lines]
    for where, cpus, _ in settings():
        base = Line(ROW, f"C echo, {where}", "µs", samples[where, "C echo"], who=LIMIT)
        yield base
        line = compare(Line(ROW, f"curfew remaining, {where}", "µs", samples[where, "curfew remaining"], who=CURFEW),
                       {"C echo": base})
        if cpus:
            hold(line, "C echo", BAR)
            place(line, "control round trip (remaining), × a C echo on the same kind of socket",
                  f"curfew, {where}", base.figure, limit=BAR * base.figure)
        yield line
