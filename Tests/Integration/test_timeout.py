"""What only processes show of what timeout does to a command: groups, stops, its own death. Statuses, signals and messages are rows
of Tests/Conformance/timeout.txt; what the caller passes on is in test_timeout_caller.py, the terminal in test_timeout_terminal.py.

`make conformance` holds GNU's own to the same. A test of a later version than GNU coreutils 9.1 says which; ours is held to the newest.
"""

import os
import signal
import subprocess
import time

import pytest

from conftest import LIMIT, PATIENCE, is_alive, state_letter, wait_for
from programs.helpers import remove_programs
from programs.timeouts import NEVER, SLEEP, UP, ends, subject, teller, wait_all_at_rest, with_signals  # noqa: F401

SHORT = ".05"
HUP, TERM, KILL, ALRM, CONT, STOP, USR1, USR2 = (
    signal.SIGHUP, signal.SIGTERM, signal.SIGKILL, signal.SIGALRM, signal.SIGCONT, signal.SIGSTOP, signal.SIGUSR1, signal.SIGUSR2)
# A command that is started with SIGTERM blocked survives it, from its very start.
DEAF = {"preexec_fn": with_signals(blocked=[TERM])}


@pytest.fixture(scope="module", autouse=True)
def programs():
    yield
    remove_programs()


def told(signal_name, command):
    return f"timeout: sending signal {signal_name} to command '{command}'\n"


class TestStatus:
    def test_seen_by_a_shell(self, subject):
        """A shell sees 128+n, and says nothing of its own."""
        command = " ".join(subject.words)
        script = f"{command} 9 sh -c 'kill -TERM $$'; echo $?; {command} 9 sh -c 'kill -KILL $$'; echo $?"
        assert subject.directly("bash", "-c", script)[:2] == (0, "143\n137\n")


class TestLimit:
    def test_is_never_early(self, subject):
        """Neither is the KILL of -k, which counts from the first signal."""
        began = time.monotonic()
        assert subject.run(SHORT, *SLEEP)[0] == 124
        assert time.monotonic() - began >= float(SHORT)
        began = time.monotonic()
        assert subject.run("-k", SHORT, SHORT, *SLEEP, **DEAF)[0] == -9
        assert time.monotonic() - began >= 2 * float(SHORT)

    def test_verbose_that_cannot_be_written(self, subject):
        """The status is still that of a limit. Source: coreutils 9.10, timeout.c; before it was 125."""
        subject.needs((9, 10))
        with open("/dev/full", "w") as full:
            assert subject.run("-v", SHORT, *SLEEP, stderr=full)[0] == 124

    def test_counts_while_it_is_stopped(self, subject):
        """Time goes on while timeout itself is stopped, by somebody; at the latest once it is continued, the limit holds."""
        limit = 2 * PATIENCE
        running, _ = subject.start_up(limit, *UP)
        running.process.send_signal(STOP)
        wait_for("it to be stopped", lambda: state_letter(running.pid) == "T")
        time.sleep(limit)  # a moment, past the limit
        running.process.send_signal(CONT)
        assert running.wait() == 124


class TestSignalled:
    """Signals that are sent to timeout itself."""

    def test_killed(self, subject):
        """Killed itself, it takes the command with it. Source: coreutils NEWS, 9.10; older ones leave it."""
        subject.needs((9, 10))
        running, (pid,) = subject.start_up(NEVER, "sh", "-c", "echo up $$; exec sleep 300")
        running.process.kill()
        assert running.wait() == -9
        wait_for("the command to end", lambda: not is_alive(int(pid)))

    def test_sent_to_its_group(self, subject):
        """As a shell ends a job."""
        running, _ = subject.start_up(NEVER, *UP)
        os.killpg(running.pid, TERM)
        assert subject.finish(running) == (-TERM, "", "")


class TestStopped:
    def test_a_stopped_command_dies(self, subject):
        """SIGCONT follows the signal."""
        running, (pid,) = subject.start_up(NEVER, "sh", "-c", "echo up $$; kill -STOP $$; echo not reached")
        wait_for("it to be stopped", lambda: state_letter(pid) == "T")
        running.process.send_signal(ALRM)
        assert subject.finish(running) == (124, "", "")

    @pytest.mark.parametrize("number", [TERM, HUP])
    def test_a_stopped_command_dies_of_what_is_passed_on(self, subject, number):
        running, (pid,) = subject.start_up(NEVER, "sh", "-c", "echo up $$; kill -STOP $$; echo not reached")
        wait_for("it to be stopped", lambda: state_letter(pid) == "T")
        running.process.send_signal(number)
        assert subject.finish(running) == (-number, "", "")

    def test_waits_for_a_stopped_command(self, subject):
        """A command that stops and is continued by somebody goes on under its limit."""
        running, (pid,) = subject.start_up(NEVER, "sh", "-c", "echo up $$; kill -STOP $$; echo on; exit 5")
        wait_for("it to be stopped", lambda: state_letter(pid) == "T")
        assert running.process.poll() is None
        os.kill(int(pid), CONT)
        assert subject.finish(running) == (5, "on\n", "")

    def test_stopped_in_the_foreground(self, subject):
        """There a stopped command stays so, until the KILL of -k."""
        running, (pid,) = subject.start_up(
            "--foreground", "-vk.05", NEVER, "sh", "-c", "echo up $$; kill -STOP $$; echo not reached")
        wait_for("it to be stopped", lambda: state_letter(pid) == "T")
        running.process.send_signal(ALRM)
        assert subject.finish(running) == (137, "", subject.says(told("TERM", "sh") + told("KILL", "sh")))

    def test_stop_as_the_signal(self, subject):
        """-s STOP with -k: first stopped, then killed."""
        running, _ = subject.start_up(
            "--foreground", "-vsSTOP", "-k.05", NEVER, "sh", "-c", "echo up $$; exec sleep 300")
        running.process.send_signal(ALRM)
        assert subject.finish(running) == (137, "", subject.says(told("STOP", "sh") + told("KILL", "sh")))


PARENT_AND_CHILD = "sleep 300 >&- 2>&- & echo up $!; exec sleep 300"


class TestGroup:
    def group_and_session(self, subject, *options):
        running, (pid,) = subject.start_up(*options, NEVER, "sh", "-c", "echo up $$; exec sleep 300")
        seen = (os.getpgid(int(pid)), os.getpgid(running.pid), os.getsid(int(pid)))
        running.process.send_signal(TERM)
        running.wait()
        return seen, running.pid

    def test_of_its_own(self, subject):
        """It leads a group that the command is in, in the caller's session."""
        (command, own, session), pid = self.group_and_session(subject)
        assert (command, own, session) == (pid, pid, os.getsid(0))

    def test_of_the_caller_in_the_foreground(self, subject):
        (command, own, session), _ = self.group_and_session(subject, "--foreground")
        assert (command, own, session) == (os.getpgrp(), os.getpgrp(), os.getsid(0))

    @pytest.mark.parametrize("number", [ALRM, TERM])
    def test_children_get_the_signal(self, subject, number):
        """Those of the command that are in its group."""
        running, (child,) = subject.start_up(NEVER, "sh", "-c", PARENT_AND_CHILD)
        running.process.send_signal(number)
        assert running.wait() == (124 if number == ALRM else -number)
        wait_for("the child to end", lambda: not is_alive(int(child)))

    def test_children_get_the_kill(self, subject):
        running, (child,) = subject.start_up("-sKILL", NEVER, "sh", "-c", PARENT_AND_CHILD)
        running.process.send_signal(ALRM)
        assert running.wait() == -9
        wait_for("the child to end", lambda: not is_alive(int(child)))

    @pytest.mark.parametrize("number", [ALRM, TERM])
    def test_children_live_on_in_the_foreground(self, subject, number):
        """Only the command itself is signalled there."""
        running, (child,) = subject.start_up("--foreground", NEVER, "sh", "-c", PARENT_AND_CHILD)
        running.process.send_signal(number)
        assert running.wait() == (124 if number == ALRM else -number)
        assert is_alive(int(child))
        os.kill(int(child), KILL)

    def test_what_is_left_behind_in_time(self, subject):
        """What runs on when the command ends in time is left alone, and keeps its streams."""
        teller_line = " ".join(map(str, teller("USR1", "0:USR2")))
        running, (pid,) = subject.start_up("-k1", NEVER, "sh", "-c", f"{teller_line} & read line", stdin=subprocess.PIPE)
        running.process.stdin.close()
        running.process.wait(LIMIT)
        assert running.process.returncode == 1
        os.kill(int(pid), USR1)
        assert running.read_line() == "USR1"
        os.kill(int(pid), USR2)
        assert running.read_line() == "USR2"

    def test_another_session(self, subject):
        """A descendant in a session of its own escapes GNU's, and not ours."""
        running, (child,) = subject.start_up(
            NEVER, "sh", "-c", "setsid sh -c 'echo up $$; exec sleep 300 >&- 2>&-' & wait")
        running.process.send_signal(ALRM)
        assert running.wait() == 124
        if subject.is_gnu:
            assert is_alive(int(child))
            os.kill(int(child), KILL)
        else:
            wait_for("the descendant to end", lambda: not is_alive(int(child)))

    def test_one_inside_another(self, subject):
        """The outer one's limit ends the inner one's command, though that has a group of its own."""
        running, _ = subject.start_up(NEVER, *subject.words, NEVER, *UP)
        wait_all_at_rest(running)
        running.process.send_signal(ALRM)
        assert subject.finish(running) == (124, "", "")

    def test_the_inner_limit(self, subject):
        assert subject.run(NEVER, *subject.words, SHORT, *SLEEP) == (124, "", "")
        assert subject.run("-s", "HUP", NEVER, *subject.words, "--preserve-status", SHORT, *SLEEP) == (143, "", "")

    def test_the_signal_of_the_inner_one(self, subject):
        """An outer SIGALRM is the inner one's limit. Ours sends it to the inner one's command too."""
        running, _ = subject.start_up("-sALRM", NEVER, *subject.words, "-sINT", NEVER, *teller("ALRM", "3:INT"))
        wait_all_at_rest(running)
        running.process.send_signal(ALRM)
        status, out = ends(running)
        assert (status, out.split()[-1]) == (124, "INT")

    def test_a_child_from_before(self, subject):
        """A child that it was started with, by exec, isn't taken for the command."""
        command = " ".join(subject.words)
        assert subject.directly("sh", "-c", f"sleep .01 & exec {command} .1 sleep 300") == (124, "", "")
