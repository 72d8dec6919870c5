"""Very many apps below one supervisor: `curfew serve`, the least that a C loop can do, and the peers."""

import os
import pathlib
import resource
import shutil
import signal
import socket
import subprocess
import time

from processes import BenchError, Conversation, Process, all_pids, children_of, read_text, short, wait_until

PATIENCE_S = 300
# Where Tests/Bench/deps puts what Debian doesn't have.
PEERS = pathlib.Path(__file__).resolve().parent.parent.parent / ".build-static" / "peers" / "bin"


def command():
    return [shutil.which("sleep"), "inf"]


# ---------------------------------------------------------------- the least


def least(bench, count, *options):
    """(started a second, ms until all were ended and reaped) by programs/fleet.c."""
    with Conversation(bench, [bench.program("fleet"), *options, count, *command()]) as loop:
        rate = float(loop.read_line(PATIENCE_S))
        time.sleep(1)
        (ended,) = loop.ask("end")
        return rate, ended


# ---------------------------------------------------------------- peers


def supervisord(bench, count):
    program = shutil.which("supervisord")
    if not program:
        return None
    folder = peers_folder(bench)
    # It ends at once where it can't have them; three for each are enough.
    files = min(6 * count + 100, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    text = f"[supervisord]\nnodaemon=true\nminfds={files}\nminprocs={count}\nlogfile={folder}/log\n"
    text += f"pidfile={folder}/pid\nchildlogdir={folder}\n"
    for number in range(count):
        text += f"[program:app{number}]\ncommand={' '.join(command())}\nstartsecs=0\nautorestart=false\n"
        text += "stdout_logfile=NONE\nstderr_logfile=NONE\n"
    (folder / "supervisord.conf").write_text(text)
    return [program, "-c", folder / "supervisord.conf"], direct


def circus(bench, count):
    program = shutil.which("circusd", path=f"{PEERS}:{os.environ['PATH']}")
    if not program:
        return None
    folder = peers_folder(bench)
    text = f"[circus]\nendpoint=ipc://{folder}/endpoint\npubsub_endpoint=ipc://{folder}/pubsub\ncheck_delay=-1\n"
    for number in range(count):
        text += f"[watcher:app{number}]\ncmd={' '.join(command())}\nwarmup_delay=0\n"
    (folder / "circus.ini").write_text(text)
    return [program, folder / "circus.ini"], direct


def s6_svscan(bench, count):
    program = shutil.which("s6-svscan")
    if not program:
        return None
    folder = peers_folder(bench)
    for number in range(count):
        service = folder / f"app{number}"
        service.mkdir()
        (service / "run").write_text(f"#!/bin/sh\nexec {' '.join(command())}\n")
        (service / "run").chmod(0o755)
    return [program, "-c", max(1000, 2 * count), folder], below_supervisors


PEER_COMMANDS = {"supervisord": supervisord, "circus": circus, "s6-svscan": s6_svscan}


def peers_folder(bench):
    folder = bench.directory / bench.fresh(".peer")
    folder.mkdir()
    return folder


def direct(process, count, before):
    return len(children_of(process.pid)) >= count


def below_supervisors(process, count, before):
    """Each of its services has a process of its own, and that one the program."""
    return len(set(all_pids()) - before) >= 2 * count + 1


def peer_rate(bench, name, count):
    """Programs started a second, from the peer's own start on, less what it takes for one; None where it isn't here."""
    seconds = []
    for number in (1, count):
        found = PEER_COMMANDS[name](bench, number)
        if not found:
            return None
        words, is_there = found
        before = set(all_pids())
        start = time.perf_counter()
        with Process(bench, words) as process:
            try:
                while not is_there(process, number, before):
                    if process.popen.poll() is not None:
                        raise process.failure(f"ended with status {process.popen.returncode}")
                    if time.perf_counter() - start > PATIENCE_S:
                        raise process.failure(f"{number} programs not within {PATIENCE_S} s")
                    time.sleep(0.05 if number > 1 else 0.01)
                seconds.append(time.perf_counter() - start)
            finally:
                end_peer(process)
    return (count - 1) / max(1e-3, seconds[1] - seconds[0])


def end_peer(process):
    """All that it has started goes with it; some take their time to end one program after the other."""
    if process.popen.poll() is not None:
        return
    process.popen.terminate()
    try:
        process.popen.wait(60)
    except subprocess.TimeoutExpired:
        process.end()


class Server:
    """A `curfew serve` with a name of its own, or that one; ended, and all its apps, with the block."""

    def __init__(self, bench, *options, name=None):
        self.bench, self.name = bench, name or bench.fresh("")
        self.folder = bench.runtime / "curfew" / "server"
        self.process = Process(bench, [bench.curfew, "serve", "--name", self.name, *options])
        path = self.folder / f"{self.name}.sock"
        popen = self.process.popen
        wait_until(lambda: popen.poll() is not None or path.exists() and self.connects(path), 10, "a server")
        if self.process.popen.poll() is not None:
            raise self.process.failure(f"ended with status {self.process.popen.returncode}")
        self.pending, self.orders = b"", 0
        self.pid = int(self.ask("server")["supervisor"])

    def connects(self, path):
        self.connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self.connection.connect(str(path))
        except OSError:
            self.connection.close()
            return False
        self.connection.settimeout(PATIENCE_S)
        return True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()
        if self.process.popen.poll() is None:
            self.process.popen.terminate()
            try:
                self.process.popen.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                pass  # then by force
        self.process.end()

    # ------------------------------------------------------------ requests

    def answer(self):
        """The fields of the next final line."""
        while True:
            line, newline, rest = self.pending.partition(b"\n")
            if newline:
                self.pending = rest
                words = line.decode().split(" ")
                if words[0] == "ok":
                    return dict(word.split("=", 1) for word in words[1:] if "=" in word)
                if words[0] == "error":
                    raise BenchError(f"{short(self.process.command)}: {line.decode()}")
                continue
            chunk = self.connection.recv(65536)
            if not chunk:
                raise self.process.failure("it has closed the connection")
            self.pending += chunk

    def ask(self, request):
        self.connection.sendall(f"{request} id=1\n".encode())
        return self.answer()

    def microseconds(self, *requests):
        """How long these take, one after the other."""
        start = time.perf_counter()
        for request in requests:
            self.ask(request)
        return (time.perf_counter() - start) * 1e6

    # ------------------------------------------------------------ apps

    def leave_orders(self, count):
        """Orders as `curfew launch -- sleep inf` leaves them; the requests for them."""
        requests = []
        for _ in range(count):
            self.orders += 1
            order = self.leave_order(f"app{self.orders}", "0", *command())
            requests.append(f"launch order={order} background=1 id=1\n")
        return requests

    def leave_order(self, name, grace, *words):
        fields = [f"name={name}", f"directory={self.bench.directory}", "umask=22", "option=--grace", f"option={grace}",
                  *(f"command={word}" for word in words),
                  *(f"environment={key}={value}" for key, value in self.bench.environment.items())]
        (self.folder / f"{name}.order").write_text("\0".join([*fields, ""]))
        return f"{name}.order"

    def launch_one(self, name, *words):
        """Into background, where it may run on."""
        return self.ask(f"launch order={self.leave_order(name, '1h', *words)} background=1")

    def launch(self, count):
        """Launches them into background by requests that don't wait for each other; how many a second."""
        requests = self.leave_orders(count)
        start = time.perf_counter()
        asked = answered = 0
        while answered < count:
            # So many are under way that the server never waits, and the connection takes them.
            while asked < count and asked - answered < 200:
                chunk = "".join(requests[asked:asked + 100])
                self.connection.sendall(chunk.encode())
                asked += min(100, count - asked)
            self.answer()
            answered += 1
        return count / (time.perf_counter() - start)

    def wait_suspended(self, name):
        wait_until(lambda: self.ask(f"status app={name}")["state"] == "suspended", 60, f"{name} suspended")

    def suspend_all(self):
        """They are launched without grace: it is only looked that it is so."""
        for number in range(1, self.orders + 1):
            self.wait_suspended(f"app{number}")

    def stop(self):
        """ms from SIGTERM to the server until it is gone, and all apps with it."""
        start = time.perf_counter()
        os.kill(self.pid, signal.SIGTERM)
        self.process.wait(PATIENCE_S)
        return (time.perf_counter() - start) * 1e3

    # ------------------------------------------------------------ what it holds

    @property
    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    @property
    def private_kib(self):
        text = read_text(f"/proc/{self.pid}/smaps_rollup")
        return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Private_"))
