"""A server's apps that no cgroup holds: each has a reaper, to which its orphans come."""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys

import pytest

from conftest import SLEEP, is_alive, parent_of, state_letter, wait_for
from programs.helpers import assert_stopped
from test_serve import INSIDE

LIMIT_KIB = 64
# Has an orphan in a session of its own, says its pid, and goes on.
PARENT = '(setsid sh -c \'echo "orphan $$"; exec sleep 1000\' &); exec sleep 1000'
# Forks a daemon, names it the main process, and ends; the daemon exits with 5 when it is told to.
DAEMON = r"""
import os, signal, socket, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGUSR1, lambda *_: sys.exit(5))
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
            notify.sendto(f"MAINPID={os.getpid()}".encode(), os.environ["NOTIFY_SOCKET"].replace("@", "\0", 1))
        print(f"main {os.getpid()}", flush=True)
        while True:
            signal.pause()
    os._exit(0)
os.wait()
sys.stdin.read()
signal.pause()
"""


@pytest.fixture
def tree(sandbox):
    return sandbox.serve("--containment", "tree")


@pytest.fixture(params=["tree", "cgroup1", "cgroup2"])
def held(request, sandbox):
    return sandbox.serve_by(request.param)


def supervisor(server):
    return int(server.expect("server")["supervisor"])


def name_of(pid):
    return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()


def children(pid):
    return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def told_pid(server, name, word="orphan"):
    """What the app's program says it is, once it has."""
    server.wait_line(name, f"{word} ")
    return next(int(line.split()[1]) for line in server.log(name).splitlines() if line.startswith(f"{word} "))


def launch_parent(server, name, **order):
    """(the leader, its orphan) of an app that has one."""
    leader = server.launch(name, "sh", "-c", PARENT, **order)
    orphan = told_pid(server, name)
    wait_for("it to be an orphan", lambda: name_of(parent_of(orphan)) != "sh")
    return leader, orphan


def wait_told(server, stream, word):
    server.sandbox.wait_for_event(stream, f"{word} to be told of", lambda: word in stream.text())


# MARK: Whose it is


def test_its_orphan_is_stopped_continued_and_ended_with_it(held):
    leader, orphan = launch_parent(held, "web")
    held.expect("home app=web")
    held.wait_state("web", "suspended")
    assert_stopped(held.sandbox, "web", [leader, orphan])
    held.expect("open app=web")
    assert "T" not in state_letter(leader) + state_letter(orphan)
    assert held.status("web")["processes"] == "2"
    held.expect("quit app=web")
    held.wait_state("web", "notRunning")
    assert not is_alive(leader) and not is_alive(orphan)


def test_its_reaper_is_no_part_of_it(tree):
    leader, orphan = launch_parent(tree, "web")
    reaper = parent_of(leader)
    assert reaper == parent_of(orphan) and name_of(reaper) == "curfew-reaper"
    assert parent_of(reaper) == supervisor(tree)
    tree.refused(f"status app={reaper}", "no-app")
    tree.expect("home app=web")
    tree.wait_state("web", "suspended")
    assert state_letter(reaper) == "S"
    tree.expect("quit app=web")
    tree.wait_state("web", "notRunning")
    wait_for("the reaper to be gone", lambda: not is_alive(reaper))


def test_two_apps_orphans_arent_mixed_up(held):
    one, other = launch_parent(held, "one"), launch_parent(held, "other")
    assert [held.status(pid)["app"] for pid in [*one, *other]] == ["one", "one", "other", "other"]
    held.wait_state("one", "suspended")
    assert_stopped(held.sandbox, "one", one)
    assert "T" not in [state_letter(pid) for pid in other]
    held.expect("quit app=one")
    held.wait_state("one", "notRunning")
    assert [is_alive(pid) for pid in [*one, *other]] == [False, False, True, True]


def test_its_orphan_speaks_for_it_and_for_no_other(held):
    held.launch("victim", *SLEEP)
    requests = ["status", "begin name=upload", "status app=victim", "quit app=victim", "stop"]
    script = '(setsid "$0" -c "$1" "${@:2}" &); exec sleep 1000'
    held.launch("me", "bash", "-c", script, sys.executable, INSIDE, *requests)
    held.wait_line("me", "end\n")
    answers = dict(line.split(" -> ") for line in held.log("me").splitlines() if " -> " in line)
    assert answers["status"].startswith("ok") and "app=me" in answers["status"]
    assert answers["begin name=upload"].startswith("ok")
    assert all("code=forbidden" in answers[request] for request in requests[2:]), answers


def test_a_signal_of_its_orphan_ends_no_server(held):
    server = supervisor(held)
    script = '(setsid sh -c \'kill -TERM "$1"; kill -INT "$1"; kill -HUP "$1"; echo sent; exec sleep 1000\' sh "$1" &); exec sleep 1000'
    stream = held.stream()
    held.launch("rude", "sh", "-c", script, "sh", str(server))
    held.wait_line("rude", "sent\n")
    wait_told(held, stream, "signalIgnored")
    held.expect("server", running=1)


# MARK: Statuses


@pytest.mark.parametrize("script, status", [("exit 3", "3"), ("exit 0", "0"), ("kill -9 $$", "137"), ("kill -TERM $$", "143")])
def test_how_it_ended_is_told(held, script, status):
    held.launch("brief", "sh", "-c", f"(setsid sleep 0 &); {script}")
    held.wait_state("brief", "notRunning")
    app = held.app("brief")
    assert (app["ended"], app["status"]) == ("exit", status)


def test_how_its_main_process_ended_is_told(held):
    stream = held.stream()
    leader = held.launch("service", sys.executable, "-c", DAEMON)
    main = told_pid(held, "service", "main")
    wait_told(held, stream, "mainProcess")
    os.kill(leader, signal.SIGKILL)
    wait_for("the leader to be gone", lambda: not is_alive(leader))
    assert held.status("service")["pid"] == str(main)
    os.kill(main, signal.SIGUSR1)
    held.wait_state("service", "notRunning")
    assert (held.app("service")["ended"], held.app("service")["status"]) == ("exit", "5")


def test_cpu_time_of_what_it_reaped_counts(tree):
    script = "(setsid sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo counted' &); exec sleep 1000"
    tree.launch("busy", "sh", "-c", script)
    tree.wait_line("busy", "counted\n")
    assert float(tree.status("busy")["cpu"]) > 0.05
    wait_for("its orphan to be gone", lambda: tree.status("busy")["processes"] == "1")
    assert float(tree.status("busy")["cpu"]) > 0.05


def test_a_program_that_is_to_die_with_its_parent_lives(tree):
    script = "import ctypes, time; ctypes.CDLL(None).prctl(1, 9); print('set', flush=True); time.sleep(1000)"
    pid = tree.launch("careful", sys.executable, "-c", script)
    tree.wait_line("careful", "set\n")
    tree.launch("another", *SLEEP)
    assert is_alive(pid) and tree.app("careful")["state"] != "notRunning"


# MARK: In its app's hands


def test_killed_by_its_app_takes_all_of_it_along(tree):
    other = launch_parent(tree, "other")
    script = PARENT.replace("exec sleep", "read line <go; kill -9 $PPID; exec sleep")
    fifo = tree.sandbox.scratch / "go"
    os.mkfifo(fifo)
    leader = tree.launch("web", "sh", "-c", script, directory=tree.sandbox.scratch)
    orphan = told_pid(tree, "web")
    fifo.write_text("now\n")
    tree.wait_state("web", "notRunning")
    app = tree.app("web")
    assert (app["ended"], app["status"]) == ("supervisor-exit", "125")
    assert not is_alive(leader) and not is_alive(orphan)
    assert all(map(is_alive, other)) and tree.status(other[1])["app"] == "other"
    tree.expect("quit app=other")
    tree.wait_state("other", "notRunning")
    assert not any(map(is_alive, other))


def test_several_reapers_killed_at_once(tree):
    apps = {name: launch_parent(tree, name) for name in ["one", "two", "three"]}
    for name in ["one", "three"]:
        os.kill(parent_of(apps[name][0]), signal.SIGKILL)
    for name in ["one", "three"]:
        tree.wait_state(name, "notRunning")
        assert tree.app(name)["ended"] == "supervisor-exit"
        assert not any(map(is_alive, apps[name]))
    assert all(map(is_alive, apps["two"]))


def test_killed_while_it_is_suspended(tree):
    leader, orphan = launch_parent(tree, "web")
    tree.expect("home app=web")
    tree.wait_state("web", "suspended")
    os.kill(parent_of(leader), signal.SIGKILL)
    tree.wait_state("web", "notRunning")
    assert not is_alive(leader) and not is_alive(orphan)
    tree.expect("open app=web")
    assert tree.app("web")["launches"] == "2"


def test_stopped_by_its_app_it_goes_on_and_that_is_told(tree):
    stream = tree.stream()
    leader = tree.launch("web", "sh", "-c", "kill -STOP $PPID; echo stopped; exec sleep 1000")
    tree.wait_line("web", "stopped\n")
    wait_told(tree, stream, "supervisorDidStop")
    wait_for("the reaper to go on", lambda: state_letter(parent_of(leader)) != "T")
    os.kill(leader, signal.SIGKILL)
    tree.wait_state("web", "notRunning")
    assert tree.app("web")["status"] == "137"


def test_what_an_app_signals_its_reaper_means_nothing(tree):
    script = "for signal in HUP INT QUIT TERM USR1 USR2 CHLD ALRM SEGV TSTP; do kill -$signal $PPID; done; echo sent; exec sleep 1000"
    leader = tree.launch("web", "sh", "-c", script)
    tree.wait_line("web", "sent\n")
    assert is_alive(parent_of(leader)) and tree.app("web")["state"] == "active"
    tree.expect("quit app=web")
    tree.wait_state("web", "notRunning")


# MARK: What it costs, and what stays


def private_kib(pid):
    text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith(("Private_Clean", "Private_Dirty")))


def descriptors(pid):
    """What it has open, but for its timer, which it makes when something is first due."""
    links = []
    for file in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            links.append(os.readlink(file))
    return [link for link in links if "timerfd" not in link]


def test_a_reaper_is_small(tree):
    reapers = [parent_of(tree.launch(f"app{number}", *SLEEP)) for number in range(10)]
    for reaper in reapers:
        wait_for("it to say what it is", lambda: name_of(reaper) == "curfew-reaper")
        assert 0 < private_kib(reaper) <= LIMIT_KIB
        assert sorted(os.listdir(f"/proc/{reaper}/fd")) == ["0", "1"]


def test_fifty_apps_leave_nothing(tree):
    server = supervisor(tree)
    tree.launch("first", "true")
    tree.wait_state("first", "notRunning")
    wait_for("its reaper to be gone", lambda: not children(server))
    before = descriptors(server)
    names = [f"app{number}" for number in range(50)]
    for name in names:
        tree.launch(name, "sh", "-c", "(setsid sleep 1000 &); exec sleep 1000")
    assert len(children(server)) == 50
    tree.expect("quit-all")
    wait_for("every reaper to be gone", lambda: not children(server))
    # Connections that have closed are noticed one after the other.
    wait_for("as many descriptors as before", lambda: len(descriptors(server)) <= len(before))
    assert {tree.app(name)["ended"] for name in names} == {"user-quit"}


def test_a_failed_launch_leaves_no_reaper(tree):
    assert "/nonexistent" in tree.refused(f"launch order={tree.order('/nonexistent', name='broken')}", "failed")
    assert children(supervisor(tree)) == []
    tree.launch("broken", *SLEEP)


def test_its_end_ends_every_orphan(tree):
    pids = [pid for name in ["one", "two", "three"] for pid in launch_parent(tree, name)]
    reapers = [parent_of(pid) for pid in pids]
    tree.process.send_signal(signal.SIGTERM)
    assert tree.wait() == 0
    wait_for("all to be gone", lambda: not any(map(is_alive, [*pids, *reapers])))


# What both leave of their names the next start takes away.
@pytest.mark.parametrize("victims", ["server", "keeper", pytest.param("both", marks=pytest.mark.leaks_allowed)])
def test_killed_it_takes_every_orphan_along(tree, victims):
    """Without cgroups, too, nothing outlives both: a reaper whose server is gone ends all that it has."""
    server = supervisor(tree)
    pids = [pid for name in ["one", "two"] for pid in launch_parent(tree, name)]
    tree.wait_state("one", "suspended")
    if victims == "both":
        # The server's end would continue the proxy, and the proxy a stopped server.
        os.kill(tree.pid, signal.SIGSTOP)
        wait_for("the proxy to stop", lambda: state_letter(tree.pid) == "T")
        os.kill(server, signal.SIGSTOP)
    if victims != "server":
        os.kill(tree.pid, signal.SIGKILL)
    if victims != "keeper":
        os.kill(server, signal.SIGKILL)
    tree.wait()
    wait_for("all to be gone", lambda: not tree.sandbox.left())
    assert not any(map(is_alive, pids))


# MARK: Where it isn't


def test_where_memory_isnt_executed_there_is_none(sandbox):
    script = """
        echo 2 >/proc/sys/vm/memfd_noexec || exit 77
        curfew serve --containment tree --name bare & server=$!
        until curfew launch --server bare --name web -- sh -c 'sleep 1000 & exec sleep 1000'; do
            kill -0 $server || exit 1
        done
        curfew ps
        curfew quit web && curfew serve --stop --name bare && wait $server"""
    result = subprocess.run(
        ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c", script], env=sandbox.environment,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    if result.returncode == 77 or "unshare" in result.stderr:
        pytest.skip(f"what lies in memory can't be forbidden to be executed here: {result.stderr.strip()}")
    assert result.returncode == 0, result.stderr
    assert "no app can have a reaper here" in result.stderr and "web" in result.stdout


def test_with_cgroups_there_is_none(sandbox):
    server = sandbox.serve()
    if server.expect("server")["containment"] != "cgroup2":
        pytest.skip("no cgroup of version 2 can be had here")
    assert parent_of(server.launch("web", *SLEEP)) == supervisor(server)


def test_an_app_of_its_own_has_none(sandbox):
    run = sandbox.start("sh", "-c", "echo $$; exec sleep 1000", options=["--containment", "tree"])
    assert name_of(parent_of(int(run.process.stdout.readline()))) == "curfew-sup"
