"""What it takes to have a stopped redis-server wait for its clients: wake-ups of all that stands by, and its memory."""

import contextlib
import os
import pathlib
import time

import servers
import ways
from figures import CURFEW, LIMIT, PEER, Line, Spot, compare, judge, number, place, skipped
from processes import BenchError, read_text, state
from rows.idle import switches
from rows.memory import weigh

ROW = "asleep"
SECONDS, QUICK_SECONDS = 60, 5
CONNECTIONS = 1000
CONTAINMENTS = {"curfew run": [], "curfew run --containment=tree": ["--containment=tree"]}
WEIGHTS = ("Curfew's PSS", "Curfew's private dirty", "redis-server's footprint")


class Watched:
    """What is watched over the whole window: which processes, and which of them must be stopped at its end."""

    def __init__(self, name, column, who, pids, stopped):
        self.name, self.column, self.who, self.pids, self.stopped = name, column, who, pids, stopped


def waited_for(pids):
    """How many descriptors these processes wait for: the most that an epoll of theirs has."""
    files = [file for pid in pids for file in pathlib.Path(f"/proc/{pid}/fdinfo").iterdir()]
    return max(read_text(file).count("tfd:") for file in files)


class Crowded:
    """A redis-server under Curfew with a thousand clients connected."""

    def __init__(self, bench, stack, name):
        self.name = name
        self.app = stack.enter_context(servers.under_curfew(bench, *CONTAINMENTS[name]))
        self.client = stack.enter_context(servers.client(bench, self.app.port, CONNECTIONS))

    def weights(self):
        """KiB, as WEIGHTS names them."""
        pss, dirty, _ = weigh(self.app.supervisors)
        return pss, dirty, self.app.status()["footprint"] / 1024

    def sleep(self):
        self.app.sleep()
        count = waited_for(self.app.supervisors)
        if count < CONNECTIONS:
            raise BenchError(f"{self.app.name} sleeps with {count} descriptors waited for, not {CONNECTIONS}")

    def check(self):
        """After the window it must still sleep, and wake for whoever asks."""
        status = self.app.status()
        if status.get("asleep") != "true" or "woken" in status:
            raise BenchError(f"{self.app.name} didn't stay asleep: {status['state']}")
        if servers.ask(self.client, "kept") is None:
            raise BenchError(f"{self.app.name} didn't answer one of its {CONNECTIONS:,} clients within 2 s")


def measure(bench):
    if not servers.is_here():
        yield skipped(ROW, "a redis-server asleep", f"{servers.PROGRAM} not installed", CURFEW)
        return
    os.sync()  # see rows/memory.py
    yield from memory_lines(bench)
    seconds = QUICK_SECONDS if bench.options.quick else SECONDS
    with contextlib.ExitStack() as stack:
        crowded = [Crowded(bench, stack, name) for name in CONTAINMENTS]
        running = stack.enter_context(servers.under_curfew(bench))
        stack.enter_context(servers.client(bench, running.port, CONNECTIONS))
        here, missing = ways.enter(bench, stack)
        missing |= {way.name: "systemd itself stands by for it" for way in here if not way.standing_by}
        here = [way for way in here if way.standing_by]
        for each in [*crowded, *here]:
            each.sleep()
        watched = list(watch_all(crowded, running, here))
        counts = count_switches(watched, seconds)
        for each in crowded:
            each.check()
    for each, count in zip(watched, counts):
        yield wake_up_line(each, count, seconds)
    for name, why in missing.items():
        yield skipped(ROW, name, why)


def watch_all(crowded, running, here):
    column = f"{CONNECTIONS:,} clients"
    for each in crowded:
        pids = [*each.app.supervisors, *each.app.pids]
        yield Watched(f"{each.name}, asleep", column, CURFEW, pids, each.app.pids)
    yield Watched("redis-server awake", column, PEER, running.pids, [])
    for way in here:
        if way.who != CURFEW:
            yield Watched(way.name, "no client", way.who, [*way.standing_by, *way.server], way.server)


def count_switches(watched, seconds):
    time.sleep(1)
    before = [switches(each.pids) for each in watched]
    time.sleep(seconds)
    after = [switches(each.pids) for each in watched]
    if any(state(pid) != "T" for each in watched for pid in each.stopped):
        raise BenchError("a server did not stay stopped")
    return [last - first + len(threads ^ threads_after)
            for (first, threads), (last, threads_after) in zip(before, after)]


def wake_up_line(watched, count, seconds):
    line = Line(ROW, f"{watched.name}, {watched.column}: context switches in {number(seconds)} s", value=count, who=watched.who)
    if watched.who == CURFEW:
        line.bar, line.verdict = "0", judge(count, 0)
    panel = f"wake-ups of a redis-server that nobody asks and of what would continue it, in {number(seconds)} s"
    line.spots = [Spot(panel, watched.name, watched.column, count=count)]
    return line


def memory_lines(bench):
    for name in CONTAINMENTS:
        with contextlib.ExitStack() as stack:
            crowded = Crowded(bench, stack, name)
            awake = crowded.weights()
            crowded.sleep()
            asleep = crowded.weights()
        for what, *values in zip(WEIGHTS, awake, asleep):
            before, after = (Line(ROW, f"{name}, {CONNECTIONS:,} clients, {when}: {what}", "KiB", value=value, who=CURFEW)
                             for when, value in zip(("awake", "asleep"), values))
            yield before
            yield compare(after, {"awake": before})
    lines = {way.name: standing_by_line(way) for way in ways.one_by_one(bench) if way.standing_by}
    least = next(line for line in lines.values() if line.who == LIMIT)
    panel = "memory of what stands by to continue a stopped redis-server: PSS, × the C program"
    for way, line in lines.items():
        yield place(compare(line, {"C": least}), panel, way, least.figure)


def standing_by_line(way):
    way.sleep()
    return Line(ROW, f"{way.name}: PSS of what stands by", "KiB", value=weigh(way.standing_by)[0], who=way.who)
