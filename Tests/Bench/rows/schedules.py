"""What thousands of notifications that wait cost a server: at its start, and until the first is due."""

import contextlib
import socket
import sqlite3
import time

import fleet
from figures import CURFEW, Line, compare, judge
from processes import BenchError, Process
from rows.idle import switches

ROW = "schedules"
COUNT, APPS_HAVE = 10_000, 64
MOST_MS = 1
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
