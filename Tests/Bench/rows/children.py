"""1,000 and 5,000 children under one supervisor: how fast they come to be, and what the supervisor weighs for each.

The row `fleet` has the same of many apps."""

import os

import contenders
from contenders import Contender, absentees, present
from figures import CURFEW, LIMIT, MISSED, OK, Line, compare, judge, number, place
from processes import Conversation, all_pids
from rows.memory import weigh
from rows.sleeping import own_processes

ROW = "children"
COUNTS = (1000, 5000)
LEAST_RATE, MOST_KIB = 0.7, 2


def wrappers(bench):
    return [
        Contender("C loop alone", [], LIMIT), *contenders.floor(bench),
        contenders.peer(bench, "timeout", ["timeout", "200"]), *contenders.curfew(bench, timeout_arguments=["200"])]


def run(bench, wrapper, count):
    """(children started a second, PSS of the wrapper's processes in KiB; 0 where there is no wrapper)."""
    before = set(all_pids())
    with Conversation(bench, [*wrapper.command, bench.program("children"), count]) as process:
        rate = float(process.read_line(60))
        weight = weigh(own_processes(bench, process, before))[0] if wrapper.command else 0
        process.popen.stdin.close()
        process.wait(30)
    return rate, weight


def measure(bench):
    os.sync()  # see rows/memory.py
    entries = wrappers(bench)
    samples = {(entry.name, count): [] for entry in present(entries) for count in (1, *COUNTS)}
    for _ in range(bench.rounds(5, 1)):
        for count in (1, *COUNTS):
            for entry in present(entries):
                samples[entry.name, count].append(run(bench, entry, count))
    for count in COUNTS:
        yield from rate_lines(present(entries), count, samples)
        yield from weight_lines(present(entries), count, samples)
    yield from absentees(ROW, entries)


def rate_lines(entries, count, samples):
    lines = {
        entry.name: Line(ROW, f"N={count}, {entry.name}: children started", "/s",
                         [rate for rate, _ in samples[entry.name, count]], who=entry.who) for entry in entries}
    base = lines["C loop alone"]
    for name, line in lines.items():
        compare(line, {"C loop": base, "timeout": lines.get("timeout")})
        if line.who == CURFEW:
            line.bar, ratio = f"≥ {LEAST_RATE}× C loop", line.ratios["C loop"]
            line.verdict = OK if ratio >= LEAST_RATE else f"{MISSED} by {number(LEAST_RATE - ratio)}×"
        if line is not base:
            place(line, "rate at which an app starts 1,000 and 5,000 children, × without a wrapper (more is better)",
                  name, base.figure, mark=f"{count:,}", limit=LEAST_RATE * base.figure if line.who == CURFEW else None)
        yield line


def weight_lines(entries, count, samples):
    for entry in entries:
        if not entry.command:
            continue
        pairs = zip(samples[entry.name, count], samples[entry.name, 1])
        grown = [(many - one) / count for (_, many), (_, one) in pairs]
        line = Line(ROW, f"N={count}, {entry.name}: PSS for each child, beyond with one", "KiB", grown, who=entry.who)
        if entry.who == CURFEW:
            line.bar, line.verdict = f"≤ {MOST_KIB} KiB", judge(line.figure, MOST_KIB, " KiB")
        yield line
