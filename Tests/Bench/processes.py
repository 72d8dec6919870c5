"""Processes of the bench: what /proc says of them, starting them with a deadline, ending them by pidfd."""

import os
import pathlib
import select
import signal
import subprocess
import tempfile
import time


class BenchError(Exception):
    """A row can't be measured: the text says what happened, with the stderr of whoever failed."""


# ---------------------------------------------------------------- /proc


def read_text(path):
    try:
        return pathlib.Path(path).read_text()
    except OSError:
        return ""


def stat_fields(pid):
    """The fields of /proc/PID/stat after the command's name: state, ppid, …; empty when it's gone."""
    return read_text(f"/proc/{pid}/stat").rpartition(")")[2].split()


def all_pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def descendants(root):
    children = {}
    for pid in all_pids():
        fields = stat_fields(pid)
        if fields:
            children.setdefault(int(fields[1]), []).append(pid)
    found, left = [], [root]
    while left:
        for child in children.get(left.pop(), []):
            found.append(child)
            left.append(child)
    return found


def children_of(pid):
    """In no order that means anything; of all its threads."""
    lists = (read_text(f"/proc/{pid}/task/{thread}/children") for thread in os.listdir(f"/proc/{pid}/task"))
    return [int(child) for text in lists for child in text.split()]


def executable(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""


def state(pid):
    fields = stat_fields(pid)
    return fields[0] if fields else "gone"


def wait_until(condition, seconds, what):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return
        time.sleep(0.01)
    raise BenchError(f"{what}: not within {seconds} s")


# ---------------------------------------------------------------- processes


class Process:
    """A program in a session of its own. Its stdout and stderr are files, so no survivor of it can make us wait."""

    def __init__(self, bench, command, stdin=subprocess.DEVNULL, stdout=None, cpus=None):
        self.command = [str(word) for word in command]
        self.errors = tempfile.TemporaryFile(dir=bench.directory)
        self.output = tempfile.TemporaryFile(dir=bench.directory)
        pin = (lambda: os.sched_setaffinity(0, cpus)) if cpus else None
        try:
            self.popen = subprocess.Popen(
                self.command, stdin=stdin, stdout=stdout or self.output, stderr=self.errors, env=bench.environment,
                start_new_session=True, preexec_fn=pin)
        except OSError as error:
            raise BenchError(f"{self.command[0]}: {error.strerror}") from error
        self.pid = self.popen.pid

    def text(self, file):
        file.seek(0)
        return file.read().decode(errors="replace")

    def failure(self, what):
        errors = self.text(self.errors).strip()[-600:] or "(nothing on stderr)"
        return BenchError(f"{short(self.command)}: {what}: {errors}")

    def wait(self, seconds):
        try:
            return self.popen.wait(seconds)
        except subprocess.TimeoutExpired:
            self.end()
            raise self.failure(f"still running after {seconds} s") from None

    def end(self):
        """TERM, then KILL for it and for every descendant it had; only pids whose parentage was just read."""
        if self.popen.poll() is None:
            tree = [(pid, open_pidfd(pid)) for pid in descendants(self.pid)]
            self.popen.terminate()
            try:
                self.popen.wait(3)
            except subprocess.TimeoutExpired:
                tree += [(pid, open_pidfd(pid)) for pid in descendants(self.pid)]
                self.popen.kill()
                self.popen.wait(3)
            for _, fd in tree:
                kill_by_pidfd(fd)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


def open_pidfd(pid):
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def kill_by_pidfd(fd):
    if fd is None:
        return
    try:
        signal.pidfd_send_signal(fd, signal.SIGKILL)
    except OSError:
        pass
    os.close(fd)


def short(command):
    words = [os.path.basename(word) for word in command]
    text = " ".join(words)
    return text if len(text) <= 100 else text[:97] + "…"


class Conversation(Process):
    """A C program that answers every line on its stdin with one line of figures."""

    def __init__(self, bench, command, cpus=None):
        super().__init__(bench, command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cpus=cpus)
        self.pending = b""

    def read_line(self, seconds=20):
        deadline = time.monotonic() + seconds
        while b"\n" not in self.pending:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.popen.stdout], [], [], left)[0]:
                raise self.failure(f"no answer within {seconds} s")
            chunk = os.read(self.popen.stdout.fileno(), 65536)
            if not chunk:
                self.popen.wait(3)
                raise self.failure(f"ended with status {self.popen.returncode}")
            self.pending += chunk
        line, _, self.pending = self.pending.partition(b"\n")
        return line.decode().strip()

    def ask(self, line="go"):
        try:
            self.popen.stdin.write(line.encode() + b"\n")
            self.popen.stdin.flush()
        except BrokenPipeError:
            pass  # read_line says why
        return [float(word) for word in self.read_line().split()]

    def end(self):
        super().end()
        for pipe in (self.popen.stdin, self.popen.stdout):
            try:
                pipe.close()
            except BrokenPipeError:
                pass
