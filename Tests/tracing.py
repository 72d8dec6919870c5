"""A pytest plugin: `strace`, for tests that look at system calls, meddle with them, or want somebody to debug a program."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import pytest

LIMIT = 20 * float(os.environ.get("CURFEW_TEST_PATIENCE", "1"))


class Strace:
    def __init__(self, command):
        self.command = command
        # Yama can allow one's own children only.
        with subprocess.Popen(["sleep", "1000"]) as stranger:
            try:
                with self.attaching(stranger.pid, "-o", "/dev/null") as tracer:
                    ended = tracer.poll() is not None
                    self.refusal = ended and (tracer.stderr.read() or f"strace has ended with {tracer.returncode}")
            finally:
                stranger.kill()

    @contextlib.contextmanager
    def attached(self, pid, *options):
        """Traces that process meanwhile, from outside of whatever it belongs to; the tracer."""
        if self.refusal:
            pytest.skip(f"nothing that runs already can be traced here: {self.refusal}")
        with self.attaching(pid, *options) as tracer:
            assert tracer.poll() is None, f"strace has ended: {tracer.stderr.read()}"
            yield tracer

    @contextlib.contextmanager
    def attaching(self, pid, *options):
        """The tracer, once it has attached, or has ended."""
        tracer = subprocess.Popen([self.command, "-qq", *options, "-p", str(pid)], stderr=subprocess.PIPE, text=True)
        try:
            deadline = time.monotonic() + LIMIT
            while tracer_of(pid) != tracer.pid and tracer.poll() is None:
                assert time.monotonic() < deadline, f"strace hasn't attached to {pid}, which {tracer_of(pid)} traces"
                time.sleep(0.01)  # a moment
            yield tracer
        finally:
            tracer.send_signal(signal.SIGINT)
            try:
                tracer.wait(LIMIT)
            finally:
                tracer.kill()
                tracer.stderr.close()


def tracer_of(pid):
    """0: nobody."""
    return int(re.search(r"TracerPid:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1])


@pytest.fixture(scope="session")
def strace():
    """Where nothing can be traced the test is skipped, and says why."""
    command = shutil.which("strace")
    if not command:
        pytest.skip("there is no strace; make deps installs it")
    tried = subprocess.run([command, "-qq", "-o", "/dev/null", "true"], capture_output=True, text=True, timeout=LIMIT)
    if tried.returncode != 0:
        pytest.skip(f"nothing can be traced here: {tried.stderr}")
    return Strace(command)
