"""timeout in a terminal, under an interactive bash. `make conformance` holds GNU's own to the same."""

import os
import pathlib
import signal
import time

import pytest

from conftest import PATIENCE, is_alive, state_letter, wait_for
from programs.helpers import remove_programs
from programs.timeouts import subject, teller  # noqa: F401
from test_terminal import PROMPT, script, shells  # noqa: F401

UP = "sh -c 'echo up $$; exec sleep 300'"
CAT = "sh -c 'echo up $$; exec cat'"
# A limit that runs out only after what a row looks at before it.
LATER = 2 * PATIENCE


@pytest.fixture(scope="module", autouse=True)
def programs():
    yield
    remove_programs()


class Typist:
    """Types a subject's name into a shell."""

    def __init__(self, shell, subject):
        self.shell = shell
        self.subject = subject
        self.command = " ".join(subject.words)

    def run(self, arguments):
        self.shell.type(f"{self.command} {arguments}")

    def run_in_script(self, arguments):
        """From a shell that has no job control, which says the status then."""
        path = script(self.subject.sandbox, "script.sh", f"{self.command} {arguments}\necho status $?\n")
        self.shell.type(f"sh {path}")

    def pid(self):
        """That of a command that prints `up` and its pid, once what waits for it waits: older GNU ones lose a signal that
        comes before."""
        self.shell.terminal.expect(r"up (\d+)\r\n")
        pid = int(self.shell.terminal.match[1])
        wait_for("its parent to wait", lambda: state_letter(parent(pid)) == "S")
        return pid

    def ends_with(self, status):
        self.shell.expect_line(f"status {status}")
        self.shell.prompt()

    def foreground(self):
        self.shell.type("fg")
        self.shell.terminal.expect(r"timeout [^\r\n]*\r\n")


@pytest.fixture
def typist(subject, shells):
    shell = shells(environment={"PATH": subject.environment["PATH"]})
    shell.prompt()
    return Typist(shell, subject)


def parent(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def wait_stopped(pid):
    wait_for(f"{pid} to be stopped", lambda: state_letter(pid) == "T")


def run_out(pid):
    """Brings on the limit of a command: timeout, which leads its group, takes SIGALRM for it."""
    os.kill(os.getpgid(pid), signal.SIGALRM)


class TestReading:
    @pytest.mark.parametrize("options", ["", "--foreground"])
    def test_from_the_prompt(self, typist, options):
        typist.run(f"{options} 300 {CAT}")
        typist.pid()
        typist.shell.talk("one")
        typist.shell.talk("two")
        typist.shell.press("D")
        typist.shell.prompt()
        assert typist.shell.status() == 0

    def test_in_a_script(self, typist):
        """In a group of its own there it may not: reading stops the command, and the limit ends it."""
        typist.run_in_script(f"300 {CAT}")
        wait_stopped(pid := typist.pid())
        run_out(pid)
        typist.ends_with(124)

    def test_in_a_script_in_the_foreground(self, typist):
        typist.run_in_script(f"--foreground 300 {CAT}")
        typist.pid()
        typist.shell.talk("one")
        typist.shell.press("D")
        typist.ends_with(0)

    def test_in_the_background(self, typist):
        typist.run(f"300 {CAT} &")
        wait_stopped(pid := typist.pid())
        run_out(pid)
        # Not by the next prompt, for the one after the job's start may have come behind its `up`.
        typist.shell.type('wait $!; echo "=$?="')
        typist.shell.expect_line("=124=")

    def test_end_of_the_limit(self, typist):
        """What reads the terminal is ended at the limit, and the shell has its terminal back."""
        typist.run(f"300 {CAT}")
        pid = typist.pid()
        typist.shell.talk("one")
        run_out(pid)
        typist.shell.prompt()
        assert typist.shell.status() == 124


class TestSettings:
    def test_from_the_prompt(self, typist):
        typist.shell.do(f"{typist.command} 300 stty -onlcr")
        assert typist.shell.status() == 0
        assert "-onlcr" in typist.shell.do("stty -a")

    def test_in_a_script(self, typist):
        """To change the terminal's settings stops it there, as reading does."""
        typist.run_in_script("300 sh -c 'echo up $$; exec stty -onlcr'")
        wait_stopped(pid := typist.pid())
        run_out(pid)
        typist.ends_with(124)

    def test_in_a_script_in_the_foreground(self, typist):
        typist.run_in_script("--foreground 300 stty -echoctl")
        typist.ends_with(0)


class TestKeys:
    @pytest.mark.parametrize("options", ["", "--foreground", "-k 9"])
    @pytest.mark.parametrize("key, status", [("C", 130), ("\\", 131)])
    def test_end(self, typist, key, status, options):
        """The shell sees that it died of the key's signal."""
        typist.run(f"{options} 300 {UP}")
        pid = typist.pid()
        typist.shell.press(key)
        typist.shell.prompt()
        assert typist.shell.status() == status
        assert not is_alive(pid)

    def test_interrupt_breaks_a_loop(self, typist):
        typist.shell.type(f"while true; do {typist.command} 300 {UP}; done; echo not reached")
        typist.pid()
        typist.shell.press("C")
        assert "not reached" not in typist.shell.prompt().replace("echo not reached", "")
        assert typist.shell.status() == 130

    def test_interrupt_in_a_script_in_the_foreground(self, typist):
        typist.run_in_script(f"--foreground 300 {UP}")
        pid = typist.pid()
        typist.shell.press("C")
        assert "status" not in typist.shell.prompt()
        assert typist.shell.status() == 130
        wait_for("the command to end", lambda: not is_alive(pid))

    def test_interrupt_may_be_caught(self, typist):
        typist.run(f"300 {' '.join(map(str, teller('5:INT')))}")
        typist.pid()
        typist.shell.press("C")
        typist.shell.expect("INT\r\n")
        typist.shell.prompt()
        assert typist.shell.status() == 5

    @pytest.mark.parametrize("options", ["", "--foreground"])
    def test_stop_and_continue(self, typist, options):
        """^Z stops the command and the job, `fg` continues them."""
        typist.run(f"{options} 300 {UP}")
        pid = typist.pid()
        typist.shell.press("Z")
        assert "Stopped" in typist.shell.prompt()
        wait_stopped(pid)
        typist.foreground()
        wait_for("the command to run", lambda: state_letter(pid) == "S")
        typist.shell.insist("C", PROMPT)
        assert typist.shell.status() == 130

    def test_stop_and_read_again(self, typist):
        typist.run(f"300 {CAT}")
        pid = typist.pid()
        typist.shell.talk("one")
        typist.shell.press("Z")
        typist.shell.prompt()
        wait_stopped(pid)
        typist.foreground()
        # The shell hands the terminal over before it continues the job; a line typed before that is lost.
        wait_for("the command to run", lambda: state_letter(pid) == "S")
        typist.shell.talk("two")
        typist.shell.press("D")
        typist.shell.prompt()
        assert typist.shell.status() == 0

    def test_limit_of_a_stopped_job(self, typist):
        """Time goes on while the job is stopped. GNU's limit is enforced when it is continued, ours at once."""
        typist.run(f"{LATER} {UP}")
        pid = typist.pid()
        typist.shell.press("Z")
        typist.shell.prompt()
        if typist.subject.is_gnu:
            time.sleep(LATER)  # a moment, past the limit
            assert is_alive(pid)
            typist.foreground()
            typist.shell.prompt()
            assert typist.shell.status() == 124
        else:
            wait_for("the command to end", lambda: not is_alive(pid))
            typist.shell.await_job("Exit 124")

    def test_stop_and_background(self, typist):
        typist.run(f"300 {UP}")
        pid = typist.pid()
        typist.shell.press("Z")
        typist.shell.prompt()
        typist.shell.do("bg")
        wait_for("the command to run", lambda: state_letter(pid) == "S")
        run_out(pid)
        assert "=124=" in typist.shell.do('wait %1; echo "=$?="')

    def test_kill_of_a_stopped_job(self, typist):
        """`kill %1` reaches a stopped job once it is continued."""
        typist.run(f"300 {UP}")
        pid = typist.pid()
        typist.shell.press("Z")
        typist.shell.prompt()
        typist.shell.do("kill %1")
        wait_for("the command to end", lambda: not is_alive(pid))


class TestHangUp:
    @pytest.mark.parametrize("options", ["", "--foreground"])
    def test_closed_terminal(self, typist, options):
        """The command gets SIGHUP and ends with its terminal."""
        typist.run(f"{options} 300 {UP}")
        pid = typist.pid()
        typist.shell.hang_up()
        wait_for("the command to end", lambda: not is_alive(pid))

    def test_under_nohup(self, typist):
        """SIGHUP is ignored there, by timeout and by the command. Source: coreutils NEWS, 9.10."""
        subject = typist.subject
        subject.needs((9, 10))
        typist.shell.type(f"nohup {typist.command} 300 sh -c 'echo up $$ >&2; exec sleep 300' 2>&1 | cat")
        pid = typist.pid()
        typist.shell.hang_up()
        wait_for("the shell to end", lambda: not is_alive(typist.shell.pid))
        assert is_alive(pid)
        os.kill(pid, signal.SIGTERM)
