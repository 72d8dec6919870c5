"""How long a client waits that asks about one app, while another app is a fork bomb, or other clients ask without end."""

import contextlib
import multiprocessing
import socket
import time

import fleet
from figures import CURFEW, LIMIT, Line, judge

ROW = "honest"
REQUESTS, QUICK_REQUESTS = 2000, 200
PAUSE_S = 0.003
FLOODERS = 3
# 200 processes at a time, each for a fifth of a second, for two minutes at most.
BOMB = "end=$(($(date +%s) + 120)); while [ $(date +%s) -lt $end ]; do for i in $(seq 200); do sleep 0.2 & done; wait; done"
CONTAINMENTS = {"cgroups": "cgroup2", "tree": "tree"}
MOST_MS = 50


def flood(path):
    """Asks for the list of apps, and reads what comes, as fast as that goes, until it is ended."""
    while True:
        # Who asks for more than he reads is hung up on.
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))
            client.settimeout(fleet.PATIENCE_S)
            while True:
                client.sendall(b"apps id=1\n" * 20)
                client.recv(1 << 20)


def echo(channel):
    """What the machine itself has anybody wait for who asks another process anything."""
    while chunk := channel.recv(64):
        channel.sendall(chunk)


@contextlib.contextmanager
def processes(*calls):
    started = [multiprocessing.Process(target=target, args=arguments, daemon=True) for target, *arguments in calls]
    try:
        for process in started:
            process.start()
        yield
    finally:
        for process in started:
            process.kill()
            process.join()


def waits(server, other, count):
    """ms of each of so many requests, and of as many to one that only echoes, in turn."""
    taken, echoed = [], []
    for _ in range(count):
        time.sleep(PAUSE_S)
        taken.append(server.microseconds("status app=app1") / 1e3)
        time.sleep(PAUSE_S)
        start = time.perf_counter()
        other.sendall(b"x")
        other.recv(64)
        echoed.append((time.perf_counter() - start) * 1e3)
    return taken, echoed


@contextlib.contextmanager
def fork_bomb(server):
    server.launch_one("bomb", "sh", "-c", BOMB)
    yield


@contextlib.contextmanager
def floods(server):
    with processes(*[(flood, server.folder / f"{server.name}.sock")] * FLOODERS):
        yield


LOADS = {"a fork bomb": fork_bomb, f"{FLOODERS} clients that flood": floods}


def run(bench, kind, load, count):
    with fleet.Server(bench, f"--containment={kind}") as server:
        server.launch(10)
        server.suspend_all()
        ours, theirs = socket.socketpair()
        with ours, theirs, processes((echo, theirs)), load(server):
            return waits(server, ours, count)


def measure(bench):
    count = QUICK_REQUESTS if bench.options.quick else REQUESTS
    for name, kind in CONTAINMENTS.items():
        for what, load in LOADS.items():
            yield from lines_of(f"{name}, beside {what}", *run(bench, kind, load, count))


def lines_of(where, taken, echoed):
    yield Line(ROW, f"curfew serve, {where}: a request", "ms", taken, who=CURFEW)
    yield Line(ROW, f"one that echoes, {where}: a request", "ms", echoed, who=LIMIT)
    slowest = Line(ROW, f"curfew serve, {where}: the slowest of {len(taken)}", "ms", value=max(taken), who=CURFEW)
    slowest.bar, slowest.verdict = f"≤ {MOST_MS} ms", judge(slowest.figure, MOST_MS, " ms")
    yield slowest
    yield Line(ROW, f"one that echoes, {where}: the slowest of {len(echoed)}", "ms", value=max(echoed), who=LIMIT)
