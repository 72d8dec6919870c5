"""What the caller of `curfew run` has left to it: ignored signals, and a sandbox that refuses newer system calls."""

import os
import pathlib
import signal
import subprocess
import sys

import pytest

from conftest import LIMIT, binary, wait_for
from programs.timeouts import with_signals

EVERY = [number for number in signal.valid_signals() if number not in (signal.SIGKILL, signal.SIGSTOP)]
REFUSING = pathlib.Path(__file__).parent / "programs/refusing.py"
# What old sandboxes refuse, with what they answer. Source: moby before 20.10.10; seccomp(2).
REFUSALS = ["EPERM", "EINVAL", "ENOSYS"]
CALLS = ["clone3", "pidfd_open", "pidfd_send_signal", "openat2", "clone3,pidfd_open,pidfd_send_signal,openat2,close_range"]


def ignored_by(sandbox, ignored, *verb):
    """The mask of signals that a command has ignored, started by one who ignores these."""
    script = "import sys; print([line for line in open('/proc/self/status') if line.startswith('SigIgn')][0].split()[1])"
    result = subprocess.run(
        [binary(), *verb, sys.executable, "-c", script], preexec_fn=with_signals(ignored=ignored), capture_output=True,
        text=True, env=sandbox.environment, timeout=LIMIT)
    assert result.returncode == 0, result.stderr
    return int(result.stdout, 16)


class TestIgnoredSignals:
    """A child of whoever ignores SIGCHLD is never waited for: neither half of ours may ignore it."""

    @pytest.mark.parametrize("ignored", [[signal.SIGCHLD], EVERY], ids=["SIGCHLD", "every"])
    def test_run_ends_with_its_command(self, sandbox, containment, ignored):
        # To run out on what ignores SIGTERM, and on nothing else.
        limit = ".2" if ignored == EVERY else "300"
        result = subprocess.run(
            [binary(), "run", f"--containment={containment}", "--terminate-limit", limit, "--", "sh", "-c",
             "(setsid sleep 300 &) ; exit 5"],
            preexec_fn=with_signals(ignored=ignored), capture_output=True, text=True, env=sandbox.environment, timeout=LIMIT)
        assert result.returncode == 5
        # What was left behind ignores the SIGTERM that asks it to end, too.
        assert ("killed what it left behind" in result.stderr) == (ignored == EVERY), result.stderr
        assert not sandbox.processes()

    @pytest.mark.parametrize("ignored", [[signal.SIGCHLD], EVERY], ids=["SIGCHLD", "every"])
    def test_limits_hold(self, sandbox, ignored):
        result = subprocess.run(
            [binary(), "run", "--time-limit", "0.2", "--", "sleep", "300"], preexec_fn=with_signals(ignored=ignored),
            capture_output=True, text=True, env=sandbox.environment, timeout=LIMIT)
        assert result.returncode == 124
        assert "killed: time-limit" in result.stderr

    @pytest.mark.parametrize("ignored", [[signal.SIGCHLD], EVERY], ids=["SIGCHLD", "every"])
    def test_the_keeper_waits_too(self, sandbox, ignored):
        running = sandbox.shell("setsid sleep 300 & echo up; wait", preexec_fn=with_signals(ignored=ignored))
        running.expect("up")
        os.kill(running.status()["supervisor"], signal.SIGKILL)
        status, _, err = running.finish()
        assert (status, "supervisor-exit" in err) == (125, True), err
        assert not sandbox.processes()

    @pytest.mark.parametrize("ignored", [[], [signal.SIGCHLD]], ids=["none", "SIGCHLD"])
    def test_task_run_ends_with_its_command(self, sandbox, ignored):
        """And the command ignores it as its caller did."""
        assert bool(ignored_by(sandbox, ignored, "task", "run", "x", "--") & 1 << signal.SIGCHLD - 1) == bool(ignored)

    def test_the_command_ignores_what_its_caller_did(self, sandbox):
        for ignored in [], [signal.SIGCHLD], [signal.SIGCHLD, signal.SIGUSR1]:
            seen = ignored_by(sandbox, ignored, "run", "--")
            for number in signal.SIGCHLD, signal.SIGUSR1:
                assert bool(seen & 1 << number - 1) == (number in ignored), (number, ignored)


class TestOldSandboxes:
    @pytest.mark.parametrize("error", REFUSALS)
    @pytest.mark.parametrize("calls", CALLS)
    def test_run_holds_its_tree(self, sandbox, containment, error, calls):
        result = subprocess.run(
            [REFUSING, error, calls, binary(), "run", f"--containment={containment}", "--", "sh", "-c",
             "(setsid sleep 300 &) ; exit 5"],
            capture_output=True, text=True, env=sandbox.environment, timeout=LIMIT)
        assert (result.returncode, result.stderr) == (5, "")
        assert not sandbox.processes()

    @pytest.mark.parametrize("error", REFUSALS)
    @pytest.mark.parametrize("calls", CALLS)
    def test_timeout_kills_its_tree(self, sandbox, error, calls):
        result = subprocess.run(
            [REFUSING, error, calls, binary(), "timeout", "-s", "KILL", ".2", "sh", "-c", "(setsid sleep 300 &) ; sleep 300"],
            capture_output=True, text=True, env=sandbox.environment, timeout=LIMIT)
        assert result.returncode in (137, -signal.SIGKILL), result.stderr
        wait_for("nothing to be left", lambda: not sandbox.processes())

    @pytest.mark.parametrize("error", REFUSALS)
    def test_background_tasks(self, sandbox, error):
        """Nobody's end can be watched but the leader's, so that it owns them."""
        script = "curfew task run x -- curfew task list; curfew task begin --owner $$ y >/dev/null && curfew task begin --owner 1 z"
        result = subprocess.run(
            [REFUSING, error, "pidfd_open", binary(), "run", "--", "sh", "-c", script], capture_output=True, text=True,
            env=sandbox.environment, timeout=LIMIT)
        assert "x" in result.stdout and "the owner is `leader` or the pid of a process" in result.stderr, result
        assert result.stderr.count("\n") == 1, result

    @pytest.mark.parametrize("error", REFUSALS)
    def test_home_and_open(self, sandbox, error):
        running = sandbox.shell("sleep 300 & echo up; wait", name="old", wrapper=[REFUSING, error, CALLS[-1]])
        running.expect("up")
        assert sandbox.curfew("home", "old").returncode == 0
        assert running.status()["state"] == "suspended"
        assert sandbox.curfew("open", "old").returncode == 0
        assert sandbox.curfew("quit", "old").returncode == 0
        running.wait()
