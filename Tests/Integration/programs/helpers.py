"""What the tests of containment, limits, control and crashes share: programs, sockets, and ways to look at a tree."""

import contextlib
import ctypes
import os
import pathlib
import re
import select
import shutil
import socket
import struct
import subprocess
import tempfile

import pytest

from conftest import LIMIT, is_alive, thread_letters, wait_for

PROGRAMS = pathlib.Path(__file__).resolve().parent
ORDINARY = 65534
AS_ORDINARY = {"user": ORDINARY, "group": ORDINARY, "extra_groups": []}

# pyenv's python is root's alone.
ORDINARY_PYTHON = "/usr/bin/python3"

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: it changes the uid, or makes cgroups")


@contextlib.contextmanager
def small_disk(path, size):
    """A tmpfs of so many bytes there."""
    libc = ctypes.CDLL(None, use_errno=True)
    path.mkdir(mode=0o700)
    if libc.mount(b"tmpfs", os.fsencode(path), b"tmpfs", 0, f"size={size},mode=0700".encode()) != 0:
        pytest.skip(f"no small disk can be made here: {os.strerror(ctypes.get_errno())}")
    try:
        yield
    finally:
        libc.umount2(os.fsencode(path), 2)


def fill_disk(filler):
    """Leaves no room on its disk."""
    with contextlib.suppress(OSError), open(filler, "wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)


_built = {}


def program(name, *flags):
    """Compiles programs/NAME.c once, where every user can run it."""
    if name not in _built:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="cf-programs-"))
        folder.chmod(0o755)
        target = folder / name
        subprocess.run(["cc", "-O1", "-pthread", "-o", target, PROGRAMS / f"{name}.c", *flags], check=True)
        _built[name] = target
    return _built[name]


def remove_programs():
    for path in _built.values():
        shutil.rmtree(path.parent, ignore_errors=True)
    _built.clear()


class Alive:
    """A pipe whose end every process of an app holds: it is at its end when the last of them is dead.

    The environment of a process can be emptied and its pid can change for ever; its descriptors stay.
    """

    def __init__(self):
        self.reader, self.writer = os.pipe()

    def options(self):
        return {"pass_fds": [self.writer]}

    def started(self):
        os.close(self.writer)
        self.writer = None

    def is_over(self, limit=0.0):
        ready, _, _ = select.select([self.reader], [], [], limit)
        return bool(ready)

    def close(self):
        for fd in (self.reader, self.writer):
            if fd is not None:
                os.close(fd)


class Arena:
    """The counters a helper program shares with the test."""

    def __init__(self, path):
        self.path = path
        path.write_bytes(b"\0" * 8)
        path.chmod(0o666)

    def _read(self):
        return struct.unpack("ii", self.path.read_bytes()[:8])

    @property
    def forked(self):
        return self._read()[0]

    @property
    def steps(self):
        return self._read()[1]

    @property
    def touched(self):
        return struct.unpack("q", self.path.read_bytes()[:8])[0]


def tree(pid):
    """Every process below `pid`, by what /proc says of parents."""
    children = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(entry.name))
    found, waiting = [], [pid]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return [one for one in found if is_alive(one)]


def not_stopped(pids):
    """Those with a thread that runs, as pid: letters."""
    letters = {pid: thread_letters(pid) for pid in pids}
    return {pid: seen for pid, seen in letters.items() if any(letter not in "TtZX" for letter in seen)}


def assert_all_stopped(running, pids):
    """All that are left of them."""
    assert any(map(is_alive, pids)), f"nobody is left of {pids}"
    assert_none_runs(running.sandbox, running.name, pids)


def assert_stopped(sandbox, app, pids):
    """Each lives, and is stopped."""
    assert all(map(is_alive, pids)), f"not all of {pids} are left"
    assert_none_runs(sandbox, app, pids)


def assert_none_runs(sandbox, app, pids):
    """Of whom the kernel hadn't stopped in 200 ms, for want of a processor, it was told, and those are soon."""
    left = not_stopped(pids)
    if left and "stillRunning" in sandbox.curfew("events", app).stdout:
        wait_for("the rest to be stopped", lambda: not not_stopped(pids))
    else:
        assert left == {}, left


class Line(dict):
    """One line of the control channel: its verb, and its fields as a dictionary."""

    def __init__(self, text):
        self.text = text
        self.verb, _, rest = text.partition(" ")
        super().__init__(self._fields(rest))

    @staticmethod
    def _fields(rest):
        while rest:
            key, _, rest = rest.partition("=")
            if rest.startswith('"'):
                value, index = "", 1
                while rest[index] != '"':
                    if rest[index] == "\\":
                        index += 1
                    value += rest[index]
                    index += 1
                rest = rest[index + 1:].lstrip(" ")
            else:
                value, _, rest = rest.partition(" ")
            yield key, value


class Client:
    """A raw client of a control socket."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(str(path))
        # Not before: a connect with a timeout fails at once while the listener's queue is full.
        self.socket.settimeout(LIMIT)
        self.buffer = b""

    def send(self, text):
        self.socket.sendall(text if isinstance(text, bytes) else text.encode())

    def line(self):
        """The next line; None once the channel is closed."""
        while b"\n" not in self.buffer:
            try:
                chunk = self.socket.recv(65536)
            except ConnectionResetError:
                chunk = b""
            if not chunk:
                return None
            self.buffer += chunk
        line, _, self.buffer = self.buffer.partition(b"\n")
        return Line(line.decode())

    def ask(self, text):
        """Sends a line and returns the `ok` or `error` that answers it."""
        self.send(text + "\n")
        while (line := self.line()) is not None:
            if line.verb in ("ok", "error"):
                return line
        return None

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def flood(path, text, over):
    """Sends and never reads, until the channel is closed or `over` is set."""
    with contextlib.suppress(BrokenPipeError, ConnectionResetError), Client(path) as client:
        client.socket.settimeout(0.1)
        while not over.is_set():
            with contextlib.suppress(TimeoutError):
                client.socket.sendall(text)


def socket_of(running):
    return running.sandbox.runtime / "curfew" / f"{running.name}.sock"


def resident_kib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def open_descriptors(supervisor):
    """How many it has open, but for those of processes: the last few senders of requests are held."""
    count = 0
    for each in os.scandir(f"/proc/{supervisor}/fd"):
        with contextlib.suppress(FileNotFoundError):
            count += "pidfd" not in os.readlink(each.path)
    return count


def cpu_ticks(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def times_rested(pid):
    """Once it sleeps, how often it has gone to sleep by itself: who was preempted, for want of a processor, hasn't.

    Of two such counts the second is 1 more at most if nothing has woken it since the first: it can have been preempted on
    its way to sleep, and is shown as asleep already.
    """
    path = pathlib.Path(f"/proc/{pid}/status")

    def asleep():
        text = path.read_text()
        return re.search(r"^State:\s+S", text, re.M) and text

    text = wait_for(f"{pid} to sleep", asleep)
    return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)$", text, re.M).group(1))


def set_timers(pid):
    """What the kernel says of each timer that it has set, or that was due and isn't heeded yet."""
    found = []
    for each in os.scandir(f"/proc/{pid}/fdinfo"):
        with contextlib.suppress(FileNotFoundError):
            text = pathlib.Path(each.path).read_text()
            if "it_value:" in text and not re.search(r"^ticks: 0$.*^it_value: \(0, 0\)$", text, re.M | re.S):
                found.append(text)
    return found
