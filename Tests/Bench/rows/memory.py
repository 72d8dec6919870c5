"""What the processes of a wrapper weigh, summed, beside a sleeping child."""

import os

import contenders
from contenders import absentees, present
from figures import CURFEW, Line, compare, judge, place
from processes import BenchError, read_text
from rows.sleeping import around_a_sleep

ROW = "memory"
KINDS = (("PSS", 4096), ("private dirty", 512))  # KiB at most


def rollup(pid):
    fields = {}
    for line in read_text(f"/proc/{pid}/smaps_rollup").splitlines()[1:]:
        name, value = line.split()[:2]
        fields[name.rstrip(":")] = int(value)
    if "Pss" not in fields:
        raise BenchError(f"/proc/{pid}/smaps_rollup can't be read")
    return fields["Pss"], fields["Private_Dirty"]


def weigh(pids):
    """(PSS, private dirty) in KiB, (how many processes)."""
    sums = [rollup(pid) for pid in pids]
    return sum(pss for pss, _ in sums), sum(dirty for _, dirty in sums), len(pids)


def weigh_around_a_sleep(bench, wrapper):
    with around_a_sleep(bench, wrapper.command) as (_, pids, _):
        return weigh(pids)


def measure(bench):
    # A program just built has its text in page cache that isn't on disk yet, and that counts as private and dirty.
    os.sync()
    entries = [
        contenders.peer(bench, "timeout", ["timeout", "2000"]), *contenders.curfew(bench), *contenders.floor(bench)[:1],
        *contenders.inits(bench), contenders.bwrap(bench)]
    samples = {entry.name: [] for entry in present(entries)}
    for _ in range(bench.rounds(3, 1)):
        for entry in present(entries):
            samples[entry.name].append(weigh_around_a_sleep(bench, entry))
    for index, (kind, most) in enumerate(KINDS):
        lines = {entry.name: line_of(entry, kind, samples[entry.name], index) for entry in present(entries)}
        for line in lines.values():
            compare(line, {"timeout": lines.get("timeout"), "C floor": lines["C floor"]})
            if line.who == CURFEW:
                line.bar, line.verdict = f"≤ {most} KiB", judge(line.figure, most, " KiB")
        for name, line in lines.items():
            if kind == "PSS" and "timeout" in lines:
                show(line, name, lines["timeout"].figure, most)
            yield line
    yield from absentees(ROW, entries)


def line_of(wrapper, kind, taken, index):
    processes = taken[0][2]
    what = f"{wrapper.name}: {kind}, {processes} process{'es' if processes > 1 else ''}"
    return Line(ROW, what, "KiB", [each[index] for each in taken], who=wrapper.who)


def show(line, name, base, most):
    panel = "memory of the wrapper beside a sleeping child: PSS, × timeout"
    place(line, panel, name, base, limit=most if line.who == CURFEW else None)
