"""A request to a redis-server with 100 MB: running, asleep in memory, and asleep with its memory in swap.

The values can't be compressed, and the request after the first asks for one of them, whose pages come from swap too.
Where there is no swap one in memory is made for the row, by a zram device of its own that is taken away again.
"""

import contextlib
import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import time

from figures import CURFEW, LIMIT, Line, compare, place, skipped
from processes import BenchError, Process, wait_until

ROW = "paged"
VALUE = 64 << 10
VALUES = (100 << 20) // VALUE
SWAP = 256 << 20
KINDS = {"running": [], "asleep": [], "asleep, paged out": ["--page-out", "10ms"]}
REQUESTS = ("PING", f"GET of {VALUE >> 10} KiB")

# A shell of its own takes the device away, even if the bench is killed.
MAKE_SWAP = f"""
PATH=$PATH:/usr/sbin:/sbin
end() {{
    for try in 1 2 3 4 5 6 7 8 9 10; do swapoff /dev/zram$n && break; sleep 0.1; done
    echo 1 > /sys/block/zram$n/reset; echo $n > /sys/class/zram-control/hot_remove
}}
read n < /sys/class/zram-control/hot_add || exit
trap end EXIT
echo {SWAP} > /sys/block/zram$n/disksize && mkswap /dev/zram$n > /dev/null && swapon /dev/zram$n && echo ready || exit
read line
"""


@contextlib.contextmanager
def swap():
    """Why there is none; empty where there is."""
    if len(pathlib.Path("/proc/swaps").read_text().splitlines()) > 1:
        yield ""
        return
    if os.geteuid() != 0 or not os.path.exists("/sys/class/zram-control/hot_add"):
        yield "there is no swap, and to make one takes root and zram"
        return
    shell = subprocess.Popen(
        ["sh", "-c", MAKE_SWAP], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        start_new_session=True)
    try:
        yield "" if shell.stdout.readline() == "ready\n" else "there is no swap, and zram gives none"
    finally:
        shell.communicate("\n", timeout=60)


class Redis(Process):
    """One under `curfew run`, filled, and a connection to it."""

    def __init__(self, bench, options):
        self.bench = bench
        self.name = bench.fresh("")
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        super().__init__(bench, bench.curfew_run("--name", self.name, "--wake-on", "connections", *options) + [
            "redis-server", "--bind", "127.0.0.1", "--port", port, "--save", "", "--appendonly", "no"])
        wait_until(lambda: self.connects(port), 10, "redis-server listens")
        for index in range(VALUES):
            self.ask(b"SET", str(index).encode(), os.urandom(VALUE))

    def connects(self, port):
        if self.popen.poll() is not None:
            raise self.failure(f"ended with status {self.popen.returncode}")
        try:
            self.socket = socket.create_connection(("127.0.0.1", port), 10)
        except ConnectionRefusedError:
            return False
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return True

    def ask(self, *words):
        """How long the whole answer takes, in µs."""
        line = b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)
        began = time.perf_counter()
        self.socket.sendall(line)
        answer = b""
        while not self.is_whole(answer):
            answer += self.socket.recv(1 << 20)
        took = (time.perf_counter() - began) * 1e6
        if answer[:1] in (b"-", b""):
            raise BenchError(f"redis-server answers {answer[:60]!r}")
        return took

    @staticmethod
    def is_whole(answer):
        head, found, rest = answer.partition(b"\r\n")
        return bool(found) and (not head.startswith(b"$") or len(rest) >= int(head[1:]) + 2)

    def told(self, verb, *arguments):
        return self.bench.check([self.bench.curfew, verb, self.name, *arguments], 20)

    def page_outs(self):
        return [event for event in map(json.loads, self.told("events", "--json").splitlines())
                if event["name"] == "didPageOut"]

    def sleep(self, is_paged):
        """Asleep, and paged out if it is to be; MiB in memory and in swap."""
        before = self.page_outs()
        self.told("sleep")
        if is_paged:
            # The log's last events are all that is kept.
            wait_until(lambda: self.page_outs()[-1:] != before[-1:], 20, "its memory to be paged out")
            last = self.page_outs()[-1]
            return last["resident"] >> 20, last["swapped"] >> 20
        return None

    def end(self):
        if hasattr(self, "socket"):
            self.socket.close()
        super().end()


def measure(bench):
    if not shutil.which("redis-server"):
        yield skipped(ROW, "redis-server", "not installed", CURFEW)
        return
    with swap() as missing:
        kinds = {kind: options for kind, options in KINDS.items() if not (missing and options)}
        samples, places = take(bench, kinds)
        for kind in KINDS:
            if kind not in kinds:
                yield skipped(ROW, kind, missing, CURFEW)
                continue
            for request in REQUESTS:
                line = line_of(kind, request, samples)
                if places.get(kind):
                    line.remark = "{} MiB in memory, {} in swap".format(*places[kind])
                yield line


def line_of(kind, request, samples):
    line = Line(ROW, f"{request}, {kind}", "µs", samples[kind, request], who=LIMIT if kind == "running" else CURFEW)
    if kind == "running":
        return line
    base = Line(ROW, "", "µs", samples["running", request])
    panel = "answer of a redis-server with 100 MB that sleeps, × one that runs"
    return place(compare(line, {"running": base}), panel, f"curfew run, {kind}", base.figure, request)


def take(bench, kinds):
    samples = {(kind, request): [] for kind in kinds for request in REQUESTS}
    places = {}
    with contextlib.ExitStack() as stack:
        servers = {kind: stack.enter_context(Redis(bench, options)) for kind, options in kinds.items()}
        for _ in range(bench.rounds(30, 5)):
            for kind, server in servers.items():
                if kind != "running":
                    places[kind] = server.sleep(bool(kinds[kind]))
                key = str(random.randrange(VALUES)).encode()
                samples[kind, REQUESTS[0]].append(server.ask(b"PING"))
                samples[kind, REQUESTS[1]].append(server.ask(b"GET", key))
    return samples, places
