"""The sources that Curfew ships, each with the real thing: a broker of MQTT, tmux, an X server with a window manager, and a bus
with what says on it what logind says."""

import contextlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys

import pytest

from conftest import LIMIT, ROOT, wait_for
from test_schedules import desktop, payload, pushed  # noqa: F401
from test_serve import AWARE
from test_sources import SLEEP, front, kept_pushes, sources, two_apps, wait_errors, wait_front, wait_source
from test_tmux import Tmux

FOLDER = ROOT / "Sources/sources"

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the sources aren't here")


def needs(*programs):
    missing = [program for program in programs if not shutil.which(program)]
    return pytest.mark.skipif(bool(missing), reason=f"{' and '.join(missing)} isn't installed")


def command(name, *words):
    return " ".join(["exec", "sh", shlex.quote(str(FOLDER / f"{name}.sh")), *map(str, words)])


@contextlib.contextmanager
def program(*words, **popen):
    """One that runs meanwhile."""
    process = subprocess.Popen(
        list(map(str, words)), stdin=subprocess.DEVNULL, stdout=popen.pop("stdout", subprocess.DEVNULL),
        stderr=subprocess.STDOUT, **popen)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


# MARK: MQTT


class Broker:
    """mosquitto on the loopback device, which keeps what it has for those who are away."""

    def __init__(self, sandbox):
        self.sandbox = sandbox
        with contextlib.closing(socket.socket()) as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.folder = sandbox.scratch / "broker"
        self.folder.mkdir(exist_ok=True)
        self.folder.chmod(0o777)
        self.configuration = sandbox.scratch / "mosquitto.conf"
        self.configuration.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence true\npersistence_location {self.folder}/\n"
            f"user {'root' if os.geteuid() == 0 else 'nobody'}\nautosave_interval 1\nautosave_on_changes true\n"
            f"log_dest file {self.folder}/log\n")

    def run(self):
        return program("mosquitto", "-c", self.configuration, env=self.sandbox.environment)

    def wait(self):
        wait_for("the broker to listen", lambda: self.publish("nobody", check=False).returncode == 0)

    def publish(self, topic, payload="", check=True, *options):
        return subprocess.run(
            ["mosquitto_pub", "-h", "127.0.0.1", "-p", str(self.port), "-q", "2", "-t", topic, *options, "-s" if payload else "-n"],
            input=payload.encode() if isinstance(payload, str) else payload, capture_output=True, timeout=LIMIT, check=check,
            env=self.sandbox.environment)

    def log(self):
        with contextlib.suppress(OSError):
            return (self.folder / "log").read_text(errors="replace")
        return ""

    @property
    def source(self):
        return command("mqtt", "-h", "127.0.0.1", "-p", self.port)

    def wait_subscribed(self, times=1):
        """Until the source is there, for the so manieth time."""
        def count():
            return len(re.findall(r"Sending SUBACK|SUBACK to|connected from .* as curfew-", self.log()))

        wait_for(f"the source to connect; the broker's log:\n{self.log()}", lambda: count() >= times)


@pytest.fixture
def broker(sandbox):
    broker = Broker(sandbox)
    with broker.run():
        broker.wait()
        yield broker


mqtt = needs("mosquitto", "mosquitto_sub", "mosquitto_pub")


def aware(server, name, **launch):
    """An app that writes what it is told, once it is ready for that."""
    server.launch(name, sys.executable, "-c", AWARE, **launch)
    server.wait_line(name, "ok version=1")


@mqtt
def test_topics_are_requests(sandbox, broker):
    server = sandbox.serve("--source", broker.source)
    aware(server, "mail")
    server.launch("chat", *SLEEP)
    broker.wait_subscribed()
    broker.publish("curfew/mail/open")
    wait_front(server, "mail")
    broker.publish("curfew/mail/post/tick")
    server.wait_line("mail", "event name=tick ")
    broker.publish("curfew/mail/post/note", 'two words, "quoted" \\ and ü\n')
    server.wait_line("mail", 'info.payload="two words, \\"quoted\\" \\\\ and ü\\n"')
    broker.publish("curfew/mail/warn", "critical")
    server.wait_line("mail", "level=critical")
    broker.publish("curfew/mail/home")
    wait_front(server, "")
    broker.publish("curfew/mail/wake/fetch", "now")
    server.wait_line("mail", "event name=fetch ")
    assert "source mqtt" not in server.errors()


@mqtt
def test_a_payload_is_no_other_request(sandbox, broker):
    server = sandbox.serve("--source", broker.source, "--source-apps", "mail")
    aware(server, "chat", request="background=1")
    aware(server, "mail")
    broker.wait_subscribed()
    broker.publish("curfew/mail/post/one", "x\nopen app=chat\n")
    server.wait_line("mail", r'info.payload="x\nopen app=chat\n"')
    broker.publish("curfew/mail/post/two", 'x" app=chat name=other "\u2028\r\x01\x7f\\n')
    server.wait_line("mail", "name=two ")
    for topic, payload, words in [
            ("curfew/mail/open", "open app=chat", "a verb has only letters"),
            ("curfew/mail app=chat/open", "", "a verb has only letters"),
            ("curfew/mail/stop", "", "a verb has only letters"),
            ("curfew/chat/home", "", "chat isn't among those that it may name"),
            ("curfew/mail/post/" + "x" * 100, "", "post needs name=NAME"),
            ("curfew/mail/warn", 'critical" app="chat', "level is warning or critical"),
            ("curfew/mail/post/bad", b"\xff\xfe", "invalid UTF-8"),
            ("curfew/mail/post/long", "x" * 4096, "a line is longer than 4096 bytes")]:
        # Each says something else, or of something else, than the one before.
        before = sources(server)["mqtt"].get("problem")
        broker.publish(topic, payload)
        wait_for(
            f"{topic} to be told of",
            lambda: words in sources(server)["mqtt"].get("problem", "") and sources(server)["mqtt"]["problem"] != before)
    assert front(server) == "mail"
    assert "other" not in server.log("chat") and "didBecomeActive" not in server.log("chat")


@mqtt
def test_a_message_for_an_app_that_isnt_there_is_told_and_the_next_is_done(sandbox, broker):
    server = sandbox.serve("--source", broker.source)
    server.launch("gone", "true")
    server.wait_state("gone", "notRunning")
    aware(server, "mail")
    broker.wait_subscribed()
    for number, (topic, told) in enumerate([
            ("nobody/post/tick", '"post app=nobody name=tick": there is no app nobody here'),
            ("nobody/wake/fetch", '"wake app=nobody name=fetch": there is no app nobody here'),
            ("nobody/open", '"open app=nobody": nothing is known of an app called nobody'),
            ("gone/home", '"home app=gone": gone doesn\'t run')]):
        broker.publish(f"curfew/{topic}")
        broker.publish(f"curfew/mail/post/n{number}")
        server.wait_line("mail", f"event name=n{number} ")
        wait_for(f"{topic} to be told of", lambda: sources(server)["mqtt"].get("problem", "").startswith(told))
    # There once a second at most, so the first for sure.
    wait_errors(server, 'source mqtt: "post app=nobody name=tick": there is no app nobody here')
    assert sources(server)["mqtt"]["restarts"] == "0" and server.app("nobody") is None


@mqtt
def test_what_came_meanwhile_comes_once(sandbox, broker):
    server = sandbox.serve("--source", broker.source)
    aware(server, "mail")
    broker.wait_subscribed()
    broker.publish("curfew/mail/post/n0")
    server.wait_line("mail", "name=n0 ")
    server.expect("stop")
    assert server.wait() == 0
    for number in range(1, 6):
        broker.publish(f"curfew/mail/post/n{number}")
    # What is retained is told to each new client; it has been asked for once.
    broker.publish("curfew/mail/open", "", True, "-r")
    go = sandbox.scratch / "go"
    again = sandbox.serve("--source", f"until [ -e {go} ]; do sleep 0.05; done; {broker.source}", "--source-apps", "mail")
    again.launch("mail", sys.executable, "-c", AWARE)
    wait_for("mail to be ready again", lambda: again.log("mail").count("ok version=1") == 2)
    go.touch()
    again.wait_line("mail", "name=n5 ")
    assert re.findall(r"event name=(n\d) ", again.log("mail")) == ["n0", "n1", "n2", "n3", "n4", "n5"]


@mqtt
def test_a_broker_that_goes_and_comes_back_loses_nothing(sandbox):
    broker = Broker(sandbox)
    with broker.run():
        broker.wait()
        server = sandbox.serve("--source", broker.source)
        aware(server, "mail")
        broker.wait_subscribed()
        broker.publish("curfew/mail/post/before")
        server.wait_line("mail", "name=before ")
    with broker.run():
        broker.wait()
        broker.publish("curfew/mail/post/after")
        server.wait_line("mail", "name=after ")
    assert re.findall(r"event name=(before|after) ", server.log("mail")) == ["before", "after"]


@mqtt
def test_pushes_outlive_the_brokers_restart_and_the_servers(sandbox, pushed):
    """Each is kept once, whoever was away when it was sent; its app never runs."""
    broker = Broker(sandbox)
    sent = []

    def send():
        sent.append(payload(badge=len(sent) + 1))
        broker.publish("curfew/chat/push", sent[-1])

    def kept():
        with contextlib.closing(sqlite3.connect(sandbox.state / "curfew" / "server.sqlite")) as database:
            return [row[0] for row in database.execute("SELECT payload FROM push WHERE app = 'chat' ORDER BY number")]

    def wait_kept():
        wait_for(f"all {len(sent)} to be kept", lambda: kept() == sent)

    with broker.run():
        broker.wait()
        server = sandbox.serve("--source", broker.source, env=pushed)
        broker.wait_subscribed()
        send()
        wait_kept()
        server.expect("stop")
        assert server.wait() == 0
        send()
    with broker.run():
        broker.wait()
        send()
        server = sandbox.serve("--source", broker.source, env=pushed)
        wait_kept()
        os.kill(int(server.expect("server")["supervisor"]), signal.SIGKILL)
        assert server.wait() == 125
        for _ in range(3):
            send()
        server = sandbox.serve("--source", broker.source, env=pushed)
        wait_kept()
    with broker.run():
        broker.wait()
        send()
        wait_kept()
    assert server.app("chat") is None and "source mqtt: \"" not in server.errors()


def test_what_mosquitto_sub_had_when_the_server_ended_is_kept(sandbox):
    """It is played here by a script, which has some more when it is asked to end."""
    payloads = [payload(badge=number) for number in range(1, 41)]
    (sandbox.scratch / "last").write_text("".join(
        json.dumps({"tst": "0", "topic": "curfew/mail/push", "qos": 2, "payload": text}, separators=(",", ":")) + "\n" for text in payloads))
    programs = sandbox.scratch / "programs"
    programs.mkdir()
    player = programs / "mosquitto_sub"
    player.write_text(
        f"#!/bin/sh\ntrap 'cat {sandbox.scratch}/last; exit 0' TERM\necho > {sandbox.scratch}/begun\nwhile :; do sleep 0.05; done\n")
    player.chmod(0o755)
    server = sandbox.serve(
        "--source", command("mqtt"), env=dict(sandbox.environment, PATH=f"{programs}:{sandbox.environment['PATH']}"))
    server.launch("mail", *SLEEP)
    wait_for("mosquitto_sub to run", (sandbox.scratch / "begun").exists)
    server.expect("stop")
    assert server.wait() == 0
    assert kept_pushes(sandbox) == [(text, 0) for text in payloads]


@mqtt
def test_without_a_broker_it_is_tried_again(sandbox):
    broker = Broker(sandbox)
    server = sandbox.serve("--source", broker.source)
    wait_errors(server, "source mqtt: it ended with status ")
    assert "refused" in server.errors()


# MARK: tmux


tmux_there = needs("tmux", "ps", "cksum")


@pytest.fixture
def tmux(sandbox):
    tmux = Tmux(sandbox)
    yield tmux
    tmux.close()


@tmux_there
def test_the_app_of_the_pane_in_front_is_in_front(sandbox, tmux):
    tmux("new-session", "-d", "-s", "main", "-n", "desk", "-x", 80, "-y", 24, "cat")
    client = tmux.attach()
    del client
    server = sandbox.serve("--source", command("tmux", "-S", sandbox.runtime / "tmux"), env=tmux.environment)
    wait_for("the source to have its hooks", lambda: "curfew-front-" in tmux("show-hooks", "-g"))
    for name in ["notes", "music"]:
        tmux("new-window", "-t", "main:", "-n", name, f"exec curfew run --join --name {name} -- cat")
        sandbox.wait_for_event(server.stream(), f"{name} to join", lambda: (server.app(name) or {}).get("joined") == "1")
    tmux("select-window", "-t", "main:notes")
    wait_front(server, "notes")
    tmux("select-window", "-t", "main:music")
    wait_front(server, "music")
    server.wait_state("notes", "suspended")
    tmux("select-window", "-t", "main:desk")
    wait_front(server, "")
    tmux("split-window", "-t", "main:desk", f"exec curfew run --join --name side -- cat")
    wait_front(server, "side")
    tmux("select-pane", "-t", "main:desk.0")
    wait_front(server, "")
    tmux("select-pane", "-t", "main:desk.1")
    wait_front(server, "side")
    tmux("detach-client", "-s", "main")
    wait_front(server, "")
    server.expect("stop")
    assert server.wait() == 0
    assert "curfew-front-" not in tmux("show-hooks", "-g")
    for name in ["notes", "music", "side"]:
        sandbox.curfew("quit", name)


# As one that was just being started when SIGTERM came: it misses that.
DEAF = """#!/bin/sh
case "$*" in
*" wait-for curfew-front-"*) trap '' TERM; echo > {waits}; exec sleep 1000;;
esac
exec {tmux} "$@"
"""


@tmux_there
def test_its_hooks_go_though_what_it_waits_for_has_missed_the_signal(sandbox, tmux):
    programs = sandbox.scratch / "programs"
    programs.mkdir()
    deaf = programs / "tmux"
    waits = sandbox.scratch / "waits"
    deaf.write_text(DEAF.format(tmux=shutil.which("tmux"), waits=waits))
    deaf.chmod(0o755)
    tmux("new-session", "-d", "-s", "main", "cat")
    server = sandbox.serve(
        "--source", command("tmux", "-S", sandbox.runtime / "tmux"),
        env=dict(tmux.environment, PATH=f"{programs}:{tmux.environment['PATH']}"))
    wait_for("the source to wait", waits.exists)
    assert "curfew-front-" in tmux("show-hooks", "-g")
    server.expect("stop")
    assert server.wait() == 0
    assert "curfew-front-" not in tmux("show-hooks", "-g")


# MARK: X11


x11_there = needs("Xvfb", "openbox", "xterm", "wmctrl", "xprop")


class NotYet(str):
    """What was seen in place of what is awaited."""

    def __bool__(self):
        return False


@pytest.fixture
def display(sandbox):
    """An X server with a window manager; its name."""
    reading, writing = os.pipe()
    words = ["Xvfb", "-displayfd", writing, "-screen", 0, "640x480x24", "-noreset", "-nolisten", "tcp"]
    with (sandbox.scratch / "x11.log").open("w") as log, \
            program(*words, pass_fds=[writing], env=sandbox.environment, stdout=log) as server:
        os.close(writing)
        with open(reading) as told:
            number = told.readline().strip()
        name = f":{number}"
        environment = dict(sandbox.environment, DISPLAY=name, HOME=str(sandbox.scratch), LC_ALL="C.UTF-8")
        with program("openbox", "--sm-disable", env=environment, stdout=log) as manager:
            def is_managed():
                said = f"{name} has Xvfb {server.poll()}, openbox {manager.poll()}: {pathlib.Path(log.name).read_text()}"
                assert server.poll() is None and manager.poll() is None, said
                asked = subprocess.run(
                    ["xprop", "-root", "_NET_SUPPORTING_WM_CHECK"], env=environment, capture_output=True, text=True, timeout=LIMIT)
                return "window id" in asked.stdout or NotYet(f"{asked}; {said}")

            wait_for("a window manager", is_managed)
            yield environment


def window_of(environment, title):
    lines = subprocess.run(["wmctrl", "-l"], env=environment, capture_output=True, text=True, timeout=LIMIT).stdout.splitlines()
    return next((line.split()[0] for line in lines if line.endswith(f" {title}")), None)


def focus(environment, title):
    subprocess.run(["wmctrl", "-i", "-a", window_of(environment, title)], env=environment, check=True, timeout=LIMIT)


@x11_there
def test_the_app_of_the_window_with_the_focus_is_in_front(sandbox, display):
    server = sandbox.serve("--source", command("x11"), env=display)
    wait_source(server, "x11", state="running")
    server.launch("first", *SLEEP)
    # Somebody else's window: none of ours is in front.
    with program("xterm", "-T", "other", "-e", "sleep", "1000", env=display):
        wait_front(server, "")
        for name in ["left", "right"]:
            # Into background, with time to open its window: one in front could be sent home for what had the focus before, and
            # a focus that is gone at once needn't be seen.
            server.launch(
                name, "xterm", "-T", name, "-e", "sleep", "1000", request="background=1", options=["--wake-limit=600"],
                environment=display)
            wait_for(f"the window of {name}", lambda: window_of(display, name))
            focus(display, name)
            wait_front(server, name)
            focus(display, "other")
            wait_front(server, "")
        for name, behind in [("left", "right"), ("right", "left"), ("left", "right")]:
            focus(display, name)
            wait_front(server, name)
            server.wait_state(behind, "suspended")
        focus(display, "other")
        wait_front(server, "")


@x11_there
def test_an_app_is_found_by_its_windows_class_too(sandbox, display):
    server = sandbox.serve("--source", command("x11"), env=display)
    wait_source(server, "x11", state="running")
    two_apps(server)
    # No window of its own names its process: another shows it.
    with program("xterm", "-class", "Mail", "-T", "shown", "-e", "sleep", "1000", env=display):
        wait_for("its window", lambda: window_of(display, "shown"))
        focus(display, "shown")
        wait_front(server, "mail")


@x11_there
def test_a_display_that_comes_later_is_found_once_it_is_told(sandbox, display):
    without = {key: value for key, value in sandbox.environment.items() if key not in ("DISPLAY", "XAUTHORITY")}
    server = sandbox.serve("--source", command("x11"), env=without)
    wait_errors(server, "source x11: it ended with status ")
    assert sandbox.curfew("reload", "--environment", env=display).returncode == 0
    server.launch("left", "xterm", "-T", "left", "-e", "sleep", "1000", environment=display, request="background=1")
    wait_for("its window", lambda: window_of(display, "left"))
    wait_front(server, "left")


# MARK: logind


# Says on the bus what logind says, a line of its input each: `sleep`, `wake`, `lock USER`, `hint USER`; answers whose a session is.
LOGIND = r'''
import os, select, sys
from jeepney import DBusAddress, MessageType, new_error, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection
NAME, ROOT = "org.freedesktop.login1", "/org/freedesktop/login1"
bus = open_dbus_connection(sys.argv[1])
bus.send_and_get_reply(message_bus.RequestName(NAME))
print("ready", flush=True)

def say(path, interface, name, signature=None, body=()):
    bus.send(new_signal(DBusAddress(path, bus_name=NAME, interface=interface), name, signature, body))

def obey(word, user="0"):
    session = f"{ROOT}/session/_3{user}"
    if word in ("sleep", "wake"):
        say(ROOT, NAME + ".Manager", "PrepareForSleep", "b", (word == "sleep",))
    elif word == "lock":
        say(session, NAME + ".Session", "Lock")
    elif word in ("hint", "unhint"):
        say(session, "org.freedesktop.DBus.Properties", "PropertiesChanged", "sa{sv}as",
            (NAME + ".Session", {"LockedHint": ("b", word == "hint")}, []))

def answer(message):
    if message.header.message_type != MessageType.method_call:
        return
    path = message.header.fields[1]
    user = int(path.rpartition("_3")[2])
    bus.send(new_method_return(message, "v", (("(uo)", (user, f"{ROOT}/user/_{user}")),)))

rest = b""
while True:
    try:
        answer(bus.receive(timeout=0.02))
    except TimeoutError:
        pass
    if select.select([0], [], [], 0)[0]:
        chunk = os.read(0, 4096)
        if not chunk:
            break
        rest += chunk
        *lines, rest = rest.split(b"\n")
        for line in lines:
            obey(*line.decode().split())
'''


@pytest.fixture
def logind(sandbox):
    """Writes what logind is to say; its bus is in the environment of those it is for."""
    pytest.importorskip("jeepney")
    address = f"unix:path={sandbox.runtime}/bus"
    configuration = sandbox.scratch / "bus.conf"
    configuration.write_text(f"""<busconfig><type>system</type><listen>{address}</listen><policy context="default">
<allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/><allow user="*"/></policy></busconfig>""")
    environment = dict(sandbox.environment, DBUS_SYSTEM_BUS_ADDRESS=address)
    with program("dbus-daemon", "--nofork", f"--config-file={configuration}", env=environment):
        wait_for("the bus", (sandbox.runtime / "bus").exists)
        stub = subprocess.Popen([sys.executable, "-c", LOGIND, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        try:
            assert stub.stdout.readline() == "ready\n"

            def say(line):
                stub.stdin.write(line + "\n")
                stub.stdin.flush()

            yield say, environment
        finally:
            stub.stdin.close()
            stub.wait(LIMIT)


logind_there = needs("dbus-daemon", "gdbus")


def wait_listening(environment):
    """Until somebody has asked the bus for what logind says."""
    words = ["gdbus", "call", "--system", "--dest", "org.freedesktop.DBus", "--object-path", "/org/freedesktop/DBus",
             "--method", "org.freedesktop.DBus.Debug.Stats.GetAllMatchRules"]

    def rules():
        return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=LIMIT).stdout

    wait_for(f"the source to listen; rules: {rules()}", lambda: "type='signal',sender=':" in rules())


@logind_there
@pytest.mark.parametrize("line", ["sleep", f"lock {os.getuid()}", f"hint {os.getuid()}"])
def test_home_for_a_lock_and_for_sleep(sandbox, logind, line):
    say, environment = logind
    server = sandbox.serve("--source", command("logind"), env=environment)
    two_apps(server)
    wait_listening(environment)
    say(line)
    wait_front(server, "")
    server.expect("open app=mail")
    say(line)
    wait_front(server, "")
    assert "source logind" not in server.errors()


@logind_there
def test_others_locks_and_waking_are_nothing_to_it(sandbox, logind):
    say, environment = logind
    with program(*shlex.split(command("logind"))[1:], env=environment, stdout=subprocess.PIPE, start_new_session=True) as source:
        wait_listening(environment)
        mine, other = os.getuid(), os.getuid() + 1
        for line in ["wake", f"lock {other}", f"hint {other}", f"unhint {mine}", f"lock {mine}", "wake", f"lock {other}", "sleep"]:
            say(line)
        # In the order in which all was said.
        assert [source.stdout.readline() for _ in range(2)] == [b"home\n", b"home\n"]
        os.killpg(source.pid, signal.SIGTERM)
        assert source.stdout.read() == b""
