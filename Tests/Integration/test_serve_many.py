"""Very many apps below one `curfew serve`: what each keeps of it, and what it does while nothing happens."""

import contextlib
import os
import pathlib
import platform
import resource
import subprocess

import pytest

from conftest import state_letter, wait_for
from programs.helpers import set_timers, times_rested

COUNT = 200
SLEEP = ("sleep", "1000")
# Its control pipe, its output, and what kills it.
MOST_DESCRIPTORS = 3


@pytest.fixture(params=["cgroup2", "tree"])
def server(request, sandbox):
    server = sandbox.serve("--containment", request.param, wait=False)
    wait_for("the server to answer", lambda: server.process.poll() is not None or sandbox.answers(server.socket))
    if server.process.poll() == 125 and "--containment" in server.errors():
        pytest.skip(f"{request.param} can't be had here: {server.errors().strip()}")
    return server


def supervisor(server):
    return int(server.expect("server")["supervisor"])


def launch(server, first, count):
    """Into background, to be suspended at once; their pids."""
    return [
        server.launch(f"app{number}", *SLEEP, options=["--grace", "0"], request="background=1")
        for number in range(first, first + count)]


def wait_suspended(server, pids):
    wait_for("all apps to be suspended", lambda: all(state_letter(pid) == "T" for pid in pids))
    wait_for("the server to say so", lambda: all(app["state"] == "suspended" for app in server.apps()))


def descriptors(pid):
    """How many descriptors, once nothing that lasts a moment is open any more."""
    counts = [len(os.listdir(f"/proc/{pid}/fd")) for _ in range(5)]
    return min(counts)


# The system calls that can wait for a time: their numbers, which argument is that time, and what it is for one without end; nil:
# they always wait for a time. Source: the kernel's syscall_64.tbl, and unistd.h of asm-generic.
TIMED_CALLS = {
    "x86_64": {
        232: (3, -1), 281: (3, -1), 441: (3, 0), 202: (3, 0), 7: (2, -1), 271: (2, 0), 23: (4, 0), 270: (4, 0), 35: None,
        230: None},
    "aarch64": {22: (3, -1), 441: (3, 0), 98: (3, 0), 73: (2, 0), 72: (4, 0), 101: None, 115: None},
}


def waits_for_a_time(pid):
    """Whether any of its threads does, or runs; else each waits for something to come, however long that takes."""
    calls = TIMED_CALLS[platform.machine()]

    def is_timed(text):
        if text == "running":
            return True
        number, *arguments = text.split()
        if int(number) not in calls:
            return False
        if calls[int(number)] is None:
            return True
        index, endless = calls[int(number)]
        value = int(arguments[index], 16)
        return value & 0xffffffff != 0xffffffff if endless == -1 else value != endless

    texts = []
    for thread in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # ended meanwhile
            texts.append((thread / "syscall").read_text().strip())
    return any(map(is_timed, texts))


def test_each_app_keeps_few_descriptors_of_the_server(server):
    pids = launch(server, 0, 1)
    wait_suspended(server, pids)
    one = descriptors(supervisor(server))
    pids += launch(server, 1, COUNT)
    wait_suspended(server, pids)
    # What clients have is closed a moment after they have gone.
    most = one + MOST_DESCRIPTORS * COUNT
    wait_for(
        f"at most {most} descriptors", lambda: descriptors(supervisor(server)) <= most)


def test_what_has_ended_keeps_none(server):
    # The timer comes with the first deadline, and stays.
    launch(server, 0, 1)
    server.expect("quit-all")
    before = descriptors(supervisor(server))
    launch(server, 1, 20)
    server.expect("quit-all")
    wait_for(f"at most {before} descriptors", lambda: descriptors(supervisor(server)) <= before)


def test_nothing_wakes_the_server_while_all_are_suspended(server):
    if platform.machine() not in TIMED_CALLS:
        pytest.skip("the numbers of system calls aren't known here")
    # Answered after whoever had only looked whether it listens: for one that leaves unheard the server looks for orders that were left,
    # and for those that it finds, as of the launches below, once more when they are old.
    pid = supervisor(server)
    wait_suspended(server, launch(server, 0, COUNT))
    # What was begun before has its time to end.
    wait_for("no thread of it to wait for a time", lambda: not waits_for_a_time(pid))
    wait_for("no timer of it to be set", lambda: set_timers(pid) == [])
    rested = times_rested(pid)
    # What others do is none of its business.
    for _ in range(COUNT):
        subprocess.run(["true"], check=True)
    # It can have been on its way to sleep; and who has asked last hangs up after the answer.
    assert times_rested(pid) - rested <= 2
    assert not waits_for_a_time(pid) and set_timers(pid) == []


def test_one_of_many_is_opened_and_goes_home(server):
    pids = launch(server, 0, COUNT)
    wait_suspended(server, pids)
    server.expect("open app=app7")
    wait_for("it to go on", lambda: state_letter(pids[7]) != "T")
    assert server.app("app7")["state"] == "active"
    server.expect("home app=app7")
    wait_suspended(server, pids)


def test_all_of_many_end_with_the_server(server):
    pids = launch(server, 0, COUNT)
    server.process.terminate()
    assert server.process.wait(60) == 0
    assert not any(os.path.exists(f"/proc/{pid}") for pid in pids)


def test_a_server_says_how_many_apps_its_limits_allow(sandbox):
    limits = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (329, 329))
    server = sandbox.serve(preexec_fn=limits)
    told = server.expect("server")
    assert (told["maximum-apps"], told["limited-by"]) == ("3", "RLIMIT_NOFILE")
    assert "at most 3 apps run at once, as RLIMIT_NOFILE allows" in server.errors()
    launch(server, 0, 3)
    message = server.refused(f"launch order={server.order(*SLEEP, name='more')}", "limit")
    assert message == "3 apps run, as many as RLIMIT_NOFILE allows (`ulimit -Hn`)"
    server.expect("quit app=app1")
    server.wait_state("app1", "notRunning")
    server.launch("more", *SLEEP)

