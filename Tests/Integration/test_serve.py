"""`curfew serve`: many apps below one server, by its socket."""

import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time

import pytest

from conftest import (
    LIMIT, SLEEP, binary, cgroup2_directory, fields_of, is_alive, parent_of, state_letter, trapping, wait_for)
from programs.helpers import assert_stopped, needs_root

# Tells its lifecycle on standard output, a line an event, and acknowledges.
AWARE = r"""
import os, socket
channel = socket.socket(fileno=int(os.environ["CURFEW_FD"]))
channel.sendall(b"hello\n")
for line in channel.makefile():
    print(line.strip(), flush=True)
    for word in line.split():
        if word.startswith("seq="):
            channel.sendall(f"ack {word}\n".encode())
"""

# Asks for keep-alive, tells the answer, and waits.
KEPT_ALIVE = r'''
import os, signal, socket
channel = socket.socket(fileno=int(os.environ["CURFEW_FD"]))
channel.sendall(b"keep-alive seconds=600 id=1\n")
answer = channel.recv(4096).decode().split()
print(answer[0], *(word for word in answer if word.startswith("code=")), flush=True)
signal.pause()
'''


# MARK: Launching


def test_a_command_is_launched_and_listed(server):
    pid = server.launch("web", *SLEEP)
    assert is_alive(pid)
    app = server.app("web")
    assert (app["state"], app["pid"], app["launches"]) == ("active", str(pid), "1")
    assert server.expect("server")["running"] == "1"
    assert server.status("web")["pid"] == str(pid)


def test_its_program_finds_what_its_caller_gave(plain, tmp_path):
    script = r'pwd; umask; ulimit -n; echo "$HELLO $CURFEW_SOCKET ${CURFEW_FD:-none}"; cat; echo end; [ -d "$CURFEW_STATE_DIR" ] && echo state'
    plain.launch(
        "told", "sh", "-c", script, directory=tmp_path, umask=0o027, limits=[(7, 200, 300)],
        environment={"HELLO": "world", "PATH": os.environ["PATH"]})
    plain.wait_line("told", "state\n")
    lines = plain.log("told").splitlines()
    link = plain.sandbox.runtime / "curfew" / "told.sock"
    assert lines == [str(tmp_path), "0027", "200", f"world {link} 8", "end", "state"]


def test_what_isnt_utf8_reaches_its_program_and_is_kept(plain, tmp_path):
    odd = b"a\xff\xc3b"
    directory = os.fsencode(tmp_path) + b"/" + odd
    os.mkdir(directory)
    show = ("import os, sys; print(os.fsencode(sys.argv[1]).hex(), os.getcwdb().hex(), os.environb.get(b'ODD', b'').hex(),"
            " flush=True)")
    result = plain.sandbox.curfew(
        "launch", "--name", "odd", "--", sys.executable, "-c", show, os.fsdecode(odd), cwd=directory,
        env={**plain.sandbox.environment, "ODD": os.fsdecode(odd)})
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    plain.wait_state("odd", "notRunning")
    plain.wait_line("odd", f"{odd.hex()} {directory.hex()} {odd.hex()}\n")
    server = again(plain)
    server.expect("open app=odd")
    # The environment isn't kept.
    server.wait_line("odd", f"{odd.hex()} {directory.hex()} \n")
    refused = server.sandbox.curfew("launch", "--settings", os.fsdecode(odd), "--", "true")
    assert refused.returncode == 1 and "isn't UTF-8" in refused.stderr


def test_files_that_options_name_stand_where_the_caller_is(plain, tmp_path):
    result = plain.sandbox.curfew(
        "launch", "--name", "tool", "--settings=tool.conf", "--state-dir", "kept", "--",
        sys.executable, "-uc", 'import os\nprint(os.environ["CURFEW_STATE_DIR"])\n' + AWARE, cwd=tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    plain.wait_line("tool", f"{tmp_path}/kept\n")
    plain.wait_line("tool", "didBecomeActive")
    (tmp_path / "tool.conf").write_text("new\n")
    plain.wait_line("tool", "settingsDidChange")


def test_an_app_has_no_descriptor_but_its_own(plain):
    plain.launch("told", "sh", "-c", "ls -l /proc/$$/fd; echo end")
    plain.wait_line("told", "end\n")
    assert re.findall(r" ([0-9]+) -> ([a-z/]+)", plain.log("told")) == [
        ("0", "/dev/null"), ("1", "pipe"), ("2", "pipe"), ("8", "socket")]


def test_each_app_leads_a_session_of_its_own(server):
    """The kernel's autogroup gives each session its part of the processors, however many processes it has."""
    pids = [server.launch(name, *SLEEP) for name in ("one", "two")]
    assert [os.getsid(pid) for pid in pids] == pids
    assert [os.getpgid(pid) for pid in pids] == pids


def share_of(pid):
    """The nice value of its session's part of the processors; None where the kernel has none."""
    with contextlib.suppress(FileNotFoundError):
        found = re.search("nice (-?[0-9]+)", pathlib.Path(f"/proc/{pid}/autogroup").read_text())
        return found and int(found[1])


def may_set_shares():
    """Whether they can be had and set at any time, which CAP_SYS_ADMIN allows; others are refused for a while after each."""
    share = share_of(os.getpid())
    capabilities = int(re.search("^CapEff:\t(.*)$", pathlib.Path("/proc/self/status").read_text(), re.M)[1], 16)
    if not capabilities >> 21 & 1:
        return False
    try:
        for _ in range(2):
            pathlib.Path("/proc/self/autogroup").write_text(str(share or 0))
    except OSError:
        return False
    return share is not None


@pytest.mark.skipif(not may_set_shares(), reason="needs CAP_SYS_ADMIN, and a kernel that shares processors between sessions")
def test_in_background_its_sessions_share_is_lowered_and_given_back(plain):
    pid = plain.launch("lowered", *SLEEP, options=["--background-priority", "low", "--grace", "1h"])
    other = plain.launch("other", *SLEEP, request="background=1", options=["--grace", "1h"])
    assert (share_of(pid), share_of(other)) == (0, 0)
    plain.expect("home app=lowered")
    wait_for("its session's share to be lowered", lambda: share_of(pid) == 19)
    assert share_of(other) == 0
    plain.expect("open app=lowered")
    wait_for("its session's share back", lambda: share_of(pid) == 0)


def test_output_of_both_kinds_is_kept(plain):
    plain.launch("loud", "sh", "-c", "echo one; echo two >&2")
    plain.wait_line("loud", "two\n")
    assert plain.log("loud") == "one\ntwo\n"


@pytest.mark.parametrize(
    "command, code, words",
    [(["/nonexistent/program"], "failed", "/nonexistent/program"), (["/"], "failed", "/: ")])
def test_what_cant_be_executed_is_refused_and_leaves_nothing(plain, command, code, words):
    assert words in plain.refused(f"launch order={plain.order(*command, name='broken')}", code)
    assert plain.apps() == []
    assert not (plain.sandbox.runtime / "curfew" / "broken.sock").is_symlink()
    assert not list(plain.folder.glob("order*"))
    plain.launch("broken", *SLEEP)


@pytest.mark.parametrize(
    "options, words",
    [(["--budget", "x"], "--budget"), (["--bogus"], "--bogus"), (["--exec-on", "didBecomeActive=true"], "--exec-on"),
     (["--manual-clock"], "--manual-clock"), (["--journal", "/tmp/j"], "--journal")])
def test_options_are_read_as_runs(plain, options, words):
    assert words in plain.refused(f"launch order={plain.order('true', name='app', options=options)}", "invalid")


def test_orders_that_arent_ours_to_read(plain, tmp_path):
    for file in ["../home.sock", "home.sock", ".", "", "none"]:
        plain.refused(f'launch order="{file}"', "invalid")
    (plain.folder / "link").symlink_to(tmp_path / "somewhere")
    plain.refused("launch order=link", "invalid")
    (plain.folder / "link").unlink()
    plain.refused("launch", "invalid")
    plain.refused("launch app=unknown", "no-app")


def test_orders_of_who_was_killed_are_taken_away(sandbox):
    folder = sandbox.runtime / "curfew" / "server"
    folder.mkdir(parents=True, mode=0o700)
    folder.parent.chmod(0o700)

    def leave(name, age):
        (folder / name).write_bytes(b"command=true\0")
        then = time.time() - age
        os.utime(folder / name, (then, then))

    leave("1.order", 200)
    leave("2.order", 10)
    server = sandbox.serve()
    assert not (folder / "1.order").exists() and (folder / "2.order").exists()
    (folder / "2.order").unlink()
    # While one is there, it is looked when that is old enough: so this is a server that knows of none.
    server = again(server)
    leave("3.order", 200)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.connect(str(server.socket))
    wait_for("it to be taken away", lambda: not (folder / "3.order").exists())


def test_a_running_one_isnt_launched_twice(plain):
    plain.launch("web", *SLEEP)
    assert "curfew open web" in plain.refused("launch app=web", "running")
    plain.refused(f"launch order={plain.order(*SLEEP, name='web')}", "running")


def test_into_background_with_options(plain):
    plain.launch("aware", sys.executable, "-c", AWARE, request="background=1 wake=fetch option.why=nightly")
    plain.wait_line("aware", "event name=fetch")
    launched = [line for line in plain.log("aware").splitlines() if "didFinishLaunching" in line][0]
    assert "launched=background" in launched and "info.why=nightly" in launched and "wake=fetch" in launched
    assert "front" not in plain.expect("server")


# MARK: The front


def test_whoever_is_opened_sends_the_other_home(server):
    server.launch("one", *SLEEP)
    server.launch("two", *SLEEP)
    server.wait_state("one", "suspended")
    assert server.app("two")["state"] == "active"
    assert [app["name"] for app in server.apps()] == ["two", "one"]
    server.expect("open app=one", state="active")
    server.wait_state("two", "suspended")
    assert [app["name"] for app in server.apps()] == ["one", "two"]
    assert server.expect("server", front="one")


def test_home_without_a_name_is_the_fronts(server):
    server.launch("one", *SLEEP)
    server.expect("home", state="suspended")
    assert server.app("one")["state"] == "suspended"
    server.refused("home", "no-app")


def test_switch_opens_who_was_there_before(server):
    server.refused("switch", "no-app")
    for name in ["one", "two"]:
        server.launch(name, *SLEEP)
    server.expect("switch", app="one")
    server.wait_state("two", "suspended")
    server.expect("switch", app="two")
    assert server.app("two")["state"] == "active"


def test_several_places_in_front(sandbox):
    server = sandbox.serve("--foreground", 2)
    for name in ["one", "two", "three"]:
        server.launch(name, *SLEEP)
    server.wait_state("one", "suspended")
    assert [server.app(name)["state"] for name in ["two", "three"]] == ["active", "active"]
    server.expect("server", front="three,two")


def test_one_that_is_asleep_is_one_alone(server):
    """Stopping, continuing and ending one concerns none of the others."""
    pids = {name: server.launch(name, "sh", "-c", "sleep 1000 & wait") for name in ["one", "two", "three"]}
    for name in ["one", "two"]:
        server.wait_state(name, "suspended")
    for name in ["one", "two"]:
        assert_stopped(server.sandbox, name, [pids[name]])
    assert state_letter(pids["three"]) != "T"
    server.expect("open app=one")
    server.wait_state("three", "suspended")
    for name in ["two", "three"]:
        assert_stopped(server.sandbox, name, [pids[name]])
    assert state_letter(pids["one"]) != "T"
    stream = server.stream()
    server.expect("quit app=two")
    server.sandbox.wait_for_event(stream, "two to end", lambda: "pid" not in server.app("two"))
    assert [is_alive(pids[name]) for name in ["one", "two", "three"]] == [True, False, True]


# MARK: Ends


def test_an_ended_app_stays_in_the_list_and_is_launched_when_opened(server):
    first = server.launch("web", *SLEEP)
    server.expect("quit app=web")
    server.wait_state("web", "notRunning")
    app = server.app("web")
    assert app["ended"] == "user-quit" and "pid" not in app
    server.refused("home app=web", "not-running")
    assert not (server.sandbox.runtime / "curfew" / "web.sock").is_symlink()
    second = int(server.expect("open app=web", state="active")["pid"])
    assert second != first and is_alive(second)
    assert server.app("web")["launches"] == "2"


@pytest.mark.parametrize("script, reason, status", [("exit 3", "exit", "3"), ("kill -9 $$", "exit", "137")])
def test_how_it_ended_is_told(plain, script, reason, status):
    plain.launch("brief", "sh", "-c", script)
    plain.wait_state("brief", "notRunning")
    app = plain.app("brief")
    assert (app["ended"], app["status"]) == (reason, status)


def test_remove_takes_it_off_the_list(server):
    pid = server.launch("web", *SLEEP)
    server.expect("remove app=web")
    assert not is_alive(pid) and server.apps() == []
    server.refused("remove app=web", "no-app")
    server.refused("open app=web", "no-app")


def test_one_that_has_ended_is_removed_too(plain):
    plain.launch("brief", "true")
    plain.wait_state("brief", "notRunning")
    plain.expect("remove app=brief")
    assert plain.apps() == []


@contextlib.contextmanager
def transaction(server):
    """Somebody has the server's database for himself meanwhile."""
    connection = sqlite3.connect(server.sandbox.state / "curfew" / "server.sqlite", isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    yield
    connection.close()


def test_a_removal_that_cant_be_kept_is_none(plain):
    plain.launch("brief", "true")
    plain.wait_state("brief", "notRunning")
    pid = plain.launch("web", *SLEEP)
    with transaction(plain):
        assert "brief stays in the list" in plain.refused("remove app=brief", "busy")
        assert "web stays in the list" in plain.refused("remove app=web", "busy")
    # What it was asked to end by was done.
    assert not is_alive(pid)
    assert [(app["name"], app["state"], app.get("removed")) for app in plain.apps()] == [
        ("web", "notRunning", None), ("brief", "notRunning", None)]
    server = again(plain)
    assert [app["name"] for app in server.apps()] == ["web", "brief"]
    server.expect("open app=web")
    server.expect("remove app=web")
    server.expect("remove app=brief")
    assert server.apps() == [] and again(server).apps() == []


def test_quit_all_returns_once_all_have_ended(server):
    pids = [server.launch(name, *SLEEP) for name in ["one", "two", "three"]]
    server.expect("quit-all")
    assert not any(map(is_alive, pids))
    assert {app["ended"] for app in server.apps()} == {"user-quit"}
    server.expect("quit-all")


def answers(server, *requests):
    """What comes back on one connection, for requests sent at one go, until the last is answered."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(60)
        connection.connect(str(server.socket))
        connection.sendall("".join(f"{request} id={number}\n" for number, request in enumerate(requests)).encode())
        lines = []
        for line in connection.makefile():
            lines.append(line.rstrip("\n"))
            if re.match(rf"(ok|error) id={len(requests) - 1}\b", lines[-1]):
                return lines


def test_answers_keep_the_order_of_requests(plain):
    slow = trapping("sleep 0.2; exit 0")
    plain.launch("brief", "true")
    plain.wait_state("brief", "notRunning")
    plain.launch("slow", "sh", "-c", slow)
    plain.wait_line("slow", "ready\n")
    lines = answers(plain, "remove app=slow", "history", "quit-all", "apps", "server", "frobnicate")
    assert [re.match(r"(\w+) id=(\d)", line).groups() for line in lines if not line.startswith("run ")] == [
        ("ok", "0"), ("ok", "1"), ("ok", "2"), ("app", "3"), ("ok", "3"), ("ok", "4"), ("error", "5")]


def test_64_answers_wait_then_the_server_is_busy(plain):
    plain.launch("brief", "true")
    plain.wait_state("brief", "notRunning")
    with transaction(plain):
        lines = answers(plain, "remove app=brief", *["server"] * 70)
    assert [int(fields_of(line)["id"]) for line in lines] == list(range(71))
    assert [fields_of(line).get("code") for line in lines] == ["busy"] + [None] * 63 + ["busy"] * 7


def test_a_list_of_thousands_comes_as_it_is_read(plain):
    plain.launch("web", *SLEEP)
    plain.process.send_signal(signal.SIGTERM)
    assert plain.wait() == 0
    with contextlib.closing(sqlite3.connect(plain.sandbox.state / "curfew" / "server.sqlite")) as database:
        row = database.execute("SELECT * FROM app").fetchone()
        database.executemany(
            f"INSERT INTO app VALUES ({', '.join('?' * len(row))})", [(f"app{n:04}", *row[1:]) for n in range(5000)])
        database.commit()
    server = plain.sandbox.serve()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as idle:
        idle.connect(str(server.socket))
        idle.sendall(b"apps id=1\napps id=2\n")
        assert len(server.apps()) == 5001
        listed = json.loads(server.sandbox.curfew("apps", "--json").stdout)
        assert sorted(app["name"] for app in listed) == sorted(["web"] + [f"app{n:04}" for n in range(5000)])
        # It gets both of them all the same.
        lines = []
        for line in idle.makefile():
            lines.append(line)
            if line.startswith("ok id=2"):
                break
    assert len(lines) == 2 * 5002


def test_one_killed_for_policy_is_told_and_kept(plain):
    plain.launch("big", "sh", "-c", "sleep 1000", options=["--time-limit", "50ms"])
    plain.wait_state("big", "notRunning")
    assert plain.app("big")["ended"] == "time-limit"
    assert "big: killed: time-limit" in plain.errors()
    assert list(plain.sandbox.reports.glob("*.json"))


def test_a_full_disk_ends_who_is_behind(sandbox):
    server = sandbox.serve("--disk-low", "100%")
    server.launch("mail", "sleep", "1000")
    assert server.app("mail")["state"] == "active"
    server.launch("editor", "sleep", "1000")
    server.wait_state("mail", "notRunning")
    assert (server.app("mail")["ended"], server.app("editor")["state"]) == ("disk-space", "active")


def test_reclaimed_it_is_restored(plain):
    plain.launch("aware", sys.executable, "-c", AWARE)
    plain.wait_line("aware", "didBecomeActive")
    plain.expect("home app=aware")
    plain.wait_state("aware", "suspended")
    plain.expect("reclaim app=aware")
    plain.wait_state("aware", "notRunning")
    assert plain.app("aware")["ended"] == "memory-pressure"
    plain.expect("open app=aware")
    plain.wait_line("aware", "info.restored=true info.ended=memory-pressure")


def test_a_launch_that_fails_leaves_all_that_was_known(plain):
    plain.launch("aware", sys.executable, "-c", AWARE)
    plain.wait_line("aware", "didBecomeActive")
    plain.expect("home app=aware")
    plain.wait_state("aware", "suspended")
    plain.expect("reclaim app=aware")
    plain.wait_state("aware", "notRunning")
    before = plain.app("aware")
    for _ in range(3):
        plain.refused(f"launch order={plain.order('/nonexistent/program', name='aware')}", "failed")
    assert {**plain.app("aware"), "since": None} == {**before, "since": None}
    plain.expect("open app=aware")
    plain.wait_line("aware", "info.restored=true info.ended=memory-pressure")


def test_removed_for_good_it_has_nothing_saved(plain):
    kept = plain.sandbox.state / "curfew" / "state"
    for name in "one", "two":
        plain.launch(name, "sh", "-c", 'mkdir "$CURFEW_STATE_DIR/deep" && echo x >"$CURFEW_STATE_DIR/deep/saved"; ln -s / "$CURFEW_STATE_DIR/root"; echo saved; exec sleep 1000')
        plain.wait_line(name, "saved\n")
    result = plain.sandbox.curfew("remove", "--purge", "one")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert not (kept / "one").exists() and (kept / "two" / "deep" / "saved").exists()
    assert plain.app("one") is None
    assert plain.sandbox.curfew("remove", "two").returncode == 0
    assert (kept / "two" / "deep" / "saved").exists()


def test_status_names_its_server(plain):
    pid = plain.launch("web", *SLEEP)
    text = plain.sandbox.curfew("status", "web").stdout
    assert f"{pid} (server {plain.expect('server')['supervisor']})" in text


# MARK: Names


def test_a_name_is_one_apps_alone(sandbox, plain):
    running = sandbox.start("sh", "-c", "echo ready; exec sleep 1000", name="shared")
    running.expect("ready")
    assert "outside this server" in plain.refused(f"launch order={plain.order(*SLEEP, name='shared')}", "running")
    plain.launch("mine", *SLEEP)
    other = sandbox.curfew("run", "--name", "mine", "--", "true")
    assert other.returncode == 64 and "an app of this name is running" in other.stderr


def test_a_name_leads_to_the_server(sandbox, plain):
    plain.launch("web", *SLEEP)
    link = sandbox.runtime / "curfew" / "web.sock"
    assert os.readlink(link) == "server/home.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(20)
        client.connect(str(link))
        client.sendall(b"status app=web id=1\n")
        assert client.recv(4096).startswith(b"ok id=1 app=web ")


def test_a_second_server_of_that_name_is_told_who_has_it(sandbox, plain):
    second = sandbox.curfew("serve")
    assert second.returncode == 75
    assert f"process {plain.expect('server')['supervisor']}" in second.stderr
    other = sandbox.serve(name="other")
    other.launch("theirs", *SLEEP)
    assert "outside this server" in plain.refused(f"launch order={plain.order(*SLEEP, name='theirs')}", "running")


# MARK: Who may


INSIDE = r"""
import os, socket, sys
client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
client.connect(os.environ["CURFEW_SOCKET"])
lines = client.makefile()
for request in sys.argv[1:]:
    client.sendall(f"{request} id=1\n".encode())
    while True:
        line = lines.readline().strip()
        if line.startswith(("ok", "error")):
            break
    print(request, "->", line, flush=True)
print("end", flush=True)
"""


def test_an_app_speaks_for_itself_alone(server):
    server.launch("victim", *SLEEP)
    requests = [
        "status", "status app=me", "status app=victim", "begin name=x", "begin name=x app=victim", "home app=victim",
        "quit app=victim", "quit", "apps", "launch app=victim", "open app=victim", "remove app=victim", "stop",
        "quit-all", "switch", "server", "events app=victim", "reload",
    ]
    server.launch("me", sys.executable, "-c", INSIDE, *requests)
    server.wait_line("me", "end\n")
    answers = dict(line.split(" -> ") for line in server.log("me").splitlines() if " -> " in line)
    for request in requests:
        if request in ("status", "status app=me", "begin name=x"):
            assert answers[request].startswith("ok"), (request, answers)
            continue
        assert "code=forbidden" in answers[request], (request, answers)
    assert "app=me" in answers["status"]
    server.wait_state("victim", "suspended")


def test_a_pid_names_the_app_whose_tree_it_is_in(server):
    pid = server.launch("one", "sh", "-c", "sleep 1000 & echo $!; wait")
    # Before it is suspended.
    child = int(wait_for("one's child", lambda: server.log("one").strip()))
    server.launch("two", *SLEEP)
    assert server.status(pid)["app"] == "one"
    assert server.status(child)["app"] == "one"
    server.refused(f"status app={os.getpid()}", "no-app")


def test_a_signal_from_inside_an_app_ends_no_server(plain):
    command = 'kill -TERM "$1"; kill -INT "$1"; echo sent; sleep 1000'
    plain.launch("rude", "sh", "-c", command, "sh", plain.expect("server")["pid"])
    plain.wait_line("rude", "sent\n")
    stream = plain.stream()
    plain.sandbox.wait_for_event(stream, "the signal to be told of", lambda: "ignored" in stream.text().lower())
    plain.expect("server", running=1)


# MARK: Events


def test_events_are_an_apps_or_all(server):
    everything = server.stream()
    server.launch("one", *SLEEP)
    server.launch("two", *SLEEP)
    server.wait_state("one", "suspended")
    server.sandbox.wait_for_event(everything, "both to be told of", lambda: "app=two" in everything.text() and "app=one" in everything.text())
    lines, final = server.ask("status app=one")
    assert final.startswith("ok")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(20)
        client.connect(str(server.socket))
        client.sendall(b"events app=two id=1\n")
        told = client.makefile()
        seen = []
        while not (line := told.readline()).startswith("ok"):
            seen.append(fields_of(line)["app"])
    assert set(seen) == {"two"}


def test_who_follows_an_app_follows_its_next_run(plain):
    plain.launch("web", *SLEEP)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(20)
        client.connect(str(plain.socket))
        client.sendall(b"events app=web follow=1 id=1\n")
        told = client.makefile()
        while not told.readline().startswith("ok"):
            pass
        plain.expect("quit app=web")
        plain.wait_state("web", "notRunning")
        second = plain.expect("open app=web")["pid"]
        plain.expect("home app=web")
        seen = []
        while not seen or "to=suspended" not in seen[-1]:
            seen.append(told.readline())
    assert second and all("app=web" in line for line in seen)


# MARK: The server's end


@pytest.mark.parametrize("by", ["SIGTERM", "SIGINT", "stop"])
def test_it_ends_every_app_properly(server, by):
    trap = trapping("echo bye; exit 0")
    pids = []
    for name in ["one", "two"]:
        pids.append(server.launch(name, "sh", "-c", trap))
        # Before the next one sends it home.
        server.wait_line(name, "ready\n")
    if by == "stop":
        assert server.sandbox.curfew("serve", "--stop").returncode == 0
    else:
        server.process.send_signal(getattr(signal, by))
    assert server.wait() == 0
    assert not any(map(is_alive, pids))
    assert server.log("two").endswith("bye\n")
    assert server.sandbox.sockets() == []


# Listens as a server did; it is gone, and a child of it has the socket until somebody looks at it.
LEFT_SOCKET = r"""
import os, socket, sys
listening = socket.socket(socket.AF_UNIX)
listening.bind(sys.argv[1])
listening.listen()
if os.fork() == 0:
    listening.accept()
"""


def test_a_socket_that_only_a_child_of_the_dead_has_is_nobodys(sandbox):
    folder = sandbox.runtime / "curfew" / "server"
    folder.mkdir(parents=True, mode=0o700)
    folder.parent.chmod(0o700)
    subprocess.run([sys.executable, "-c", LEFT_SOCKET, folder / "home.sock"], check=True)
    left = (folder / "home.sock").stat().st_ino
    server = sandbox.serve(wait=False)
    socket_number = lambda: server.socket.exists() and server.socket.stat().st_ino
    wait_for("a socket of its own", lambda: server.process.poll() is not None or socket_number() not in (False, left))
    assert server.process.poll() is None, server.errors()
    server.expect("server")


def test_once_it_is_stopped_another_can_start(plain):
    plain.launch("web", *SLEEP)
    # Until this has been waited for its records aren't closed.
    with transaction(plain):
        assert plain.sandbox.curfew("serve", "--stop").returncode == 0
        assert plain.sandbox.sockets() == []
    server = plain.sandbox.serve()
    assert server.expect("server")["store"] == "ok"
    assert plain.wait() == 0


def test_stop_of_no_server(sandbox):
    result = sandbox.curfew("serve", "--stop", "--name", "none")
    assert result.returncode == 69 and "no server called none" in result.stderr


@pytest.fixture
def manager(sandbox):
    """A service manager's socket, and what comes by it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as bound:
        path = str(sandbox.runtime / "notify")
        bound.bind(path)
        bound.settimeout(LIMIT)
        sandbox.environment["NOTIFY_SOCKET"] = path
        yield bound
    os.unlink(path)


def told(manager):
    """The fields of the next datagram."""
    return dict(line.split("=", 1) for line in manager.recv(4096).decode().split("\n"))


def test_it_tells_its_manager(sandbox, manager):
    server = sandbox.serve()
    assert told(manager) == {"READY": "1", "STATUS": "no app runs"}
    pid = server.launch("web", "sh", "-c", 'echo "$NOTIFY_SOCKET"; sleep 1000')
    server.wait_line("web", "@")
    assert told(manager) == {"STATUS": "1 app runs, web in front"}
    server.launch("db", *SLEEP, options=["--terminate-limit", "90s"], request="background=1")
    assert told(manager) == {"STATUS": "2 apps run, web in front"}
    server.process.send_signal(signal.SIGTERM)
    # The longest of its apps' limits, and what comes after that.
    assert told(manager) == {"STOPPING": "1", "STATUS": "ending; 2 apps run", "EXTEND_TIMEOUT_USEC": "120000000"}
    assert server.wait() == 0 and not is_alive(pid)


@pytest.mark.parametrize("by", ["SIGHUP", "reload"])
def test_a_reload_is_told_to_its_manager(sandbox, manager, by):
    server = sandbox.serve()
    assert "READY" in told(manager)
    before = time.monotonic_ns() // 1000
    if by == "reload":
        server.expect("reload")
    else:
        server.process.send_signal(signal.SIGHUP)
    begun = told(manager)
    assert begun.pop("RELOADING") == "1" and before <= int(begun.pop("MONOTONIC_USEC")) <= time.monotonic_ns() // 1000
    assert begun == {} and told(manager) == {"READY": "1"}


def test_it_gives_signs_of_life(sandbox, manager):
    # Of the process that is started, which goes on as the proxy.
    command = ["sh", "-c", 'WATCHDOG_PID=$$ exec "$0" serve', binary()]
    environment = sandbox.environment | {"WATCHDOG_USEC": "20000"}
    with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        assert "READY" in told(manager)
        assert [told(manager) for _ in range(3)] == [{"WATCHDOG": "1"}] * 3
        server.send_signal(signal.SIGTERM)
        assert server.wait(LIMIT) == 0


def test_signs_of_life_of_another_are_none_of_its_business(sandbox, manager):
    environment = sandbox.environment | {"WATCHDOG_USEC": "20000", "WATCHDOG_PID": "1"}
    server = sandbox.serve(env=environment)
    server.process.send_signal(signal.SIGTERM)
    assert server.wait() == 0
    assert ["READY" in told(manager), "STOPPING" in told(manager)] == [True, True]


def test_killed_at_any_instant_nothing_is_left(server):
    pids = [server.launch(name, "sh", "-c", "setsid sleep 1000 & sleep 1000") for name in ["one", "two"]]
    server.expect("home")
    os.kill(int(server.expect("server")["supervisor"]), signal.SIGKILL)
    assert server.wait() == 125
    assert not any(map(is_alive, pids)) and server.sandbox.left() == []
    assert server.sandbox.sockets() == [] and server.sandbox.cgroups() == []
    assert "killed" in server.errors()


def test_without_its_keeper_it_ends_everything(server):
    pids = [server.launch(name, "sh", "-c", "setsid sleep 1000 & sleep 1000") for name in ["one", "two"]]
    supervisor = int(server.expect("server")["supervisor"])
    os.kill(server.pid, signal.SIGKILL)
    server.wait()
    wait_for("the server to end", lambda: not is_alive(supervisor))
    wait_for("all to be gone", lambda: not server.sandbox.left() and not server.sandbox.cgroups() and not server.sandbox.sockets())
    assert not any(map(is_alive, pids))


@pytest.mark.leaks_allowed
def test_what_both_left_behind_is_taken_over(sandbox, plain):
    plain.launch("web", *SLEEP)
    supervisor = int(plain.expect("server")["supervisor"])
    # The server's end would continue the proxy, which would clean up, and the proxy a stopped server; so both are stopped.
    os.kill(plain.pid, signal.SIGSTOP)
    wait_for("the proxy to stop", lambda: state_letter(plain.pid) == "T")
    os.kill(supervisor, signal.SIGSTOP)
    os.kill(plain.pid, signal.SIGKILL)
    os.kill(supervisor, signal.SIGKILL)
    plain.wait()
    # Its threads may end after its first one.
    wait_for("the server to be gone", lambda: not is_alive(supervisor) and not sandbox.answers(plain.socket))
    assert (sandbox.runtime / "curfew" / "web.sock").is_symlink()
    again = sandbox.serve()
    again.launch("web", *SLEEP)
    assert again.app("web")["state"] == "active"
    again.process.send_signal(signal.SIGTERM)
    assert again.wait() == 0
    assert sandbox.sockets() == []


def test_help_and_usage(sandbox):
    assert "--foreground" in sandbox.curfew("serve", "--help").stdout
    for words in [["--foreground", "0"], ["--bogus"], ["extra"], ["--name", "1"]]:
        assert sandbox.curfew("serve", *words).returncode == 64


# MARK: Definitions


@pytest.fixture
def manifests(sandbox, tmp_path):
    """Writes manifests, which a server started afterwards reads."""
    folder = tmp_path / "config" / "curfew" / "apps"
    folder.mkdir(parents=True, mode=0o700)
    sandbox.environment["XDG_CONFIG_HOME"] = str(tmp_path / "config")
    sandbox.environment["XDG_DATA_HOME"] = str(tmp_path / "data")

    def write(name, text):
        (folder / f"{name}.toml").write_text(text)

    return write


def test_what_a_manifest_defines_is_launched_by_name(sandbox, manifests, tmp_path):
    manifests("web", f"""
        command = ["sh", "-c", "pwd; echo $GREETING $HOME; sleep 1000"]
        directory = "{tmp_path}"
        budget = "2m"
        [environment]
        GREETING = "hello"
        """)
    server = sandbox.serve()
    server.expect("launch app=web")
    server.wait_line("web", "hello")
    assert server.log("web").splitlines() == [str(tmp_path), f"hello {os.environ['HOME']}"]
    assert server.status("web")["budget"] == "120.000"
    server.refused("launch app=web", "running")


def test_opened_what_never_ran_is_launched(sandbox, manifests):
    manifests("web", 'command = ["sleep", "1000"]')
    server = sandbox.serve()
    server.expect("open app=web", state="active")


def test_opened_it_is_told_its_launch_options(sandbox, manifests, tmp_path):
    (tmp_path / "aware.py").write_text(AWARE)
    manifests("aware", f'command = ["{sys.executable}", "{tmp_path}/aware.py"]\nlaunch-option = ["why=nightly"]\nbackground = true\n')
    server = sandbox.serve()
    server.expect("open app=aware", state="active")
    server.wait_line("aware", "event name=didBecomeActive")
    launched, = [line for line in server.log("aware").splitlines() if "didFinishLaunching" in line]
    assert "launched=foreground" in launched and "info.why=nightly" in launched


def test_what_is_wrong_with_a_manifest_is_told_and_the_others_are_launched(sandbox, manifests):
    manifests("bad", 'command = ["true"]\nbudgt = "1m"\n')
    manifests("good", 'command = ["sleep", "1000"]')
    server = sandbox.serve()
    assert "bad.toml:2" in server.errors()
    assert "budgt" in server.refused("launch app=bad", "invalid")
    server.expect("launch app=good")


def test_reread_a_running_one_keeps_what_it_was_launched_with(sandbox, manifests):
    manifests("web", 'command = ["sleep", "1000"]')
    server = sandbox.serve()
    server.expect("launch app=web")
    manifests("web", 'command = ["sleep", "2000"]')
    manifests("new", 'command = ["sleep", "3000"]')
    server.refused("launch app=new", "no-app")
    assert server.expect("reload") | {"id": "1"} == {"id": "1", "apps": "2", "problems": "0"}
    assert server.app("web")["differs"] == "1"
    assert server.status("web")["command"] == "sleep 1000"
    server.expect("launch app=new")
    server.expect("quit app=web")
    server.wait_state("web", "notRunning")
    server.expect("open app=web")
    assert server.status("web")["command"] == "sleep 2000"
    assert "differs" not in server.app("web")


def test_a_folder_that_is_named_is_read_in_place_of_the_usual_one(sandbox, manifests, tmp_path):
    manifests("usual", 'command = ["sleep", "1000"]\nlaunch-at-start = true\n')
    folder = tmp_path / "mine"
    folder.mkdir(mode=0o700)
    (folder / "web.toml").write_text('command = ["sleep", "1000"]\n')
    (folder / "eager.toml").write_text('command = ["sleep", "1000"]\nbackground-modes = ["continuous"]\nlaunch-at-start = true\n')
    # It counts from where the server is started.
    server = sandbox.serve("--apps", "mine/", cwd=tmp_path)
    assert [app["name"] for app in server.apps()] == ["eager"]
    server.expect("launch app=web")
    server.refused("launch app=usual", "no-app")
    (folder / "web.toml").write_text('command = ["sleep", "2000"]\n')
    (folder / "bad.toml").write_text('command = ["true"]\nbudgt = "1m"\n')
    assert sandbox.curfew("reload").stdout == f"2 apps are defined; there is 1 problem, which `curfew check {folder}/*.toml` names\n"
    assert f"{folder}/bad.toml:2: budgt: " in server.errors()
    assert (server.app("web")["differs"], server.status("web")["command"]) == ("1", "sleep 1000")
    (folder / "bad.toml").unlink()
    assert json.loads(sandbox.curfew("reload", "--json").stdout) == {"apps": 2, "problems": 0, "folder": str(folder)}
    # Gone, it is told of, and what was read before goes on to hold.
    folder.rename(tmp_path / "away")
    assert json.loads(sandbox.curfew("reload", "--json").stdout) == {"apps": 2, "problems": 1, "folder": str(folder)}
    assert f"curfew: serve: {folder}: can't be read: No such file or directory\n" in server.errors()
    server.expect("quit app=web")
    server.wait_state("web", "notRunning")
    server.expect("open app=web")
    assert server.status("web")["command"] == "sleep 2000"


@pytest.mark.parametrize(
    "name, problem",
    [("none", "can't be read: No such file or directory"), ("file", "can't be read: Not a directory"),
     ("shared", "others can write to it (mode 0777), and could have any program started here")])
def test_a_folder_that_is_named_and_cant_be_read_is_refused(sandbox, manifests, tmp_path, name, problem):
    manifests("usual", 'command = ["sleep", "1000"]\nlaunch-at-start = true\n')
    (tmp_path / "file").touch()
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o777)
    result = sandbox.curfew("serve", "--apps", name, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (125, "")
    assert f"curfew: serve: --apps {tmp_path}/{name}: {problem}" in result.stderr
    assert sandbox.sockets() == []
    sandbox.serve()


def test_a_hangup_rereads(sandbox, manifests):
    server = sandbox.serve()
    manifests("web", 'command = ["sleep", "1000"]')
    server.process.send_signal(signal.SIGHUP)
    wait_for("the manifest to be read", lambda: server.ask("launch app=web")[1].startswith("ok"))


def test_launched_at_start_into_background(sandbox, manifests):
    manifests("web", 'command = ["sleep", "1000"]\nlaunch-at-start = true\n')
    manifests("db", 'command = ["sleep", "1000"]')
    server = sandbox.serve()
    assert [(app["name"], app["launches"]) for app in server.apps()] == [("web", "1")]
    assert server.app("web")["state"] == "background"
    assert "front" not in server.expect("server")


def test_restarted_after_a_failure_into_its_place(sandbox, manifests):
    manifests("web", 'command = ["sh", "-c", "sleep 1000"]\nrestart = "on-failure"\n')
    server = sandbox.serve()
    first = int(server.expect("launch app=web")["pid"])
    stream = server.stream()
    os.kill(first, signal.SIGKILL)
    server.sandbox.wait_for_event(stream, "the second launch", lambda: server.app("web")["launches"] == "2")
    assert server.app("web")["state"] == "active"
    server.expect("quit app=web")
    server.wait_state("web", "notRunning")
    assert "restart-in" not in server.app("web")


def test_a_pause_before_it_is_launched_again_is_told(sandbox, manifests):
    manifests("brief", 'command = ["true"]\nrestart = "always"\n')
    server = sandbox.serve()
    server.expect("launch app=brief")
    stream = server.stream()
    server.sandbox.wait_for_event(stream, "its third pause", lambda: float((server.app("brief") or {}).get("restart-in", 0)) > 2)
    server.expect("remove app=brief")
    assert server.apps() == []


def test_what_cant_be_launched_again_is_tried_again(sandbox, manifests, tmp_path):
    program = tmp_path / "program"

    def write(last):
        program.write_text(f"#!/bin/sh\n{last}\n")
        program.chmod(0o755)

    write("exit 1")
    manifests("web", f'command = ["{program}"]\nrestart = "on-failure"\n')
    server = sandbox.serve()
    stream = server.stream()
    server.expect("launch app=web")
    program.unlink()
    wait_for("it to be tried twice", lambda: server.errors().count("web: couldn't be launched again: ") >= 2)
    assert re.search(r"web: couldn't be launched again: .*/program.*; tried again in \d+ s\n", server.errors())
    assert float(server.app("web")["restart-in"]) > 0
    write("exec sleep 1000")
    server.sandbox.wait_for_event(stream, "it to run", lambda: server.app("web")["state"] == "active")


def test_what_cant_be_launched_any_more_is_given_up(sandbox, manifests):
    manifests("web", 'command = ["true"]\nrestart = "always"\n')
    server = sandbox.serve()
    server.expect("launch app=web")
    manifests("web", 'command = ["true"]\nbudgt = "1m"\n')
    server.expect("reload")
    wait_for("it to be given up", lambda: "that isn't tried again" in server.errors())
    assert "restart-in" not in server.app("web")


def test_continuous_it_is_never_suspended(sandbox, manifests):
    manifests("player", 'command = ["sleep", "1000"]\nbackground-modes = ["continuous", "fetch"]\ngrace = 0\n')
    manifests("plain", 'command = ["sleep", "1000"]\ngrace = 0\n')
    server = sandbox.serve()
    pids = {name: int(server.expect(f"launch app={name}")["pid"]) for name in ["player", "plain"]}
    server.expect("home app=player", state="background")
    server.expect("home app=plain", state="suspended")
    # Its grace would be over as well.
    assert_stopped(sandbox, "plain", [pids["plain"]])
    assert state_letter(pids["player"]) != "T"
    assert (server.app("player").get("continuous"), server.app("plain").get("continuous")) == ("1", None)
    assert server.status("player")["background-modes"] == "fetch,continuous"
    assert "continuous" in server.refused("sleep app=player", "never-suspended")
    server.expect("wake app=player name=fetch", state="background")
    listed = sandbox.curfew("apps").stdout.splitlines()
    assert [line.split()[1] for line in listed[1:] if "never suspended" in line] == ["background"]
    assert "modes         fetch, continuous\n" in sandbox.curfew("status", "player").stdout


def test_what_wakes_an_app_needs_its_mode(sandbox, manifests):
    manifests("web", f'command = ["{sys.executable}", "-c", \'\'\'{KEPT_ALIVE}\'\'\']\nbackground-modes = ["fetch"]\n')
    server = sandbox.serve()
    assert "remote-notification" in server.refused("launch app=web wake=remote-notification", "no-background-mode")
    server.expect("launch app=web wake=fetch background=1")
    server.wait_line("web", "error code=no-background-mode")
    server.refused("wake app=web name=remote-notification", "no-background-mode")
    server.refused("wake app=web name=keepAlive", "no-background-mode")
    server.expect("wake app=web name=fetch")
    server.expect("wake app=web name=news")
    # Of a bare command nobody has said.
    server.launch("bare", sys.executable, "-c", KEPT_ALIVE)
    server.wait_line("bare", "ok\n")
    server.expect("wake app=bare name=remote-notification")


def test_one_that_is_suspended_as_soon_as_it_is_launched_is_warned_of(sandbox, manifests):
    manifests("web", 'command = ["sleep", "1000"]\nlaunch-at-start = true\n')
    manifests("chat", 'command = ["sleep", "1000"]\nlaunch-at-start = true\nbackground-modes = ["voip"]\n')
    server = sandbox.serve()
    assert "web.toml:2: warning: launch-at-start: " in server.errors() and "chat.toml" not in server.errors()
    assert server.expect("reload")["problems"] == "0"


def test_an_environment_that_is_taken_over(sandbox, manifests):
    manifests("web", 'command = ["sh", "-c", "echo display $DISPLAY; sleep 1000"]')
    server = sandbox.serve()
    server.refused("reload environment.PATH=/tmp", "invalid")
    server.expect("reload environment.DISPLAY=:7")
    server.expect("launch app=web")
    server.wait_line("web", "display :7\n")


def test_an_installed_desktop_entry(sandbox, manifests, tmp_path):
    folder = tmp_path / "data" / "applications"
    folder.mkdir(parents=True)
    (folder / "org.example.Clock.desktop").write_text(
        "[Desktop Entry]\nType=Application\nName=Clock\nExec=sleep 1000\n")
    server = sandbox.serve()
    server.expect("launch app=org.example.Clock")
    assert server.status("org.example.Clock")["command"] == "sleep 1000"


@needs_root
@pytest.mark.skipif(not cgroup2_directory(), reason="no cgroup v2 hierarchy")
def test_an_entrys_program_that_leaves_its_cgroup_is_told_of(sandbox, manifests, tmp_path):
    """As a service manager moves it into a scope."""
    folder = tmp_path / "data" / "applications"
    folder.mkdir(parents=True)
    left, scope = tmp_path / "left", cgroup2_directory() / f"curfew-test-scope.{os.getpid()}"
    # In double quotes a dollar has a backslash, which in a string of an entry are two.
    (folder / "clock.desktop").write_text(
        "[Desktop Entry]\nType=Application\nName=Clock\n"
        rf'Exec=sh -c "echo \\$\\$ > {scope}/cgroup.procs && : > {left} && exec sleep 1000"' "\n")
    scope.mkdir()
    try:
        server = sandbox.serve("--containment", "cgroup2")
        server.expect("launch app=clock")
        pid = int(server.status("clock")["pid"])
        wait_for(f"it to leave; stderr: {server.errors()}", left.exists)
        server.expect("home app=clock")
        server.wait_state("clock", "suspended")
        path = re.search("^0::(.*)$", pathlib.Path(f"/proc/{pid}/cgroup").read_text(), re.M)[1]
        wait_for("that to be told", lambda: f"clock: has left its cgroup for {path}, as " in server.errors())
        assert state_letter(pid) != "T"
        os.kill(pid, signal.SIGKILL)
        server.wait_state("clock", "notRunning")
        assert server.errors().count("has left") == 1
    finally:
        for line in (scope / "cgroup.procs").read_text().split():
            os.kill(int(line), signal.SIGKILL)
        wait_for("nobody to be in that cgroup", lambda: (scope / "cgroup.procs").read_text() == "")
        scope.rmdir()


NEEDS_A_TERMINAL = "[Desktop Entry]\nType=Application\nName=Tool\nExec=sleep 2000\nTerminal=true\n"


def test_a_bare_command_with_an_installed_entrys_name_stays_itself(sandbox, manifests, tmp_path):
    """Opened, launched by name, and by the next server; only what is off the list is the entry again."""
    folder = tmp_path / "data" / "applications"
    folder.mkdir(parents=True)
    (folder / "tool.desktop").write_text(NEEDS_A_TERMINAL)
    server = sandbox.serve()
    assert "needs a terminal" in server.refused("launch app=tool", "invalid")
    server.launch("tool", *SLEEP)

    def expect_itself():
        assert server.status("tool")["command"] == " ".join(SLEEP)
        server.expect("quit app=tool")
        server.wait_state("tool", "notRunning")

    expect_itself()
    for verb in ("open", "launch"):
        server.expect(f"{verb} app=tool")
        expect_itself()
    server = again(server)
    server.expect("open app=tool")
    expect_itself()
    manifests("tool", 'command = ["sleep", "3000"]')
    server.expect("reload")
    server.expect("open app=tool")
    assert server.status("tool")["command"] == "sleep 3000"
    server.expect("remove app=tool")
    (tmp_path / "config" / "curfew" / "apps" / "tool.toml").unlink()
    server.expect("reload")
    assert "needs a terminal" in server.refused("open app=tool", "invalid")


def test_what_was_an_entry_is_what_that_says_by_now(sandbox, manifests, tmp_path):
    """And what it said, once it is gone."""
    file = tmp_path / "data" / "applications" / "clock.desktop"
    file.parent.mkdir(parents=True)
    server = sandbox.serve()

    def expect_opened(command):
        server.expect("open app=clock")
        assert server.status("clock")["command"] == command
        server.expect("quit app=clock")
        server.wait_state("clock", "notRunning")

    for command in ("sleep 1000", "sleep 2000"):
        file.write_text(f"[Desktop Entry]\nType=Application\nName=Clock\nExec={command}\n")
        expect_opened(command)
    file.unlink()
    expect_opened("sleep 2000")


# MARK: What outlives it


def again(server):
    """The same server, ended properly and started anew."""
    server.process.send_signal(signal.SIGTERM)
    assert server.wait() == 0
    return server.sandbox.serve(name=server.name)


def test_the_list_outlives_the_server(plain, tmp_path):
    plain.launch("one", "sh", "-c", "pwd; sleep 1000", directory=tmp_path, options=["--budget", "2m"])
    plain.launch("two", *SLEEP)
    plain.launch("three", "true")
    plain.wait_state("three", "notRunning")
    plain.expect("open app=one")
    server = again(plain)
    assert [(app["name"], app["state"], app["launches"], app["ended"]) for app in server.apps()] == [
        ("one", "notRunning", "1", "supervisor-exit"), ("three", "notRunning", "1", "exit"),
        ("two", "notRunning", "1", "supervisor-exit")]
    server.expect("open app=one")
    assert server.status("one")["budget"] == "120.000"
    server.wait_line("one", str(tmp_path))
    assert server.app("one")["launches"] == "2"


def test_what_the_servers_end_has_ended_is_restored(plain):
    plain.launch("aware", sys.executable, "-c", AWARE)
    plain.wait_line("aware", "didBecomeActive")
    server = again(plain)
    server.expect("open app=aware")
    server.wait_line("aware", "info.restored=true info.ended=supervisor-exit")


def test_restored_runs_that_end_at_once_are_counted_on_by_the_next_server(plain):
    """As far as the clock has let them be short."""
    plain.launch("aware", sys.executable, "-c", AWARE)
    server, short = plain, 0
    for number in 1, 2, 3:
        server.wait_line("aware", "didBecomeActive")
        server.expect("home app=aware")
        server.wait_state("aware", "suspended")
        server.expect("reclaim app=aware")
        server.wait_state("aware", "notRunning")
        server = again(server)
        with contextlib.closing(sqlite3.connect(server.sandbox.state / "curfew" / "server.sqlite")) as database:
            ends, life = database.execute(
                "SELECT restored_ends, ended - run.began FROM run JOIN app ON app.name = app AND launches = number").fetchone()
        if abs(life - 10_000_000) < 1_000_000:
            pytest.skip(f"run {number} lived for {life} us, as near to ten seconds as makes no difference")
        short = short + 1 if number > 1 and life < 10_000_000 else 0
        assert ends == short, (number, life)
        log = server.sandbox.state / "curfew" / "logs" / "aware.log"
        log.write_text("")
        server.expect("open app=aware")
        server.wait_line("aware", "didFinishLaunching")
        assert ("restored=true" in server.log("aware")) == (short < 2)


def test_removed_it_stays_so(plain):
    for name in ["one", "two"]:
        plain.launch(name, *SLEEP)
    plain.expect("remove app=one")
    plain.expect("quit app=two")
    plain.wait_state("two", "notRunning")
    plain.expect("remove app=two")
    server = again(plain)
    assert server.apps() == []
    server.refused("open app=one", "no-app")


def test_the_history_of_runs(plain):
    for code in [1, 2]:
        plain.launch("brief", "sh", "-c", f"exit {code}")
        stream = plain.stream()
        plain.sandbox.wait_for_event(stream, "it to end", lambda: plain.app("brief").get("status") == str(code))
    plain.launch("lasting", *SLEEP)
    lines, final = plain.ask("history app=brief")
    runs = [fields_of(line) for line in lines]
    assert [(run["app"], run["number"], run["reason"], run["status"]) for run in runs] == [
        ("brief", "2", "exit", "2"), ("brief", "1", "exit", "1")]
    assert all(float(run["ended"]) >= float(run["began"]) > 1e9 for run in runs)
    server = again(plain)
    lines, _ = server.ask("history limit=1")
    assert [(fields_of(line)["app"], fields_of(line)["reason"]) for line in lines] == [("lasting", "supervisor-exit")]
    assert len(server.ask("history")[0]) == 3
    server.refused("history limit=0", "invalid")
    told = json.loads(server.sandbox.curfew("history", "--limit", "2", "--json").stdout)
    assert [(run["app"], run["number"]) for run in told] == [("lasting", 1), ("brief", 2)]


def test_killed_its_runs_are_told_of_by_the_next(sandbox, plain):
    plain.launch("web", *SLEEP)
    # What was committed before this is answered is, too.
    plain.ask("history")
    os.kill(int(plain.expect("server")["supervisor"]), signal.SIGKILL)
    assert plain.wait() == 125
    server = sandbox.serve()
    app = server.app("web")
    assert (app["state"], app["ended"]) == ("notRunning", "supervisor-exit")
    assert fields_of(server.ask("history app=web")[0][0])["reason"] == "supervisor-exit"


def test_killed_it_relaunches_what_restarts(sandbox, manifests):
    manifests("web", 'command = ["sleep", "1000"]\nrestart = "on-failure"\n')
    manifests("other", 'command = ["sleep", "1000"]')
    server = sandbox.serve()
    for name in ["web", "other"]:
        server.expect(f"launch app={name}")
    server.ask("history")
    os.kill(int(server.expect("server")["supervisor"]), signal.SIGKILL)
    assert server.wait() == 125
    server = sandbox.serve()
    stream = server.stream()
    sandbox.wait_for_event(stream, "web to run again", lambda: server.app("web")["launches"] == "2")
    assert server.app("other")["launches"] == "1"


def test_a_launch_to_come_outlives_a_kill_and_no_proper_end(sandbox, manifests):
    manifests("brief", 'command = ["false"]\nrestart = "on-failure"\n')
    server = sandbox.serve()
    server.expect("launch app=brief")

    def pause():
        return float((server.app("brief") or {}).get("restart-in", 0))

    stream = server.stream()
    server.sandbox.wait_for_event(stream, "its third pause", lambda: pause() > 2)
    # What was committed before this is answered is, too.
    server.ask("history")
    os.kill(int(server.expect("server")["supervisor"]), signal.SIGKILL)
    assert server.wait() == 125
    server = sandbox.serve()
    assert server.app("brief")["launches"] == "3"
    assert 0 < pause() <= 4
    stream = server.stream()
    # It goes on growing.
    server.sandbox.wait_for_event(stream, "its fourth pause", lambda: pause() > 4)
    server = again(server)
    assert (server.app("brief")["launches"], pause()) == ("4", 0)


def test_servers_of_two_names_have_each_its_own(sandbox, plain):
    other = sandbox.serve(name="other")
    plain.launch("mine", *SLEEP)
    other.launch("theirs", *SLEEP)
    assert [app["name"] for app in again(other).apps()] == ["theirs"]
    assert [app["name"] for app in plain.apps()] == ["mine"]
    assert plain.expect("server")["store"] == "ok"


def test_a_damaged_database_is_moved_aside_and_said(sandbox):
    folder = sandbox.state / "curfew"
    folder.mkdir(parents=True, mode=0o700)
    (folder / "server.sqlite").write_bytes(b"no database at all" * 1000)
    server = sandbox.serve()
    assert "damaged" in server.errors()
    assert server.expect("server")["store"] == "damaged"
    server.launch("web", *SLEEP)
    assert [app["name"] for app in again(server).apps()] == ["web"]
