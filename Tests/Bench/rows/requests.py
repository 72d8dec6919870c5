"""Requests lost while a server is put to sleep ten thousand times, under fifty clients that come when they like."""

import random
import socket
import time

import servers
from figures import CURFEW, MISSED, OK, Line, Spot, skipped
from processes import BenchError, Conversation
from rows.suspend import socket_of

ROW = "requests"
CYCLES, QUICK_CYCLES = 10_000, 500
CLIENTS, MOST_PAUSE_MS = 50, 50
# How long it is left awake after each waking, at random: the next stop meets it in whatever it then does.
MOST_AWAKE_S = 0.004
CONTAINMENTS = {"curfew run": [], "curfew run --containment=tree": ["--containment=tree"]}
LINE_LIMIT_S, LIMIT_S = 20, 900


class Operator:
    """The control channel, as docs/protocol.md has it: what is asked, and the events of the app meanwhile."""

    def __init__(self, channel):
        """`channel`: connected."""
        self.channel = channel
        self.channel.settimeout(LINE_LIMIT_S)
        self.lines = self.channel.makefile("rb")
        self.number = 0
        self.is_asleep = False
        self.sleeps = self.wakings = 0  # falling asleep, and waking from it, as the events tell
        self.reply("events", "follow=1")

    def next(self):
        """The words of the next line; events have been counted."""
        try:
            line = self.lines.readline().decode()
        except TimeoutError:
            raise BenchError(f"nothing on the control channel for {LINE_LIMIT_S} s") from None
        if not line:
            raise BenchError("the control channel was closed")
        words = line.split()
        if "name=didSleep" in words:
            self.is_asleep = True
            self.sleeps += 1
        if "name=didWake" in words and self.is_asleep:
            self.is_asleep = False
            self.wakings += 1
        return words

    def reply(self, verb, *fields):
        self.number += 1
        self.channel.sendall(" ".join([verb, f"id={self.number}", *fields]).encode() + b"\n")
        while (words := self.next())[0] == "event" or f"id={self.number}" not in words:
            pass
        if words[0] != "ok":
            raise BenchError(f"{verb}: {' '.join(words)}")
        return words

    def sleep(self):
        """Puts it to sleep and waits until it was woken; false where something had woken it before it was asleep."""
        before = self.sleeps
        if "state=suspended" not in self.reply("sleep"):
            return False
        while self.sleeps == before or self.is_asleep:
            self.next()
        return True


def put_to_sleep(app, cycles):
    """(how often it slept until a client woke it, how often one had woken it before it was asleep)."""
    woken_at_once = 0
    deadline = time.monotonic() + LIMIT_S
    with socket.socket(socket.AF_UNIX) as channel:
        channel.connect(str(socket_of(app.bench, app.name)))
        operator = Operator(channel)
        while operator.wakings < cycles:
            if time.monotonic() > deadline:
                raise BenchError(f"{operator.wakings} of {cycles} times asleep within {LIMIT_S} s")
            woken_at_once += not operator.sleep()
            time.sleep(random.uniform(0, MOST_AWAKE_S))
        return operator.wakings, woken_at_once


def run(bench, options, cycles):
    """(slept, woken at once, requests answered, requests lost, the slowest in µs)."""
    with servers.under_curfew(bench, *options) as app:
        crowd = [bench.program("crowd"), app.port, CLIENTS, MOST_PAUSE_MS]
        with Conversation(bench, crowd) as clients:
            try:
                counts = put_to_sleep(app, cycles)
            except BenchError:
                if clients.popen.poll() is None:
                    raise
                raise clients.failure(f"ended with status {clients.popen.returncode}") from None
            clients.popen.stdin.close()
            figures = [float(word) for word in clients.read_line(60).split()]
            clients.wait(10)
    return *counts, *figures


def measure(bench):
    if not servers.is_here():
        yield skipped(ROW, "requests lost", f"{servers.PROGRAM} not installed", CURFEW)
        return
    cycles = QUICK_CYCLES if bench.options.quick else CYCLES
    for name, options in CONTAINMENTS.items():
        yield from lines_of(name, *run(bench, options, cycles))


def lines_of(name, slept, at_once, answered, lost, slowest):
    what = f"{name}: put to sleep {slept:,} times under {CLIENTS} clients"
    line = Line(ROW, f"{what}: lost", f"of {answered + lost:,.0f}", value=lost, who=CURFEW, bar="0",
                verdict=OK if lost == 0 else f"{MISSED} by {lost:.0f}",
                remark=f"{at_once:,} times more it was woken before it was asleep")
    panel = f"requests of {CLIENTS} clients to a redis-server that is put to sleep {slept:,} times"
    line.spots = [Spot(panel, name, "lost", count=int(lost))]
    yield line
    yield Line(ROW, f"{what}: the slowest answer", "ms", value=slowest / 1e3, who=CURFEW)
