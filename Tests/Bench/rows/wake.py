"""A PING to a redis-server that sleeps, beside one to the same server awake: what waking it costs whoever asks."""

import contextlib
import time

import servers
import ways
from figures import CURFEW, LIMIT, Line, compare, judge, place, skipped
from processes import BenchError

ROW = "wake"
# Of one process and of a hundred: ms that the answer of a sleeping one may take longer.
BARS = {1: 1, 100: 5}
CONTAINMENTS = {"curfew run": [], "curfew run --containment=tree": ["--containment=tree"]}
LEAST = "C, by duplicates of its sockets"
# (processes, connections that are open meanwhile). A crowd of them is shown and held to nothing: the kernel alone takes a
# millisecond to forget that somebody waited for a thousand.
TREES = ((1, 1), (100, 1), (1, 1000))
HOW = {"new": "a new connection", "kept": "a connection made before"}
# About what asking Curfew for its state takes, so that the C program's figures are taken at the same pace.
REST_S = 0.015


def measure(bench):
    if not servers.is_here():
        yield skipped(ROW, "a PING asleep and awake", f"{servers.PROGRAM} not installed", CURFEW)
        return
    for processes, connections in TREES:
        rounds = bench.rounds(200 if processes == connections == 1 else 60, 10)
        yield from lines_of(bench, processes, connections, rounds)


class Sleeper:
    """What is put to sleep and asked: how, and by whom."""

    def __init__(self, who, sleep, rest, client):
        self.who, self.sleep, self.rest, self.client = who, sleep, rest, client

    def sample(self, how):
        """(asleep, awake), in µs, one after the other."""
        self.sleep()
        asleep = servers.ask(self.client, how)
        self.rest()
        awake = servers.ask(self.client, how)
        if asleep is None or awake is None:
            when = "asleep" if asleep is None else "awake"
            raise BenchError(f"a PING over {HOW[how]} wasn't answered within 2 s, {when}")
        return asleep, awake


def sleepers(bench, stack, processes, connections):
    """By what to call them. The C program stops one process."""
    for name, options in CONTAINMENTS.items():
        app = stack.enter_context(servers.under_curfew(bench, *options, processes=processes))
        yield name, Sleeper(CURFEW, app.sleep, app.rest, stack.enter_context(servers.client(bench, app.port, connections)))
    if processes == 1:
        way = stack.enter_context(ways.least(bench))
        rest = lambda: time.sleep(REST_S)
        yield LEAST, Sleeper(LIMIT, way.sleep, rest, stack.enter_context(servers.client(bench, way.port, connections)))


def lines_of(bench, processes, connections, rounds):
    with contextlib.ExitStack() as stack:
        here = dict(sleepers(bench, stack, processes, connections))
        samples = {(name, how): [] for name in here for how in HOW}
        for _ in range(rounds):
            for (name, how), taken in samples.items():
                taken.append(here[name].sample(how))
    size = f"N={processes}" + (f", {connections:,} connections" if connections > 1 else "")
    bar = BARS[processes] if connections == 1 else None
    for how in HOW:
        yield from compared(size, how, {name: samples[name, how] for name in here}, bar, BARS[processes])


def compared(size, how, taken, bar, unit):
    """`bar`: None for no bar. `unit`: what the picture shows it as a multiple of, ms."""
    lines = {name: lines_for(f"{size}, {name}, {HOW[how]}", LIMIT if name == LEAST else CURFEW, pairs)
             for name, pairs in taken.items()}
    least = lines[LEAST][1] if LEAST in lines else None
    panel = "how much longer a sleeping redis-server's answer takes, × the bar of 1 ms, of 5 with 100 processes"
    for name, (awake, asleep, longer) in lines.items():
        compare(asleep, {"awake": awake, "C": least})
        held = bar if longer.who == CURFEW else None
        if held:
            longer.bar, longer.verdict = f"≤ {held} ms", judge(longer.figure, held, " ms")
        place(longer, panel, f"{name}, {how}", unit, size.removeprefix("N=").removeprefix("1, "), limit=held)
        yield from (awake, asleep, longer)


def lines_for(what, who, pairs):
    """Awake, asleep, and how much longer the one took than the other that was asked next."""
    return (Line(ROW, f"{what}: PING awake", "µs", [awake for _, awake in pairs], who=who),
            Line(ROW, f"{what}: PING asleep", "µs", [asleep for asleep, _ in pairs], who=who),
            Line(ROW, f"{what}: asleep beyond awake", "ms", [(asleep - awake) / 1e3 for asleep, awake in pairs], who=who))
