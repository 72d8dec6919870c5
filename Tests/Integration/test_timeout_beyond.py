"""What `curfew timeout` can that GNU timeout can't: nothing escapes it, memory counts, a report and -v say why, and it can
have a life in background. How it does what GNU's does is in test_timeout.py and the files beside it."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys

import pytest

from conftest import LIMIT, PATIENCE, Running, binary, every_cgroup, is_alive, state_letter, unified_mount, wait_for
from programs.helpers import tree

# Prints the pid of a daemon that has left its session, its group and its parent, and survives what can be survived.
DAEMON = (
    "setsid sh -c 'trap \"\" TERM HUP INT; (echo $$; exec sleep 300 >&- 2>&-) & wait' & "
    "sleep 300 >&- 2>&-")


TWO_SLEEPERS = "setsid sleep 301 & sleep 302; :"


def wait_for_sleepers(running):
    # A process that is executed has its name before it has its words.
    def commands():
        return {pathlib.Path(f"/proc/{pid}/cmdline").read_bytes() for pid in tree(running.pid)}

    wait_for("both to sleep", lambda: commands() >= {b"sleep\x00301\x00", b"sleep\x00302\x00"})


class Timeouts:
    """Starts `curfew timeout`s in a sandbox."""

    def __init__(self, sandbox):
        self.sandbox = sandbox

    def start(self, *arguments, **popen):
        return self.begin(binary(), "timeout", *arguments, **popen)

    def begin(self, *words, **popen):
        words = list(map(str, words))
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=dict(self.sandbox.environment, LC_ALL="C"), cwd=self.sandbox.scratch, **popen)
        running = Running(self.sandbox, process, " ".join(words[1:]))
        self.sandbox.running.append(running)
        return running

    def run(self, *arguments, **popen):
        return self.start(*arguments, **popen).finish()

    def reports(self):
        folder = self.sandbox.state / "curfew" / "reports"
        return [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]


@pytest.fixture
def timeouts(sandbox):
    return Timeouts(sandbox)


class TestNothingEscapes:
    # Time enough for the shell to take its SIGTERM, which it does late while it forks.
    IN_TIME = f"{2 * PATIENCE:g}"

    @pytest.mark.parametrize("options, deaf, status", [
        (["-k", IN_TIME], "", 124), (["-k", ".1"], "trap '' TERM; ", -9), (["-s", "KILL"], "", -9),
        (["-p", "-k", IN_TIME], "", 143)])
    def test_a_daemon(self, timeouts, containment, options, deaf, status):
        """It goes when the time is over, whatever it ignores."""
        running = timeouts.start("--containment", containment, *options, "300", "sh", "-c", deaf + DAEMON)
        daemon = int(running.read_line())
        running.process.send_signal(signal.SIGALRM)
        assert running.wait() == status
        wait_for("the daemon to end", lambda: not is_alive(daemon))

    def test_sigkill_of_either_half(self, timeouts, containment):
        """Neither the process that the caller knows nor the other one can be killed so that the command lives on."""
        for half in ("proxy", "supervisor"):
            running = timeouts.start("--containment", containment, "-k", ".3", "300", "sh", "-c", DAEMON)
            daemon = int(running.read_line())
            supervisor = next(pid for pid in tree(running.pid) if parent(pid) == running.pid)
            os.kill(running.pid if half == "proxy" else supervisor, signal.SIGKILL)
            wait_for(f"the daemon to end with the {half}", lambda: not is_alive(daemon))
            running.process.wait(LIMIT)

    def test_the_signal_reaches_the_daemon(self, timeouts, containment):
        """A daemon that cleans up upon TERM gets to."""
        script = "setsid sh -c 'trap \"echo cleaned; exit\" TERM; echo up; while :; do sleep .05; done' & sleep 300"
        running = timeouts.start("--containment", containment, "300", "sh", "-c", script)
        assert running.read_line() == "up"
        running.process.send_signal(signal.SIGTERM)
        assert running.read_line() == "cleaned"
        assert running.wait() == -signal.SIGTERM


class TestWhoIsSignalled:
    def test_one_that_has_left_its_cgroup(self, timeouts):
        """The leader is signalled wherever it has gone."""
        ours = pathlib.Path("/proc/self/cgroup").read_text().splitlines()[-1].partition("::")[2]
        unified = unified_mount()
        if unified is None or os.geteuid() != 0:
            pytest.skip("needs a cgroup v2 hierarchy, and root to leave a cgroup of it")
        procs = f"{unified}{ours}/cgroup.procs"
        for options, status in ([[], 124], [["-f"], 124], [["-s", "KILL"], -9]):
            running = timeouts.start(*options, "300", "sh", "-c", f"echo $$ > {procs}; echo up; exec sleep 300")
            assert running.read_line() == "up"
            running.process.send_signal(signal.SIGALRM)
            assert running.wait() == status

    def test_without_proc(self, timeouts):
        if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
            pytest.skip("needs root, and a mount namespace")
        for options, trap, status in (("", "", 124), ("-k .1", "trap '' TERM; ", -signal.SIGKILL)):
            command = f'sh -c "{trap}echo up; exec sleep 300"'
            script = f"mount -t tmpfs none /proc; exec {binary()} timeout --containment tree {options} 300 {command}"
            running = timeouts.begin("unshare", "-m", "sh", "-c", script)
            assert running.read_line() == "up"
            running.process.send_signal(signal.SIGALRM)
            assert running.wait() == status

    def test_a_pipeline_in_its_group(self, timeouts):
        """Whoever else is in its group is signalled too, as by GNU's: the rest of an interactive shell's pipeline."""
        running = timeouts.start("300", "sh", "-c", "echo up; exec sleep 300")
        assert running.read_line() == "up"
        other = subprocess.Popen(["sleep", "300"], preexec_fn=lambda: os.setpgid(0, running.pid))
        running.process.send_signal(signal.SIGALRM)
        assert other.wait(LIMIT) == -signal.SIGTERM
        assert running.wait() == 124

    def test_many_starts_at_once(self, timeouts):
        """None takes another's new cgroup for one that was left behind."""
        script = f"for n in $(seq 60); do {binary()} timeout --containment cgroup2 300 true; echo $?; done"
        if timeouts.run("--containment", "cgroup2", "9", "true")[0] == 125:
            pytest.skip("cgroup2 can't be had here")
        shells = [timeouts.begin("sh", "-c", script) for _ in range(3)]
        for _ in range(60):
            assert [shell.read_line() for shell in shells] == ["0"] * 3
        assert [shell.finish() for shell in shells] == [(0, "", "")] * 3


class TestLeftBehind:
    def test_in_a_cgroup(self, timeouts, containment):
        """What the command leaves in time lives on, in its caller's cgroups; ours is gone, and the next start spares it."""
        before = pathlib.Path("/proc/self/cgroup").read_text()
        running = timeouts.start("--containment", containment, "300", "sh", "-c", "setsid sleep 300 >&- 2>&- & echo $!")
        left = int(running.read_line())
        assert running.wait() == 0
        assert pathlib.Path(f"/proc/{left}/cgroup").read_text() == before
        assert not [path for path in every_cgroup() if path.name.startswith("curfew.-sh.")]
        assert timeouts.run("300", "true")[0] == 0
        assert is_alive(left)
        os.kill(left, signal.SIGKILL)

    def test_faster_than_it_is_moved(self, timeouts, containment):
        """What forks for ever is let go, and no cgroup of ours stays."""
        if containment == "tree":
            pytest.skip("a tree has no cgroup to leave")
        script = "sh -c 'while [ -e go ]; do (sleep .01) & wait; done' >&- 2>&- & echo $!"
        (timeouts.sandbox.scratch / "go").write_text("")
        running = timeouts.start("--containment", containment, "300", "sh", "-c", script)
        left = int(running.read_line())
        assert running.wait() == 0
        assert not [path for path in every_cgroup() if path.name.startswith("curfew.-sh.")]
        assert is_alive(left)
        (timeouts.sandbox.scratch / "go").unlink()
        wait_for("it to end", lambda: not is_alive(left))


class TestMemory:
    EATER = [sys.executable, "-S", "-c", "import signal; x = [bytearray(1 << 20) for _ in range(400)]; signal.pause()"]

    def test_limit(self, timeouts, held):
        status, _, errors = timeouts.run(*held, "--memory", "100M", "300", *self.EATER)
        assert status == 137
        assert "killed: memory-limit (jetsam 7)" in errors
        assert timeouts.reports()[-1]["reason"] == "memory-limit"

    def test_below_it(self, timeouts, held):
        assert timeouts.run(*held, "--memory", "1G", "300", "true") == (0, "", "")


class TestSayingWhy:
    def test_report(self, timeouts, held):
        """Each limit that ran out leaves one, though TERM was enough; with what was there."""
        running = timeouts.start(*held, "300", "sh", "-c", TWO_SLEEPERS)
        wait_for_sleepers(running)
        running.process.send_signal(signal.SIGALRM)
        assert running.wait() == 124
        report, = timeouts.reports()
        assert (report["reason"], report["status"]) == ("time-limit", 124)
        named = {" ".join(process["command"]) for process in report["processes"]}
        # What there was no time for is counted.
        assert len({"sleep 301", "sleep 302"} - named) <= report["omittedProcesses"], report

    def test_no_report_in_time(self, timeouts):
        assert timeouts.run("300", "false")[0] == 1
        assert timeouts.run("300", "sh", "-c", "kill -TERM $$")[0] == -15
        assert timeouts.reports() == []

    def test_report_file(self, timeouts):
        """That of --report is written however it ended."""
        assert timeouts.run("--report", "why.json", "300", "sh", "-c", "exit 3")[0] == 3
        report = json.loads((timeouts.sandbox.scratch / "why.json").read_text())
        assert (report["reason"], report["status"]) == (None, 3)

    def test_report_file_that_cannot_be_written(self, timeouts):
        assert timeouts.run("--report", "no/where", "300", "true") == (
            125, "", "curfew: timeout: --report no/where: No such file or directory; nothing was started\n")

    def test_verbose(self, timeouts, held):
        """A second -v names each process that was there, and where it was."""
        running = timeouts.start("-vv", *held, "300", "sh", "-c", TWO_SLEEPERS)
        wait_for_sleepers(running)
        running.process.send_signal(signal.SIGALRM)
        status, _, errors = running.finish()
        assert status == 124
        first, *rest = errors.splitlines()
        assert first == "curfew: timeout: sending signal TERM to command 'sh'"
        told = [re.fullmatch(r"curfew: timeout: \d+ (.*): was (asleep|running|in uninterruptible sleep).*", line) for line in rest]
        named = {line[1] for line in told if line}
        others = {line for line, found in zip(rest, told) if not found}
        # What there was no time for is counted; and the shell may say of its sleeper that it was terminated, before it is itself.
        omitted = re.search(r"^curfew: timeout: and (\d+) more processes$", errors, re.M)
        assert others <= {"Terminated", omitted and omitted[0]}, errors
        assert len({"sleep 301", "sleep 302"} - named) <= (int(omitted[1]) if omitted else 0), errors


class TestLifecycle:
    def test_without_a_profile_there_is_none(self, timeouts):
        """Nobody can see it or send it home, and it gets nothing of ours."""
        running = timeouts.start("300", "sh", "-c", "env | grep -cE '^(CURFEW_(FD|SOCKET)|NOTIFY_SOCKET)='; ls -m /proc/$$/fd; exec sleep 300")
        assert running.read_line() == "0"
        assert running.read_line() == "0, 1, 2"
        assert json.loads(timeouts.sandbox.curfew("ps", "--json").stdout) == []
        running.process.terminate()
        assert running.wait() == -signal.SIGTERM

    def test_with_one(self, timeouts):
        """It has a name, goes home and is opened, on that profile's budget; and its time goes on."""
        running = timeouts.start("--profile", "ios13", "300", "sh", "-c", "echo up; exec sleep 300")
        assert running.read_line() == "up"
        curfew = timeouts.sandbox.curfew
        assert json.loads(curfew("status", "sh", "--json", check=True).stdout)["budget"] == 30
        assert curfew("home", "sh", check=True).returncode == 0
        assert json.loads(curfew("status", "sh", "--json", check=True).stdout)["state"] == "suspended"
        running.process.send_signal(signal.SIGALRM)
        assert running.wait() == 124

    CLEANER = "trap 'sleep .3; echo cleaned; exit 7' TERM; echo up; while :; do sleep .05; done"

    @pytest.mark.parametrize("number, status", [(signal.SIGALRM, 124), (signal.SIGTERM, 7)])
    def test_suspended_it_gets_to_clean_up(self, timeouts, number, status):
        """At the limit, or told to end, it isn't stopped again before it has."""
        running = timeouts.start("--profile", "ios13", "300", "sh", "-c", self.CLEANER)
        assert running.read_line() == "up"
        timeouts.sandbox.curfew("home", "sh", check=True)
        running.process.send_signal(number)
        assert running.read_line() == "cleaned"
        assert running.wait() == status

    def test_nothing_is_left_stopped(self, timeouts, held):
        """With -f what lives on runs on."""
        running = timeouts.start(*held, "-f", "--profile", "ios13", "300", "sh", "-c", "sleep 300 >&- 2>&- & echo $!; wait")
        left = int(running.read_line())
        timeouts.sandbox.curfew("home", "sh", check=True)
        running.process.send_signal(signal.SIGALRM)
        assert running.wait() == 124
        wait_for("it to run", lambda: state_letter(left) == "S")
        os.kill(left, signal.SIGKILL)

    def test_it_may_drive_others(self, timeouts):
        """What runs under a timeout is in no app for that."""
        app = timeouts.sandbox.start("sh", "-c", "echo up; exec sleep 300", name="other")
        assert app.read_line() == "up"
        assert timeouts.run("300", "curfew", "home", "other")[0] == 0
        assert app.status()["state"] == "suspended"

    def test_a_task_inside(self, timeouts):
        running = timeouts.start("--profile", "ios7", "300", "curfew", "task", "run", "job", "--", "echo", "done")
        assert running.finish() == (0, "done\n", "")

    def test_an_outer_app_is_still_spoken_for(self, timeouts):
        """Inside of an app, what runs under a timeout begins its tasks as if there were none."""
        status, out, _ = timeouts.sandbox.start(
            "curfew", "timeout", "300", "curfew", "task", "remaining", name="outer").finish()
        assert (status, out) == (0, "inf\n")


class TestTimeScale:
    def test_divides(self, timeouts):
        """Ten minutes and five pass in two hundredths."""
        # In five milliseconds a busy machine may not have had it die of the first signal; then there is the second.
        assert timeouts.run("--time-scale", "60000", "-k", "5m", "10m", "sleep", "300")[0] in (124, -signal.SIGKILL)


def parent(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
