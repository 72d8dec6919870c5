"""What GNU timeout does to a command: each row a behaviour, held against GNU's own, `curfew timeout`, and a link to curfew
that is called `timeout`. The command line's rows are in test_timeout_usage.py, what the caller passes on in
test_timeout_caller.py, the terminal's in test_timeout_terminal.py.

A row of a later version than GNU coreutils 9.1 says which; ours is held to the newest. A limit that must run out after the
command has done something is brought on with SIGALRM, which is what runs out inside of GNU's.
"""

import os
import signal
import subprocess
import time

import pytest

from conftest import LIMIT, is_alive, state_letter, wait_for
from programs.helpers import remove_programs
from programs.timeouts import (  # noqa: F401
    NEVER, SLEEP, UP, ends, run_out_for_a_survivor, subject, teller, wait_all_at_rest, wait_at_rest, with_signals,
)

SHORT = ".05"
HUP, INT, QUIT, TERM, KILL, ALRM, CHLD, CONT, STOP, USR1, USR2 = (
    signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGKILL, signal.SIGALRM, signal.SIGCHLD,
    signal.SIGCONT, signal.SIGSTOP, signal.SIGUSR1, signal.SIGUSR2)
# A command that is started with SIGTERM blocked survives it, from its very start.
DEAF = {"preexec_fn": with_signals(blocked=[TERM])}


@pytest.fixture(scope="module", autouse=True)
def programs():
    yield
    remove_programs()


def told(signal_name, command):
    return f"timeout: sending signal {signal_name} to command '{command}'\n"


class TestOwnStatus:
    @pytest.mark.parametrize("options", [[], ["--foreground"], ["--preserve-status"], ["-k9", "-v"]], ids=" ".join)
    def test_exit(self, subject, options):
        """What the command exits with in time, even where timeout has a meaning of its own for it."""
        for status in (0, 1, 2, 64, 123, 124, 125, 126, 127, 128, 129, 137, 143, 254, 255):
            assert subject.run(*options, "9", "sh", "-c", f"exit {status}") == (status, "", "")

    @pytest.mark.parametrize("name", ["HUP", "INT", "QUIT", "ABRT", "KILL", "USR1", "SEGV", "PIPE", "TERM", "XCPU"])
    def test_death(self, subject, name):
        """A command that dies of a signal in time: timeout dies of the same, by itself, whatever the options are."""
        number = signal.Signals[f"SIG{name}"]
        for options in ([], ["--foreground"], ["--preserve-status"], ["-k9", "-v"]):
            assert subject.run(*options, "9", "sh", "-c", f"kill -{name} $$") == (-number, "", "")

    def test_seen_by_a_shell(self, subject):
        """A shell sees 128+n, and says nothing of its own."""
        command = " ".join(subject.words)
        script = f"{command} 9 sh -c 'kill -TERM $$'; echo $?; {command} 9 sh -c 'kill -KILL $$'; echo $?"
        assert subject.directly("bash", "-c", script)[:2] == (0, "143\n137\n")


class TestLimit:
    @pytest.mark.parametrize("options, status", [
        ("", 124),
        ("-k 9", 124),
        ("--foreground", 124),
        ("--foreground -k 9", 124),
        ("-s HUP", 124),
        ("-s INT -k 9", 124),
        ("-s KILL", -9),
        ("-s KILL -k 9", -9),
        ("--foreground -s KILL", 137),
        ("--preserve-status", 143),
        ("--preserve-status -k 9", 143),
        ("--preserve-status --foreground", 143),
        ("--preserve-status -s INT", 130),
        ("--preserve-status -s HUP", 129),
        ("--preserve-status -s KILL", -9),
        ("--preserve-status --foreground -s KILL", 137),
    ])
    def test_ends_the_command(self, subject, options, status):
        """124, or with --preserve-status the command's 128+n. A KILL that goes to its group ends timeout too."""
        began = time.monotonic()
        assert subject.run(*options.split(), SHORT, *SLEEP) == (status, "", "")
        assert time.monotonic() - began >= float(SHORT)

    @pytest.mark.parametrize("options, status", [
        ("-k .05", -9),
        ("-k .05 --preserve-status", -9),
        ("-k .05 --foreground", 137),
        ("-k .05 --foreground --preserve-status", 137),
    ])
    def test_kills_what_survives(self, subject, options, status):
        """-k counts from the first signal, and its KILL is told from a limit by its status."""
        began = time.monotonic()
        assert subject.run(*options.split(), SHORT, *SLEEP, **DEAF) == (status, "", "")
        assert time.monotonic() - began >= 2 * float(SHORT)

    @pytest.mark.parametrize("options, status", [
        ("", 124), ("--preserve-status", 0), ("-k 9", 124), ("-k 9 --preserve-status", 0), ("--foreground", 124),
    ])
    def test_waits_for_what_survives(self, subject, options, status):
        """Without -k, or before it, the command's own end is waited for."""
        assert run_out_for_a_survivor(subject, *options.split()) == status

    @pytest.mark.parametrize("options, status, errors", [
        ("", 124, told("TERM", "sleep")),
        ("-s INT", 124, told("INT", "sleep")),
        ("--foreground", 124, told("TERM", "sleep")),
        ("--preserve-status", 143, told("TERM", "sleep")),
        ("-k 9", 124, told("TERM", "sleep")),
        ("-s KILL", -9, told("KILL", "sleep")),
        ("--foreground -s KILL", 137, told("KILL", "sleep")),
    ])
    def test_verbose(self, subject, options, status, errors):
        """-v tells of each signal that is sent."""
        assert subject.run("-v", *options.split(), SHORT, *SLEEP) == (status, "", subject.says(errors))

    @pytest.mark.parametrize("options, status", [("", -9), ("--foreground", 137)])
    def test_verbose_kill(self, subject, options, status):
        assert subject.run("-vk.05", *options.split(), SHORT, *SLEEP, **DEAF) == (
            status, "", subject.says(told("TERM", "sleep") + told("KILL", "sleep")))

    def test_verbose_names_the_command_as_it_was_typed(self, subject):
        (subject.sandbox.scratch / "it's mine").symlink_to("/bin/sleep")
        assert subject.run("-v", SHORT, "./it's mine", NEVER) == (
            124, "", subject.says(told("TERM", "./it\\'s mine")))

    def test_verbose_that_cannot_be_written(self, subject):
        """The status is still that of a limit. Source: coreutils 9.10, timeout.c; before it was 125."""
        subject.needs((9, 10))
        with open("/dev/full", "w") as full:
            assert subject.run("-v", SHORT, *SLEEP, stderr=full)[0] == 124

    def test_in_time(self, subject):
        """Neither the limit nor -k touches a command that ends in time, and -v says nothing."""
        assert subject.run("-v", "-k", SHORT, "9", "echo", "done") == (0, "done\n", "")

    @pytest.mark.parametrize("options, rule, status", [
        ("", "7:TERM", 124), ("", "0:TERM", 124), ("-s USR1", "7:USR1", 124),
        ("--preserve-status", "7:TERM", 7), ("--preserve-status", "0:TERM", 0), ("--preserve-status", "124:TERM", 124),
        ("--preserve-status -s USR1", "7:USR1", 7), ("--preserve-status --foreground", "7:TERM", 7),
        ("--preserve-status -k 9", "7:TERM", 7), ("-k 9", "7:TERM", 124),
    ])
    def test_a_command_that_catches(self, subject, options, rule, status):
        """One that ends by itself upon the signal: --preserve-status passes its status on."""
        running, _ = subject.start_up(*options.split(), NEVER, *teller(rule))
        running.process.send_signal(ALRM)
        assert ends(running) == (status, rule.partition(":")[2] + "\n")

    def test_counts_while_it_is_stopped(self, subject):
        """Time goes on while timeout itself is stopped, by somebody; at the latest once it is continued, the limit holds."""
        running, _ = subject.start_up("2", *UP)
        running.process.send_signal(STOP)
        wait_for("it to be stopped", lambda: state_letter(running.pid) == "T")
        time.sleep(2)  # a moment, past the limit
        running.process.send_signal(CONT)
        assert running.wait() == 124


class TestSignalled:
    """Signals that are sent to timeout itself."""

    @pytest.mark.parametrize("options", ["", "--foreground", "--preserve-status", "-k 9"])
    @pytest.mark.parametrize("number", [HUP, INT, QUIT, TERM])
    def test_is_passed_on(self, subject, number, options):
        """The command dies of it, and timeout of the same."""
        running, _ = subject.start_up(*options.split(), NEVER, *UP)
        running.process.send_signal(number)
        assert subject.finish(running) == (-number, "", "")

    @pytest.mark.parametrize("number", [HUP, INT, QUIT, TERM])
    def test_is_told_of(self, subject, number):
        running, _ = subject.start_up("-v", NEVER, *UP)
        running.process.send_signal(number)
        assert subject.finish(running) == (-number, "", subject.says(told(number.name[3:], "sh")))

    @pytest.mark.parametrize("options", ["", "--foreground"])
    @pytest.mark.parametrize("number", [HUP, INT, QUIT, TERM])
    def test_may_be_caught(self, subject, number, options):
        """A command that ends by itself upon it: its status, for the limit has nothing to do with it."""
        name = number.name[3:]
        running, _ = subject.start_up(*options.split(), NEVER, *teller(f"5:{name}"))
        running.process.send_signal(number)
        assert ends(running) == (5, f"{name}\n")

    @pytest.mark.parametrize("options, status, name", [
        ("", 124, "TERM"), ("--foreground", 124, "TERM"), ("-s USR1", 124, "USR1"), ("--preserve-status", 143, "TERM"),
        ("-s KILL", -9, "KILL"), ("-s KILL --foreground", 137, "KILL"),
    ])
    def test_alarm(self, subject, options, status, name):
        """SIGALRM is the limit, at once."""
        running, _ = subject.start_up("-v", *options.split(), NEVER, *UP)
        running.process.send_signal(ALRM)
        assert subject.finish(running) == (status, "", subject.says(told(name, "sh")))

    def test_alarm_without_a_limit(self, subject):
        running, _ = subject.start_up("0", *UP)
        running.process.send_signal(ALRM)
        assert subject.finish(running) == (124, "", "")

    @pytest.mark.parametrize("number", [USR1, USR2, signal.SIGRTMIN + 1])
    def test_its_own_signal(self, subject, number):
        """That of -s is passed on too."""
        running, _ = subject.start_up("-s", int(number), NEVER, *UP)
        running.process.send_signal(number)
        assert subject.finish(running) == (-number, "", "")

    @pytest.mark.parametrize("number", [
        USR1, USR2, signal.SIGPIPE, signal.SIGVTALRM, signal.SIGPROF, signal.SIGXCPU, signal.SIGPWR, signal.SIGIO, signal.SIGSEGV,
        signal.SIGABRT, signal.SIGRTMIN, signal.SIGRTMAX])
    def test_any_that_would_end_it(self, subject, number):
        """Whatever would end it is passed on. Source: coreutils NEWS, 9.10; older ones die and leave the command."""
        subject.needs((9, 10))
        running, _ = subject.start_up(NEVER, *UP)
        running.process.send_signal(number)
        assert subject.finish(running) == (-number, "", "")

    @pytest.mark.parametrize("number", [CHLD, CONT, signal.SIGWINCH, signal.SIGURG, signal.SIGTTIN, signal.SIGTTOU])
    def test_others_are_not(self, subject, number):
        """What doesn't end a program ends neither, and isn't passed on."""
        running, (pid,) = subject.start_up(NEVER, *teller("CONT", "4:TERM"))
        running.process.send_signal(number)
        wait_at_rest(running)
        running.process.send_signal(TERM)
        status, out = ends(running)
        assert status == 4
        assert out in (["TERM\n"] if number != CONT else ["TERM\n", "CONT\nTERM\n"])

    def test_killed(self, subject):
        """Killed itself, it takes the command with it. Source: coreutils NEWS, 9.10; older ones leave it."""
        subject.needs((9, 10))
        running, (pid,) = subject.start_up(NEVER, "sh", "-c", "echo up $$; exec sleep 300")
        running.process.kill()
        assert running.wait() == -9
        wait_for("the command to end", lambda: not is_alive(int(pid)))

    @pytest.mark.parametrize("options, status", [("", -9), ("--foreground", 137), ("--preserve-status", -9)])
    def test_kill_after_counts_from_it(self, subject, options, status):
        """-k holds for a signal that was passed on, too."""
        running, _ = subject.start_up(*options.split(), "-vk1", NEVER, *teller("TERM"))
        running.process.send_signal(TERM)
        command = teller()[0]
        ended, out, errors = subject.finish(running)
        # It is signalled by itself and with its group: once or twice.
        assert (ended, set(out.split())) == (status, {"TERM"})
        assert errors == subject.says(told("TERM", command) + told("KILL", command))

    def test_twice_in_the_foreground(self, subject):
        running, (pid,) = subject.start_up("--foreground", NEVER, *teller("TERM", "4:USR1"))
        for _ in range(2):
            running.process.send_signal(TERM)
            assert running.read_line() == "TERM"
        os.kill(int(pid), USR1)
        assert ends(running) == (4, "USR1\n")

    def test_twice(self, subject):
        """The second ends neither of them."""
        running, (pid,) = subject.start_up(NEVER, *teller("TERM", "4:USR1"))
        running.process.send_signal(TERM)
        running.expect("TERM")
        running.process.send_signal(TERM)
        wait_at_rest(running)
        os.kill(int(pid), USR1)
        status, out = ends(running)
        assert (status, out.split()[-1]) == (4, "USR1")

    def test_one_after_another(self, subject):
        running, (pid,) = subject.start_up(NEVER, *teller("TERM", "HUP", "6:INT"))
        for number in (TERM, HUP):
            running.process.send_signal(number)
            running.expect(number.name[3:])
            wait_at_rest(running)
        running.process.send_signal(INT)
        status, out = ends(running)
        assert (status, out.split()[-1]) == (6, "INT")

    def test_the_limit_holds_after_it(self, subject):
        """A command that survived a signal is still under the limit."""
        running, (pid,) = subject.start_up("-s", "USR1", NEVER, *teller("TERM", "6:USR1"))
        running.process.send_signal(TERM)
        running.expect("TERM")
        wait_at_rest(running)
        running.process.send_signal(ALRM)
        status, out = ends(running)
        assert (status, out.split()[-1]) == (124, "USR1")

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

    @pytest.mark.parametrize("number", [TERM, HUP, INT])
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

    def test_continue_arrives(self, subject):
        running, _ = subject.start_up(NEVER, *teller("TERM", "7:CONT"))
        running.process.send_signal(ALRM)
        status, out = ends(running)
        assert (status, set(out.split()), out.split()[-1]) == (124, {"TERM", "CONT"}, "CONT")

    def test_no_continue_in_the_foreground(self, subject):
        running, (pid,) = subject.start_up("--foreground", NEVER, *teller("TERM", "CONT", "7:USR1"))
        running.process.send_signal(ALRM)
        assert running.read_line() == "TERM"
        wait_at_rest(running)
        os.kill(int(pid), USR1)
        assert ends(running) == (124, "USR1\n")

    def test_stopped_in_the_foreground(self, subject):
        """There a stopped command stays so, until the KILL of -k."""
        running, (pid,) = subject.start_up(
            "--foreground", "-vk.05", NEVER, "sh", "-c", "echo up $$; kill -STOP $$; echo not reached")
        wait_for("it to be stopped", lambda: state_letter(pid) == "T")
        running.process.send_signal(ALRM)
        assert subject.finish(running) == (137, "", subject.says(told("TERM", "sh") + told("KILL", "sh")))

    def test_stop_as_the_signal(self, subject):
        """-s STOP with -k: first stopped, then killed."""
        running, (pid,) = subject.start_up("--foreground", "-sSTOP", "-k3", NEVER, "sh", "-c", "echo up $$; exec sleep 300")
        running.process.send_signal(ALRM)
        wait_for("it to be stopped", lambda: state_letter(pid) == "T")
        assert subject.finish(running) == (137, "", "")


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

    @pytest.mark.parametrize("number", [ALRM, TERM, HUP])
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
