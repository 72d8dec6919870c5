"""What thousands of notifications that wait cost a server: at its start, until the first is due, and how late one is then."""

import contextlib
import math
import socket
import sqlite3
import sys
import time

import fleet
from figures import CURFEW, Line, compare, judge
from processes import BenchError, Process
from rows.idle import switches

ROW = "schedules"
COUNT, APPS_HAVE = 10_000, 64
MOST_MS, MOST_LATE_MS = 1, 50
# A moment is a whole second: the next one that is so far away.
AHEAD_S = 0.3
LIMIT_S = 60
# An absolute moment, and one by the machine's clocks, which comes again.
NOTIFICATIONS = (
    'notification=once at=2096-07-01T08:00:00Z title="Stand up" body="Ten minutes, then go on with what you did"',
    'notification=series at="2096-07-01 08:00" zone=local repeat=daily title="Stand up" body="Ten minutes, no more"')
COPIES = """
    WITH RECURSIVE number(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n + 1 < :count)
    INSERT INTO notification
        SELECT 'many' || (n / :apps_have), 'n' || (n % :apps_have), moment + n * 1000000, civil, zone, repetition, passed,
            content
        FROM number JOIN notification ON app = 'app1' AND id = iif(n % 2, 'once', 'series')"""
# Tells, a datagram each, that it is in front, and of a notification when it heard of it by the wall clock.
HEARING = r"""
import os, socket, sys, time
channel = socket.socket(fileno=int(os.environ["CURFEW_FD"]))
told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
told.connect(sys.argv[1])
channel.sendall(b"hello\n")
for line in channel.makefile():
    now, words = time.time(), line.split()
    if "name=didReceiveLocalNotification" in words:
        told.send(repr(now).encode())
    for word in words:
        if word.startswith("seq="):
            channel.sendall(f"ack {word}\n".encode())
    if "name=didBecomeActive" in words:
        told.send(b"in front")
"""


def prepare(bench, count):
    """The name of a server that has kept two notifications, and so many copies of them."""
    with fleet.Server(bench) as server:
        server.launch(1)
        for notification in NOTIFICATIONS:
            server.ask(f"notify app=app1 {notification}")
        server.stop()
    path = bench.directory / "state" / "curfew" / "servers" / server.name / "server.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        if count:
            database.execute(COPIES, {"count": count, "apps_have": APPS_HAVE})
    return server.name


def start_ms(bench, name):
    """From the start of a server's process until it tells whoever has started it that it serves."""
    path = bench.directory / bench.fresh(".notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
        told.bind(str(path))
        told.settimeout(LIMIT_S)
        start = time.perf_counter()
        with Process(bench, ["env", f"NOTIFY_SOCKET={path}", bench.curfew, "serve", "--name", name]) as process:
            try:
                while b"READY=1" not in told.recv(4096):
                    pass
            except TimeoutError:
                raise process.failure(f"not ready within {LIMIT_S} s") from None
            taken = (time.perf_counter() - start) * 1e3
            process.popen.terminate()
            process.wait(LIMIT_S)
    path.unlink()
    return taken


def wakes(bench, name):
    """How often a server runs while nothing of what it has is due."""
    with fleet.Server(bench, name=name) as server:
        if int(server.ask("schedule")["count"]) < COUNT:
            raise BenchError(f"{name} has lost some of its notifications")
        time.sleep(1)
        before, threads = switches([server.pid])
        time.sleep(bench.options.idle_seconds)
        after, threads_after = switches([server.pid])
        return after - before + len(threads ^ threads_after)


def late_ms(bench, name, rounds):
    """Of so many, one after the other: from the moment that each is due until an app in front has heard of it."""
    path, app = bench.directory / bench.fresh(".told"), bench.fresh("")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told, fleet.Server(bench, name=name) as server:
        told.bind(str(path))
        told.settimeout(LIMIT_S)
        bench.check([bench.curfew, "launch", "--server", name, "--name", app, "--", sys.executable, "-c", HEARING, path], LIMIT_S)
        hear(server, told)
        taken = [one_late_ms(server, told, app) for _ in range(rounds)]
    path.unlink()
    return taken


def one_late_ms(server, told, app):
    moment = math.ceil(time.time() + AHEAD_S)
    server.ask(f'notify app={app} at=@{moment} title="Stand up"')
    if time.time() >= moment:
        raise server.process.failure(f"{AHEAD_S} s were too short to keep a notification")
    return (float(hear(server, told)) - moment) * 1e3


def hear(server, told):
    """What an app tells next."""
    try:
        return told.recv(4096).decode()
    except TimeoutError:
        raise server.process.failure(f"its app has told nothing for {LIMIT_S} s") from None


def measure(bench):
    names = {count: prepare(bench, count) for count in (0, COUNT)}
    taken = {count: [] for count in names}
    for _ in range(bench.rounds(20, 5)):
        for count, name in names.items():
            taken[count].append(start_ms(bench, name))
    few, many = (Line(ROW, f"curfew serve: its start with {count + 2:,} notifications", "ms", samples, who=CURFEW)
                 for count, samples in taken.items())
    yield few
    yield compare(many, {"with 2": few})
    # The least of each: others are at work on the machine too.
    each = (min(taken[COUNT]) - min(taken[0])) / (COUNT / 1000)
    yield Line(ROW, "curfew serve: its start longer by, for each 1,000", "ms", value=each, who=CURFEW,
               bar=f"≤ {MOST_MS} ms", verdict=judge(each, MOST_MS, " ms"))
    count = wakes(bench, names[COUNT])
    yield Line(ROW, f"curfew serve, {COUNT + 2:,} notifications: context switches until the first is due", value=count,
               who=CURFEW, bar="0", verdict=judge(count, 0))
    late = late_ms(bench, names[COUNT], bench.rounds(20, 5))
    slowest = max(late)
    yield Line(ROW, f"curfew serve, {COUNT + 2:,} notifications: how late an app hears of one more, the slowest", "ms", late,
               slowest, who=CURFEW, bar=f"≤ {MOST_LATE_MS} ms", verdict=judge(slowest, MOST_LATE_MS, " ms"))
