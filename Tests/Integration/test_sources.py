"""`curfew serve --source`: programs whose output is requests, and what those can't do that run wild."""

import contextlib
import json
import os
import pathlib
import re
import shlex
import signal
import sqlite3
import sys

import pytest

from conftest import LIMIT, fields_of, is_alive, parent_of, wait_for
from programs.helpers import tree
from test_serve import AWARE

SLEEP = ("sleep", "1000")


class Source:
    """A source that writes what a test tells it to, by a pipe of the test's."""

    def __init__(self, sandbox):
        self.path = sandbox.scratch / "requests"
        os.mkfifo(self.path)
        # Open for both, so that neither side waits for the other.
        self.pipe = os.open(self.path, os.O_RDWR)
        self.command = f"exec cat {shlex.quote(str(self.path))}"

    def write(self, text):
        os.write(self.pipe, text.encode() if isinstance(text, str) else text)

    def close(self):
        os.close(self.pipe)


@pytest.fixture
def source(sandbox):
    source = Source(sandbox)
    yield source
    source.close()


def sources(server):
    """What the server says of each, by name."""
    lines, final = server.ask("server")
    assert final.startswith("ok"), final
    return {found["name"]: found for found in map(fields_of, lines)}


def wait_source(server, name, **fields):
    """Waits until these are what is said of it; all that is."""
    def found():
        said = sources(server)[name]
        return said if all(said.get(key) == value for key, value in fields.items()) else None

    return wait_for(f"the source {name} to have {fields}; stderr: {server.errors()}", found)


def wait_errors(server, words):
    wait_for(f"the server to say {words!r}; it has said:\n{server.errors()}", lambda: words in server.errors())


def front(server):
    return server.expect("server").get("front", "")


def wait_front(server, name):
    wait_for(f"{name or 'nobody'} to be in front; apps: {server.apps()}; stderr: {server.errors()}", lambda: front(server) == name)


def two_apps(server):
    """Both run, and the second is in front."""
    server.launch("mail", *SLEEP)
    server.launch("chat", *SLEEP)
    server.wait_state("mail", "suspended")


# MARK: Requests


def test_what_it_writes_is_done(sandbox, source):
    server = sandbox.serve("--source", source.command)
    two_apps(server)
    source.write("open app=mail\n")
    wait_front(server, "mail")
    server.wait_state("chat", "suspended")
    source.write("home\n")
    wait_front(server, "")
    source.write("open app=chat\nopen app=mail\n")
    wait_front(server, "mail")
    source.write(f"open app={server.status('chat')['pid']}\n")
    wait_front(server, "chat")
    server.launch("aware", sys.executable, "-c", AWARE)
    server.wait_line("aware", "ok version=1")
    source.write('post app=aware name=tick info.text="two words"\n')
    server.wait_line("aware", 'name=tick')
    assert 'info.text="two words"' in server.log("aware")
    source.write("warn app=aware level=critical\n")
    server.wait_line("aware", "level=critical")
    source.write("home app=aware\nwake app=aware name=fetch\n")
    server.wait_line("aware", "name=fetch")
    assert "source" not in server.errors()


def test_home_is_for_everybody_in_front(sandbox, source):
    server = sandbox.serve("--foreground", "2", "--source", source.command)
    server.launch("mail", *SLEEP)
    server.launch("chat", *SLEEP)
    assert set(front(server).split(",")) == {"mail", "chat"}
    source.write("home\n")
    wait_front(server, "")


def test_it_launches_what_it_opens(sandbox, source):
    server = sandbox.serve("--source", source.command)
    server.launch("mail", "true")
    server.wait_state("mail", "notRunning")
    source.write("open app=mail\n")
    sandbox.wait_for_event(server.stream(), "mail to be launched again", lambda: server.app("mail")["launches"] == "2")


def test_what_is_no_request_is_told_and_the_next_is_done(sandbox, source):
    server = sandbox.serve("--source", source.command)
    two_apps(server)
    source.write("stop\nopen app=mail\n")
    wait_front(server, "mail")
    wait_errors(server, 'curfew: serve: source cat: "stop": a source may ask for')
    assert sources(server)["cat"]["problem"].startswith('"stop": ')
    source.write("\x1b]0;x\x07\u202e\n")
    wait_source(server, "cat", state="running")
    wait_for("that to be told", lambda: "x1b" in sources(server)["cat"]["problem"] or "\x1b" in sources(server)["cat"]["problem"])
    assert "\x1b" not in server.errors() and "\u202e" not in server.errors()


def test_what_is_refused_is_told(sandbox, source):
    server = sandbox.serve("--source", source.command)
    source.write("post app=mail name=tick\n")
    wait_errors(server, 'source cat: "post app=mail name=tick": there is no app mail here')


@pytest.mark.parametrize("line", ["home app=chat", "warn app=chat", "post app=chat name=x", "wake app=chat name=x", "open app=chat"])
def test_it_names_no_other_app(sandbox, source, line):
    server = sandbox.serve("--source", source.command, "--source-apps", "mail")
    two_apps(server)
    pid = server.status("chat")["pid"]
    stream = server.stream()
    known = len(stream.events)
    source.write(line + "\n")
    wait_errors(server, "chat isn't among those that it may name (--source-apps mail)")
    source.write(line.replace("chat", pid) + "\nhome\n")
    # In order: once mail is there all before was read, and home meant nobody.
    source.write("open app=mail\n")
    wait_front(server, "mail")
    told = [event for event in stream.events[known:] if "app=chat" in event]
    assert not any(word in event for event in told for word in ("name=x", "didReceiveMemoryWarning")), told


def test_a_line_has_4096_bytes_at_most(sandbox, source):
    server = sandbox.serve("--source", source.command)
    two_apps(server)
    source.write("open app=mail" + " " * 4082 + "\n")
    wait_front(server, "mail")
    source.write("open app=chat" + " " * 4083 + "\n")
    wait_errors(server, "a line is longer than 4096 bytes")
    source.write("open app=chat" + " " * 50_000 + "\nhome\n")
    wait_front(server, "")


def test_several_have_names_and_apps_of_their_own(sandbox):
    server = sandbox.serve(
        "--source-apps", "mail", "--source", "sleep 1000", "--source", "sleep 1001", "--source-apps", "chat,web")
    wait_source(server, "sleep", state="running")
    wait_source(server, "sleep-2", state="running")
    shown = json.loads(sandbox.curfew("apps", "--sources", "--json", check=True).stdout)
    assert [(each["name"], each["apps"], each["restarts"]) for each in shown] == [
        ("sleep", ["mail"], 0), ("sleep-2", ["chat", "web"], 0)]
    assert [line.split() for line in sandbox.curfew("apps", "--sources").stdout.splitlines()][2] == [
        "sleep-2", "running", str(shown[1]["pid"]), "0", "chat", "web"]


# MARK: Its process


def test_it_is_below_the_proxy_and_an_operator(sandbox, tmp_path):
    words = tmp_path / "words"
    script = f'curfew apps >/dev/null && echo "$CURFEW_SERVER $(ps -o pgid= -o sid= -p $$) $$" > {words}; cat; exec sleep 1000'
    server = sandbox.serve("--source", script, name="work")
    wait_for(f"the source to be answered; stderr: {server.errors()}", lambda: words.exists() and words.read_text().endswith("\n"))
    name, group, session, pid = words.read_text().split()
    assert (name, group, session) == ("work", pid, pid)
    runner = parent_of(int(pid))
    assert pathlib.Path(f"/proc/{runner}/comm").read_text() == "curfew-source\n"
    assert parent_of(runner) == server.pid


def test_it_has_no_descriptor_but_three_and_no_blocked_signal(sandbox, tmp_path):
    words = tmp_path / "words"
    server = sandbox.serve("--source", f"sh -c 'ls /proc/$$/fd; grep SigBlk /proc/self/status; readlink /proc/$$/fd/0; :' > {words}.new; mv {words}.new {words}")
    wait_for(f"the source to tell; stderr: {server.errors()}", words.exists)
    assert words.read_text().split() == ["0", "1", "2", "SigBlk:", "0000000000000000", "/dev/null"]


def test_whoever_runs_it_holds_the_servers_end_of_no_other_such_process(sandbox):
    """Else that one would live as long as this one, when the server is gone."""
    server = sandbox.serve("--source", "exec sleep 1000", "--source", "exec sleep 1001")
    supervisor = int(server.expect("server")["supervisor"])

    def sockets(pid):
        links = set()
        for path in pathlib.Path(f"/proc/{pid}/fd").iterdir():
            # One can be closed meanwhile: a server opens what it looks at.
            with contextlib.suppress(FileNotFoundError):
                links.add(os.readlink(path))
        return {link for link in links if link.startswith("socket:")}

    names = {pid: pathlib.Path(f"/proc/{pid}/comm").read_text().strip() for pid in tree(server.pid) if parent_of(pid) == server.pid}
    # The first of them, which was there before any such end.
    [notify] = [pid for pid, name in names.items() if name == "curfew-notify"]
    sources = [pid for pid, name in names.items() if name == "curfew-source"]
    assert len(sources) == 2
    for pid in sources:
        assert sockets(pid) & sockets(supervisor) <= sockets(notify), names


def test_it_is_started_again_and_its_end_told(sandbox, tmp_path):
    script = f"echo $$ >> {tmp_path}/starts; exit 3"
    server = sandbox.serve("--source", f"sh -c '{script}'")
    starts = tmp_path / "starts"
    wait_for("two starts", lambda: starts.exists() and len(starts.read_text().split()) >= 2)
    wait_errors(server, "source echo: it ended with status 3; started again in 1 s")
    wait_errors(server, "source echo: it ended with status 3; started again in 2 s")
    assert int(sources(server)["echo"]["restarts"]) >= 1


def test_killed_it_is_started_again(sandbox, source):
    server = sandbox.serve("--source", source.command)
    pid = int(wait_source(server, "cat", state="running")["pid"])
    os.kill(pid, signal.SIGSEGV)
    wait_errors(server, "it was ended by SIGSEGV; started again in 1 s")
    again = wait_source(server, "cat", state="running", restarts="1")
    assert int(again["pid"]) != pid


def test_a_command_that_isnt_there(sandbox):
    server = sandbox.serve("--source", "/nonexistent/source")
    wait_errors(server, "source source: it ended with status 127; started again in 1 s")


def test_closed_output_is_its_end(sandbox):
    server = sandbox.serve("--source", "exec sleep 1000 >&-")
    wait_errors(server, "it has closed its output, and was ended; started again in 1 s")


def test_a_desktop_that_has_come_is_told_at_the_next_start(sandbox, tmp_path):
    script = f'echo "${{DISPLAY-none}}" >> {tmp_path}/displays; exit 1'
    environment = {key: value for key, value in sandbox.environment.items() if key != "DISPLAY"}
    server = sandbox.serve("--source", script, env=environment)
    wait_for("a start", lambda: (tmp_path / "displays").exists())
    server.expect("reload environment.DISPLAY=:77")
    wait_for("a start with it", lambda: ":77\n" in (tmp_path / "displays").read_text())
    assert (tmp_path / "displays").read_text().startswith("none\n")


# MARK: Wild ones


def answers_quickly(server):
    """While all goes wild: a launch, an end, and that all is as it should be."""
    for number in range(5):
        server.launch(f"app{number}", *SLEEP)
        server.expect(f"quit app=app{number}")


@pytest.mark.parametrize(
    "command",
    ["yes", "yes home", "yes open app=mail", "yes post app=mail name=x", "cat /dev/zero", "cat /dev/urandom",
     "while :; do yes rubbish | head -c 1000000; done"])
def test_a_flood_harms_nobody(sandbox, source, command):
    server = sandbox.serve("--source", command, "--source", source.command)
    # Which of them is in front is as the flood has it.
    server.launch("mail", *SLEEP)
    server.launch("chat", *SLEEP)
    before = processor_time(server)
    answers_quickly(server)
    # Another source has its turn, too.
    source.write("rubbish of the other\n")
    wait_errors(server, 'source cat-2: "rubbish of the other"' if command.startswith("cat") else 'source cat: "rubbish of the other"')
    assert server.errors().count("source yes") + server.errors().count("source cat:") < 200
    assert processor_time(server) - before < 100 * LIMIT
    server.process.send_signal(signal.SIGTERM)
    assert server.wait() == 0


def processor_time(server):
    """The server's so far, in ticks of 10 ms."""
    supervisor = server.expect("server")["supervisor"]
    fields = pathlib.Path(f"/proc/{supervisor}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def test_one_that_forks_leaves_nothing_and_is_ended_with_all_of_it(sandbox, tmp_path):
    # Each run leaves three in sessions of their own, which hold its output open.
    script = f"for i in 1 2 3; do setsid sh -c 'echo $$ >> {tmp_path}/left; exec sleep 1000' & done; while [ $(wc -l < {tmp_path}/left) -lt 3 ]; do :; done"
    (tmp_path / "left").touch()
    server = sandbox.serve("--source", script)
    wait_errors(server, "source for: it ended with status 0; started again in 1 s")
    left = [int(pid) for pid in (tmp_path / "left").read_text().split()[:3]]
    wait_for("what it left to be ended", lambda: not any(map(is_alive, left)))
    answers_quickly(server)


def test_children_that_write_on_are_heard_while_it_lives(sandbox, tmp_path):
    go = tmp_path / "go"
    os.mkfifo(go)
    server = sandbox.serve("--source", f"(cat {go}) & wait")
    two_apps(server)
    go.write_text("open app=mail\n")
    wait_front(server, "mail")


@pytest.mark.parametrize("script", ["trap '' TERM HUP INT; while :; do sleep 1000; done", "kill -STOP $$; echo home"])
def test_one_that_hangs_is_ended_with_the_server(sandbox, script):
    server = sandbox.serve("--source", script)
    pid = int(wait_source(server, "trap" if "trap" in script else "kill", state="running")["pid"])
    answers_quickly(server)
    server.process.send_signal(signal.SIGTERM)
    assert server.wait() == 0
    assert not is_alive(pid)


def test_it_is_asked_to_end_first(sandbox, tmp_path):
    server = sandbox.serve("--source", f"trap 'echo ended > {tmp_path}/ended; exit 0' TERM; echo > {tmp_path}/begun; while :; do sleep 0.05; done")
    wait_for("it to begin", (tmp_path / "begun").exists)
    server.expect("stop")
    assert server.wait() == 0
    assert (tmp_path / "ended").read_text() == "ended\n"


def kept_pushes(sandbox):
    """What was pushed to mail, and whether it was delivered, in order."""
    with contextlib.closing(sqlite3.connect(sandbox.state / "curfew" / "server.sqlite")) as database:
        return list(database.execute("SELECT payload, delivered IS NOT NULL FROM push WHERE app = 'mail' ORDER BY number"))


def test_what_it_pushes_when_it_is_asked_to_end_is_kept_for_the_next_server(sandbox, tmp_path):
    (tmp_path / "last").write_text(r'push app=mail payload="{\"aps\":{\"badge\":3}}"' + "\n")
    server = sandbox.serve("--source", f"trap 'cat {tmp_path}/last; exit 0' TERM; echo > {tmp_path}/begun; while :; do sleep 0.05; done")
    server.launch("mail", *SLEEP)
    wait_for("it to begin", (tmp_path / "begun").exists)
    server.expect("stop")
    assert server.wait() == 0
    assert kept_pushes(sandbox) == [('{"aps":{"badge":3}}', 0)]
    server = sandbox.serve()
    wait_for("it to be delivered", lambda: kept_pushes(sandbox) == [('{"aps":{"badge":3}}', 1)])
    server.launch("mail", *SLEEP)
    assert server.status("mail")["badge"] == "3"


def test_nothing_of_it_outlives_a_server_that_was_killed(sandbox, tmp_path):
    left = tmp_path / "left"
    server = sandbox.serve("--source", f"setsid sh -c 'echo $$ > {left}; exec sleep 1000' & sleep 1000")
    wait_for("it to run", lambda: left.exists() and left.read_text().endswith("\n"))
    runner = parent_of(int(wait_source(server, "setsid", state="running")["pid"]))
    supervisor = int(server.expect("server")["supervisor"])
    os.kill(supervisor, signal.SIGKILL)
    assert server.wait() == 125
    wait_for("all of it to be gone", lambda: not is_alive(int(left.read_text())) and not is_alive(runner))


def test_nothing_of_it_outlives_both_halves_of_a_server(sandbox, tmp_path):
    left = tmp_path / "left"
    server = sandbox.serve("--source", f"setsid sh -c 'echo $$ > {left}; exec sleep 1000' & sleep 1000")
    wait_for("it to run", lambda: left.exists() and left.read_text().endswith("\n"))
    pid = int(wait_source(server, "setsid", state="running")["pid"])
    supervisor = int(server.expect("server")["supervisor"])
    os.kill(server.pid, signal.SIGSTOP)
    os.kill(supervisor, signal.SIGKILL)
    os.kill(server.pid, signal.SIGKILL)
    wait_for("all of it to be gone", lambda: not is_alive(int(left.read_text())) and not is_alive(pid))
    # The next one takes away what those couldn't.
    sandbox.serve()


def test_one_whose_process_is_killed_is_told_of_once(sandbox, source):
    server = sandbox.serve("--source", source.command)
    pid = int(wait_source(server, "cat", state="running")["pid"])
    os.kill(parent_of(pid), signal.SIGKILL)
    wait_errors(server, "source cat: the process that ran it was killed")
    wait_source(server, "cat", state="over")
    wait_for("the source to be gone", lambda: not is_alive(pid))
    answers_quickly(server)
    assert len(re.findall("the process that ran it was killed", server.errors())) == 1


def test_a_second_server_of_the_name_starts_none(sandbox, tmp_path):
    sandbox.serve()
    second = sandbox.serve("--source", f"touch {tmp_path}/started; sleep 1000", wait=False)
    assert second.wait() == 75
    assert not (tmp_path / "started").exists()


def test_of_a_server_in_an_app_it_drives_nobody_outside(sandbox, tmp_path):
    told = tmp_path / "told"
    inner = f"curfew home outer > {told} 2>&1; echo $? >> {told}; sleep 1000"
    running = sandbox.start("curfew", "serve", "--name", "inner", "--source", inner, name="outer")
    wait_for("the source to be answered", lambda: told.exists() and re.search(r"^\d+$", told.read_text(), re.MULTILINE))
    assert "can't drive a supervisor" in told.read_text()
    assert running.status()["state"] == "active"
    running.process.send_signal(signal.SIGTERM)
    running.wait()
