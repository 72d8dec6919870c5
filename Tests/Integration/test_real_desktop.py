"""Notifications on a real desktop: dunst, on a session bus of its own, under an X server whose pointer the test moves."""

import contextlib
import os
import re
import subprocess

import pytest

from conftest import LIMIT, wait_for
from test_schedules import AWARE
from test_shipped_sources import needs, program

DUNST = """[global]
monitor = 0
origin = top-left
offset = 10x10
width = 300
height = 100
mouse_left_click = do_action, close_current
mouse_right_click = close_current
idle_threshold = 0
[urgency_normal]
timeout = 0
"""
# Within the notification, which is at 10,10.
POINTER = ("60", "30")
ACTION, CLOSE = "1", "3"

pytestmark = needs("Xvfb", "dbus-daemon", "dbus-send", "dunst", "notify-send", "xdotool", "gdbus")


class RealDesktop:
    def __init__(self, environment):
        self.environment = environment

    def run(self, *words):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=LIMIT)

    def call(self, destination, path, method, *words):
        """What somebody on the bus answers; empty where nobody does."""
        return self.run("gdbus", "call", "--session", "--dest", destination, "--object-path", path, "--method", method, *words).stdout

    @property
    def is_there(self):
        return "true" in self.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.NameHasOwner", "org.freedesktop.Notifications")

    @property
    def windows(self):
        return self.run("xdotool", "search", "--onlyvisible", "--class", "Dunst").stdout.split()

    def wait_shown(self):
        wait_for("a notification's window", lambda: self.windows)

    def click(self, button):
        def is_gone():
            # Pressed before it has its place on the screen, it isn't hit.
            self.run("xdotool", "mousemove", *POINTER, "click", button)
            return not self.windows

        wait_for("the window to go", is_gone)

    @property
    def history(self):
        """What was shown and has gone, the latest first: application, summary and body."""
        told = self.run(
            "dbus-send", "--session", "--print-reply=literal", "--dest=org.freedesktop.Notifications",
            "/org/freedesktop/Notifications", "org.dunstproject.cmd0.NotificationListHistory").stdout

        def after(key):
            return re.findall(rf"^ *{key} +variant +(.*?) *\)$", told, re.MULTILINE)

        return list(zip(after("appname"), after("summary"), after("body")))


@pytest.fixture
def real_desktop(sandbox):
    with contextlib.ExitStack() as stack:
        reading, writing = os.pipe()
        stack.enter_context(program(
            "Xvfb", "-displayfd", writing, "-screen", 0, "640x480x24", "-noreset", "-nolisten", "tcp", pass_fds=[writing],
            env=sandbox.environment))
        os.close(writing)
        with open(reading) as told:
            number = told.readline().strip()
        bus = sandbox.runtime / "session-bus"
        configuration = sandbox.scratch / "session-bus.conf"
        configuration.write_text(f"""<busconfig><type>session</type><listen>unix:path={bus}</listen><policy context="default">
<allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>""")
        stack.enter_context(program(
            "dbus-daemon", "--nofork", f"--config-file={configuration}", env=sandbox.environment))
        wait_for("the bus", bus.exists)
        desktop = RealDesktop(dict(
            sandbox.environment, DISPLAY=f":{number}", DBUS_SESSION_BUS_ADDRESS=f"unix:path={bus}", HOME=str(sandbox.scratch),
            LC_ALL="C.UTF-8"))
        rules = sandbox.scratch / "dunstrc"
        rules.write_text(DUNST)
        stack.enter_context(program("dunst", "-conf", rules, env=desktop.environment))
        wait_for("dunst to have its name on the bus", lambda: desktop.is_there)
        yield desktop


@pytest.fixture
def server(sandbox, real_desktop):
    server = sandbox.serve(env=real_desktop.environment)
    server.launch("chat", "python3", "-c", AWARE)
    server.wait_line("chat", "name=didBecomeActive")
    return server


def test_a_click_launches_the_app_with_the_notification(server, real_desktop):
    server.expect("quit app=chat")
    server.wait_state("chat", "notRunning")
    server.expect('notify app=chat notification=tea title="Tea & <cake>" body="It is \\"ready\\" & <hot>" action=Drink')
    real_desktop.wait_shown()
    assert server.app("chat")["state"] == "notRunning"
    real_desktop.click(ACTION)
    server.wait_state("chat", "active")
    server.wait_line("chat", "info.notification=tea")
    assert real_desktop.history[0] == ("chat", "Tea & <cake>", 'It is "ready" &amp; &lt;hot&gt;')


def test_closed_it_opens_nothing_and_clicked_it_opens_the_app(server, real_desktop):
    server.expect("home")
    server.wait_state("chat", "suspended")
    server.expect("notify app=chat notification=tea title=Tea")
    real_desktop.wait_shown()
    real_desktop.click(CLOSE)
    server.expect("notify app=chat notification=cake title=Cake")
    real_desktop.wait_shown()
    assert server.app("chat")["state"] == "suspended"
    real_desktop.click(ACTION)
    server.wait_line("chat", "name=didReceiveLocalNotification")
    server.wait_state("chat", "active")
    assert [summary for _, summary, _ in real_desktop.history] == ["Cake", "Tea"]
    assert "info.notification=tea" not in server.log("chat")
