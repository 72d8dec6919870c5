"""The verbs that ask a server, and the others about its apps, against a server that says what it is told to."""

import json
import os
import re
import socket
import subprocess
import threading

import pytest

from conftest import LIMIT, binary


def expect(result, status=0, out="", err=""):
    assert (result.returncode, result.stdout, result.stderr) == (status, out, err)


class ScriptedServer:
    """Listens where a server does, and answers each request by the first of `answers` whose pattern it has."""

    def __init__(self, sandbox, name="home"):
        self.runtime = sandbox.runtime / "curfew"
        self.folder = self.runtime / "server"
        self.folder.mkdir(mode=0o700, parents=True)
        self.runtime.chmod(0o700)
        self.name = name
        self.links = []
        self.requests = []
        self.answers = []
        self.connections = []
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.bind(str(self.folder / f"{name}.sock"))
        self.socket.listen(16)
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def holds(self, app):
        """The app has a name, as others do."""
        self.links.append(self.runtime / f"{app}.sock")
        self.links[-1].symlink_to(f"server/{self.name}.sock")

    def answer(self, pattern, *lines):
        """Lines, or what makes them of the match."""
        self.answers.insert(0, (re.compile(pattern), lines))

    def serve(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.connections.append(connection)
            threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection):
        with connection.makefile("r") as lines:
            for line in lines:
                request = line.rstrip("\n")
                self.requests.append(request)
                for answer in self.reply(request):
                    connection.sendall(answer.encode() + b"\n")

    def reply(self, request):
        number = re.search(r" id=(\d+)", request)
        for pattern, lines in self.answers:
            match = pattern.match(request)
            if match:
                made = [line(match) if callable(line) else line for line in lines]
                return [line.replace("ID", f"id={number[1]}") for line in made]
        return [f'error id={number[1]} code=unknown message="not in the script"']

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        for connection in self.connections:
            connection.close()
        self.thread.join(LIMIT)
        for path in [*self.links, self.folder / f"{self.name}.sock"]:
            path.unlink()
        self.folder.rmdir()


@pytest.fixture
def server(sandbox):
    server = ScriptedServer(sandbox)
    yield server
    server.close()


# ---- without a server ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [
    ["launch", "mail"], ["launch", "--", "true"], ["switch"], ["apps"], ["history"], ["reload"]], ids=" ".join)
def test_without_a_server_they_say_so(sandbox, words):
    expect(sandbox.curfew(*words), 69,
           err=f"curfew: {words[0]}: no server called home is running; `curfew serve` starts one\n")
    elsewhere = dict(sandbox.environment, CURFEW_SERVER="work")
    expect(sandbox.curfew(*words, env=elsewhere), 69,
           err=f"curfew: {words[0]}: no server called work is running; `curfew serve` starts one\n")
    expect(sandbox.curfew(words[0], "--server=play", *words[1:], env=elsewhere), 69,
           err=f"curfew: {words[0]}: no server called play is running; `curfew serve` starts one\n")


def test_what_nobody_knows_is_no_app(sandbox):
    for verb in ("remove", "history", "open"):
        expect(sandbox.curfew(verb, "mail"), 69,
               err=f"curfew: {verb}: no app called mail is running; `curfew ps` lists those that are\n")


# ---- launch --------------------------------------------------------------------------------------------------------


def test_launch_by_name(sandbox, server):
    server.answer("launch ", "ok ID app=mail pid=42 state=active")
    expect(sandbox.curfew("launch", "mail"))
    assert json.loads(sandbox.curfew("launch", "--json", "mail", "--wake", "fetch", "--launch-option", "a=b c").stdout) == {
        "app": "mail", "pid": 42, "state": "active"}
    assert server.requests == [
        "launch id=1 app=mail", 'launch id=1 app=mail background=1 wake=fetch option.a="b c"']


def test_launch_of_a_command_leaves_an_order(sandbox, server):
    orders = []

    def read(match):
        path = server.folder / match[1]
        orders.append((path.read_bytes(), path.stat().st_mode & 0o7777))
        return "ok ID app=make-7 pid=42 state=active"

    server.answer(r"launch id=1 order=(\S+)$", read)
    folder = sandbox.scratch / "a folder"
    folder.mkdir()
    environment = dict(sandbox.environment, ODD=os.fsdecode(b"\xff=\n"))
    # The server has chosen a name: it is told.
    expect(sandbox.curfew("launch", "--budget", "10m", "--", "make", "", "--json", env=environment, cwd=folder),
           out="make-7\n")
    (order, mode), = orders
    assert mode == 0o600
    assert order.endswith(b"\0")
    fields = order[:-1].split(b"\0")
    assert [field for field in fields if field.startswith((b"command=", b"option=", b"directory=", b"name="))] == [
        b"directory=" + os.fsencode(folder), b"option=--budget", b"option=10m", b"command=make", b"command=",
        b"command=--json"]
    assert b"environment=ODD=\xff=\n" in fields
    assert re.fullmatch(rb"umask=[0-7]+", next(field for field in fields if field.startswith(b"umask=")))
    assert len([field for field in fields if re.fullmatch(rb"limit\.\d+=\d+:\d+", field)]) == 16
    # Whether the server has taken it away or not, it is gone.
    assert [path.name for path in server.folder.iterdir()] == ["home.sock"]


def test_launch_of_a_command_with_a_name_says_nothing(sandbox, server):
    server.answer("launch ", "ok ID app=build pid=42 state=active")
    expect(sandbox.curfew("launch", "--name", "build", "--", "make"))


@pytest.mark.parametrize("code, status", [
    ("running", 75), ("limit", 75), ("busy", 75), ("no-app", 69), ("invalid", 1), ("failed", 1), ("forbidden", 1)])
def test_a_refused_launch(sandbox, server, code, status):
    server.answer("launch ", f'error ID code={code} message="so it is"')
    expect(sandbox.curfew("launch", "mail"), status, err=f"curfew: launch: mail: refused ({code}): so it is\n")
    expect(sandbox.curfew("launch", "--", "true"), status,
           err=f"curfew: launch: the server home: refused ({code}): so it is\n")


# ---- what is asked of the server -----------------------------------------------------------------------------------


def test_switch(sandbox, server):
    server.answer("switch ", "ok ID app=mail")
    expect(sandbox.curfew("switch"))
    assert json.loads(sandbox.curfew("switch", "--json").stdout) == {"app": "mail"}
    server.answer("switch ", 'error ID code=no-app message="nobody was in front before"')
    expect(sandbox.curfew("switch"), 69,
           err="curfew: switch: the server home: refused (no-app): nobody was in front before\n")


def test_apps_and_history(sandbox, server):
    server.answer(
        "apps ", "app name=mail state=active since=4.000 launches=3 pid=42",
        "app name=build state=notRunning since=1.000 launches=1 ended=exit status=2 restart-in=8.000", "ok ID")
    expect(sandbox.curfew("apps"), out=(
        "NAME   STATE       FOR  PID  LAUNCHES  LAST END  NOTE\n"
        "mail   active      4 s   42         3\n"
        "build  notRunning  1 s              1  exit 2    launched again in 8 s\n"))
    assert [app["name"] for app in json.loads(sandbox.curfew("apps", "--json").stdout)] == ["mail", "build"]
    server.answer("history id=1$", "run app=mail number=1 began=5.000 ended=65.000 reason=idle-exit status=137 cpu=1.000", "ok ID")
    server.answer("history id=1 app=mail$", "ok ID")
    run, = json.loads(sandbox.curfew("history", "--json").stdout)
    assert run == {"app": "mail", "number": 1, "began": 5, "ended": 65, "reason": "idle-exit", "status": 137, "cpu": 1}
    assert sandbox.curfew("history").stdout.splitlines()[1].endswith("1 min  1 s        idle-exit")
    assert sandbox.curfew("history", "mail", "--json").stdout == "[]\n"
    server.answer("history id=1 limit=100000 app=mail$", "ok ID")
    expect(sandbox.curfew("history", "--limit", "100000", "mail", "--json"), out="[]\n")


def test_remove(sandbox, server):
    server.answer("remove ", "ok ID")
    expect(sandbox.curfew("remove", "mail"))
    assert json.loads(sandbox.curfew("remove", "--purge", "mail", "--json").stdout) == {"state": "notRunning"}
    assert server.requests == ["remove id=1 app=mail"] * 2


def test_reload(sandbox, server):
    server.answer("reload ", "ok ID apps=3 problems=2")
    expect(sandbox.curfew("reload"), out="3 apps are defined; there are 2 problems, which `curfew check` names\n")
    environment = {**sandbox.environment, "DISPLAY": ":1", "SSH_AUTH_SOCK": "/a b"}
    for name in ("WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"):
        environment.pop(name, None)
    assert json.loads(sandbox.curfew("reload", "--environment", "--json", env=environment).stdout) == {
        "apps": 3, "problems": 2}
    assert server.requests == [
        "reload id=1", 'reload id=1 environment.DISPLAY=:1 environment.SSH_AUTH_SOCK="/a b"']


# ---- its apps ------------------------------------------------------------------------------------------------------


def test_a_name_that_leads_to_the_server_is_asked_for_by_name(sandbox, server):
    server.holds("mail")
    server.answer("(home|open|warn|interrupt) ", "ok ID state=background")
    server.answer("status ", "ok ID app=mail state=suspended pid=42")
    for words in (["home", "mail"], ["open", "mail"], ["warn", "mail"], ["interrupt", "mail"]):
        expect(sandbox.curfew(*words))
    assert json.loads(sandbox.curfew("status", "mail", "--json").stdout)["app"] == "mail"
    assert server.requests == [
        "home id=1 app=mail", "open id=1 app=mail", "warn id=1 level=warning app=mail", "interrupt id=1 app=mail",
        "status id=1 app=mail"]


def test_open_asks_the_server_about_whom_nobody_holds(sandbox, server):
    server.answer("open ", "ok ID state=active")
    expect(sandbox.curfew("open", "mail"))
    running = sandbox.shell("sleep 600 & echo up; wait", name="backup")
    running.expect("up")
    expect(sandbox.curfew("open", "backup"))
    assert server.requests == ["open id=1 app=mail"]
    expect(sandbox.curfew("open", "--server", "home", "backup"))
    assert server.requests[1:] == ["open id=1 app=backup"]


def test_home_without_a_name_is_the_servers_front(sandbox, server):
    server.answer("home id=1$", "ok ID state=suspended")
    running = sandbox.shell("sleep 600 & echo up; wait", name="backup")
    running.expect("up")
    assert json.loads(sandbox.curfew("home", "--json").stdout) == {"state": "suspended"}
    assert running.status()["state"] == "active"
    server.answer("home id=1$", 'error ID code=no-app message="nobody is in front"')
    expect(sandbox.curfew("home"))
    assert running.status()["state"] == "suspended"
    expect(sandbox.curfew("home", "--server", "home"), 69,
           err="curfew: home: the server home: refused (no-app): nobody is in front\n")


def test_ps_lists_both(sandbox, server):
    running = sandbox.shell("sleep 600 & echo up; wait", name="backup")
    running.expect("up")
    server.holds("mail")
    server.answer("status id=1$", "status ID app=mail state=suspended pid=42 since=1.000 processes=1", "ok ID count=1")
    apps = json.loads(sandbox.curfew("ps", "--json").stdout)
    assert [(app["app"], app["state"]) for app in apps] == [("backup", "active"), ("mail", "suspended")]
    assert server.requests == ["status id=1"]


def test_a_pid_is_the_servers_to_tell(sandbox, server):
    server.answer(r"status id=1 app=4\d$", "ok ID app=mail state=active pid=42")
    server.answer("status id=1 app=2147483647$", 'error ID code=no-app message="no app has it"')
    server.answer("home ", "ok ID state=suspended")
    expect(sandbox.curfew("home", "43"))
    assert server.requests == ["status id=1 app=43", "home id=1 app=mail"]
    expect(sandbox.curfew("home", "2147483647"), 69,
           err="curfew: home: no app has the pid 2147483647; `curfew ps` lists those that run, with their pids\n")


def test_quit_returns_once_it_has_ended(sandbox, server):
    server.holds("mail")
    server.answer("events ", "event name=didEnd number=3 app=mail status=0", "ok ID")
    server.answer("quit ", "ok ID state=active", "event name=didEnd number=9 app=mail status=143")
    expect(sandbox.curfew("quit", "mail"))
    assert server.requests == ["events id=1 follow=1 app=mail", "quit id=2 app=mail"]


def test_quit_all_is_the_servers_too(sandbox, server):
    running = sandbox.shell("sleep 600 & echo up; wait", name="backup")
    running.expect("up")
    server.answer("apps ", "app name=mail state=suspended pid=42", "app name=old state=notRunning", "ok ID")
    server.answer("quit-all ", "ok ID")
    assert json.loads(sandbox.curfew("quit", "--all", "--server", "home", "--json").stdout) == {"mail": "notRunning"}
    assert running.status()["state"] == "active"
    assert json.loads(sandbox.curfew("quit", "--all", "--json").stdout) == {
        "backup": "notRunning", "mail": "notRunning"}


def test_wait_for_an_app_of_a_real_server(sandbox):
    """By the words that it really has for one that doesn't run."""
    real = sandbox.serve(name="real")
    real.launch("mail", "sleep", "600")
    expect(sandbox.curfew("quit", "mail", "--server", "real"))
    expect(sandbox.curfew("wait", "mail", "notRunning", "--server", "real"))
    waiter = subprocess.Popen(
        [binary(), "wait", "mail", "active", "--server", "real"], env=sandbox.environment, stderr=subprocess.PIPE, text=True)
    real.expect("open app=mail")
    assert waiter.wait(LIMIT) == 0, waiter.stderr.read()
    expect(sandbox.curfew("wait", "nobody", "active", "--server", "real"), status=69,
           err="curfew: wait: nobody: refused (no-app): there is no app nobody here; `curfew ps` shows what is\n")


def test_wait_for_an_app_that_is_to_be_launched(sandbox, server):
    server.answer("events id=1 follow=1$", "ok ID")
    server.answer(
        "status id=2 app=mail$", 'error ID code=not-running message="it doesn\'t run"',
        "event name=stateDidChange number=1 app=other from=notRunning to=active",
        "event name=stateDidChange number=1 app=mail from=notRunning to=active")
    waiter = subprocess.run(
        [binary(), "wait", "mail", "active"], env=sandbox.environment, capture_output=True, text=True, timeout=LIMIT)
    expect(waiter)
    expect(sandbox.curfew("wait", "mail", "notRunning"))
