"""`curfew run --join`: a program with a supervisor of its own takes part in a server's front and task list."""

import json
import os
import shutil
import signal

import pytest

from conftest import LIMIT, SLEEP, trapping, wait_for
from programs.helpers import Client, socket_of
from test_terminal import App, shells, vim_answer  # noqa: F401
from test_tmux import Tmux


@pytest.fixture
def server(sandbox):
    return sandbox.serve()


def front(server):
    return server.expect("server").get("front", "")


def wait_front(server, name):
    wait_for(f"{name or 'nobody'} to be in front; apps: {server.apps()}", lambda: front(server) == name)


def join(sandbox, name, *options, command=SLEEP, **popen):
    running = sandbox.start(*command, name=name, options=["--join", *options], **popen)
    wait_for(f"{name} to tell of its events", lambda: sandbox.stream(name))
    running.wait_told(f"{name} to join", lambda: "didJoin" in sandbox.curfew("events", name).stdout)
    return running


# MARK: Front


def test_who_comes_sends_home_and_is_sent_home(sandbox, server):
    server.launch("web", *SLEEP)
    notes = join(sandbox, "notes")
    wait_front(server, "notes")
    server.wait_state("web", "suspended")
    assert [app["name"] for app in server.apps()] == ["notes", "web"]
    server.expect("open app=web")
    notes.wait_state("suspended")
    wait_front(server, "web")
    assert sandbox.curfew("open", "notes").returncode == 0
    wait_front(server, "notes")
    server.wait_state("web", "suspended")
    assert sandbox.curfew("home", "notes").returncode == 0
    wait_front(server, "")


def test_switch_home_and_open_mean_it(sandbox, server):
    server.launch("web", *SLEEP)
    notes = join(sandbox, "notes", "--grace", "1000")
    wait_front(server, "notes")
    assert json.loads(sandbox.curfew("switch", "--json").stdout) == {"app": "web"}
    notes.wait_state("background")
    assert json.loads(sandbox.curfew("switch", "--json").stdout) == {"app": "notes"}
    notes.wait_state("active")
    assert json.loads(sandbox.curfew("home", "--json").stdout) == {"state": "background"}
    assert notes.status()["state"] == "background"
    assert json.loads(sandbox.curfew("open", "--server", "home", "--json", "notes").stdout) == {"state": "active"}
    assert front(server) == "notes"
    server.launch("other", *SLEEP)
    notes.wait_state("background")


def test_one_that_is_being_ended_is_not_opened_and_the_front_stays(sandbox, server, tmp_path):
    script = trapping(f"echo dying; until [ -e {tmp_path}/over ]; do sleep 0.02; done; exit 0")
    notes = join(sandbox, "notes", "--grace", "1000", "--terminate-limit", "10m", command=("sh", "-c", script))
    notes.expect("ready")
    wait_front(server, "notes")
    server.launch("web", *SLEEP)
    notes.wait_state("background")
    with Client(socket_of(notes)) as client:
        client.send("quit id=1\n")
        notes.expect("dying")
        # Whoever is answered by its supervisor now is so after the server was told.
        assert notes.status()["terminating"]
        for request in ["switch", "open app=notes"]:
            assert server.refused(request, "terminating") == "the app is being ended"
        assert (front(server), server.app("web")["state"]) == ("web", "active")
        (tmp_path / "over").touch()
        assert client.line().verb == "ok"
    assert notes.wait() == 0
    assert front(server) == "web"


def test_it_is_shown_once(sandbox, server):
    server.launch("web", *SLEEP)
    notes = join(sandbox, "notes")
    shown = json.loads(sandbox.curfew("ps", "--json").stdout)
    assert sorted(app["app"] for app in shown) == ["notes", "web"]
    assert notes.status()["server"] == "home"
    assert "takes part" in notes.status_text()
    listed, = [app for app in json.loads(sandbox.curfew("apps", "--json").stdout) if app["name"] == "notes"]
    assert (listed["joined"], listed["pid"], listed["launches"]) == (True, notes.status()["pid"], 1)
    assert "joined" in sandbox.curfew("apps").stdout
    assert server.expect("server", joined=1)["running"] == "1"


# MARK: Who is told what


def test_other_things_are_its_own_supervisors(sandbox, server):
    notes = join(sandbox, "notes")
    assert "`curfew quit notes`" in server.refused("quit app=notes", "joined")
    assert "`curfew quit notes`" in server.refused("remove app=notes", "joined")
    server.refused("launch app=notes", "no-app")
    server.refused(f"launch order={server.order(*SLEEP, name='notes')}", "running")
    assert sandbox.curfew("quit", "notes").returncode == 0
    assert notes.wait() == 143
    wait_for("it to be off the list", lambda: server.apps() == [])
    refused = sandbox.curfew("open", "notes")
    assert refused.returncode == 69 and "start it again in its terminal" in refused.stderr
    join(sandbox, "notes")
    assert [app["name"] for app in server.apps()] == ["notes"]


def test_a_name_that_ran_there_stays_in_the_list(sandbox, server):
    server.launch("notes", "true")
    server.wait_state("notes", "notRunning")
    join(sandbox, "notes")
    assert [(app["name"], app.get("joined")) for app in server.apps()] == [("notes", "1")]
    assert sandbox.curfew("quit", "notes").returncode == 0
    wait_for("it to be the server's again", lambda: [app.get("joined") for app in server.apps()] == [None])
    server.expect("open app=notes")


def test_nobody_inside_an_app_joins(sandbox, server):
    words = ["curfew", "run", "--join", "--name", "inner", "--", *SLEEP]
    server.launch("outer", *words, environment=sandbox.environment)
    server.wait_line("outer", "takes no part in the server home: a process inside an app")
    assert [app["name"] for app in server.apps()] == ["outer"]
    assert sandbox.curfew("quit", "inner").returncode == 0


# MARK: Either end


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_it_outlives_the_server(sandbox, server, end):
    notes = join(sandbox, "notes")
    if end == "stop":
        assert sandbox.curfew("serve", "--stop").returncode == 0
    else:
        server.process.kill()
    server.process.wait(LIMIT)
    notes.wait_told("it to part", lambda: "didPart" in sandbox.curfew("events", "notes").stdout)
    assert notes.status()["state"] == "active" and "server" not in notes.status()
    assert sandbox.curfew("home", "notes").returncode == 0
    notes.process.send_signal(signal.SIGTERM)
    _, errors = notes.process.communicate(timeout=LIMIT)
    assert errors.decode().count("takes no part in the server home: it has ended; it runs on alone") == 1


@pytest.mark.parametrize("victim", ["supervisor", "front"])
def test_the_server_outlives_it(sandbox, server, victim):
    server.launch("web", *SLEEP)
    notes = join(sandbox, "notes")
    wait_front(server, "notes")
    os.kill(notes.status()[victim], signal.SIGKILL)
    wait_for("it to be off the list", lambda: [app["name"] for app in server.apps()] == ["web"])
    wait_front(server, "")
    server.expect("open app=web")


def test_without_a_server(sandbox):
    alone = sandbox.start(*SLEEP, name="notes", options=["--join", "--server", "work"])
    wait_for("it to tell of its events", lambda: sandbox.stream("notes"))
    alone.wait_state("active")
    alone.process.send_signal(signal.SIGTERM)
    _, errors = alone.process.communicate(timeout=LIMIT)
    assert "--join: no server called work is running; COMMAND runs without one" in errors.decode()
    refused = sandbox.curfew("run", "--join", "--strict", "--", "true")
    assert refused.returncode == 69
    assert refused.stderr == "curfew: run: --join: no server called home is running; nothing was started\n"
    assert sandbox.curfew("run", "--server", "home", "--", "true").returncode == 64


def test_which_server(sandbox):
    work = sandbox.serve(name="work")
    join(sandbox, "one", "--server", "work")
    join(sandbox, "two", env=dict(sandbox.environment, CURFEW_SERVER="work"))
    assert [app["name"] for app in work.apps()] == ["two", "one"]


def test_a_server_that_is_stopped_holds_nobody_up(sandbox, server):
    notes = join(sandbox, "notes")
    supervisor = int(server.expect("server")["supervisor"])
    # By both halves: the proxy would continue it.
    for pid in (server.pid, supervisor):
        os.kill(pid, signal.SIGSTOP)
    try:
        for _ in range(20):
            assert sandbox.curfew("home", "notes").returncode == 0
            assert sandbox.curfew("open", "notes").returncode == 0
    finally:
        for pid in (supervisor, server.pid):
            os.kill(pid, signal.SIGCONT)
    assert sandbox.curfew("home", "notes").returncode == 0
    notes.wait_state("suspended")
    wait_front(server, "")


# MARK: In a terminal


@pytest.mark.skipif(not shutil.which("vim"), reason="vim isn't installed")
def test_vim_in_its_terminal(sandbox, server, shells):
    server.launch("web", *SLEEP)
    bash = shells()
    bash.run("vim note", name="editor", options="--join")
    bash.expect("New")
    wait_front(server, "editor")
    bash.press("Z")
    bash.prompt()
    wait_front(server, "")
    App(sandbox, "editor").wait_proxy_stopped()
    server.expect("open app=web")
    bash.foreground()
    wait_front(server, "editor")
    server.wait_state("web", "suspended")
    # Somebody opens the other: the shell gets its prompt.
    server.expect("open app=web")
    bash.prompt()
    wait_front(server, "web")
    App(sandbox, "editor").wait_proxy_stopped()
    bash.foreground()
    wait_front(server, "editor")
    bash.terminal.send("ione\x1b")
    assert vim_answer(bash, "getline(1)") == "one"
    bash.terminal.send(":wq\r")
    bash.prompt()
    assert bash.status() == 0
    wait_front(server, "")
    assert [app["name"] for app in server.apps()] == ["web"]


def test_the_servers_end_is_said_once_the_terminal_is_free(sandbox, server, shells):
    bash = shells()
    bash.cat(options="--join")
    name = App(sandbox).name
    wait_front(server, name)
    assert sandbox.curfew("serve", "--stop").returncode == 0
    sandbox.wait_told(name, "it to part", lambda: "didPart" in sandbox.curfew("events", name).stdout)
    bash.talk("two")
    bash.press("Z")
    bash.expect(f"{name} takes no part in the server home: it has ended; it runs on alone")
    bash.foreground()
    bash.talk("three")
    bash.press("D")
    assert "takes no part" not in bash.prompt()


@pytest.mark.skipif(not shutil.which("tmux"), reason="tmux isn't installed")
def test_two_windows_of_tmux(sandbox, server):
    tmux = Tmux(sandbox)
    try:
        tmux("new-session", "-d", "-s", "main", "-n", "one", "-x", 80, "-y", 24, "bash --norc --noprofile")
        tmux("new-window", "-t", "main:", "-n", "two", "bash --norc --noprofile")
        for name in ("one", "two"):
            tmux("send-keys", "-t", f"main:{name}", f"curfew run --join --name {name} -- cat", "Enter")
            wait_front(server, name)
        for away, back in (("one", "two"), ("two", "one"), ("one", "two")):
            sandbox.wait_state(away, "suspended")
            App(sandbox, away).wait_proxy_stopped()
            tmux("send-keys", "-t", f"main:{away}", "fg", "Enter")
            wait_front(server, away)
            sandbox.wait_state(back, "suspended")
            tmux("send-keys", "-t", f"main:{away}", f"word of {away}", "Enter")
            wait_for("cat to answer", lambda: tmux.screen(f"main:{away}").count(f"word of {away}") >= 2)
        assert [app["name"] for app in server.apps()] == ["one", "two"]
    finally:
        for name in ("one", "two"):
            sandbox.curfew("quit", name)
        tmux.close()
