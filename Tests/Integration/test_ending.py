"""An end that is asked for is polite to the whole tree, not to its leader alone: who gets to clean up, for how long, and who
is asked through whom."""

import json
import os
import re
import signal
import subprocess

import pytest

from conftest import LIMIT, Running, binary, is_alive, wait_for
from programs.driving import advance
from programs.helpers import remove_programs, tree
from programs.timeouts import teller

# Says each signal it hears, and ends of its own accord when it has cleaned up. A shell may tell of its sleep's end.
SERVER = """
exec 2>&-
clean() { echo "$1"; i=0; while [ $i -lt 4 ]; do sleep .05; i=$((i + 1)); done; echo cleaned; exit; }
trap 'clean TERM' TERM; trap 'clean HUP' HUP
echo up
while :; do sleep .05; done
"""
# Of what it hears it only says that it has.
DEAF = "exec 2>&-; trap 'echo TERM' TERM; echo up; while :; do sleep .05; done"
# Time enough for it to say that before it is killed.
KILL_AFTER = ["-k", "2"]
# The shell dies of the signal at once.
BEHIND_A_SHELL = "sh server; true"


@pytest.fixture(scope="module", autouse=True)
def programs():
    yield
    remove_programs()


@pytest.fixture
def scratch(sandbox):
    (sandbox.scratch / "server").write_text(SERVER)
    (sandbox.scratch / "deaf").write_text(DEAF)
    return sandbox.scratch


def start_timeout(sandbox, *arguments, **popen):
    process = subprocess.Popen(
        [binary(), "timeout", *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=dict(sandbox.environment, LC_ALL="C"), cwd=sandbox.scratch, **popen)
    running = Running(sandbox, process, "timeout " + " ".join(map(str, arguments)))
    sandbox.running.append(running)
    return running


def supervisor_of(running):
    return next(pid for pid in tree(running.pid) if comm(pid) in ("curfew-sup", "curfew-timeout"))


def comm(pid):
    with open(f"/proc/{pid}/comm") as file:
        return file.read().strip()


class TestRun:
    def test_what_it_leaves_behind_cleans_up(self, sandbox, scratch, containment):
        """COMMAND exits by itself, and its status is the run's."""
        running = sandbox.shell(
            "setsid sh server & read line; exit 3", options=["--containment", containment], cwd=scratch, stdin=subprocess.PIPE)
        assert running.read_line() == "up"
        assert running.finish() == (3, "TERM\ncleaned\n", "")

    @pytest.mark.parametrize("how", ["quit", "signal"])
    def test_quit(self, sandbox, scratch, containment, how):
        """The shell is gone at once; the server has its time, and hears of it once."""
        running = sandbox.shell(BEHIND_A_SHELL, options=["--containment", containment], cwd=scratch)
        assert running.read_line() == "up"
        if how == "quit":
            assert sandbox.curfew("quit", running.name).returncode == 0
        else:
            os.kill(running.pid, signal.SIGTERM)
        assert running.finish() == (143, "TERM\ncleaned\n", "")

    def test_what_does_not_end(self, sandbox, scratch, held):
        """It is killed after the limit, a line says so, and COMMAND's status stays."""
        running = sandbox.shell(
            "sh deaf & read line; exit 3",
            options=[*held, "--manual-clock", "--terminate-limit", ".4", "--report", scratch / "report"],
            cwd=scratch, stdin=subprocess.PIPE)
        assert running.read_line() == "up"
        running.process.stdin.close()
        running.process.stdin = None
        assert running.read_line() == "TERM"
        assert advance(running, "1m")["seconds"] == .4
        status, out, errors = running.finish()
        assert (status, out) == (3, "")
        # Who it was is seen just before; a busy machine can be too late for that.
        assert re.fullmatch(
            f"curfew: {running.name}: killed what it left behind, which hadn't ended 0.4 s after SIGTERM(: .*sh.*)?\n", errors)
        report = json.loads((scratch / "report").read_text())
        assert (report["reason"], report["restKilledAfterSeconds"]) == (None, .4)

    def test_what_is_stopped(self, sandbox, scratch):
        """It is continued, so that it hears the signal."""
        running = sandbox.shell("sh server & echo $!; read line", cwd=scratch, stdin=subprocess.PIPE)
        server = next(int(line) for line in (running.read_line(), running.read_line()) if line != "up")
        os.kill(server, signal.SIGSTOP)
        assert running.finish() == (1, "TERM\ncleaned\n", "")

    def test_wait_all_waits(self, sandbox, scratch):
        """Nobody is asked."""
        running = sandbox.shell("sh server & exit 3", options=["--wait-all"], cwd=scratch)
        assert running.read_line() == "up"
        leader = running.status()["pid"]
        # The server can be up first.
        wait_for("the shell to exit", lambda: not is_alive(leader))
        assert sandbox.curfew("quit", running.name).returncode == 0
        assert running.finish() == (3, "TERM\ncleaned\n", "")


class TestTimeout:
    def test_at_the_limit(self, sandbox, scratch, containment):
        """The shell dies of TERM at once; the server gets to do its clean-up."""
        running = start_timeout(sandbox, "--containment", containment, "300", "sh", "-c", BEHIND_A_SHELL)
        assert running.read_line() == "up"
        os.kill(running.pid, signal.SIGALRM)
        assert running.finish() == (124, "TERM\ncleaned\n", "")

    def test_until_kill_after(self, sandbox, scratch, held):
        """COMMAND's status isn't changed by what it left behind."""
        running = start_timeout(sandbox, "-v", *held, *KILL_AFTER, "300", "sh", "-c", "sh deaf & wait; :")
        assert running.read_line() == "up"
        os.kill(running.pid, signal.SIGALRM)
        kill = "".join(f"curfew: timeout: sending signal {name} to command 'sh'\n" for name in ("TERM", "KILL"))
        assert running.finish() == (124, "TERM\n", kill)

    @pytest.mark.parametrize("half", ["proxy", "supervisor"])
    def test_sigkill_of_either_half(self, sandbox, scratch, containment, half):
        """The whole tree gets the signal of -s, and its time."""
        running = start_timeout(sandbox, "--containment", containment, "-s", "HUP", "300", "sh", "-c", BEHIND_A_SHELL)
        assert running.read_line() == "up"
        os.kill(running.pid if half == "proxy" else supervisor_of(running), signal.SIGKILL)
        assert running.read_line() == "HUP"
        assert running.read_line() == "cleaned"
        assert running.wait() == (-signal.SIGKILL if half == "proxy" else 125)

    def test_sigkill_in_the_foreground(self, sandbox, containment):
        """Of the command alone, as at its limit; what it has started lives on, and in no cgroup of ours."""
        running = start_timeout(
            sandbox, "-f", f"--containment={containment}", "300", "sh", "-c",
            "sleep 300 </dev/null >/dev/null 2>&1 & echo $! $$; wait")
        left, leader = map(int, running.read_line().split())
        try:
            os.kill(supervisor_of(running), signal.SIGKILL)
            assert running.wait() == 125
            assert (is_alive(leader), is_alive(left)) == (False, True)
            assert not sandbox.cgroups()
        finally:
            os.kill(left, signal.SIGKILL)

    def test_sigkill_by_the_command_itself(self, sandbox, containment):
        """Before the supervisor has been able to note whom it has started: it is the command all the same."""
        for _ in range(10):
            running = start_timeout(
                sandbox, "-f", f"--containment={containment}", "300", "sh", "-c",
                "sleep 300 </dev/null >/dev/null 2>&1 & echo $!; kill -KILL $PPID; wait")
            left = int(running.read_line())
            try:
                assert running.wait() == 125
                assert is_alive(left)
            finally:
                os.kill(left, signal.SIGKILL)

    @pytest.mark.parametrize("half", ["proxy", "supervisor"])
    def test_sigkill_of_either_half_of_the_deaf(self, sandbox, scratch, containment, half):
        """Who doesn't heed it is killed all the same."""
        running = start_timeout(sandbox, "--containment", containment, *KILL_AFTER, "300", "sh", "deaf")
        assert running.read_line() == "up"
        os.kill(running.pid if half == "proxy" else supervisor_of(running), signal.SIGKILL)
        assert running.read_line() == "TERM"
        wait_for("it to be killed", lambda: not sandbox.processes())
        running.process.wait(LIMIT)


class TestNested:
    @pytest.mark.parametrize("outer", [["timeout", "300"], ["run", "--terminate-limit", "300", "--"]], ids=["timeout", "run"])
    def test_one_in_another(self, sandbox, containment, outer):
        """Each is asked through its proxy alone: COMMAND hears of the end once."""
        hold = ["--containment", containment]
        words = [binary(), outer[0], *hold, *outer[1:], binary(), "timeout", *hold, "300"]
        words += [binary(), "timeout", *hold, "300", *teller("TERM", "0:USR1")]
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=sandbox.environment)
        running = Running(sandbox, process, "three in one another")
        sandbox.running.append(running)
        command = int(running.read_line().split()[1])
        os.kill(running.pid, signal.SIGALRM if outer[0] == "timeout" else signal.SIGTERM)
        assert running.read_line() == "TERM"
        # Whoever would send it again has done so, or never will.
        wait_for("all to be at rest", lambda: are_at_rest([running.pid, *tree(running.pid)]))
        os.kill(command, signal.SIGUSR1)
        assert running.finish() == (124 if outer[0] == "timeout" else 0, "USR1\n", "")

    def test_an_app_inside_is_quit_by_its_own(self, sandbox, scratch):
        """What it leaves behind has its own limit there."""
        running = start_timeout(
            sandbox, "300", binary(), "run", "--name", "inner", "--", "sh", "-c", BEHIND_A_SHELL, start_new_session=True)
        assert running.read_line() == "up"
        os.kill(running.pid, signal.SIGALRM)
        assert running.finish() == (124, "TERM\ncleaned\n", "")


def are_at_rest(pids):
    """Whether each of them sleeps, with no signal left to deal with."""
    for pid in pids:
        with open(f"/proc/{pid}/status") as file:
            text = file.read()
        if "State:\tS" not in text or re.search(r"^(SigPnd|ShdPnd):\s*0*[1-9a-f]", text, re.M):
            return False
    return True
