"""What concerns the machine as a whole: its clock is really set, and its own logind locks sessions and goes to sleep. In the virtual
machine, as root (`make test-vm PART=machine`)."""

import os
import re
import subprocess
import time
import uuid

import pytest

from conftest import LIMIT, wait_for
from test_schedules import scheduled
from test_shipped_sources import command, wait_listening
from test_sources import front, two_apps, wait_front

pytestmark = pytest.mark.skipif(
    "CURFEW_TEST_MACHINE" not in os.environ, reason="it sets the machine's clock and has it sleep: make test-vm PART=machine")

SLEEP = ("sleep", "1000")
DAY = 24 * 3600


# ---- the clock ---------------------------------------------------------------------------------------------------


@pytest.fixture
def set_clock():
    """Sets it so many seconds forward; afterwards it is as if nothing had been."""
    shown, began = time.time(), time.monotonic()
    yield lambda seconds: time.clock_settime(time.CLOCK_REALTIME, time.time() + seconds)
    time.clock_settime(time.CLOCK_REALTIME, shown + time.monotonic() - began)


class Told:
    """Who was told by `didNotify`, in order."""

    def __init__(self, server):
        self.server = server
        self.stream = server.stream()

    @property
    def ids(self):
        lines = [line for line in self.stream.events if "name=didNotify" in line]
        return [re.search(r" notification=(\S+)", line)[1] for line in lines]

    def wait(self, *ids):
        self.server.sandbox.wait_for_event(self.stream, f"{ids} to be delivered", lambda: set(ids) <= set(self.ids))


@pytest.fixture
def server(sandbox):
    server = sandbox.serve()
    server.launch("mail", *SLEEP)
    return server


def schedule(server, name, seconds, more=""):
    server.expect(f"notify app=mail notification={name} in={seconds} title={name} {more}".strip())


def test_set_forward_what_is_due_by_it_comes_and_a_repetition_once(server, set_clock):
    told = Told(server)
    schedule(server, "hour", 3600)
    schedule(server, "day", DAY)
    schedule(server, "week", 7 * DAY)
    schedule(server, "often", 600, "repeat=600")
    set_clock(DAY + 60)
    told.wait("hour", "day", "often")
    schedule(server, "now", 0)
    told.wait("now")
    assert sorted(told.ids) == ["day", "hour", "now", "often"]


def test_set_back_what_was_delivered_doesnt_come_again(server, set_clock):
    told = Told(server)
    schedule(server, "hour", 3600)
    set_clock(2 * 3600)
    told.wait("hour")
    set_clock(-2 * 3600)
    schedule(server, "between", 0)
    told.wait("between")
    set_clock(2 * 3600)
    schedule(server, "now", 0)
    told.wait("now")
    assert told.ids == ["hour", "between", "now"]


def test_set_while_the_server_is_gone(sandbox, server, set_clock):
    schedule(server, "day", DAY, "badge=3")
    schedule(server, "week", 7 * DAY)
    server.process.terminate()
    assert server.wait() == 0
    set_clock(DAY + 60)
    server = sandbox.serve()
    wait_for("it to be delivered", lambda: [thing["notification"] for thing in scheduled(server)] == ["week"])
    server.launch("mail", *SLEEP)
    assert server.status("mail")["badge"] == "3"


# ---- logind ------------------------------------------------------------------------------------------------------


def logind(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, check=True).stdout


@pytest.fixture
def session():
    """One of root's, as a login makes it; its id."""
    unit = f"curfew-test-{uuid.uuid4().hex[:8]}"
    # Its PAM has logind know it, unlike a service's.
    logind("systemd-run", "--quiet", f"--unit={unit}", "--property=PAMName=login", "--property=Environment=XDG_SESSION_CLASS=user",
           "sleep", "infinity")

    def find():
        return [line.split()[0] for line in logind("loginctl", "list-sessions", "--no-legend").splitlines() if " root " in line and "manager" not in line]

    yield wait_for("a session of root's", find)[0]
    subprocess.run(["systemctl", "stop", unit], check=False, timeout=LIMIT)


@pytest.fixture
def listening(sandbox):
    """A server with the source for logind, and two apps."""
    server = sandbox.serve("--source", command("logind"))
    two_apps(server)
    wait_listening(dict(os.environ))
    return server


def test_a_locked_session_sends_the_front_home(listening, session):
    logind("loginctl", "lock-session", session)
    wait_front(listening, "")
    assert "source logind" not in listening.errors()


def test_going_to_sleep_sends_the_front_home_and_waking_opens_nobody(listening):
    logind("systemctl", "suspend")
    wait_front(listening, "")
    wait_for("the machine to be awake", lambda: "false" in logind(
        "busctl", "get-property", "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
        "PreparingForSleep"))
    assert front(listening) == ""
