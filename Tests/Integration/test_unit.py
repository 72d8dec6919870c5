"""The unit of `curfew serve` below a service manager: root's or this user's own; in the virtual machine there are both."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import uuid

import pytest

from conftest import LIMIT, PATIENCE, ROOT, SLEEP, Server, binary, is_alive, parent_of, trapping, unified_mount, wait_for

GREEDY = "x = bytearray(b'x') * (400 << 20)"
KIND = [] if os.geteuid() == 0 else ["--user"]


def systemctl(*words, check=True):
    result = subprocess.run(
        ["systemctl", *KIND, *map(str, words)], capture_output=True, text=True, timeout=4 * LIMIT, check=False)
    assert not check or result.returncode == 0, f"{words}: {result.stderr}"
    return result


def folder_of_units():
    """Where a unit lies that is gone with the manager."""
    return pathlib.Path("/run" if not KIND else os.environ.get("XDG_RUNTIME_DIR", "/nowhere")) / "systemd" / (KIND or ["--system"])[0][2:]


@pytest.fixture(autouse=True)
def manager():
    if not shutil.which("systemctl"):
        pytest.skip("there is no systemctl here")
    asked = systemctl("show", "--property=Version", check=False)
    if asked.returncode or not asked.stdout.strip():
        pytest.skip(f"there is no service manager here: {asked.stderr.strip()}")


class Unit:
    """The unit under a name of its own, with a sandbox's directories."""

    def __init__(self, sandbox, *settings):
        self.sandbox = sandbox
        self.name = f"curfew-test-{uuid.uuid4().hex[:8]}.service"
        self.path = folder_of_units() / self.name
        self.path.parent.mkdir(parents=True, exist_ok=True)
        text = (ROOT / "Sources/systemd/curfew.service.in").read_text()
        self.path.write_text(text.replace("@BINDIR@", str(pathlib.Path(binary()).parent)))
        given = {name: sandbox.environment[name] for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "CURFEW_TEST_MARKER", "PATH")}
        given["XDG_CONFIG_HOME"] = str(sandbox.scratch / "config")
        more = self.path.with_name(self.name + ".d")
        more.mkdir()
        (more / "test.conf").write_text("\n".join([
            "[Service]", *(f'Environment="{key}={value}"' for key, value in given.items()),
            f"StandardError=append:{sandbox.scratch}/server-home.err", "RestartSec=10ms", *settings, ""]))
        systemctl("daemon-reload")
        self.server = Server(sandbox, None, "home")
        self.manifests = sandbox.scratch / "config/curfew/apps"
        self.manifests.mkdir(parents=True, mode=0o700, exist_ok=True)

    def start(self):
        systemctl("start", self.name)
        return self.server

    def show(self, name):
        return systemctl("show", "--value", f"--property={name}", self.name).stdout.strip()

    @property
    def cgroup(self):
        return unified_mount() / self.show("ControlGroup").lstrip("/")

    def remove(self):
        systemctl("stop", self.name, check=False)
        self.path.unlink()
        shutil.rmtree(self.path.with_name(self.name + ".d"))
        systemctl("daemon-reload")
        systemctl("reset-failed", self.name, check=False)


@pytest.fixture
def make_unit(sandbox):
    units = []

    def make(*settings):
        units.append(Unit(sandbox, *settings))
        return units[-1]

    yield make
    for unit in units:
        unit.remove()


@pytest.fixture
def unit(make_unit):
    return make_unit()


def place_of(pid):
    own = re.search(r"^0::(.*)$", pathlib.Path(f"/proc/{pid}/cgroup").read_text(), re.M)
    return unified_mount() / own.group(1).lstrip("/")


def needs_memory_controller(unit):
    if "memory" not in (unit.cgroup / "cgroup.controllers").read_text().split():
        pytest.skip("this manager delegates no memory controller")


def write(unit, name, text):
    (unit.manifests / f"{name}.toml").write_text(text)


def test_the_unit_is_sound(unit):
    result = subprocess.run(
        ["systemd-analyze", *KIND, "--man=no", "verify", unit.path], capture_output=True, text=True, timeout=4 * LIMIT)
    assert (result.returncode, result.stdout + result.stderr) == (0, "")


def test_started_it_serves_and_tells_how_it_is(unit):
    server = unit.start()
    assert unit.show("ActiveState") == "active" and unit.show("StatusText") == "no app runs"
    pid = server.launch("web", *SLEEP)
    wait_for("the manager to know", lambda: unit.show("StatusText") == "1 app runs, web in front")
    # The proxy is what was started; the server below it gives signs of life.
    found = server.expect("server", containment="cgroup2")
    assert unit.show("MainPID") == found["pid"] and parent_of(int(found["supervisor"])) == int(found["pid"])
    assert unit.cgroup in place_of(pid).parents


def test_the_kernel_keeps_the_limits_of_apps_in_the_cgroup_that_was_delegated(unit):
    server = unit.start()
    needs_memory_controller(unit)
    pid = server.launch("web", *SLEEP, options=["--memory", "50M"])
    assert server.status("web")["containment"] == "cgroup2 + memory.max"
    assert (place_of(pid) / "memory.max").read_text().strip() == str(50 << 20)
    found = server.expect("server")
    assert {place_of(int(found[key])) for key in ("pid", "supervisor")} == {unit.cgroup / "curfew.supervisor"}
    assert (unit.cgroup / "cgroup.procs").read_text() == ""
    # Whoever reloads has to be somewhere, too.
    systemctl("reload", unit.name)
    assert unit.show("ActiveState") == "active"


def test_an_app_over_its_limit_ends_alone(unit):
    server = unit.start()
    needs_memory_controller(unit)
    other = server.launch("other", *SLEEP)
    server.launch("greedy", sys.executable, "-c", GREEDY, options=["--memory", "50M"])
    server.wait_state("greedy", "notRunning")
    assert server.app("greedy")["ended"] == "memory-limit"
    assert is_alive(other) and unit.show("ActiveState") == "active" and unit.show("NRestarts") == "0"


def test_programs_find_what_they_find_elsewhere(unit):
    """A SIGPIPE that is ignored would be inherited, and NOTIFY_SOCKET is the server's own."""
    server = unit.start()
    server.launch("told", "sh", "-c", 'grep SigIgn /proc/self/status; echo "$NOTIFY_SOCKET ${WATCHDOG_USEC-none}"; echo end')
    server.wait_line("told", "end\n")
    lines = server.log("told").splitlines()
    assert int(lines[0].split()[1], 16) & 1 << signal.SIGPIPE - 1 == 0
    assert re.fullmatch("@[0-9a-f]{5} none", lines[1])


def test_reloaded_it_reads_manifests_again(unit):
    server = unit.start()
    write(unit, "web", 'command = ["sleep", "1000"]\n')
    server.refused("launch app=web", "no-app")
    systemctl("reload", unit.name)
    server.expect("launch app=web")
    write(unit, "db", 'command = ["sleep", "1000"]\n')
    systemctl("kill", "--kill-whom=main", "--signal=HUP", unit.name)
    wait_for("the manifest to be read", lambda: server.ask("launch app=db")[1].startswith("ok"))
    assert unit.show("ActiveState") == "active"


def test_stopped_it_ends_every_app_properly(unit):
    server = unit.start()
    trap = trapping("echo bye; exit 0")
    pids = []
    for name in ["one", "two"]:
        pids.append(server.launch(name, "sh", "-c", trap))
        server.wait_line(name, "ready\n")
    systemctl("stop", unit.name)
    assert unit.show("Result") == "success" and unit.show("ActiveState") == "inactive"
    assert not any(map(is_alive, pids)) and server.log("two").endswith("bye\n")
    assert unit.sandbox.sockets() == [] and not unit.show("ControlGroup")


def test_it_grants_an_app_the_time_that_its_limit_says(make_unit):
    """More than the unit says."""
    unit = make_unit("TimeoutStopSec=100ms")
    server = unit.start()
    script = trapping("sleep 2; echo saved; exit 0")
    server.launch("slow", "sh", "-c", script, options=["--terminate-limit", "10min"])
    server.wait_line("slow", "ready\n")
    systemctl("stop", unit.name)
    assert server.log("slow").endswith("saved\n") and unit.show("Result") == "success"


def test_a_second_start_is_refused_and_not_tried_again(unit, make_unit):
    unit.start()
    second = make_unit()
    assert systemctl("start", second.name, check=False).returncode != 0
    assert [second.show(name) for name in ("ActiveState", "ExecMainStatus", "NRestarts")] == ["failed", "75", "0"]
    assert unit.sandbox.curfew("serve").returncode == 75
    unit.server.expect("server")


def ready_to_be_lost(unit):
    """Two apps, of which one is to come back; their pids. What has been noted of them is kept."""
    write(unit, "web", 'command = ["sleep", "1000"]\nrestart = "on-failure"\n')
    server = unit.start()
    pids = [int(server.expect("launch app=web")["pid"]), server.launch("other", "sh", "-c", "setsid sleep 1000 & sleep 1000")]
    server.ask("history")
    return pids


def assert_is_back(unit, pids):
    server = unit.server
    wait_for("a new server to answer", lambda: unit.show("NRestarts") == "1" and unit.sandbox.answers(server.socket))
    wait_for("web to run again", lambda: (server.app("web") or {}).get("launches") == "2")
    assert not any(map(is_alive, pids))
    assert [server.app("other")[key] for key in ("state", "ended")] == ["notRunning", "supervisor-exit"]
    assert unit.show("ActiveState") == "active"


def test_killed_it_is_started_anew(unit):
    pids = ready_to_be_lost(unit)
    os.kill(int(unit.server.expect("server")["supervisor"]), signal.SIGKILL)
    assert_is_back(unit, pids)


def test_a_server_that_hangs_is_ended_by_the_watchdog_and_started_anew(make_unit):
    unit = make_unit(f"WatchdogSec={2 * PATIENCE}s")
    pids = ready_to_be_lost(unit)
    # Frozen it hangs for good: stopped by a signal it would be continued.
    hanging = unit.cgroup / "hanging"
    hanging.mkdir()
    (hanging / "cgroup.procs").write_text(unit.server.expect("server")["supervisor"])
    (hanging / "cgroup.freeze").write_text("1")
    assert_is_back(unit, pids)


def test_a_server_that_is_stopped_by_a_signal_goes_on(make_unit):
    unit = make_unit(f"WatchdogSec={2 * PATIENCE}s")
    server = unit.start()
    found = server.expect("server")
    os.kill(int(found["pid"]), signal.SIGSTOP)
    os.kill(int(found["supervisor"]), signal.SIGSTOP)
    assert server.expect("server")["supervisor"] == found["supervisor"]
    assert unit.show("NRestarts") == "0"
