"""How far from its deadline a victim dies: one that lets itself be ended, and one that ignores SIGTERM."""

import contenders
from contenders import absentees, interleave, present
from figures import CURFEW, MISSED, OK, Line, compare, hold, percentile, place, skipped

ROW = "lateness"
LIMIT_S, KILL_AFTER_S = 0.2, 0.1
SHARE = 95  # of the kills, whose error is held to the bar
BAR = 1.0
# What the error is counted from: the bar is held from the program's own first line. From its exec, some hundred microseconds
# before, which a supervisor can know, it is shown too.
HELD, SHOWN = "first line", "exec"


def plain(bench):
    return [
        contenders.peer(bench, "timeout", ["timeout", LIMIT_S]),
        contenders.peer(bench, "timeout -s KILL", ["timeout", "-s", "KILL", LIMIT_S]),
        *contenders.curfew(bench, ["--time-limit", LIMIT_S], [str(LIMIT_S)]),
        *contenders.floor(bench, "-t", LIMIT_S)]


def stubborn(bench):
    """`curfew run` kills at its limit, with no signal before, so it has nothing to do here."""
    killing = ["-k", KILL_AFTER_S, LIMIT_S]
    return [
        contenders.peer(bench, "timeout", ["timeout", *killing]),
        contenders.curfew(bench, timeout_arguments=[str(word) for word in killing])[2],
        *contenders.floor(bench, "-t", LIMIT_S, "-k", KILL_AFTER_S)]


# What it is called: (the wrappers, the victim's mode, when it must be dead, rounds).
CASES = {
    "plain": (plain, "sleep", LIMIT_S, 40),
    "ignores TERM": (stubborn, "ignore-term", LIMIT_S + KILL_AFTER_S, 30)}


def sample(bench, wrappers, mode, due, rounds):
    """For every wrapper, in µs: (error from exec or "unknown", from main's first line, the victim's wait for a CPU)."""
    arena = bench.arena()
    commands = [[*wrapper.command, bench.program("victim"), arena, mode] for wrapper in wrappers]
    seconds = 30 + rounds * len(wrappers) * (due + 1)
    harness = [bench.program("lateness"), due, arena, rounds]
    errors = [[] for _ in wrappers]
    for index, *values in bench.figures([*harness, *interleave(commands)], seconds):
        errors[int(index)].append(values)
    return errors


def measure(bench):
    for case, (wrappers, mode, due, rounds) in CASES.items():
        entries = wrappers(bench)
        here = present(entries)
        errors = sample(bench, here, mode, due, bench.rounds(rounds, 6))
        yield from case_lines(case, here, errors)
        yield from absentees(ROW, entries, f"{case}, ")


def case_lines(case, wrappers, errors):
    if any(exec == "unknown" for each in errors for exec, *_ in each):
        yield skipped(ROW, f"{case}: error from exec", "the kernel doesn't tell us when a program is executed")
    else:
        for wrapper, each in zip(wrappers, errors):
            what = f"{case}, {wrapper.name}: error from {SHOWN}"
            yield Line(ROW, what, "µs", [exec for exec, *_ in each], who=wrapper.who)
            yield early_line(case, wrapper, [exec + waited for exec, _, waited in each])
        yield from tail_lines(case, SHOWN, wrappers, [[exec for exec, *_ in each] for each in errors])
    yield from tail_lines(case, HELD, wrappers, [[main for _, main, _ in each] for each in errors])


def tail_lines(case, start, wrappers, errors):
    tails = {wrapper.name: tail_line(case, start, wrapper, each) for wrapper, each in zip(wrappers, errors)}
    # Of the two timeouts, the better one.
    peer = min((tails[name] for name in ("timeout", "timeout -s KILL") if name in tails),
               key=lambda line: line.figure, default=None)
    for name, line in tails.items():
        compare(line, {"timeout": peer, "C floor": tails["C floor"]})
        if start == HELD and line.who == CURFEW:
            hold(line, "timeout", BAR)
        if start == HELD and peer:
            panel = f"lateness of a kill, {case}: p{SHARE} of the error from the first line + limit, × timeout"
            place(line, panel, name, peer.figure, limit=BAR * peer.figure if line.who == CURFEW else None)
        yield line


def tail_line(case, start, wrapper, errors):
    tail = percentile([abs(error) for error in errors], SHARE)
    return Line(ROW, f"{case}, {wrapper.name}: p{SHARE} of |error from {start}|", "µs", value=tail, who=wrapper.who)


def early_line(case, wrapper, errors):
    early = sum(1 for error in errors if error < 0)
    what = f"{case}, {wrapper.name}: killed before exec + limit"
    line = Line(ROW, what, f"of {len(errors)}", value=early, who=wrapper.who)
    if wrapper.who == CURFEW:
        line.bar, line.verdict = "0", OK if early == 0 else f"{MISSED} by {early}"
    return line
