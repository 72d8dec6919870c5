"""Plays scenarios by `curfew test`, and looks whether anything of them is left."""

import contextlib
import subprocess

import pytest

from conftest import HAS_PLACE, LIMIT, PATIENCE, binary, every_cgroup, wait_for

# An app that says when it is up, repeats what it reads, and ends with 3 when it is asked to.
SHELL = """\
app -- sh -c 'trap "exit 3" TERM; echo up; while read -r line; do echo "got $line"; done; while :; do sleep 0.05; done'
launch
await output "up"
"""

# In the background, a process in a session of its own that heeds no signal and holds no pipe; its pid is in the file $1.
DAEMON = """\
#!/bin/sh
setsid sh -c 'trap : TERM INT HUP; echo $$ >"$1.new"; mv "$1.new" "$1"; while :; do sleep 0.1; done' sh "$1" >/dev/null 2>&1 </dev/null &
"""

# Where everything takes longer, so do awaits.
PATIENT = ["--await", f"{10 * PATIENCE:g}s"] if PATIENCE > 1 else []


class Play:
    """Scenarios in a folder of their own, and runs of them, whose own folders are in `place`."""

    def __init__(self, sandbox):
        self.folder = sandbox.scratch / "scenarios"
        self.folder.mkdir()
        # A short path: where sockets' would be too long, a run has its folder in /tmp.
        self.place = sandbox.runtime
        # A home of its own, in which nothing is kept of what is played.
        self.home = sandbox.scratch / "home"
        self.home.mkdir()
        self.environment = dict(sandbox.environment, TMPDIR=str(self.place), HOME=str(self.home))
        self.others = set(every_cgroup())
        self.reports = sandbox.reports

    def write(self, text, name="one.curfew"):
        (self.folder / name).write_text(text)

    def __call__(
            self, text=None, *options, name="one.curfew", wrapper=(), stdout=subprocess.PIPE, limit=6 * LIMIT, **environment):
        if text is not None:
            self.write(text, name)
        return subprocess.run(
            [*wrapper, binary(), "test", *PATIENT, *options, self.folder], stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
            text=True, timeout=limit, env=dict(self.environment, **environment))

    @contextlib.contextmanager
    def begun(self, *options, stdout=subprocess.PIPE):
        """A run under way."""
        process = subprocess.Popen(
            [binary(), "test", *PATIENT, *options, self.folder], stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.STDOUT, text=True,
            env=self.environment)
        try:
            yield process
        finally:
            process.kill()
            process.wait()
            if process.stdout:
                process.stdout.close()

    def left(self):
        """Folders of runs, reports among the user's, and cgroups, where nobody else's are seen."""
        cgroups = set(every_cgroup()) - self.others if HAS_PLACE else set()
        reports = [*self.reports.glob("*"), *self.home.rglob("*.json")]
        return sorted(map(str, [*self.place.glob("curfew-test.*"), *reports, *cgroups]))

    def wait_until_nothing_is_left(self):
        """For a run that was killed: whoever clears up after it takes a moment."""
        try:
            wait_for("folders and cgroups to go", lambda: not self.left())
        finally:
            self.check_that_nothing_is_left()

    def check_that_nothing_is_left(self):
        left = self.left()
        assert not left, f"left: {left}"


@pytest.fixture
def play(sandbox):
    """Plays a scenario's text, by options. Of a run that has ended by itself nothing may be left at once."""
    play = Play(sandbox)
    yield play
    play.check_that_nothing_is_left()
