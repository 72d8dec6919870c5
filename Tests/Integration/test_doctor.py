"""`curfew doctor`: what it says, that it is so, and that nothing of its trying is left."""

import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import time

import pytest

from conftest import LIMIT, binary, cgroup2_directory, every_cgroup
from programs.helpers import AS_ORDINARY, ORDINARY, Alive, needs_root

SUBJECTS = {
    "containment": "containment", "processes": "seeing processes", "suspension": "suspension", "kill": "kill", "time-limit": "time limit",
    "memory-limit": "memory limit", "memory-pressure": "memory pressure", "page-out": "page-out",
    "cpu-limit": "CPU limit", "cpu-throttling": "CPU throttling", "priority": "low priority",
    "locks": "file locks", "input": "waking for input", "other-users": "sudo in the app", "fork-comet": "fork/setsid storm",
    "leaving-cgroup": "kept in its cgroup", "both-halves-killed": "both halves killed",
}
FINDING = {
    "what": str, "here": str, "by": str, "latencySeconds": (float, int, type(None)), "latencyIsMeasured": bool,
    "overshootBytes": (int, type(None)), "advice": list,
}


@pytest.fixture
def alive():
    pipe = Alive()
    yield pipe
    pipe.close()


@pytest.fixture(params=["whoever runs this", "an ordinary user"])
def who(request, sandbox, tmp_path_factory):
    """(options to run as that user, the executable): what lies in root's home an ordinary user can't execute."""
    if request.param == "whoever runs this":
        yield {}, binary()
        return
    if os.geteuid() != 0:
        pytest.skip("needs root: it changes the uid")
    os.chown(sandbox.runtime, ORDINARY, ORDINARY)
    yield dict(AS_ORDINARY, cwd="/"), binary()


def doctors_cgroups():
    return [path for path in every_cgroup() if path.name.startswith("curfew.doctor.")]


@pytest.fixture
def no_cgroup_left():
    """What a failed test leaves is taken away, and told."""
    before = set(doctors_cgroups())
    yield
    left = set(doctors_cgroups()) - before
    for path in left:
        path.rmdir()
    assert not left


def ask(sandbox, who, *arguments, **options):
    how, program = who
    return subprocess.run(
        [program, "doctor", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT,
        **{"env": sandbox.environment, **how, **options})


def diagnosis(sandbox, who=None, **options):
    result = ask(sandbox, who or ({}, binary()), "--json", **options)
    assert (result.returncode, result.stderr) == (0, "")
    return json.loads(result.stdout)


def found(diagnosis):
    return {finding["what"]: finding for finding in diagnosis["findings"]}


def test_the_table(sandbox, who):
    """A row for each thing in its order, notes for all that is spoken of, and nothing wider than 100 columns."""
    result = ask(sandbox, who)
    assert (result.returncode, result.stderr) == (0, "")
    title, table, *rest = result.stdout.rstrip("\n").split("\n\n")
    assert re.fullmatch(r"curfew \S+, Linux \S+, uid \d+", title)
    titles, *rows = table.splitlines()
    assert titles.split() == "WHAT HERE BY LATENCY TO GET MORE".split()
    here, by = titles.index("HERE"), titles.index("BY")
    names = [row[:here].rstrip() for row in rows]
    assert names == [name for name in SUBJECTS.values() if name in names]
    assert set(SUBJECTS.values()) - set(names) <= {"kept in its cgroup"}
    for row in rows:
        assert row[here:by].rstrip() in ("yes", "partly", "no"), row
        assert row[by:by + 1].strip(), row
    assert max(len(line) for line in result.stdout.splitlines()) <= 100
    spoken = {number for row in rows for number in re.findall(r"\d+", row.partition(" see ")[2])}
    notes = re.findall(r"^(\d+)\. ", rest[0], re.M) if rest else []
    assert notes == [str(number + 1) for number in range(len(notes))]
    assert set(notes) == spoken
    assert "\x1b" not in result.stdout


def test_json(sandbox, who):
    began = time.monotonic()
    told = diagnosis(sandbox, who)
    took = time.monotonic() - began
    assert list(told) == ["version", "kernel", "uid", "containment", "findings", "advice"]
    assert told["kernel"] == os.uname().release
    assert told["uid"] == (ORDINARY if who[0] else os.geteuid())
    names = [finding["what"] for finding in told["findings"]]
    assert names == [name for name in SUBJECTS if name in names]
    for finding in told["findings"]:
        assert list(finding) == list(FINDING)
        for key, kind in FINDING.items():
            assert isinstance(finding[key], kind), finding
        assert finding["here"] in ("yes", "partly", "no")
        # Whatever isn't to be had in full has its reason; what can be had has no need of more.
        assert finding["by"]
        assert finding["here"] != "yes" or not finding["advice"]
    assert set(told["advice"]) == {advice for finding in told["findings"] for advice in finding["advice"]}
    findings = found(told)
    for measured in ("suspension", "kill", "time-limit"):
        assert findings[measured]["latencyIsMeasured"]
        assert 0 < findings[measured]["latencySeconds"] < took


def test_it_says_what_run_does(sandbox, who):
    """The containment, and who enforces a memory limit, are those of an app."""
    told = diagnosis(sandbox, who)
    options = ["--memory", "64M", "--background-priority", "low"]
    running = sandbox.shell("sleep 60 & echo up; wait", options=options, **who[0])
    running.expect("up")
    status = json.loads(sandbox.curfew("status", running.name, "--json", **who[0]).stdout)
    assert status["containment"] == told["containment"]
    is_sampled = "sampled" in found(told)["memory-limit"]["by"]
    assert is_sampled == ("memory" not in told["containment"])


@needs_root
def test_an_ordinary_user_without_a_cgroup(sandbox):
    os.chown(sandbox.runtime, ORDINARY, ORDINARY)
    told = diagnosis(sandbox, (dict(AS_ORDINARY, cwd="/"), binary()))
    if told["containment"] != "process tree (best effort)":
        pytest.skip(f"an ordinary user has {told['containment']} here")
    findings = found(told)
    for partly in ("containment", "suspension", "kill", "memory-limit", "fork-comet"):
        assert findings[partly]["here"] == "partly", findings[partly]
        assert "delegation" in findings[partly]["advice"]
    assert findings["time-limit"]["here"] == "yes"
    assert findings["locks"]["here"] == "yes"
    assert findings["cpu-throttling"]["here"] == "no"
    assert findings["page-out"]["here"] == "no"
    assert (findings["other-users"]["here"], findings["other-users"]["advice"]) == ("no", ["signal-right"])
    assert (findings["priority"]["here"], findings["priority"]["advice"]) == ("partly", ["nice-limit"])
    assert "leaving-cgroup" not in findings


@needs_root
def test_root_can_undo_nice_and_signal_anybody(sandbox):
    findings = found(diagnosis(sandbox))
    assert findings["priority"]["here"] == "yes"
    assert findings["other-users"]["here"] == "yes"


def test_nothing_is_left(sandbox, who, alive, no_cgroup_left):
    """No cgroup, and no process: each would hold the pipe."""
    assert ask(sandbox, who, **alive.options()).returncode == 0
    alive.started()
    assert alive.is_over()


def test_it_takes_no_second(sandbox, who):
    """Of CPU time: how long that lasts is the machine's affair."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = used()
    ask(sandbox, who)
    assert used() - before < 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("moment", ["at once", "when its cgroup is there", "when its program runs"])
def test_interrupted_it_leaves_nothing(sandbox, number, moment, alive, no_cgroup_left):
    process = subprocess.Popen(
        [binary(), "doctor"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=sandbox.environment, **alive.options())
    alive.started()
    own = cgroup2_directory()
    cgroup = own / f"curfew.doctor.{process.pid}" if own else pathlib.Path("/nonexistent")
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")

    def has_come():
        try:
            return moment == "at once" or (cgroup.exists() if "cgroup" in moment else children.read_text() != "")
        except OSError:
            return False

    # No wait between two looks: all is over in some tens of milliseconds.
    while process.poll() is None and not has_come():
        pass
    if process.poll() is None:
        process.send_signal(number)
    out, err = process.communicate(timeout=LIMIT)
    # Told, if it had come to that; else ended as any program is.
    assert (process.returncode, bool(out)) in ((0, True), (-number, False), (-number, True)), err
    assert err == b""
    assert alive.is_over(LIMIT)


def test_inside_an_app(sandbox, no_cgroup_left):
    running = sandbox.start(binary(), "doctor")
    status, out, err = running.finish()
    assert (status, err) == (0, "")
    assert out.startswith("curfew ")


def test_without_a_program_to_try_on(sandbox, no_cgroup_left):
    """It says so, and that nothing can be promised."""
    environment = dict(sandbox.environment, PATH="/nonexistent")
    told = diagnosis(sandbox, env=environment)
    findings = found(told)
    assert set(findings) >= set(SUBJECTS) - {"leaving-cgroup"}
    for subject in ("suspension", "kill", "memory-limit", "page-out"):
        assert findings[subject]["here"] == "no"
        assert findings[subject]["by"] == "sleep doesn't start: No such file or directory"


def test_with_swap_memory_is_paged_out(sandbox, swap):
    """It is said only if the program's memory did go to swap."""
    finding = found(diagnosis(sandbox))["page-out"]
    assert (finding["here"], finding["latencyIsMeasured"], finding["advice"]) == ("yes", True, []), finding


@pytest.mark.alone
@needs_root
def test_without_swap_that_is_what_is_missing(sandbox):
    if len(pathlib.Path("/proc/swaps").read_text().splitlines()) > 1:
        pytest.skip("this machine has swap")
    finding = found(diagnosis(sandbox))["page-out"]
    assert (finding["here"], finding["advice"]) == ("no", ["swap"]), finding
    assert finding["by"].endswith("but there is no swap")


@pytest.mark.alone
@needs_root
def test_what_it_says_of_zram_makes_swap(sandbox):
    """The very command, less much memory; then memory is paged out."""
    def swaps():
        return [line.split()[0] for line in pathlib.Path("/proc/swaps").read_text().splitlines()[1:]]

    if swaps():
        pytest.skip("this machine has swap")
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    if not shutil.which("zramctl", path=path) or not os.path.exists("/sys/class/zram-control"):
        pytest.skip("there is no zram")
    command = re.search("`(modprobe zram.*?)`", diagnosis(sandbox)["advice"]["swap"])[1]
    assert "4G" in command
    script = "{ " + command.replace("4G", "64M") + "; } >&2; status=$?; echo $dev; exit $status"
    # One that was there stays, as it was; zramctl would take it away.
    before = os.listdir("/sys/block")
    end = """
        for try in 1 2 3 4 5 6 7 8 9 10; do swapoff $1 && break; sleep 0.1; done
        echo 1 > /sys/block/${1#/dev/}/reset && if [ $2 ]; then echo ${1#/dev/zram} > /sys/class/zram-control/hot_remove; fi
    """
    environment = dict(os.environ, PATH=path)
    done = subprocess.run(["sh", "-c", script], env=environment, capture_output=True, text=True)
    device = done.stdout.strip()
    try:
        assert (done.returncode, swaps()) == (0, [device]), done.stderr
        finding = found(diagnosis(sandbox))["page-out"]
        assert (finding["here"], finding["advice"]) == ("yes", []), finding
    finally:
        if device:
            is_new = "" if os.path.basename(device) in before else "new"
            subprocess.run(["sh", "-c", end, "sh", device, is_new], env=environment, check=True)
    assert sorted(os.listdir("/sys/block")) == sorted(before)
    assert device not in swaps()
