"""`curfew report`: the reports that kills have left, listed and shown. The files here are written by hand."""

import json
import os

import pytest

from test_cli import expect, on_terminal

WHEN = 1763729109
STAMP = "20251121T124509Z"
NAME = "background-task-timeout (0x2182bad2): "
MESSAGE = 'task 2 "upload" (begun 10 min 3 s ago) was still open when the background budget of 10 min was over'
REPORT = {
    "version": 1, "app": "backup", "command": ["./backup.sh", "a\x1b[31mb"], "pid": 41207, "containment": "cgroup2",
    "reason": "background-task-timeout", "code": "0x2182bad2", "message": NAME + MESSAGE, "status": 124,
    "leader": {"signal": 9, "dumpedCore": False}, "state": "background",
    "limit": {"seconds": 600.0, "elapsedSeconds": 600.004}, "tasks": [{"task": 2, "name": "upload", "ageSeconds": 603.1}],
    "started": WHEN - 700.5, "ended": float(WHEN), "seconds": 700.5, "cpuSeconds": 1.25, "peakMemoryBytes": 10485760,
    "exitCategory": "backgroundTaskAssertionTimeoutExit", "visibility": "background",
    "limits": {"budgetSeconds": 600, "memoryBytes": None},
    "processes": [{
        "pid": 41207, "parent": 1, "name": "backup.sh", "command": ["/bin/sh", "./backup.sh"], "state": "S",
        "waitChannel": "do_wait", "footprintBytes": 524288, "cpuSeconds": 0.25, "descriptors": 5, "locks": []}],
    "omittedProcesses": 0,
    "events": [{"time": WHEN - 0.5, "name": "stateDidChange", "from": "active", "to": "background"}],
}

SHOWN = f"""\
backup: killed: {NAME}{MESSAGE}
  when           2025-11-21 12:45:09, after 11 min 41 s
  command        ./backup.sh a\\x1b[31mb
  pid            41207
  state          background
  exit category  backgroundTaskAssertionTimeoutExit
  exit status    124
  program        ended by signal 9
  containment    cgroup2
  CPU time       1.3 s
  peak memory    10 MiB
  file           PATH

Limit crossed
  limit          10 min
  elapsed        10 min

All limits
  budget         10 min

Background tasks
  TASK         AGE  NAME
     2  10 min 3 s  upload

Processes
    PID  STATE  WAITS IN   MEMORY    CPU  FDS  COMMAND
  41207  S      do_wait   512 KiB  0.3 s    5  /bin/sh ./backup.sh

Last events
  TIME          EVENT           DETAILS
  12:45:08.500  stateDidChange  from=active  to=background
"""


class Reports:
    """The files of a sandbox's reports."""

    def __init__(self, sandbox):
        self.sandbox = sandbox
        self.folder = sandbox.reports
        sandbox.environment["TZ"] = "UTC0"

    def put(self, identifier, report, age=0):
        """Writes one as Curfew would have, `age` seconds ago."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{identifier}.json"
        path.write_text(report if isinstance(report, str) else json.dumps(report))
        os.utime(path, (WHEN - age, WHEN - age))
        return path

    def curfew(self, *arguments, **options):
        return self.sandbox.curfew("report", *arguments, **options)


@pytest.fixture
def reports(sandbox):
    return Reports(sandbox)


def test_none(reports):
    expect(reports.curfew(), out=f"no reports: each kill leaves one in {reports.folder}\n")
    expect(reports.curfew("--json"), out="[]\n")
    for word in ("last", "backup", "x"):
        expect(reports.curfew(word), 1, err=f"curfew: report: there are no reports in {reports.folder}\n")
    reports.folder.mkdir(parents=True)
    expect(reports.curfew(), out=f"no reports: each kill leaves one in {reports.folder}\n")
    # Looking makes nothing.
    assert list(reports.folder.iterdir()) == []


def test_one_for_people_and_as_json(reports):
    identifier = f"backup-{STAMP}-41207"
    path = reports.put(identifier, REPORT)
    for word in (identifier, identifier[:12], "backup", "last", "b"):
        expect(reports.curfew(word), out=SHOWN.replace("PATH", str(path)))
        result = reports.curfew(word, "--json")
        assert (result.returncode, result.stderr, json.loads(result.stdout)) == (0, "", REPORT)


def test_the_list(reports):
    reports.put(f"backup-{STAMP}-41207", REPORT)
    reports.put(f"a-{STAMP}-7", dict(REPORT, app="a", ended=WHEN - 86400, reason="time-limit", code=None,
                                     message="time-limit: it ran for 2 h\n; the limit is 1 h"), age=10)
    reports.put(f"bad-{STAMP}-7", '{"version": 1, "app": "ba', age=20)
    for other in ("notes.json", f"backup-{STAMP}-41207.json.bak", f".tmp-x-{STAMP}-7", f"x-{STAMP}.json"):
        (reports.folder / other).write_text("{}")
    damage = "it isn't whole JSON: a string is not closed at byte 22"
    expect(reports.curfew(), out=(
        "WHEN                 APP     REASON                   ID                             MESSAGE\n"
        f"2025-11-21 12:45:09  backup  background-task-timeout  backup-{STAMP}-41207  {MESSAGE}\n"
        f"2025-11-20 12:45:09  a       time-limit               a-{STAMP}-7           "
        "it ran for 2 h\\n; the limit is 1 h\n"
        f"2025-11-21 12:45:09  bad     (damaged)                bad-{STAMP}-7         {damage}\n"))
    result = reports.curfew("--json")
    assert (result.returncode, result.stderr) == (0, "")
    listed = json.loads(result.stdout)
    assert listed[0] == {
        "id": f"backup-{STAMP}-41207", "path": str(reports.folder / f"backup-{STAMP}-41207.json"), "time": WHEN,
        "app": "backup", "reason": "background-task-timeout", "code": "0x2182bad2", "message": NAME + MESSAGE,
        "damaged": False}
    assert [(report["app"], report["code"], report["damaged"]) for report in listed] == [
        ("backup", "0x2182bad2", False), ("a", None, False), ("bad", None, True)]
    assert (listed[2]["time"], listed[2]["reason"], listed[2]["message"]) == (WHEN, None, damage)
    path = reports.folder / f"bad-{STAMP}-7.json"
    for options in ([], ["--json"]):
        expect(reports.curfew("bad", *options), 1, err=f"curfew: report: {path}: {damage}\n")


def test_which_one_is_meant(reports):
    for pid, age in ((41, 5), (412, 30), (5, 60)):
        reports.put(f"backup-{STAMP}-{pid}", dict(REPORT, pid=pid), age)
    reports.put(f"last-{STAMP}-1", dict(REPORT, app="last", pid=1), 90)

    def pid(word):
        result = reports.curfew("--json", word)
        assert (result.returncode, result.stderr) == (0, "")
        return json.loads(result.stdout)["pid"]

    assert [pid(word) for word in ("last", "backup", f"backup-{STAMP}-41", f"backup-{STAMP}-412", "last-")] == [
        41, 41, 41, 412, 1]
    ids = ", ".join(f"backup-{STAMP}-{number}" for number in (41, 412, 5))
    expect(reports.curfew("back"), 64,
           err=f'curfew: report: "back" could mean {ids}; say more of the one you mean\n')
    for word in ("nosuch", "", "a/b", "../x", "a\x1bb"):
        shown = word.replace("\x1b", "\\x1b")
        expect(reports.curfew(word), 1,
               err=f'curfew: report: there is no report of "{shown}"; `curfew report` lists those that there are\n')


def test_reports_that_are_anything_but(reports):
    """Each is listed as damaged or with what it says; none is a trap, and nothing is waited for."""
    strange = [
        "", "null", "[]", "7", '"x"', "{}", "\xff", '{"app": 7}', "[" * 100, '{"tasks": 1, "processes": [1, {}]}',
        '{"ended": 1e300, "seconds": -1e300, "events": [{"time": 1e300}, {"time": "x"}], "limit": {"seconds": []}}',
        json.dumps({key: {} for key in REPORT}), json.dumps({key: [None, [], {}] for key in REPORT}),
    ]
    for number, text in enumerate(strange):
        reports.put(f"x-{STAMP}-{number + 1}", text, number)
    os.mkfifo(reports.folder / f"pipe-{STAMP}-1.json")
    (reports.folder / f"link-{STAMP}-1.json").symlink_to("/dev/zero")
    (reports.folder / f"folder-{STAMP}-1.json").mkdir()
    result = reports.curfew()
    assert (result.returncode, result.stderr, len(result.stdout.splitlines())) == (0, "", len(strange) + 4)
    listed = {report["id"]: report for report in json.loads(reports.curfew("--json").stdout)}
    assert len(listed) == len(strange) + 3
    for identifier, report in listed.items():
        result = reports.curfew(identifier)
        assert result.returncode == (1 if report["damaged"] else 0), (identifier, result)
        assert len(result.stderr.splitlines()) == result.returncode
    assert {name.split("-")[0] for name, report in listed.items() if not report["damaged"]} == {"x"}
    assert listed[f"pipe-{STAMP}-1"]["message"] == "it is no ordinary file"


def test_on_a_terminal(reports):
    reports.put(f"backup-{STAMP}-41207", REPORT)
    lines = on_terminal(reports.sandbox, "report", width=100).splitlines()
    assert (len(lines[1]), lines[1][-1]) == (100, "…")
    shown = on_terminal(reports.sandbox, "report", "last", width=60).splitlines()
    assert shown[0] == f"backup: killed: {NAME}{MESSAGE}"
    assert shown[-1] == "  12:45:08.500  stateDidChange  from=active  to=background"
    assert on_terminal(reports.sandbox, "report", "last", width=50).splitlines()[-1].endswith("from=active  to=b…")
    assert "\x1b" not in "".join(lines + shown)


def test_the_way_to_the_reports(reports, tmp_path):
    """XDG_STATE_HOME, else HOME; what isn't absolute doesn't count."""
    home = tmp_path / "home"
    home.mkdir()
    variables = dict(reports.sandbox.environment, HOME=str(home))
    reports.folder = home / ".local" / "state" / "curfew" / "reports"
    reports.put(f"backup-{STAMP}-41207", REPORT)
    for state in (None, "", "relative"):
        environment = {key: value for key, value in variables.items() if key != "XDG_STATE_HOME"}
        if state is not None:
            environment["XDG_STATE_HOME"] = state
        result = reports.curfew("last", "--json", env=environment)
        assert (result.returncode, result.stderr, json.loads(result.stdout)) == (0, "", REPORT)


def test_a_directory_that_is_none(reports):
    reports.folder.parent.mkdir(parents=True)
    reports.folder.write_text("")
    for arguments in ([], ["last"], ["--json"]):
        expect(reports.curfew(*arguments), 1, err=f"curfew: report: read {reports.folder}: Not a directory\n")
