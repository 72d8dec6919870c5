"""The first answer of a redis-server that is stopped: by Curfew, and by what else has it continued for who asks."""

import contextlib

import servers
import ways
from figures import CURFEW, LIMIT, MISSED, OK, PEER, Line, compare, number, place, skipped
from processes import BenchError

ROW = "firstbyte"


def measure(bench):
    if not servers.is_here():
        yield skipped(ROW, "the first answer of a stopped server", f"{servers.PROGRAM} not installed", CURFEW)
        return
    with contextlib.ExitStack() as stack:
        here, missing = ways.enter(bench, stack)
        alone, _ = stack.enter_context(ways.server_alone(bench))
        clients = {way.name: stack.enter_context(servers.client(bench, way.port)) for way in here}
        direct = stack.enter_context(servers.client(bench, alone))
        samples = {way.name: ([], []) for way in here}
        running = []
        for _ in range(bench.rounds(60, 10)):
            running.append(servers.ask(direct, "new"))
            for way in here:
                take(way, clients[way.name], *samples[way.name])
        kept = {way.name: None if way.disconnects else ask_stopped(way, clients[way.name], "kept") for way in here}
    yield from first_lines(here, samples, running)
    for way in here:
        yield kept_line(way, kept[way.name])
    for name, why in missing.items():
        yield skipped(ROW, name, why)


def take(way, client, asleep, awake):
    asleep.append(ask_stopped(way, client, "new"))
    awake.append(servers.ask(client, "new"))


def ask_stopped(way, client, how):
    """µs; None where the server wasn't continued within 2 s. It runs afterwards."""
    way.sleep()
    taken = servers.ask(client, how)
    if taken is None:
        way.wake()
    return taken


def answered(taken):
    return [each for each in taken if each is not None]


def first_lines(here, samples, running):
    base = Line(ROW, "running, nothing in front: PING over a new connection", "µs", answered(running), who=LIMIT)
    yield base
    lines = {}
    for way in here:
        asleep, awake = samples[way.name]
        if way.who == PEER and answered(awake):
            yield compare(Line(ROW, f"awake, {way.name}", "µs", answered(awake), who=way.who), {"running": base})
        lines[way.name] = line = Line(ROW, f"asleep, {way.name}", "µs", answered(asleep), who=way.who)
        if len(line.samples) < len(asleep):
            line.remark = f"{len(asleep) - len(line.samples)} of {len(asleep)} not answered within 2 s"
    peers = [line for line in lines.values() if line.who == PEER and line.samples]
    fastest = min(peers, key=lambda line: line.figure, default=None)
    for name, line in lines.items():
        yield judged(name, line, base, fastest)


def judged(name, line, base, fastest):
    if line.samples:
        compare(line, {"running": base, "the fastest peer": fastest})
    if line.who == CURFEW:
        if line.remark:
            raise BenchError(f"{name}: {line.remark}")
        if fastest:
            ratio = line.ratios["the fastest peer"]
            line.bar, line.verdict = "< 1× the fastest peer", OK if ratio < 1 else f"{MISSED} by {number(ratio - 1)}×"
    if not line.samples:
        return line
    panel = "first answer of a stopped redis-server, from connecting to its first byte, × one that runs"
    return place(line, panel, name, base.figure, limit=fastest.figure if line.who == CURFEW and fastest else None)


def kept_line(way, taken):
    """Once: a client that was connected before sends no SYN, and opens no new connection to a proxy."""
    line = Line(ROW, f"asleep, {way.name}: asked over a connection made before", "µs", value=taken, who=way.who)
    if taken is None:
        line.remark = "it was closed" if way.disconnects else "no answer within 2 s"
    return line
