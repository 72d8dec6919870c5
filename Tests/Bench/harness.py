"""What every row of the bench needs: building the C programs, processes with deadlines, figures, the table."""

import dataclasses
import os
import pathlib
import select
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
OK, NO_BAR, FAILED = "ok", "no bar", "FAILED"


class BenchError(Exception):
    """A row can't be measured: the text says what happened, with the stderr of whoever failed."""


# ---------------------------------------------------------------- figures


def percentile(samples, share):
    """Nearest rank: the smallest sample that `share` of them don't exceed."""
    ordered = sorted(samples)
    rank = max(1, -(-len(ordered) * share // 100))
    return ordered[int(rank) - 1]


@dataclasses.dataclass
class Line:
    row: str
    what: str
    unit: str = ""
    samples: list = dataclasses.field(default_factory=list)
    value: float | None = None  # when the figure isn't the samples' median
    ratio: str = ""
    bar: str = ""
    verdict: str = NO_BAR

    @property
    def figure(self):
        if self.value is not None:
            return self.value
        return statistics.median(self.samples) if self.samples else None

    @property
    def spread(self):
        if len(self.samples) < 2:
            return None
        return percentile(self.samples, 10), percentile(self.samples, 90)

    def cells(self):
        figure = "" if self.figure is None else f"{number(self.figure)} {self.unit}".strip()
        spread = "–".join(number(end) for end in self.spread) if self.spread else ""
        return [self.row, self.what, figure, spread, self.ratio, self.bar, self.verdict]

    def as_json(self):
        spread = self.spread or (None, None)
        return {
            "row": self.row, "what": self.what, "unit": self.unit, "value": self.figure, "p10": spread[0],
            "p90": spread[1], "count": len(self.samples), "ratio": self.ratio, "bar": self.bar, "verdict": self.verdict,
        }


def number(value):
    if abs(value) >= 1000:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}".removesuffix(".00")


def judge(value, bar, unit=""):
    return OK if value <= bar else f"MISSED by {number(value - bar)}{unit}"


def against(line, base, name, bar=None, stretch=None):
    """Fills in a line's ratio to `base` and judges it by `bar`, an upper limit of the ratio."""
    ratio = line.figure / base.figure if base.figure else float("inf")
    line.ratio = f"{ratio:.2f}× {name}"
    if bar is not None:
        line.bar = f"≤ {bar:g}×" + (f" (stretch {stretch:g}×)" if stretch else "")
        line.verdict = judge(ratio, bar, "×")
        if stretch and ratio <= stretch:
            line.verdict = "ok, stretch too"
    return line


def skipped(row, what, why):
    return Line(row, what, verdict=f"skipped: {why}")


HEADINGS = ["row", "what", "median", "p10–p90", "ratio", "bar", "verdict"]


def print_table(lines, headings=True, widths=(9, 60, 12, 14, 26, 20)):
    rows = ([HEADINGS] if headings else []) + [line.cells() for line in lines]
    for row in rows:
        padded = [cell.ljust(width) for cell, width in zip(row, widths)]
        print("  ".join(padded + row[len(widths):]).rstrip(), flush=True)


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

    def __init__(self, bench, command):
        super().__init__(bench, command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
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


class Bench:
    """The options, the built programs, a private runtime directory."""

    def __init__(self, options):
        self.options = options
        self.curfew = str(pathlib.Path(options.curfew).resolve())
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="curfew-bench-"))
        self.runtime = self.directory / "run"
        self.runtime.mkdir(mode=0o700)
        self.environment = self._environment()
        self.counter = 0

    def _environment(self):
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("CURFEW_") and k != "NOTIFY_SOCKET"}
        return inherited | {
            "XDG_RUNTIME_DIR": str(self.runtime), "XDG_STATE_HOME": str(self.directory / "state"), "LC_ALL": "C"}

    def build(self):
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if not compiler:
            raise BenchError("no C compiler found (cc)")
        for source in sorted(HERE.glob("*.c")):
            self.check([compiler, "-O2", "-static", "-o", self.program(source.stem), source], 120)

    def program(self, name):
        return str(self.directory / name)

    def fresh(self, suffix):
        """A name nobody used: for files, apps and marks."""
        self.counter += 1
        return f"bench-{os.getpid()}-{self.counter}{suffix}"

    def arena(self):
        path = self.directory / self.fresh(".arena")
        path.write_bytes(bytes(4096))
        return str(path)

    def rounds(self, usual, quick):
        return self.options.rounds or (quick if self.options.quick else usual)

    def run(self, command, seconds, cpus=None):
        """(status, stdout, stderr); never longer than `seconds`."""
        with Process(self, command, cpus=cpus) as process:
            status = process.wait(seconds)
            return status, process.text(process.output), process.text(process.errors)

    def check(self, command, seconds, cpus=None):
        """The stdout of a program that must succeed."""
        with Process(self, command, cpus=cpus) as process:
            status = process.wait(seconds)
            if status != 0:
                raise process.failure(f"status {status}")
            return process.text(process.output)

    def figures(self, command, seconds, cpus=None):
        """What a C program printed: a list of numbers for every line, leading words kept as they are."""
        lines = []
        for line in self.check(command, seconds, cpus).splitlines():
            lines.append([word if word[0].isalpha() else float(word) for word in line.split()])
        return lines

    def curfew_run(self, *options):
        return [self.curfew, "run", *options, "--"]

    def started(self, pid):
        """Whether a process descends from this bench: nobody else has our runtime directory in its environment."""
        return f"XDG_RUNTIME_DIR={self.runtime}\0" in read_text(f"/proc/{pid}/environ")

    def sweep(self, patience=1):
        """Kills what is left of everything that was started, and says what it was."""
        deadline = time.monotonic() + patience
        while (left := [pid for pid in all_pids() if self.started(pid)]) and time.monotonic() < deadline:
            time.sleep(0.02)
        names = []
        for pid in left:
            fd = open_pidfd(pid)
            if self.started(pid):  # still the process that the pidfd names
                names.append(f"{pid} {os.path.basename(executable(pid))} ({state(pid)})")
                kill_by_pidfd(fd)
            elif fd is not None:
                os.close(fd)
        return names

    def makes_a_cgroup(self):
        """Whether an app under automatic containment sits in another cgroup than we do."""
        inside = self.check(self.curfew_run() + ["cat", "/proc/self/cgroup"], 20)
        return inside != self.check(["cat", "/proc/self/cgroup"], 5)

    def close(self):
        shutil.rmtree(self.directory, ignore_errors=True)


def note(text):
    print(f"  {text}", file=sys.stderr, flush=True)
