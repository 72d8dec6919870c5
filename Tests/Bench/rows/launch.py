"""From the start of a wrapper around `true` until it has been reaped, wall and CPU."""

import shutil

import contenders
from contenders import Contender, absentees, interleave, present
from figures import CURFEW, LIMIT, Line, compare, hold, place
from processes import BenchError, short

ROW = "launch"


def wrappers(bench):
    """The first is what the rest is compared with."""
    return [
        contenders.peer(bench, "timeout", ["timeout", "10"]), *contenders.curfew(bench, timeout_arguments=["10"]),
        *contenders.floor(bench), *contenders.inits(bench), contenders.bwrap(bench),
        Contender("true alone", [], LIMIT)]


def sample(bench, wrappers, rounds):
    """For every wrapper: wall times, CPU times, processes left when it returned. Any status but 0 fails the row."""
    commands = [[*wrapper.command, shutil.which("true")] for wrapper in wrappers]
    results = bench.figures([bench.program("launch"), rounds, *interleave(commands)], 60 + rounds)
    samples = [([], [], []) for _ in commands]
    for index, wall, cpu, status, left in results:
        if status != 0:
            command = commands[int(index)]
            stderr = bench.run(command, 20)[2].strip()
            raise BenchError(f"{short(command)}: status {status:.0f} among the launches: {stderr}")
        for kept, value in zip(samples[int(index)], (wall, cpu, left)):
            kept.append(value)
    return samples


def bars(bench, wrapper):
    """What its launch may cost in units of timeout's: a cgroup made for it has its price."""
    if bench.makes_a_cgroup(wrapper.command):
        return {"bar": 1.1}
    return {"bar": 1.0, "stretch": 0.87}


def measure(bench):
    entries = wrappers(bench)
    here = present(entries)
    samples = sample(bench, here, bench.rounds(400, 60))
    held = {entry.name: bars(bench, entry) for entry in here if entry.who == CURFEW}
    for index, kind in enumerate(("wall", "CPU")):
        lines = {
            entry.name: Line(ROW, f"{entry.name}: {kind}", "µs", taken[index], who=entry.who)
            for entry, taken in zip(here, samples)}
        for name, line in lines.items():
            compare(line, {"timeout": lines.get("timeout"), "C floor": lines["C floor"]})
            if name in held:
                hold(line, "timeout", **held[name])
            if kind == "wall" and "timeout" in lines:
                show(line, name, lines["timeout"].figure, held.get(name, {}).get("bar"))
            yield line
    yield from stragglers(here, samples)
    yield from absentees(ROW, entries)


def show(line, name, base, bar):
    place(line, "launching true: wall time, × timeout 10 true", name, base, limit=bar and bar * base)


def stragglers(wrappers, samples):
    for wrapper, (_, _, left) in zip(wrappers, samples):
        if any(left):
            often = sum(map(bool, left))
            what = f"{wrapper.name}: left processes when it returned"
            yield Line(ROW, what, f"of {len(left)}", value=often, who=wrapper.who)
