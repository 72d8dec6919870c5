"""What sleeps leaves memory, where there is swap."""

import pathlib
import re

import pytest

from test_sleep import CONNECTIONS, Server, ask

PAGED = ("--page-out", "50ms", "--page-out-above", "1M")


def sizes(server):
    """What of it is in memory and in swap; the human line says it too."""
    status = server.status()
    assert re.search(r"^ *paged out +\S+( \S+)? in swap, \S+( \S+)? in memory$", server.curfew("status"), re.M)
    return status["resident"], status["swapped"]


def test_asleep_its_memory_goes_to_swap_and_it_answers_from_there(sandbox, containment, swap):
    """Each time anew; awake it fetches what it needs, and no more."""
    server = Server(sandbox, "tcp", options=(*CONNECTIONS, *PAGED, "--containment", containment))
    server.tell("eat 40")
    server.running.expect("eaten")
    with server.connect() as client:
        assert ask(client) == "PING"
        for count in (1, 2):
            server.sleep()
            moved = server.wait_event("didPageOut", count)
            assert moved["swapped"] > 35 << 20 > 5 << 20 > moved["resident"], moved
            resident, swapped = sizes(server)
            assert server.status()["asleep"] == "true"
            assert swapped > 35 << 20 and resident < 5 << 20, (resident, swapped)
            assert ask(client, "word") == "WORD"
            assert server.status()["state"] == "active"
        assert sizes(server)[1] > 30 << 20


def test_put_to_sleep_when_idle_it_leaves_memory_too(sandbox, swap):
    """And so it does at home, where input wakes it."""
    server = Server(sandbox, "tcp", options=(*CONNECTIONS, *PAGED, "--sleep-when-idle", "100ms", "--quiet", "50ms"))
    server.tell("eat 20")
    server.running.expect("eaten")
    server.wait_event("didPageOut")
    server.curfew("home")
    with server.connect() as client:
        assert ask(client) == "PING"
        before = len(server.events("didPageOut"))
        assert server.wait_event("didPageOut", before + 1)["swapped"] > 15 << 20
        assert ask(client) == "PING"


@pytest.mark.alone
def test_without_swap_it_says_so_and_sleeps_all_the_same(sandbox):
    if len(pathlib.Path("/proc/swaps").read_text().splitlines()) > 1:
        pytest.skip("this machine has swap")
    server = Server(sandbox, "tcp", options=(*CONNECTIONS, *PAGED))
    for _ in range(2):
        server.sleep()
        resident, swapped = sizes(server)
        assert resident > 1 << 20 and swapped == 0
        with server.connect() as client:
            assert ask(client) == "PING"
    assert server.events("didPageOut") == []
    server.curfew("quit")
    server.running.wait()
    assert server.running.errors().splitlines()[0] == "curfew: run: --page-out does nothing: this machine has no swap (see `curfew doctor`)"
