"""How long a client waits that asks about one app, while another app is a fork bomb and other clients ask without end."""

import contextlib
import socket
import threading
import time

import fleet
from figures import CURFEW, Line, judge

ROW = "honest"
REQUESTS, QUICK_REQUESTS = 3000, 300
PAUSE_S = 0.003
FLOODERS = 3
# 200 processes at a time, each for a fifth of a second, for two minutes at most.
BOMB = "end=$(($(date +%s) + 120)); while [ $(date +%s) -lt $end ]; do for i in $(seq 200); do sleep 0.2 & done; wait; done"
CONTAINMENTS = {"cgroups": "cgroup2", "tree": "tree"}
MOST_MS = 50


def flood(path, is_over):
    """Asks for the list of apps, and reads what comes, as fast as that goes."""
    while not is_over.is_set():
        # Who asks for more than he reads is hung up on.
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))
            client.settimeout(fleet.PATIENCE_S)
            while not is_over.is_set():
                client.sendall(b"apps id=1\n" * 20)
                client.recv(1 << 20)


def waits(server, count):
    """ms of each of so many requests."""
    taken = []
    for _ in range(count):
        time.sleep(PAUSE_S)
        taken.append(server.microseconds("status app=app1") / 1e3)
    return taken


def run(bench, kind, count):
    with fleet.Server(bench, f"--containment={kind}") as server:
        server.launch(10)
        server.suspend_all()
        server.launch_one("bomb", "sh", "-c", BOMB)
        is_over = threading.Event()
        path = server.folder / f"{server.name}.sock"
        clients = [threading.Thread(target=flood, args=(path, is_over)) for _ in range(FLOODERS)]
        for client in clients:
            client.start()
        try:
            return waits(server, count)
        finally:
            is_over.set()
            for client in clients:
                client.join()


def measure(bench):
    count = QUICK_REQUESTS if bench.options.quick else REQUESTS
    for name, kind in CONTAINMENTS.items():
        taken = run(bench, kind, count)
        what = f"curfew serve, {name}: a request beside a fork bomb and {FLOODERS} clients that flood"
        yield Line(ROW, what, "ms", taken, who=CURFEW)
        line = Line(ROW, f"{what}: the slowest of {count}", "ms", value=max(taken), who=CURFEW, bar=f"≤ {MOST_MS} ms")
        line.verdict = judge(line.figure, MOST_MS, " ms")
        yield line
