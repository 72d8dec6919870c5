"""Asleep, a program's own clocks stand still, and the status says which that matters for."""

import pathlib
import re
import subprocess
import sys

from conftest import state_letter, wait_for
from test_sleep import wait_channel


def shortest(running):
    status = running.status()
    return status.get("shortestWait"), status.get("shortestWaitOf")


def put_to_sleep(sandbox, running, command):
    """Once it is that program, and waits."""
    wait_for("it to be there", lambda: sandbox.curfew("status", running.name).returncode == 0)
    pid = running.status()["pid"]
    name = pathlib.Path(f"/proc/{pid}/comm")
    wait_for(f"{command} to wait", lambda: (name.read_text(), state_letter(pid)) == (command + "\n", "S"))
    assert sandbox.curfew("sleep", running.name).returncode == 0
    return pid


def test_the_status_says_how_long_the_shortest_wait_was(sandbox):
    """Of a sleep that goes on too, whose call the kernel no longer names."""
    running = sandbox.start("sleep", "1000")
    for _ in range(3):
        pid = put_to_sleep(sandbox, running, "sleep")
        assert shortest(running) == (1000, f"sleep ({pid}), nanosleep")
        line = rf"^ *its clocks +don't wake it; its shortest wait was 16 min 40 s: sleep \({pid}\), nanosleep$"
        assert re.search(line, running.status_text(), re.M), running.status_text()
        assert sandbox.curfew("open", running.name).returncode == 0
        assert shortest(running) == (None, None)


def test_of_several_waits_the_shortest_is_told(sandbox):
    running = sandbox.start(
        "sh", "-c", f'sleep 1000 & {sys.executable} -c "import select; select.epoll().poll(100.5)" & sleep 500 & echo up; wait')
    running.expect("up")
    pid = running.status()["pid"]

    def children():
        return pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()

    wait_for("two to sleep, and one to poll",
             lambda: sorted("poll" in place or 2 * ("nanosleep" in place) for place in map(wait_channel, children())) == [1, 2, 2])
    assert sandbox.curfew("sleep", running.name).returncode == 0
    seconds, whose = shortest(running)
    assert seconds == 100.5 and re.fullmatch(r"python\S* \(\d+\), epoll_wait", whose), (seconds, whose)


def test_what_waits_for_others_alone_has_no_wait_of_its_own(sandbox):
    running = sandbox.start("cat", stdin=subprocess.PIPE)
    put_to_sleep(sandbox, running, "cat")
    assert shortest(running) == (None, None)
