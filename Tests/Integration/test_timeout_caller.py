"""What timeout passes from its caller to its command: signals ignored and blocked, environment, descriptors, limits, streams, cores.

`make conformance` holds GNU's own to the same. A test of a later version than GNU coreutils 9.1 says which; ours is held to the newest.
"""

import os
import pathlib
import resource
import signal
import subprocess

import pytest

from conftest import LIMIT
from programs.helpers import remove_programs
from programs.timeouts import NEVER, SLEEP, UP, run_out_for_a_survivor, subject, with_signals  # noqa: F401

SHORT = ".05"
HUP, INT, QUIT, TERM, KILL, ALRM, CHLD, STOP, USR1, USR2 = (
    signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGKILL, signal.SIGALRM, signal.SIGCHLD,
    signal.SIGSTOP, signal.SIGUSR1, signal.SIGUSR2)


@pytest.fixture(scope="module", autouse=True)
def programs():
    yield
    remove_programs()


def bits(*signals):
    return sum(1 << (number - 1) for number in signals)


def dispositions(out):
    """What /proc/PID/status says of ignored and blocked signals."""
    lines = dict(line.split(":\t") for line in out.splitlines())
    # The C library's own, 32 and 33, are as whoever runs the tests has them: nobody else can set them.
    ours = bits(*signal.valid_signals())
    return int(lines["SigIgn"], 16) & ours, int(lines["SigBlk"], 16) & ours


class TestSignalsItWasStartedWith:
    def seen(self, subject, *options, **started_with):
        status, out, _ = subject.run(
            *options, "9", "grep", "^Sig[IB]", "/proc/self/status", preexec_fn=with_signals(**started_with))
        assert status == 0
        return dispositions(out)

    @pytest.mark.parametrize("options", ["", "--foreground", "-s USR1 -k 9"])
    def test_none(self, subject, options):
        """The command gets every signal as it is by default."""
        assert self.seen(subject, *options.split()) == (0, 0)

    def test_ignored_ones_that_do_not_matter(self, subject):
        """They stay ignored for the command."""
        ignored = [signal.SIGPIPE, USR1, USR2, signal.SIGTSTP, signal.SIGWINCH]
        assert self.seen(subject, ignored=ignored) == (bits(*ignored), 0)

    def test_ignored_hup_int_quit(self, subject):
        """They stay ignored too. Source: coreutils NEWS, 9.10; older ones set them to default."""
        subject.needs((9, 10))
        assert self.seen(subject, ignored=[HUP, INT, QUIT]) == (bits(HUP, INT, QUIT), 0)

    def test_ignored_ones_that_it_needs(self, subject):
        """These are as by default for the command."""
        assert self.seen(subject, ignored=[TERM, ALRM, CHLD, signal.SIGTTIN, signal.SIGTTOU]) == (0, 0)

    def test_ignored_signal_of_the_limit(self, subject):
        """-s sets its signal to default for the command."""
        assert self.seen(subject, "-s", "USR1", ignored=[USR1, USR2]) == (bits(USR2), 0)

    def test_blocked(self, subject):
        """What the caller blocks stays blocked for the command, but for SIGCHLD, and SIGALRM in newer ones."""
        _, blocked = self.seen(subject, blocked=signal.valid_signals())
        everything = bits(*(set(signal.valid_signals()) - {KILL, STOP, CHLD, ALRM}))
        assert blocked & ~bits(ALRM) == everything

    def test_limit_with_ignored_ones(self, subject):
        every = [number for number in signal.valid_signals() if number not in (KILL, STOP)]
        for ignored in [TERM], [ALRM], [CHLD], every:
            assert subject.run(SHORT, *SLEEP, preexec_fn=with_signals(ignored=ignored)) == (124, "", ""), ignored

    def test_limit_with_all_blocked(self, subject):
        """The limit runs out all the same; the command has its signal blocked, and -k helps."""
        blocked = with_signals(blocked=signal.valid_signals())
        assert run_out_for_a_survivor(subject, preexec_fn=blocked) == 124
        assert subject.run("-k.05", SHORT, *SLEEP, preexec_fn=blocked) == (-9, "", "")

    @pytest.mark.parametrize("options", ["", "--foreground"])
    def test_status_with_sigchld_ignored_or_blocked(self, subject, options):
        for started_with in ({"ignored": [CHLD]}, {"blocked": [CHLD]}):
            set_up = with_signals(**started_with)
            assert subject.run(*options.split(), "9", "sh", "-c", "exit 3", preexec_fn=set_up) == (3, "", "")
            assert subject.run(*options.split(), "9", "sh", "-c", "kill -TERM $$", preexec_fn=set_up) == (-15, "", "")

    def test_death_by_a_blocked_or_ignored_signal(self, subject):
        """It dies of the command's signal even where that is blocked or ignored for itself."""
        for started_with in ({"ignored": [signal.SIGSEGV]}, {"blocked": [USR1, signal.SIGSEGV]}):
            reset = "import os, signal; signal.signal(11, 0); signal.pthread_sigmask(2, []); os.kill(os.getpid(), 11)"
            assert subject.run("9", "python3", "-S", "-c", reset, preexec_fn=with_signals(**started_with)) == (-11, "", "")

    def test_nohup(self, subject):
        """`nohup timeout`: the limit, the statuses and the command's output are as without."""
        command = " ".join(subject.words)
        script = f"nohup {command} {SHORT} sleep 300; echo $?; nohup {command} 9 sh -c 'echo said; exit 7'; echo $?"
        assert subject.directly("sh", "-c", script)[1] == "124\nsaid\n7\n"


PROBES = {
    "environment": "env",
    "directory": "pwd -P; readlink /proc/self/cwd",
    "descriptors": "ls /proc/self/fd; readlink /proc/self/fd/5 /proc/self/fd/7",
    "limits": "cat /proc/self/limits",
    "nice": "nice; cut -d' ' -f 18,19,40,41 /proc/self/stat",
    "session": "cut -d' ' -f 6,7 /proc/self/stat",
    "status": "grep -E '^(Umask|Uid|Gid|Groups|Sig[IB]|Cap|NoNewPrivs|Seccomp|Speculation|Cpus|Mems|Tracer)' /proc/self/status",
    "files of the process": "cd /proc/self; cat oom_score_adj timerslack_ns personality coredump_filter",
    "priority of I/O": "ionice",
    "words": "echo \"$0 $#\"",
}


class TestInherited:
    """A command is started as it would be without timeout: the same probe, run directly, sees the same."""

    def set_up(self, folder):
        """Makes the caller a peculiar one."""
        def peculiar():
            os.chdir(folder)
            os.umask(0o027)
            os.nice(3)
            resource.setrlimit(resource.RLIMIT_NOFILE, (77, 99))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 31))
            pathlib.Path("/proc/self/oom_score_adj").write_text("123")
            for number in (5, 7):
                os.dup2(os.open("/dev/zero", os.O_RDONLY), number)
            os.closerange(8, 77)
        return {"preexec_fn": peculiar, "close_fds": False, "cwd": "/"}

    @pytest.mark.parametrize("options", ["", "--foreground"])
    def test_from_the_caller(self, subject, options):
        folder = subject.sandbox.scratch / "a place"
        folder.mkdir()
        subject.environment["ODD"] = "a\nb=c"
        subject.environment["EMPTY"] = ""
        # Each in a shell of its own, so that one's `cd` isn't another's.
        command = ["sh", "-c", "\n".join(f"echo '= {name}'; ({probe}) || exit" for name, probe in PROBES.items())]
        directly = self.seen(subject.directly(*command, **self.set_up(folder)))
        assert self.seen(subject.run(*options.split(), "9", *command, **self.set_up(folder))) == directly
        assert directly.keys() == PROBES.keys() and all(directly.values())

    def seen(self, result):
        """What each probe printed."""
        status, out, errors = result
        assert (status, errors) == (0, "")
        parts = [part.partition("\n") for part in ("\n" + out).split("\n= ")[1:]]
        return {name: text for name, _, text in parts}

    def test_environment_exactly(self, subject):
        """No variable is added, changed or taken, and their order is kept."""
        assert subject.run("9", "env", "-0")[1].split("\0")[:-1] == [
            f"{key}={value}" for key, value in subject.environment.items()]

    def test_empty_environment(self, subject):
        path = next(filter(os.path.exists, (f"{folder}/{subject.words[0]}" for folder in subject.environment["PATH"].split(":"))))
        subject.words[0] = path
        assert subject.run("9", "/usr/bin/env", env={}) == (0, "", "")

    def test_closed_streams_stay_closed(self, subject):
        scratch = subject.sandbox.scratch
        probe = ["sh", "-c", f"ls /proc/$$/fd > {scratch}/seen; exit 7"]
        for closed in "0<&-", "1>&-", "2>&-", "0<&- 2>&-", "0<&- 1>&- 2>&-":
            seen = []
            for words in ([], [*subject.words, "9"]):
                line = " ".join([*words, "sh", "-c", f"'{probe[2]}'"])
                assert subject.directly("sh", "-c", f"{line} {closed}")[0] == 7
                seen.append((scratch / "seen").read_text())
            assert seen[0] == seen[1], closed

    def test_input_from_a_pipe(self, subject):
        running = subject.start("9", "cat", stdin=subprocess.PIPE)
        out, err = running.process.communicate(b"one\ntwo", timeout=LIMIT)
        assert (running.process.returncode, out, err) == (0, b"one\ntwo", b"")

    def test_in_a_pipeline(self, subject):
        command = " ".join(subject.words)
        script = f"seq 9 | {command} 9 tail -2 | {command} 9 head -1; {command} 9 yes | head -1; echo ${{PIPESTATUS[@]}}"
        assert subject.directly("bash", "-c", script) == (0, "8\ny\n141 0\n", "")

    def test_in_the_background(self, subject):
        """In a script's background, where SIGINT and SIGQUIT are ignored and there is no input."""
        command = " ".join(subject.words)
        script = f"{command} {SHORT} sleep 300 & wait $!; echo $?; {command} 9 cat & wait $!; echo $?"
        assert subject.directly("sh", "-c", script) == (0, "124\n0\n", "")

    def test_many_at_once(self, subject):
        command = " ".join(subject.words)
        script = f"for n in 1 2 3 4 5 6 7 8; do {command} .1 sleep 300 & pids=\"$pids $!\"; done; for p in $pids; do wait $p; echo $?; done"
        assert subject.directly("bash", "-c", script) == (0, "124\n" * 8, "")


class TestCore:
    @pytest.fixture(autouse=True)
    def cores(self, subject):
        """Lets commands leave cores, in a directory of the test's."""
        pattern = pathlib.Path("/proc/sys/kernel/core_pattern").read_text().strip()
        before = resource.getrlimit(resource.RLIMIT_CORE)
        if before[1] == 0 or pattern.startswith("|"):
            pytest.skip("no core files can be had here")
        resource.setrlimit(resource.RLIMIT_CORE, (before[1], before[1]))
        yield
        resource.setrlimit(resource.RLIMIT_CORE, before)

    def raw_status(self, subject, *arguments):
        """As wait(2) gives it, and what it said."""
        running = subject.start(*arguments)
        errors = running.process.stderr.read().decode()
        _, status = os.waitpid(running.pid, 0)
        running.process.returncode = os.waitstatus_to_exitcode(status)
        return status, errors

    DUMPED = "timeout: the monitored command dumped core\n"

    @pytest.mark.parametrize("name", ["ABRT", "SEGV"])
    def test_of_the_command(self, subject, name):
        """It tells of the command's core, dies of its signal, and leaves no core of its own."""
        status, errors = self.raw_status(subject, "9", "sh", "-c", f"kill -{name} $$")
        assert (os.WTERMSIG(status), os.WCOREDUMP(status)) == (signal.Signals[f"SIG{name}"], False)
        assert errors == subject.says(self.DUMPED)

    @pytest.mark.parametrize("options, expected", [("", 124), ("--preserve-status", 134), ("--foreground", 124)])
    def test_of_the_limit(self, subject, options, expected):
        """A signal of the limit's that dumps core."""
        status, errors = self.raw_status(subject, "-sABRT", *options.split(), SHORT, *SLEEP)
        assert (os.WIFEXITED(status), os.WEXITSTATUS(status)) == (True, expected)
        assert errors == subject.says(self.DUMPED)

    def test_passed_on(self, subject):
        """SIGQUIT to timeout: the command dumps core, and timeout doesn't."""
        running, _ = subject.start_up(NEVER, *UP)
        running.process.send_signal(QUIT)
        errors = running.process.stderr.read().decode()
        _, status = os.waitpid(running.pid, 0)
        running.process.returncode = os.waitstatus_to_exitcode(status)
        assert (os.WTERMSIG(status), os.WCOREDUMP(status)) == (QUIT, False)
        assert errors == subject.says(self.DUMPED)
