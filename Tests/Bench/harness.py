"""What every row of the bench is given: the built C programs, a private runtime directory, programs with deadlines."""

import os
import pathlib
import shutil
import sys
import tempfile
import time

from processes import BenchError, Process, all_pids, executable, kill_by_pidfd, open_pidfd, read_text, state

HERE = pathlib.Path(__file__).resolve().parent


def memory_folder():
    """A folder in memory, where a user's runtime directory is; None where there is none, which leaves a disk's."""
    for line in read_text("/proc/self/mountinfo").splitlines():
        place, kind = line.split(" ")[4], line.partition(" - ")[2].split(" ")[0]
        if place == "/dev/shm" and kind == "tmpfs" and os.access(place, os.W_OK):
            return place
    return None


class Bench:
    """The options, the built programs, a private runtime directory."""

    def __init__(self, options):
        self.options = options
        self.curfew = str(pathlib.Path(options.curfew).resolve())
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="curfew-bench-"))
        self.runtime = pathlib.Path(tempfile.mkdtemp(prefix="curfew-bench-", dir=memory_folder()))
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
        for source in sorted((HERE / "programs").glob("*.c")):
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

    def makes_a_cgroup(self, wrapper):
        """Whether what this wrapper starts sits in another cgroup than we do."""
        inside = self.check([*wrapper, "cat", "/proc/self/cgroup"], 20)
        return inside != self.check(["cat", "/proc/self/cgroup"], 5)

    def close(self):
        shutil.rmtree(self.directory, ignore_errors=True)
        shutil.rmtree(self.runtime, ignore_errors=True)


def note(text):
    print(f"  {text}", file=sys.stderr, flush=True)
