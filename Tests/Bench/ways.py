"""The ways by which a stopped redis-server is continued for whoever asks it: Curfew's, its peers', the least in C.

Each is a context that yields a Way, or raises Missing where it can't be had.
"""

import contextlib
import os
import pathlib
import shlex
import shutil
import signal
import time

import servers
from figures import CURFEW, LIMIT, PEER
from processes import BenchError, Conversation, Process, descendants, read_text, state, wait_until


class Missing(Exception):
    """A way that can't be had here: why."""


class Way:
    """Where to ask, how to stop the server, which processes are the server's and which stand by to continue it."""

    def __init__(self, name, who, port, sleep, wake, server, standing_by, disconnects=False):
        self.name, self.who, self.port = name, who, port
        self.sleep, self.wake = sleep, wake
        self.server, self.standing_by = server, standing_by
        self.disconnects = disconnects


@contextlib.contextmanager
def curfew(bench):
    with servers.under_curfew(bench) as app:
        wake = lambda: bench.check([bench.curfew, "open", app.name], 10)
        yield Way("curfew run --wake-on connections", CURFEW, app.port, app.sleep, wake, app.pids,
                  app.supervisors)


# What the server has yet to read of a client's end would continue it at once. `curfew sleep` takes a while to start.
SETTLE_S = 0.01


@contextlib.contextmanager
def least(bench):
    port = servers.free_port()
    with Conversation(bench, [bench.program("waker"), *servers.command(bench, port)]) as process:
        pid = int(process.read_line())
        servers.wait_for_answer(process, port)

        def sleep():
            time.sleep(SETTLE_S)
            process.ask()
            expect_stopped(pid)

        yield Way("C, by duplicates of its sockets", LIMIT, port, sleep, lambda: os.kill(pid, signal.SIGCONT), [pid],
                  [process.pid])


# ---------------------------------------------------------------- peers: somebody else stops it by SIGSTOP


def expect_stopped(pid):
    wait_until(lambda: state(pid) == "T", 5, f"the redis-server {pid} in state T")


def stop(pid):
    os.kill(pid, signal.SIGSTOP)
    expect_stopped(pid)


@contextlib.contextmanager
def server_alone(bench):
    """(its port, its pid)."""
    port = servers.free_port()
    with Process(bench, servers.command(bench, port)) as process:
        servers.wait_for_answer(process, port)
        try:
            yield port, process.pid
        finally:
            if process.popen.poll() is None:
                os.kill(process.pid, signal.SIGCONT)  # stopped, it wouldn't hear that it is to end


@contextlib.contextmanager
def standing_by(bench, command, is_ready):
    """A peer's process, once `is_ready(process)`; one that ends before isn't to be had here."""
    if not shutil.which(command[0]):
        raise Missing(f"{command[0]} not installed")
    with Process(bench, command) as process:
        wait_until(lambda: process.popen.poll() is not None or is_ready(process), 10, f"{command[0]} standing by")
        if process.popen.poll() is not None:
            said = (process.text(process.errors) or process.text(process.output)).strip()
            raise Missing(f"{command[0]} ended with status {process.popen.returncode}: {said[-100:]}")
        yield process


def way_by(name, port, pid, process):
    return Way(name, PEER, port, lambda: stop(pid), lambda: os.kill(pid, signal.SIGCONT), [pid],
               [process.pid, *descendants(process.pid)])


def file(bench, suffix, text):
    path = bench.directory / bench.fresh(suffix)
    path.write_text(text)
    return path


@contextlib.contextmanager
def knockd(bench):
    """Sniffs for a SYN to its port, as the images of game servers do that pause themselves."""
    with server_alone(bench) as (port, pid):
        config = file(bench, ".knockd", (
            "[options]\n  logfile = /dev/null\n"
            f"[wake]\n  sequence = {port}\n  seq_timeout = 1\n  command = kill -CONT {pid}\n  tcpflags = syn\n"))
        command = ["knockd", "-v", "-c", config, "-i", "lo"]
        with standing_by(bench, command, lambda process: "listening on" in process.text(process.output)) as process:
            yield way_by("knockd, SIGSTOP and SIGCONT", port, pid, process)


def listens(process, port):
    """Without asking: a connection would be passed on."""
    return any(line.split()[1].endswith(f":{port:04X}") and line.split()[3] == "0A"
               for line in read_text(f"/proc/{process.pid}/net/tcp").splitlines()[1:])


def socat_to(bench, port, script):
    """A socat that runs this for each connection."""
    program = file(bench, ".sh", f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    listener = f"TCP-LISTEN:{port},bind=127.0.0.1,reuseaddr,fork"
    return standing_by(bench, ["socat", listener, f"EXEC:{program}"], lambda process: listens(process, port))


@contextlib.contextmanager
def socat(bench):
    front = servers.free_port()
    with server_alone(bench) as (port, pid):
        with socat_to(bench, front, f"kill -CONT {pid}\nexec socat - TCP:127.0.0.1:{port}") as process:
            yield way_by("socat in front, SIGSTOP and SIGCONT", front, pid, process)


# ---------------------------------------------------------------- haproxy

HAPROXY = """\
global
    insecure-fork-wanted
    nbthread 1
    lua-load {lua}
defaults
    mode tcp
    timeout connect 10s
    timeout client 1000s
    timeout server 1000s
frontend front
    bind 127.0.0.1:{front}
    tcp-request content lua.wake
    default_backend back
backend back
    server redis 127.0.0.1:{port}
"""
LUA = 'core.register_action("wake", {{"tcp-req"}}, function() os.execute("kill -CONT {pid}") end)\n'


@contextlib.contextmanager
def haproxy(bench):
    front = servers.free_port()
    with server_alone(bench) as (port, pid):
        lua = file(bench, ".lua", LUA.format(pid=pid))
        config = file(bench, ".haproxy", HAPROXY.format(lua=lua, front=front, port=port))
        with standing_by(bench, ["haproxy", "-db", "-f", config], lambda process: listens(process, front)) as process:
            yield way_by("haproxy in front, SIGSTOP and SIGCONT", front, pid, process)


# ---------------------------------------------------------------- not stopped, but ended and started anew


@contextlib.contextmanager
def cold_start(bench):
    """Whoever connects has the server started. What it held is gone."""
    front, port = servers.free_port(), servers.free_port()
    pidfile = bench.directory / bench.fresh(".pid")
    server = shlex.join(map(str, [*servers.command(bench, port), "--daemonize", "yes", "--pidfile", pidfile]))
    script = f"[ -e {pidfile} ] || {server} >/dev/null\nexec socat - TCP:127.0.0.1:{port},retry=1000,interval=0.002"

    def end():
        if pidfile.exists():
            pid = int(pidfile.read_text())
            bench.check(["redis-cli", "-p", port, "shutdown", "nosave"], 10)
            wait_until(lambda: state(pid) == "gone" and not pidfile.exists(), 10, f"the redis-server {pid} gone")

    with socat_to(bench, front, script) as process:
        try:
            yield Way("socat in front that starts it anew", PEER, front, end, lambda: None, [], [process.pid],
                      disconnects=True)
        finally:
            end()


# ---------------------------------------------------------------- the same by systemd

# Where systemd runs there is this folder, for units that last until the next boot. Source: sd_booted(3), systemd.unit(5).
UNITS = pathlib.Path("/run/systemd/system")
PROXY = "systemd-socket-proxyd"
# As in systemd-socket-proxyd(8); without the limits on how often, for it is woken more often here than any user would.
SOCKET = """\
[Socket]
ListenStream=127.0.0.1:{front}
TriggerLimitIntervalSec=0
PollLimitIntervalSec=0
"""
PROXY_SERVICE = """\
[Unit]
Requires={name}-server.service
After={name}-server.service
StartLimitIntervalSec=0
[Service]
Type=notify
ExecStart={proxy} --exit-idle-time=60s 127.0.0.1:{port}
"""
SERVER_SERVICE = """\
[Unit]
StopWhenUnneeded=yes
StartLimitIntervalSec=0
[Service]
Type=notify
TimeoutStartSec=30
ExecStart={server} --supervised systemd --daemonize no
"""


def order(bench, *words):
    status, _, why = bench.run(["systemctl", *words], 60)
    if status != 0:
        raise Missing(f"systemctl {words[0]} ended with status {status}: {why.strip()[-100:]}")


@contextlib.contextmanager
def units(bench, texts):
    """Units of the machine's own, by file name, while they are needed."""
    try:
        try:
            for name, text in texts.items():
                (UNITS / name).write_text(text)
        except OSError as error:
            raise Missing(f"{error.filename}: {error.strerror}") from None
        order(bench, "daemon-reload")
        yield
    finally:
        bench.run(["systemctl", "stop", *texts], 60)
        for name in texts:
            with contextlib.suppress(OSError):
                (UNITS / name).unlink()
        for words in (["daemon-reload"], ["reset-failed", *texts]):
            bench.run(["systemctl", *words], 60)


@contextlib.contextmanager
def systemd(bench):
    """A socket, whose service is the proxy, which requires the server's; all three end when nobody has asked for a minute.

    That isn't waited for: they are stopped as they would be then.
    """
    if not UNITS.is_dir():
        raise Missing("systemd doesn't run here")
    if os.geteuid() != 0:
        raise Missing("its units are for root to make")
    proxy = shutil.which(PROXY, path="/usr/lib/systemd:/lib/systemd")
    if not proxy:
        raise Missing(f"{PROXY} not installed")
    name, front, port = bench.fresh(""), servers.free_port(), servers.free_port()
    executable, *arguments = servers.command(bench, port)
    server = shlex.join(map(str, [shutil.which(executable), *arguments]))
    services = [f"{name}.service", f"{name}-server.service"]
    texts = {
        f"{name}.socket": SOCKET.format(front=front),
        services[0]: PROXY_SERVICE.format(name=name, proxy=proxy, port=port),
        services[1]: SERVER_SERVICE.format(server=server)}
    with units(bench, texts):
        order(bench, "start", f"{name}.socket")
        try:
            wait_until(lambda: servers.answers(front), 30, f"an answer by {name}.socket")
        except BenchError as error:
            raise Missing(str(error)) from None
        # It is systemd itself that stands by.
        yield Way(f"{PROXY} that starts it anew", PEER, front, lambda: bench.check(["systemctl", "stop", *services], 60),
                  lambda: None, [], [], disconnects=True)


ALL = {"curfew": curfew, "C": least, "knockd": knockd, "socat": socat, "haproxy": haproxy, "cold start": cold_start,
       PROXY: systemd}


def enter(bench, stack):
    """(the ways that are here, those that aren't: by what to call them, why)."""
    here, missing = [], {}
    for name, make in ALL.items():
        try:
            here.append(stack.enter_context(make(bench)))
        except Missing as error:
            missing[name] = str(error)
    return here, missing


def one_by_one(bench):
    """Each that is here, with nothing of the others beside it: what they share counts for each in full."""
    for make in ALL.values():
        with contextlib.suppress(Missing), make(bench) as way:
            yield way
