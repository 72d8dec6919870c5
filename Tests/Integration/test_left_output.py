"""What the apps of a server had written when it was killed is in their logs: the keeper has the pipes, too."""

import os
import signal
import subprocess

import pytest

from conftest import LIMIT, binary, is_alive, wait_for


def stop(server):
    """Stops both halves, for the proxy would continue the other; the supervisor's pid."""
    supervisor = int(server.expect("server")["supervisor"])
    os.kill(server.pid, signal.SIGSTOP)
    os.kill(supervisor, signal.SIGSTOP)
    # The signal is sent; a thread that is on its way to read can still come there.
    wait_for("each thread of the server to be stopped", lambda: set(letters(supervisor)) == {"T"})
    return supervisor


def letters(pid):
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/stat") as stat:
            yield stat.read().rpartition(")")[2].split()[0]


def kill(server, supervisor):
    os.kill(supervisor, signal.SIGKILL)
    os.kill(server.pid, signal.SIGCONT)
    assert server.process.wait(LIMIT) == 125


def marks(sandbox, name):
    text = (sandbox.state / "curfew" / "logs" / f"{name}.log").read_text()
    return [line.split()[2] + " " + line.split()[4] for line in text.splitlines() if line.startswith("=== curfew: ")]


class Speaker:
    """An app that writes what it is told by a FIFO, and goes on."""

    def __init__(self, sandbox, server, name, first=""):
        self.fifo = sandbox.scratch / f"{name}.fifo"
        self.said = sandbox.scratch / f"{name}.said"
        os.mkfifo(self.fifo)
        script = 'printf "$3"; : >"$2.up"; cat "$1"; : >"$2"; exec sleep 1000'
        self.pid = server.launch(name, "sh", "-c", script, "sh", self.fifo, self.said, first)
        wait_for(f"{name} to be up", lambda: os.path.exists(f"{self.said}.up"))
        if first:
            server.wait_line(name, first.replace("\\n", "\n"))

    def say(self, words):
        with self.fifo.open("w") as pipe:
            pipe.write(words)
        wait_for("it to have said so", self.said.exists)


@pytest.mark.parametrize("containment", ["cgroup2", "tree"])
def test_last_words(sandbox, containment):
    server = sandbox.serve("--containment", containment, wait=False)
    wait_for("the server to answer", lambda: server.process.poll() is not None or sandbox.answers(server.socket))
    if server.process.poll() == 125:
        pytest.skip(f"{containment} can't be had here: {server.errors().strip()}")
    # Each is in front, so that it runs: the one before has gone home for it.
    quiet = Speaker(sandbox, server, "quiet")
    server.expect("open app=quiet")
    supervisor = stop(server)
    quiet.say("last words")
    kill(server, supervisor)
    assert server.log("quiet") == "last words\n"
    assert marks(sandbox, "quiet") == ["began run=1"]
    assert not is_alive(quiet.pid)


def test_behind_what_was_read(sandbox):
    server = sandbox.serve("--foreground", "20")
    apps = [Speaker(sandbox, server, f"app{number}", first=r"first\n") for number in range(12)]
    supervisor = stop(server)
    for number, app in enumerate(apps):
        app.say(f"last of {number}\nreally")
    kill(server, supervisor)
    for number in range(12):
        assert server.log(f"app{number}") == f"first\nlast of {number}\nreally\n"
        assert marks(sandbox, f"app{number}") == ["began run=1", "continued run=1"]


def test_of_the_latest_run_in_a_slot_that_others_had(sandbox):
    server = sandbox.serve()
    for number in range(5):
        server.launch(f"short{number}", "echo", f"short {number}")
        server.wait_state(f"short{number}", "notRunning")
    last = Speaker(sandbox, server, "short0", first=r"again\n")
    supervisor = stop(server)
    last.say("last words\n")
    kill(server, supervisor)
    assert server.log("short0") == "short 0\nagain\nlast words\n"
    assert [server.log(f"short{number}") for number in range(1, 5)] == [f"short {number}\n" for number in range(1, 5)]


def test_the_keeper_holds_one_descriptor_an_app(sandbox):
    server = sandbox.serve("--foreground", "20")

    def held():
        return len(os.listdir(f"/proc/{server.pid}/fd"))

    before = held()
    for number in range(10):
        server.launch(f"app{number}", "sleep", "1000")
    wait_for("the proxy to have taken them", lambda: held() == before + 10)
    server.expect("quit-all")
    wait_for("it to have let them go", lambda: held() == before)


def test_with_standard_streams_closed(sandbox):
    """What the two halves hand over by takes no standard stream's number."""
    script = 'exec "$@" <&- >&- 2>/dev/null'
    process = subprocess.Popen(["sh", "-c", script, "sh", binary(), "serve"], env=sandbox.environment)
    socket = sandbox.runtime / "curfew" / "server" / "home.sock"
    try:
        wait_for("the server to answer", lambda: sandbox.answers(socket))
        assert sandbox.curfew("launch", "--name", "app", "--", "sh", "-c", "echo up; exec sleep 1000").returncode == 0
        wait_for("its output", lambda: "up" in sandbox.curfew("log", "app").stdout)
    finally:
        assert sandbox.curfew("serve", "--stop").returncode == 0
        assert process.wait(LIMIT) == 0
