"""What an app may use of the machine: memory in front and behind, CPU time behind, locked files, and what is told of it."""

import contextlib
import fcntl
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest

from conftest import LIMIT, binary, cgroup2_directory, state_letter, wait_for
from programs.driving import advance
from programs.helpers import (
    AS_ORDINARY, Client, ORDINARY, ORDINARY_PYTHON, PROGRAMS, needs_root, program, set_timers, socket_of, times_rested)

PYTHON = ORDINARY_PYTHON if os.access(ORDINARY_PYTHON, os.X_OK) else sys.executable


class App:
    """programs/keeper.py under `curfew run`, driven line by line."""

    def __init__(self, sandbox, *options, comes_up=True, **popen):
        self.sandbox = sandbox
        self.running = sandbox.start(
            PYTHON, "-u", PROGRAMS / "keeper.py", options=options, stdin=subprocess.PIPE, **popen)
        if comes_up:
            self.running.expect("up")
        self.name = self.running.name

    def tell(self, line):
        """Has it do that, and doesn't wait."""
        self.running.process.stdin.write(line.encode() + b"\n")
        self.running.process.stdin.flush()

    def do(self, line):
        self.tell(line)
        self.running.expect("done")

    def status(self):
        return self.running.status()

    def home(self):
        return json.loads(self.sandbox.curfew("home", self.name, "--json").stdout)["state"]

    def open(self):
        assert self.sandbox.curfew("open", self.name).returncode == 0

    def events(self, name):
        """Those of that name so far."""
        out = self.sandbox.curfew("events", self.name, "--json").stdout
        return [event for event in map(json.loads, out.splitlines()) if event["name"] == name]

    def wait_event(self, name):
        return self.running.wait_told(f"{name} of {self.name}", lambda: self.events(name))[-1]

    def ends(self, reason):
        """Its status, its line and its report, once it is over; killed for `reason`."""
        # Not `finish`, which would close its standard input and so end it.
        status, err = self.running.wait(), self.running.errors()
        assert f"killed: {reason}" in err, err
        return status, err, report(self.sandbox, self.name)


def measured(app):
    """The footprints that the core was told of."""
    journal = (app.sandbox.scratch / f"{app.name}.journal").read_text()
    # A line may be half written.
    return [int(each) for each in re.findall(r"^input .*name=footprintMeasured .*bytes=(\d+).*\n", journal, re.M)]


def report(sandbox, name):
    result = sandbox.curfew("report", name, "--json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


# ---- memory --------------------------------------------------------------------------------------------------------


def test_a_warning_comes_before_the_fatal_limit(sandbox, containment):
    """At 80 %, once; after it has fallen, again."""
    app = App(sandbox, "--containment", containment, "--memory", "200M")
    app.do("eat 120")
    assert app.events("memoryWarning") == []
    app.do("eat 50")
    assert app.wait_event("memoryWarning")["level"] == "warning"
    known = len(measured(app))
    app.do("free")
    app.do("eat 120")
    # It is looked at again after 2 s where the kernel tells of rises only; told an eighth below the mark it is forgotten.
    wait_for("the footprint to be seen fallen", lambda: any(each < 140 << 20 for each in measured(app)[known:]))
    app.do("eat 50")
    app.running.wait_told("the second warning", lambda: len(app.events("memoryWarning")) == 2)
    assert app.status()["state"] == "active"
    app.tell("end")
    assert app.running.finish()[0] == 0


def test_a_soft_limit_warns_and_spares(sandbox, containment):
    app = App(sandbox, "--containment", containment, "--memory-high", "100M", "--memory-low", "1K")
    app.do("eat 120")
    assert app.wait_event("memoryWarning")["level"] == "critical"
    status = app.status()
    assert (status["memoryHigh"], status["state"], status["memoryPressure"]) == (100 << 20, "active", "normal")
    app.do("eat 50")
    app.tell("end")
    assert app.running.finish()[0] == 0


def test_the_background_limit_holds_from_home_on(sandbox, containment):
    """Over it already, it is killed as it leaves the foreground, whatever it does then."""
    app = App(sandbox, "--containment", containment, "--memory", "300M", "--background-memory", "100M")
    app.do("eat 150")
    assert app.status()["memoryLimit"] == 300 << 20
    app.sandbox.curfew("home", app.name)
    status, err, kept = app.ends("memory-limit (jetsam 7)")
    assert status == 137
    assert re.search(r"its footprint reached 1[5-9]\d[.\d]* MiB; the limit is 100 MiB", err), err
    assert (kept["visibility"], kept["exitCategory"]) == ("background", "memoryResourceLimitExit")
    assert kept["limits"]["backgroundMemoryBytes"] == 100 << 20


def test_the_background_limit_is_kept_and_given_back(sandbox, containment):
    """In background no more than that; opened, as much as before."""
    options = ["--containment", containment, "--memory", "300M", "--background-memory", "100M", "--grace", "inf"]
    app = App(sandbox, *options)
    assert app.home() == "background"
    app.running.wait_told("its limit", lambda: app.status().get("memoryLimit") == 100 << 20)
    app.do("eat 50")
    app.open()
    app.do("eat 150")
    assert app.status()["state"] == "active"
    app.sandbox.curfew("quit", app.name)
    assert app.running.finish()[0] == 143


def test_background_growth_is_killed(sandbox, containment):
    app = App(
        sandbox, "--containment", containment, "--memory", "300M", "--background-memory", "100M", "--grace", "inf")
    assert app.home() == "background"
    app.tell("eat 200")
    status, _, kept = app.ends("memory-limit (jetsam 7)")
    assert (status, kept["limit"]["memoryBytes"]) == (137, 100 << 20)


def test_no_limit_in_background(sandbox, containment):
    """inf is none: neither told as one that can't be reached, nor in the way of the program's page cache."""
    options = ["--containment", containment, "--memory", "100M", "--background-memory", "inf", "--grace", "inf"]
    app = App(sandbox, "--strict", *options)
    assert app.home() == "background"
    app.running.wait_told("its limit to go", lambda: "memoryLimit" not in app.status())
    app.do("eat 150")
    app.do(f"cache {sandbox.scratch / 'big'} 150")
    app.do("free")
    app.open()
    assert app.status()["memoryLimit"] == 100 << 20
    app.tell("end")
    status, _, err = app.running.finish()
    assert (status, err) == (0, "")


def test_page_cache_doesnt_warn(sandbox, containment):
    """Four times the mark in a file's pages, and the footprint's warning still comes when that grows."""
    app = App(sandbox, "--containment", containment, "--memory", "100M")
    big = sandbox.scratch / "big"
    try:
        app.do(f"cache {big} 300")
        assert app.events("memoryWarning") == []
        app.do("eat 85")
        assert app.wait_event("memoryWarning")["level"] == "warning"
    finally:
        big.unlink(missing_ok=True)
    app.tell("end")
    assert app.running.finish()[0] == 0


def test_shared_memory_counts(sandbox, containment):
    app = App(sandbox, "--containment", containment, "--memory", "100M")
    app.tell("shm 150")
    assert app.ends("memory-limit")[0] == 137


def test_a_limit_below_what_the_program_needs(sandbox, containment):
    """It is killed as soon as it shows, or can't be started; either way one line says so, and nothing stays."""
    running = sandbox.start(PYTHON, "-c", "print('up')", options=["--containment", containment, "--memory", "64K"])
    status, out, err = running.finish()
    assert status in (125, 137) and err.count("\n") == 1, (status, out, err)
    assert ("memory-limit" in err) == (status == 137)


def test_a_limit_above_the_machines_memory_is_told(sandbox):
    result = sandbox.curfew("run", "--memory", "1P", "--", "echo", "ran")
    assert (result.returncode, result.stdout) == (0, "ran\n")
    assert re.fullmatch(r"curfew: run: the memory limit of 1 PiB can't be reached: this machine has .+\n", result.stderr)


def test_strict_refuses_what_cant_be_enforced(sandbox):
    started = sandbox.scratch / "started"
    result = sandbox.curfew("run", "--strict", "--memory", "1P", "--", "touch", started)
    assert (result.returncode, result.stdout) == (125, "")
    assert re.fullmatch(
        r"curfew: run: --strict: the memory limit of 1 PiB can't be reached: this machine has .+; nothing was started\n",
        result.stderr)
    assert not started.exists()


def test_a_cgroup_removed_under_us_stops_nothing_else(sandbox):
    """The cgroup can't be removed while it is held; what the app makes below it is taken away with it."""
    app = App(sandbox, "--memory", "200M", "--manual-clock", "--time-limit", "2s")
    sandbox.curfew("advance", app.name, "2s")
    assert app.ends("time-limit")[0] == 124


# ---- the machine runs short ----------------------------------------------------------------------------------------


@pytest.mark.alone
def test_short_of_memory_the_only_app_is_killed(sandbox, held):
    """With a mark that no machine is above it is short from the start, and the program may not even come up."""
    app = App(sandbox, *held, "--memory-low", "1P", "--grace", "inf", comes_up=False)
    status, err, kept = app.ends("memory-pressure (jetsam 4)")
    assert status == 137
    assert re.search(r"the machine has only [\d.]+ [KMGT]iB of memory left \(512 TiB are wanted\)", err), err
    assert kept["apps"] == [{"app": app.name, "band": "foreground", "footprintBytes": kept["apps"][0]["footprintBytes"],
                             "victim": True}]
    assert [event["level"] for event in kept["events"] if event["name"] == "memoryWarning"] == ["critical"]
    assert kept["exitCategory"] == "memoryPressureExit"


def available():
    found = re.search(r"MemAvailable: +(\d+)", pathlib.Path("/proc/meminfo").read_text())
    return int(found.group(1)) << 10


def wait_until_nobody_stalls():
    """The test before may have had the machine swap, and whoever stalls for memory makes a warned machine a critical one."""
    pressure = pathlib.Path("/proc/pressure/memory")
    total, since = None, 0

    def is_calm():
        nonlocal total, since
        now = re.search(r"some .*total=(\d+)", pressure.read_text()).group(1)
        if now != total:
            total, since = now, time.monotonic()
        return time.monotonic() - since > 2

    if pressure.exists():
        wait_for("two seconds without a stall for memory", is_calm)


@pytest.mark.alone
def test_a_warned_machine_warns_and_kills_only_soft_offenders(sandbox, held):
    """Below the mark and above half of it: told, and nobody dies who keeps to his limits."""
    wait_until_nobody_stalls()
    mark = available() * 3 // 2
    app = App(sandbox, *held, "--memory-low", str(mark))
    assert app.wait_event("memoryWarning")["level"] == "warning"
    assert app.wait_event("memoryPressureDidChange")["level"] == "warning"
    assert app.status()["state"] == "active"
    app.tell("end")
    assert app.running.finish()[0] == 0
    app = App(sandbox, *held, "--memory-low", str(mark), "--memory-high", "60M")
    app.tell("eat 100")
    status, err, kept = app.ends("memory-highwater (jetsam 2)")
    assert status == 137 and "is over its soft limit of 60 MiB" in err
    assert kept["limit"]["memoryBytes"] == 60 << 20


@pytest.mark.alone
@needs_root
def test_without_pressure_information_memory_is_watched_all_the_same(sandbox):
    """A kernel that was started with psi=0 has no /proc/pressure; what is available is looked at."""
    result = subprocess.run(
        ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc/pressure && exec "$@"', "sh",
         binary(), "run", "--memory-low", "1P", "--", "sleep", "60"],
        env=sandbox.environment, capture_output=True, text=True, timeout=LIMIT)
    if "unshare" in result.stderr or "mount" in result.stderr:
        pytest.skip(f"no mount namespace can be had here: {result.stderr.strip()}")
    assert (result.returncode, "killed: memory-pressure" in result.stderr) == (137, True), result.stderr


def test_a_suspended_app_hears_no_warning(sandbox, held):
    app = App(sandbox, *held, "--memory-high", "100M", "--memory-low", "1K")
    assert app.home() == "suspended"
    result = sandbox.curfew("warn", app.name)
    assert result.returncode == 75, result
    assert app.events("memoryWarning") == []


# ---- paging out ----------------------------------------------------------------------------------------------------


@pytest.mark.alone
def test_page_out_without_swap_is_told(sandbox):
    if len(pathlib.Path("/proc/swaps").read_text().splitlines()) > 1:
        pytest.skip("this machine has swap")
    result = sandbox.curfew("run", "--page-out", "1", "--", "echo", "ran")
    assert (result.returncode, result.stdout) == (0, "ran\n")
    assert result.stderr == "curfew: run: --page-out does nothing: this machine has no swap (see `curfew doctor`)\n"


def test_a_suspended_app_goes_to_swap_and_comes_back(sandbox, containment, swap):
    """All the while its footprint is what it was."""
    app = App(sandbox, "--containment", containment, "--page-out", "100ms", "--page-out-above", "1M")
    app.do("eat 40")
    assert app.home() == "suspended"
    moved = app.wait_event("didPageOut")
    assert moved["swapped"] > 30 << 20, moved
    status = app.status()
    assert status["swapped"] > 30 << 20 and status["footprint"] > 40 << 20
    app.open()
    app.do("eat 1")
    app.tell("end")
    assert app.running.finish()[0] == 0


# ---- CPU time ------------------------------------------------------------------------------------------------------


def test_shared_pages_are_resident_once(sandbox, containment):
    options = ["--containment", containment, "--page-out", "10m"]
    running = sandbox.start(program("eater"), "40", "share", "3", options=options, stdin=subprocess.PIPE)
    running.expect("up")
    status = running.status()
    assert status["processes"] == 4
    assert 40 << 20 <= status["resident"] < 80 << 20, status
    assert 40 << 20 <= status["footprint"] < 80 << 20, status
    running.process.stdin.close()
    assert running.wait() == 0


def test_background_cpu_is_limited(sandbox, containment):
    app = App(sandbox, "--containment", containment, "--background-cpu", "2%/25s", "--grace", "inf")
    app.do("spin 0.6")
    assert app.home() == "background"
    app.tell("spin 30")
    status, err, kept = app.ends("cpu-limit")
    assert status == 137
    assert re.search(r"it used [\d.]+ m?s of CPU time in [\d.]+ m?s \(\d+ %\) in background; "
                     r"the limit is 0\.5 s in 25 s \(2 %\)", err), err
    assert kept["exitCategory"] == "cpuResourceLimitExit"
    assert kept["limit"]["cpuSeconds"] > kept["limit"]["cpuLimitSeconds"] == 0.5


def test_the_whole_tree_s_cpu_time_counts(sandbox, containment):
    running = sandbox.shell(
        "echo up; read x; for i in 1 2 3; do sh -c 'while :; do :; done' & done; wait", stdin=subprocess.PIPE,
        options=["--containment", containment, "--background-cpu", "1%/20s", "--grace", "inf"])
    running.expect("up")
    sandbox.curfew("home", running.name)
    running.process.stdin.write(b"\n")
    running.process.stdin.flush()
    status, _, err = running.finish()
    assert (status, "killed: cpu-limit" in err) == (137, True), err


def test_cpu_time_of_children_that_have_ended_counts(sandbox, containment):
    """A shell that starts one short program after the other uses next to nothing itself."""
    running = sandbox.shell(
        "echo up; read x; while :; do sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'; done",
        stdin=subprocess.PIPE, options=["--containment", containment, "--background-cpu", "1%/20s", "--grace", "inf"])
    running.expect("up")
    sandbox.curfew("home", running.name)
    running.process.stdin.write(b"\n")
    running.process.stdin.flush()
    seen = [0.0]
    def cpu():
        result = sandbox.curfew("status", running.name, "--json")
        if result.returncode == 0:
            seen.append(json.loads(result.stdout)["cpu"])
        return running.process.poll() is not None
    wait_for("its end", cpu)
    status, _, err = running.finish()
    assert (status, "killed: cpu-limit" in err) == (137, True), err
    assert seen == sorted(seen), "it ran backwards"
    kept = report(sandbox, running.name)
    # What it used between the kill and its end, `status` alone can have seen.
    assert kept["cpuSeconds"] >= 0.2


def test_an_excess_is_only_logged_when_asked(sandbox):
    app = App(sandbox, "--background-cpu", "1%/20s", "--cpu-limit-action", "log", "--grace", "inf")
    app.home()
    app.do("spin 1")
    event = app.wait_event("cpuLimitPassed")
    assert float(event["cpu"]) >= 0.2  # to the millisecond
    app.do("spin 0.5")
    assert len(app.events("cpuLimitPassed")) == 1
    app.sandbox.curfew("quit", app.name)
    assert app.running.finish()[0] == 143


def test_throttled_until_it_is_opened(sandbox):
    app = App(sandbox, "--background-cpu", "1%/5s", "--cpu-limit-action", "throttle", "--grace", "inf")
    if "only logs" in sandbox.curfew("run", "--cpu-limit-action", "throttle", "--", "true").stderr:
        app.sandbox.curfew("quit", app.name)
        app.running.finish()
        pytest.skip("there is no cgroup with the cpu controller here")
    app.home()
    app.do("spin 0.08")
    app.wait_event("cpuLimitPassed")
    assert app.status()["throttled"] is True
    began = time.monotonic()
    app.do("spin 0.03")
    assert time.monotonic() - began > 0.5
    app.open()
    assert "throttled" not in app.status()
    app.tell("end")
    assert app.running.finish()[0] == 0


def test_in_front_cpu_time_is_free(sandbox):
    app = App(sandbox, "--background-cpu", "1%/100ms")
    app.do("spin 0.5")
    assert app.home() == "suspended"
    app.open()
    app.tell("end")
    assert app.running.finish()[0] == 0


@needs_root
def test_priority_is_lowered_behind_and_given_back(sandbox):
    app = App(sandbox, "--background-priority", "low", "--grace", "inf")
    app.tell("pid")
    pid = int(app.running.read_line())
    before = os.getpriority(os.PRIO_PROCESS, pid)
    app.home()
    assert wait_for("its nice value to rise", lambda: os.getpriority(os.PRIO_PROCESS, pid) > before)
    app.open()
    assert wait_for("its nice value back", lambda: os.getpriority(os.PRIO_PROCESS, pid) == before)
    app.running.expect("done")
    app.tell("end")
    assert app.running.finish()[0] == 0


# ---- locked files --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind, name", [("posix", "POSIX"), ("flock", "FLOCK"), ("ofd", "OFD")])
def test_a_write_lock_at_suspension_is_reported(sandbox, kind, name):
    path = sandbox.scratch / "app.db"
    app = App(sandbox)
    app.do(f"lock {kind} {path}")
    assert app.home() == "suspended"
    event = app.wait_event("suspendedWithLockedFiles")
    assert event["locks"].startswith(f"{path} ({name}, pid ")
    assert app.status()["locks"] == event["locks"]
    app.open()
    assert "locks" not in app.status()
    app.tell("end")
    assert app.running.finish()[0] == 0


@pytest.mark.parametrize("question", ["status", "events"])
def test_whoever_asks_right_after_home_is_told_of_locks(sandbox, question):
    """They are looked for a moment after the answer to home. Here both requests come at once."""
    path = sandbox.scratch / "app.db"
    app = App(sandbox)
    app.do(f"lock posix {path}")
    with Client(socket_of(app.running)) as client:
        client.send(f"home id=home\n{question} id=first\n")
        lines = read_until(client, {"home", "first"})
        home = next(index for index, line in enumerate(lines) if line.get("id") == "home")
        assert lines[home]["state"] == "suspended"
        if home == len(lines) - 1:
            # It took longer to be stopped than to ask.
            client.send(f"{question} id=second\n")
            lines += read_until(client, {"second"})
        assert any(line.get("locks", "").startswith(f"{path} (POSIX, pid ") for line in lines[home:]), lines
    app.open()
    app.tell("end")
    assert app.running.finish()[0] == 0


def read_until(client, identifiers):
    """All lines up to the answers to these requests."""
    lines, missing = [], set(identifiers)
    while missing:
        line = client.line()
        assert line is not None, f"closed with no answer to {missing}: {lines}"
        lines.append(line)
        if line.verb in ("ok", "error"):
            missing.discard(line.get("id"))
    return lines


@pytest.mark.parametrize("kind", ["posix", "flock", "ofd"])
def test_a_write_lock_at_suspension_kills_when_asked(sandbox, containment, kind):
    path = sandbox.scratch / "app.db"
    app = App(sandbox, "--containment", containment, "--locks", "kill")
    app.do(f"lock {kind} {path}")
    app.sandbox.curfew("home", app.name)
    status, err, kept = app.ends("suspended-with-locked-file (0xdead10cc)")
    assert (status, str(path) in err) == (137, True), err
    assert [lock["path"] for lock in kept["locks"]] == [str(path)]
    assert kept["exitCategory"] == "suspendedWithLockedFileExit"
    assert any(lock["path"] == str(path) for process in kept["processes"] for lock in process["locks"])


def test_read_locks_and_none_are_innocent(sandbox):
    app = App(sandbox, "--locks", "kill")
    app.do(f"lock read {sandbox.scratch / 'app.db'}")
    assert app.home() == "suspended"
    app.open()
    app.do("unlock")
    assert app.home() == "suspended"
    app.sandbox.curfew("quit", app.name)
    assert app.running.finish()[0] == 137


def test_a_lock_of_the_caller_is_not_the_apps(sandbox):
    """As with `flock FILE curfew run …`: the descriptor is handed down, and the caller holds the lock as well."""
    with open(sandbox.scratch / "lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        app = App(sandbox, "--locks", "kill", pass_fds=[file.fileno()])
        assert app.home() == "suspended"
        app.sandbox.curfew("quit", app.name)
        assert app.running.finish()[0] == 137
        assert report(sandbox, app.name)["reason"] == "user-quit"


def test_ignored_locks_are_not_looked_for(sandbox):
    app = App(sandbox, "--locks", "ignore")
    app.do(f"lock posix {sandbox.scratch / 'app.db'}")
    assert app.home() == "suspended"
    assert "locks" not in app.status()
    app.sandbox.curfew("quit", app.name)
    app.running.finish()


def test_defer_waits_for_the_lock(sandbox):
    """It runs on until it lets go, and is suspended without guilt."""
    app = App(sandbox, "--locks", "defer", "--lock-wait", "10m")
    app.do(f"lock posix {sandbox.scratch / 'app.db'}")
    assert app.home() == "background"
    # It may be stopped before it can say that it has.
    app.tell("unlock")
    app.running.wait_state("suspended")
    assert app.events("suspendedWithLockedFiles") == []
    app.sandbox.curfew("quit", app.name)
    app.running.finish()


def test_defer_has_an_end(sandbox):
    app = App(sandbox, "--locks", "defer", "--lock-wait", "300ms")
    app.do(f"lock posix {sandbox.scratch / 'app.db'}")
    assert app.home() == "background"
    app.running.wait_state("suspended")
    assert app.wait_event("suspendedWithLockedFiles")
    app.sandbox.curfew("quit", app.name)
    app.running.finish()


def test_a_background_task_across_the_locked_section_avoids_it(sandbox):
    """It isn't suspended as long as the task is open."""
    running = sandbox.shell(
        f"exec 7>{sandbox.scratch / 'lock'}; flock -x 7; n=$(curfew task begin locked); echo up; read x; "
        "exec 7>&-; curfew task end $n; read y", stdin=subprocess.PIPE, options=["--locks", "kill"])
    running.expect("up")
    sandbox.curfew("home", running.name)
    assert running.status()["state"] == "background"
    running.process.stdin.write(b"\n")
    running.process.stdin.flush()
    running.wait_state("suspended")
    sandbox.curfew("quit", running.name)
    running.finish()


# ---- disk, and too many resumptions --------------------------------------------------------------------------------


def test_a_full_disk_kills_behind_and_not_in_front(sandbox):
    app = App(sandbox, "--disk-low", "100%", cwd=sandbox.scratch)
    assert app.status()["state"] == "active"
    app.sandbox.curfew("home", app.name)
    status, err, kept = app.ends("disk-space (0xbaddd15c)")
    assert (status, kept["reason"], kept["visibility"]) == (137, "disk-space", "background"), err


def test_resumed_too_often(sandbox):
    app = App(sandbox, "--manual-clock", "--resume-limit", "2", "--grace", "1s", "--wake-limit", "1s")
    assert app.home() == "background"
    for _ in range(2):
        assert advance(app.running, "1s")["state"] == "suspended"
        assert sandbox.curfew("wake", app.name, "fetch").returncode == 0
    assert advance(app.running, "1s")["state"] == "suspended"
    sandbox.curfew("wake", app.name, "fetch")
    status, err, _ = app.ends("resumed-too-often (0xbad22222)")
    assert (status, "it was resumed 3 times within 5 min while it was suspended" in err) == (137, True), err


# ---- idle ----------------------------------------------------------------------------------------------------------


def inputs(app):
    """What its core was told so far, a line each."""
    journal = (app.sandbox.scratch / f"{app.name}.journal").read_text()
    # A line may be half written.
    return re.findall(r"^input .*\n", journal, re.M)


def is_stall(line):
    """Whether the kernel told that processes of this machine have waited for memory."""
    return "name=availableMemoryMeasured" in line and "stalling=true" in line


@pytest.mark.alone
def test_suspended_with_every_limit_set_nothing_wakes_it(sandbox, held):
    """Neither supervisor nor proxy, for seconds: what samples stands still, and what watches is told by the kernel."""
    if not os.access("/proc/pressure/memory", os.W_OK):
        pytest.skip("this kernel tells of nobody who waits for memory, so it is looked at from time to time")
    app = App(
        sandbox, *held, "--memory", "200M", "--memory-high", "150M", "--background-memory", "150M", "--memory-low", "1M",
        "--background-cpu", "50%/1s", "--disk-low", "1M", "--resume-limit", "3", "--locks", "report")
    app.do("eat 10")
    assert app.home() == "suspended"
    status = app.status()
    supervisor, proxy = status["supervisor"], status["front"]
    wait_for("no timer to be set", lambda: not set_timers(supervisor))
    with Client(socket_of(app.running)) as client:
        # What those have left who asked before is dealt with before this is answered.
        assert client.ask("status id=1").verb == "ok"
        told, before = len(inputs(app)), [times_rested(supervisor), times_rested(proxy)]
        time.sleep(4)  # a while
        after = [times_rested(supervisor), times_rested(proxy)]
        news = inputs(app)[told:]
    # Others may have waited for memory, or have before: the kernel tells of it later.
    assert all(map(is_stall, news)), news
    assert after[1] - before[1] <= 1
    assert news or after[0] - before[0] <= 1
    assert set_timers(supervisor) == []
    app.open()
    app.tell("end")
    assert app.running.finish()[0] == 0


# ---- reports -------------------------------------------------------------------------------------------------------


def test_a_kill_leaves_a_report_of_its_processes(sandbox, held):
    app = App(sandbox, *held, "--manual-clock", "--time-limit", "4s", "--memory", "500M")
    app.do("eat 30")
    sandbox.curfew("advance", app.name, "4s")
    status, _, kept = app.ends("time-limit")
    assert status == 124
    [process] = [process for process in kept["processes"] if "keeper.py" in " ".join(process["command"])]
    assert process["footprintBytes"] > 30 << 20
    assert process["state"] in "SRD" and process["descriptors"] >= 3 and process["cpuSeconds"] >= 0
    assert kept["omittedProcesses"] == 0
    assert "willKill" in [event["name"] for event in kept["events"]] and kept["visibility"] == "foreground"
    text = sandbox.curfew("report", app.name).stdout
    assert "time-limit" in text and "keeper.py" in text


@needs_root
def test_what_is_resumed_by_its_keeper_is_not_held_back(sandbox):
    """With the supervisor goes whoever could have given it its share of CPU time back."""
    options = ["--background-priority", "low", "--grace", "inf", "--on-supervisor-exit", "resume"]
    running = sandbox.shell("echo up; read x; exit 7", options=options, stdin=subprocess.PIPE)
    running.expect("up")
    assert sandbox.curfew("home", running.name).returncode == 0
    supervisor = running.status()["supervisor"]
    files = [path / name for path in sandbox.cgroups() for name in ("cpu.shares", "cpu.weight")]
    weights = [path for path in files if path.exists()]
    if not weights:
        sandbox.curfew("quit", running.name)
        running.finish()
        pytest.skip("there is no cgroup with the cpu controller here")
    [weight] = weights
    low = int(weight.read_text())
    shell = running.status()["pid"]
    lowered = os.getpriority(os.PRIO_PROCESS, shell)
    os.kill(supervisor, signal.SIGKILL)
    wait_for("its weight back", lambda: int(weight.read_text()) > low)
    # Where it couldn't be given back it wasn't touched.
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert lowered in (19, own)
    wait_for("its nice value back", lambda: os.getpriority(os.PRIO_PROCESS, shell) == own)
    running.process.stdin.write(b"\n")
    running.process.stdin.flush()
    assert running.wait() == 7


def test_the_report_of_a_dead_supervisor_has_the_app_s_name(sandbox):
    """Which isn't the command's where that was taken."""
    first = sandbox.start("sleep", "60", name="sleep")
    wait_for("the first", lambda: sandbox.curfew("status", "sleep").returncode == 0)
    second = subprocess.Popen(
        ["curfew", "run", "--", "sleep", "60"], env=sandbox.environment, stderr=subprocess.PIPE, text=True)
    others = lambda: [app for app in json.loads(sandbox.curfew("ps", "--json").stdout) if app["app"] != "sleep"]
    [other] = wait_for("the second", others)
    name = other["app"]
    os.kill(other["supervisor"], signal.SIGKILL)
    _, err = second.communicate(timeout=LIMIT)
    assert (second.returncode, err[:len(name) + 9]) == (125, f"curfew: {name}:")
    assert [kept["app"] for kept in json.loads(sandbox.curfew("report", "--json").stdout)] == [name]
    sandbox.curfew("quit", "sleep")
    assert first.finish()[0] == 143


@pytest.mark.parametrize("half", ["supervisor", "front"])
def test_the_death_of_one_half_leaves_a_report(sandbox, half):
    app = App(sandbox)
    os.kill(app.status()[half], signal.SIGKILL)
    app.running.wait()
    kept = wait_for("the report", lambda: json.loads(sandbox.curfew("report", "--json").stdout))[0]
    assert (kept["app"], kept["reason"]) == (app.name, "supervisor-exit")


def test_no_report_for_one_that_ends_by_itself(sandbox):
    assert sandbox.curfew("run", "--", "false").returncode == 1
    assert json.loads(sandbox.curfew("report", "--json").stdout) == []


@pytest.mark.parametrize("why", ["a file in the way", "read-only"])
def test_a_report_that_cant_be_kept_is_told(sandbox, why):
    """One line more, and the status is what it would be."""
    sandbox.reports.parent.mkdir(parents=True, exist_ok=True)
    if why == "read-only":
        if os.geteuid() == 0:
            pytest.skip("root can write anywhere; test_report tries a read-only file system")
        sandbox.reports.parent.chmod(0o500)
    else:
        sandbox.reports.write_text("")
    running = sandbox.start("sleep", "60", options=["--time-limit", "0.2s"])
    status, _, err = running.finish()
    assert status == 124
    first, second, rest = err.split("\n")
    assert "killed: time-limit" in first and "its report couldn't be kept" in second and rest == ""


@pytest.mark.parametrize("kind", ["cgroup2", "cgroup1"])
def test_the_kernels_victim_is_told_of_when_it_was_quicker(sandbox, kind):
    """The supervisor sees it only once it is dead: stopped meanwhile, as a busy machine can hold it up."""
    eater = program("eater")
    options = ["--containment", kind, "--memory", "60M"]
    probe = sandbox.curfew("run", *options, "--", "true")
    if probe.returncode == 125:
        pytest.skip(f"{kind} can't be had here: {probe.stderr.strip()}")
    running = sandbox.start(eater, "200", "self", "told", options=options, stdin=subprocess.PIPE)
    running.expect("up")
    status = running.status()
    if "memory" not in status["containment"]:
        sandbox.curfew("quit", running.name)
        pytest.skip("the kernel keeps no memory limit here")
    supervisor = running.stop()
    try:
        running.process.stdin.write(b"\n")
        running.process.stdin.flush()
        wait_for("the kernel's kill", lambda: state_letter(status["pid"]) in ("Z", None))
    finally:
        # As long as the proxy is stopped nobody reaps the supervisor; the proxy is ours.
        for half in supervisor, running.pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(half, signal.SIGCONT)
    assert running.wait() == 137
    kept = report(sandbox, running.name)
    assert kept["reason"] == "memory-limit"
    victim = kept["processes"][0]
    assert (victim["pid"], victim["command"][:2]) == (status["pid"], [str(eater), "200"])
    assert 40 << 20 < victim["footprintBytes"] <= 61 << 20


@needs_root
@pytest.mark.parametrize("verb", ["run", "timeout", "timeout --profile ios4"])
def test_a_report_lost_for_want_of_a_home_is_told(sandbox, verb):
    """By all but `curfew timeout`, which says what GNU timeout says."""
    os.chown(sandbox.runtime, ORDINARY, ORDINARY)
    environment = {key: value for key, value in sandbox.environment.items() if key not in ("HOME", "XDG_STATE_HOME")}
    words = ["run", "--time-limit", "0.1", "--"] if verb == "run" else [*verb.split(), "0.1"]
    result = sandbox.curfew(*words, "sleep", "60", env=environment, cwd="/", **AS_ORDINARY)
    assert result.returncode == 124
    told = "its report wasn't kept: there is no home directory of this user's; XDG_STATE_HOME can name" in result.stderr
    assert told == (verb != "timeout"), result.stderr
    if verb == "timeout":
        assert result.stderr == ""


@needs_root
def test_a_cgroup_that_cant_be_made_is_named(sandbox):
    """Our own, and not what lies beside the hierarchy."""
    own = cgroup2_directory()
    if own is None:
        pytest.skip("there is no cgroup v2 here")
    os.chown(sandbox.runtime, ORDINARY, ORDINARY)
    result = sandbox.curfew("run", "--containment", "cgroup2", "--name", "x", "--", "true", cwd="/", **AS_ORDINARY)
    assert (result.returncode, f"make cgroup {own}/curfew.x.".replace("//", "/") in result.stderr) == (125, True), result.stderr


@needs_root
def test_unreadable_processes_stop_nothing(sandbox):
    """A child of another user, that an ordinary supervisor may not look into, is passed over."""
    os.chown(sandbox.runtime, ORDINARY, ORDINARY)
    running = sandbox.start(
        "sleep", "60", options=["--containment", "tree", "--memory", "50M", "--time-limit", "500ms"], cwd="/",
        **AS_ORDINARY)
    assert running.finish()[0] == 124
