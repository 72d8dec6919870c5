"""What the tests of timeout's behaviours are held against: ours by its verb, or by a link that is called `timeout`; and GNU's own,
by `make conformance`, which sets CURFEW_TIMEOUTS to `gnu`."""

import os
import re
import resource
import signal
import subprocess
import sys

import pytest

from conftest import LIMIT, ROOT, Running, binary, state_letter, wait_for
from programs.helpers import program, tree

sys.path.insert(0, str(ROOT / "Tests/Conformance"))
import record  # noqa: E402

NEVER = "300"
UP = ["sh", "-c", "echo up; exec sleep 300"]
SLEEP = ["sleep", "300"]

GNU = record.gnu_timeout()
SUBJECTS = os.environ.get("CURFEW_TIMEOUTS", "curfew").split()
record.hear_all_signals()


class Subject:
    """One of the three, called as a user would call it."""

    def __init__(self, name, sandbox):
        self.name = name
        self.sandbox = sandbox
        self.words = ["curfew", "timeout"] if name == "curfew" else ["timeout"]
        self.environment = dict(sandbox.environment, LC_ALL="C", TERM="dumb")
        self.environment.pop("POSIXLY_CORRECT", None)
        if name != "curfew":
            folder = sandbox.scratch / name
            folder.mkdir()
            (folder / "timeout").symlink_to(GNU[0] if name == "gnu" else binary())
            self.environment["PATH"] = f"{folder}:{self.environment['PATH']}"

    @property
    def is_gnu(self):
        return self.name == "gnu"

    def needs(self, since):
        """Skips GNU's where it is older than the version that brought a behaviour; ours is held to the newest."""
        if self.is_gnu and since and GNU[1] < since:
            pytest.skip(f"GNU coreutils {GNU[1][0]}.{GNU[1][1]} is older than {since[0]}.{since[1]}")

    def says(self, message):
        """A message of GNU's as this one prints it: by its own name."""
        return re.sub(r"(?m)^timeout: ", "curfew: timeout: ", message) if self.name == "curfew" else message

    def start(self, *arguments, **popen):
        options = dict(
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment,
            cwd=self.sandbox.scratch)
        process = subprocess.Popen([*self.words, *map(str, arguments)], **{**options, **popen})
        running = Running(self.sandbox, process, f"{self.name}: {' '.join(map(str, arguments))}")
        self.sandbox.running.append(running)
        return running

    def run(self, *arguments, **popen):
        """(status, output, errors) of a run; a negative status is a signal that it died of."""
        running = self.start(*arguments, **popen)
        try:
            out, err = running.process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            pytest.fail(f"{running.name} hasn't ended in {LIMIT} s")
        return running.process.returncode, os.fsdecode(out or b""), os.fsdecode(err or b"")

    def finish(self, running):
        """The same of one under way."""
        return running.finish()

    def directly(self, *command, **popen):
        """(status, output, errors) of a command without any timeout, started as `run` would start that."""
        options = dict(
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment,
            cwd=self.sandbox.scratch)
        result = subprocess.run(list(map(str, command)), text=True, timeout=LIMIT, **{**options, **popen})
        return result.returncode, result.stdout, result.stderr

    def start_up(self, *arguments, **popen):
        """Starts it and waits for its command's `up`, and until it waits itself: older GNU ones lose a signal that comes
        before. The running one, and the words that followed `up`."""
        running = self.start(*arguments, **popen)
        first, *words = running.read_line().split()
        assert first == "up"
        wait_at_rest(running)
        return running, words


def run_out_for_a_survivor(subject, *options, first="TERM", **popen):
    """The status where the limit runs out on a command that survives its signal, and then exits with 0 by itself."""
    running, (pid,) = subject.start_up(
        "-v", *options, NEVER, *teller("TERM", "0:USR1"), stderr=subprocess.STDOUT, **popen)
    running.process.send_signal(signal.SIGALRM)
    awaited = {"sending signal", *([first] if first else [])}
    while awaited:
        line = running.read_line()
        awaited = {words for words in awaited if words != line and f": {words} " not in line}
    os.kill(int(pid), signal.SIGUSR1)
    return running.wait()


def wait_at_rest(running):
    """Waits until it sleeps, having done what it was told."""
    wait_for(f"{running.name} to wait", lambda: state_letter(running.pid) in ("S", None))


def wait_all_at_rest(running):
    """The same of all that are below it."""
    wait_for(
        f"all of {running.name} to wait",
        lambda: all(state_letter(pid) in ("S", None) for pid in [running.pid, *tree(running.pid)]))


def ends(running):
    """(status, what it still printed) of one that is about to end."""
    status, out, _ = running.finish()
    return status, out


def teller(*words):
    """A command that tells which signals it gets: programs/teller.c."""
    return [program("teller"), *words]


def with_signals(ignored=(), blocked=()):
    """A preexec_fn: as started by somebody who ignores these signals, or blocks them."""

    def set_up():
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, blocked)

    return set_up


# Where the name matters by which ours is called.
by_either_name = pytest.mark.parametrize(
    "subject", [*SUBJECTS, *(["link"] if SUBJECTS == ["curfew"] else [])], indirect=True)


@pytest.fixture(params=SUBJECTS)
def subject(request, sandbox):
    if request.param == "gnu" and not GNU:
        pytest.skip("this machine has no GNU timeout")
    before = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, before[1]))
    yield Subject(request.param, sandbox)
    resource.setrlimit(resource.RLIMIT_CORE, before)
