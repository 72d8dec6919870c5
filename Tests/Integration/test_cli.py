"""What every verb prints, and its status: help, mistakes, tables, JSON, colours, and output that can't be written."""

import datetime
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import pytest

from conftest import LIMIT, binary, wait_for

VERBS = (
    "run, timeout, launch, home, open, switch, sleep, interrupt, dismiss, wake, post, notify, fetch, push, submit, warn, pressure, advance, reclaim, quit, remove, reload, ps, top, apps, history, schedule, log, status, events, wait, report, replay, "
    "timeline, test, serve, check, doctor, task"
)
TASK_VERBS = "begin, end, remaining, list, run, keep-alive, fetch-interval, payload"
NAME = "1 to 64 letters, digits, or . _ + @ - (not first a . or -, and not digits alone)"
DURATION = "a duration such as 90, 1.5s, 10m, 1h30min or inf"
SIZE = "a size such as 200M (200 MiB), 1.5G, 64KiB, a number of bytes or inf"
SCALE = "a number from 0.001 to 1000000, such as 60"
WORD = "letters, digits, - _ and . (first a letter), 64 at most"
RUN_USAGE = "usage: curfew run [options] [--] COMMAND [ARG…]"
TASK_RUN_USAGE = "usage: curfew task run NAME [--] COMMAND [ARG…]"
NO_APP = "an app is needed: its name or its pid; `curfew ps` lists those that run"
OUTSIDE = "not inside an app (CURFEW_SOCKET isn't set); it is for what `curfew run` starts"

OPTIONS = {
    "run": [
        "--name", "--background", "--aware", "--wait-all", "--report", "--profile", "--budget", "--expiration-lead",
        "--grace", "--enter-background-limit", "--terminate-limit", "--launch-limit", "--wake-limit", "--processing-limit", "--time-limit",
        "--time-scale", "--memory", "--containment", "--suspend", "--terminate-suspended", "--on-supervisor-exit",
        "--drop-caps", "--no-new-privs", "--wake", "--launch-option", "--exits-on-suspend", "--on", "--exec-on",
        "--settings", "--settings-signal", "--watchdog", "--journal", "--state-dir", "--memory-high", "--background-memory",
        "--background-memory-high", "--memory-low", "--background-cpu", "--cpu-limit-action", "--background-priority",
        "--locks", "--lock-wait", "--page-out", "--page-out-above", "--resume-limit", "--disk-low", "--strict",
        "--manual-clock",
    ],
    "home": ["--json", "--server"], "open": ["--json", "--server"], "wait": ["--json", "--server", "--limit"], "interrupt": ["--json"], "dismiss": ["--json"], "wake": ["--json"],
    "post": ["--json"], "quit": ["--json", "--server", "--all"], "ps": ["--json"], "top": [], "status": ["--json"],
    "events": ["--json", "--follow"], "report": ["--json"], "replay": [], "timeline": ["--output", "--title", "--record"], "check": ["--json"], "doctor": ["--json"], "warn": ["--json"], "pressure": ["--json"],
    "reclaim": ["--json"], "advance": ["--json"], "switch": ["--json", "--server"], "apps": ["--json", "--server"],
    "history": ["--json", "--server", "--limit"], "schedule": ["--json", "--server", "--run", "--expire"],
    "submit": ["--json", "--server", "--refresh", "--processing", "--earliest", "--in", "--needs-network", "--needs-power",
               "--cancel", "--cancel-all"], "fetch": ["--json", "--server"], "push": ["--json", "--server", "--apns-id"],
    "notify": ["--json", "--server", "--at", "--in", "--zone", "--repeat", "--title", "--action", "--badge", "--sound",
               "--info", "--id", "--cancel", "--cancel-all"],
    "remove": ["--json", "--server", "--purge"],
    "log": ["--json", "--follow", "--since", "--run"], "reload": ["--json", "--server", "--environment"], "launch": ["--json", "--server", "--print-manifest", "--budget", "--background"],
    "serve": ["--name", "--apps", "--foreground", "--memory-low", "--disk-low", "--log-size", "--containment", "--stop"],
    "task": [], "task begin": ["--owner", "--json"], "task end": [], "task keep-alive": [], "task fetch-interval": [], "task payload": [],
    "task remaining": ["--json"], "task list": ["--json"], "task run": [],
}
OPERANDS = {"home": ["x"], "open": ["x"], "interrupt": ["x"], "dismiss": ["x"], "wake": ["x", "fetch"],
            "post": ["x", "fetch"], "quit": ["x"], "reclaim": ["x"], "warn": ["x"], "pressure": ["x", "critical"], "advance": ["x", "10m"], "replay": ["x"], "wait": ["x", "active"], "remove": ["x"], "notify": ["x"], "fetch": ["x"], "push": ["x"], "submit": ["x", "a"], "log": ["x"], "launch": ["x"], "task begin": ["x"], "task end": ["1"], "task keep-alive": ["10m"], "task fetch-interval": ["10m"], "task payload": ["7"],
            "run": ["true"], "task run": ["x", "true"]}
PARSED = [verb for verb in OPTIONS if verb != "task"]


def expect(result, status=0, out="", err=""):
    assert (result.returncode, result.stdout, result.stderr) == (status, out, err)


def command_name(verb):
    return pytest.param(verb, id=verb.replace(" ", "-"))


# ---- mistakes ------------------------------------------------------------------------------------------------------


MISTAKES = [
    ([], f"no verb given; it is one of {VERBS}; `curfew --help` tells more"),
    (["frobnicate"], f'there is no verb "frobnicate"; the verbs are {VERBS}; `curfew --help` tells more'),
    (["statsu"], 'there is no verb "statsu"; did you mean status? `curfew --help` tells more'),
    (["opne", "x"], 'there is no verb "opne"; did you mean open? `curfew --help` tells more'),
    ([""], f'there is no verb ""; the verbs are {VERBS}; `curfew --help` tells more'),
    (["a\nb\x1b[1m"], f'there is no verb "a\\nb\\x1b[1m"; the verbs are {VERBS}; `curfew --help` tells more'),
    (["--bogus"], f"unknown option --bogus; the verbs are {VERBS}; `curfew --help` tells more"),
    (["--shell-libary"], "unknown option --shell-libary; did you mean --shell-library? `curfew --help` tells more"),
    (["--shell-library", "x"], '--shell-library takes no more; it was given "x"'),
    (["--verison"], "unknown option --verison; did you mean --version? `curfew --help` tells more"),
    (["frobnicate", "--help"], f'there is no verb "frobnicate"; the verbs are {VERBS}; `curfew --help` tells more'),
    (["help", "frobnicate"], f'help: there is no verb "frobnicate"; the verbs are {VERBS}'),
    (["help", "task", "lst"], 'help task: there is no verb "lst"; did you mean list?'),
    (["--generate-completion-script", "tcsh"], '--generate-completion-script: "tcsh" isn\'t bash, zsh or fish'),
    (["run"], f"run: no command given; {RUN_USAGE}"),
    (["run", "--"], f"run: no command given; {RUN_USAGE}"),
    (["run", "--aware", "--name=x"], f"run: no command given; {RUN_USAGE}"),
    (["run", "--bugdet", "3", "x"],
     "run: unknown option --bugdet; did you mean --budget? `curfew run --help` lists all"),
    (["run", "-n", "x"], "run: unknown option -n; `curfew run --help` lists what is accepted"),
    (["run", "--name"], f"run: --name needs a value: a name, {NAME}"),
    (["run", "--budget"], f"run: --budget needs a value: {DURATION}"),
    (["run", "--memory"], f"run: --memory needs a value: {SIZE}"),
    (["run", "--time-scale"], f"run: --time-scale needs a value: {SCALE}"),
    (["run", "--report"], "run: --report needs a value: the path of a file"),
    (["run", "--profile"], "run: --profile needs a value: one of ios4, ios5, ios7, ios13"),
    (["run", "--budget", "10x", "y"], f'run: --budget: "10x" isn\'t {DURATION}'),
    (["run", "--grace=-1", "y"], f'run: --grace: "-1" isn\'t {DURATION}'),
    (["run", "--time-limit=", "y"], f'run: --time-limit: "" isn\'t {DURATION}'),
    (["run", "--budget", "--", "y"], f'run: --budget: "--" isn\'t {DURATION}'),
    (["run", "--memory", "1KB", "y"], f'run: --memory: "1KB" isn\'t {SIZE}'),
    (["run", "--memory", "0", "y"], f'run: --memory: "0" isn\'t {SIZE}'),
    (["run", "--profile", "ios6", "y"], 'run: --profile: "ios6" isn\'t one of ios4, ios5, ios7, ios13'),
    (["run", "--containment", "jail", "y"],
     'run: --containment: "jail" isn\'t one of auto, cgroup2, cgroup1, tree'),
    (["run", "--suspend", "no", "y"], 'run: --suspend: "no" isn\'t one of both, sigstop, freezer'),
    (["run", "--terminate-suspended=", "y"], 'run: --terminate-suspended: "" isn\'t one of kill, wake'),
    (["run", "--on-supervisor-exit=x", "y"], 'run: --on-supervisor-exit: "x" isn\'t one of kill, resume'),
    (["run", "--time-scale", "0", "y"], f'run: --time-scale: "0" isn\'t {SCALE}'),
    (["run", "--time-scale", "nan", "y"], f'run: --time-scale: "nan" isn\'t {SCALE}'),
    (["run", "--time-scale", "fast", "y"], f'run: --time-scale: "fast" isn\'t {SCALE}'),
    (["run", "--report", "", "y"], 'run: --report: "" isn\'t the path of a file'),
    (["run", "--aware=yes", "y"], 'run: --aware takes no value; it was given "yes"'),
    (["run", "--name", "--help"], f'run: --name: "--help" isn\'t a name; accepted: {NAME}'),
    (["run", "--wake", "didBecomeActive", "y"],
     "run: --wake: didBecomeActive is an event of the lifecycle; only Curfew delivers it, so yours needs another name"),
    (["run", "--wake", "a b", "y"], f'run: --wake: "a b" isn\'t an event\'s name: {WORD}'),
    (["run", "--launch-option", "x", "y"], 'run: --launch-option: "x" isn\'t KEY=VALUE, such as reason=nightly'),
    (["run", "--launch-option", "1=x", "y"], f'run: --launch-option: "1" isn\'t a KEY: {WORD}'),
    (["run", *[f"--launch-option=k{n}=" for n in range(17)], "y"],
     'run: --launch-option: "k16" is one too many: an event carries 16 pairs at most'),
    (["run", "--launch-option", "k=" + "x" * 4000, "y"],
     "run: --launch-option: the pairs are too long: an event has 4096 bytes at most, all in all"),
    (["run", "--on", "USR1", "y"], 'run: --on: "USR1" isn\'t EVENT=SIGNAL, such as didEnterBackground=USR1'),
    (["run", "--on", "didEnterBackgroud=USR1", "y"],
     'run: --on: there is no event "didEnterBackgroud"; did you mean didEnterBackground?'),
    (["run", "--on", "tick=FOO", "y"],
     'run: --on: "FOO" isn\'t a signal: a name such as USR1 or SIGUSR1, or a number from 1 to 64'),
    (["run", "--on", "tick=CONT", "y"],
     'run: --on: "CONT" can\'t be used: Curfew suspends, resumes and kills by STOP, CONT and KILL; another signal, '
     "such as USR1, is needed"),
    (["run", "--exec-on", "tick=", "y"],
     "run: --exec-on: tick has no COMMAND; accepted is EVENT=COMMAND, such as didEnterBackground='sync'"),
    (["run", "--settings-signal", "HUP", "y"],
     "run: --settings-signal needs --settings FILE, the file whose changes it tells of"),
    (["run", "--watchdog", "soon", "y"], f'run: --watchdog: "soon" isn\'t {DURATION}'),
    (["run", "--journal=", "y"], 'run: --journal: "" isn\'t the path of a file'),
    (["interrupt", "a", "b"], 'interrupt: "b" is one too many; `curfew interrupt --help` shows what is accepted'),
    (["intrrupt", "a"], 'there is no verb "intrrupt"; did you mean interrupt? `curfew --help` tells more'),
    (["wake", "a"], "wake: an event's name is needed, such as: curfew wake backup fetch"),
    (["wake", "a", "b c"], f'wake: "b c" isn\'t an event\'s name: {WORD}'),
    (["wake", "a", "willTerminate"],
     "wake: willTerminate is an event of the lifecycle; only Curfew delivers it, so yours needs another name"),
    (["post", "a", "b", "c"], 'post: "c" isn\'t KEY=VALUE, such as reason=nightly'),
    (["post", "a", "b", "c d=e"], f'post: "c d" isn\'t a KEY: {WORD}'),
    (["post", "a", "b", *[f"k{n}=" for n in range(17)]],
     'post: "k16=" is one too many; an event carries 16 pairs at most'),
    (["post", "a", "b", "k=" + "x" * 4090],
     "post: the pairs are too long: an event has 4096 bytes at most, all in all"),
    (["history", "--limit", "0"], 'history: --limit: "0" isn\'t a number from 1 to 100000'),
    (["history", "mail", "--limit=100001"], 'history: --limit: "100001" isn\'t a number from 1 to 100000'),
    (["serve", "--apps="], 'serve: --apps: "" isn\'t the path of a directory'),
    (["report", "a", "b"], 'report: "b" is one too many; `curfew report --help` shows what is accepted'),
    (["reprot"], 'there is no verb "reprot"; did you mean report? `curfew --help` tells more'),
    (["replay"], "replay: a file is needed, as `curfew run --journal FILE` wrote it"),
    (["replay", "a", "b"], 'replay: "b" is one too many; `curfew replay --help` shows what is accepted'),
    (["home", "a", "b"], 'home: "b" is one too many; `curfew home --help` shows what is accepted'),
    (["home", "-x"], "home: unknown option -x; `curfew home --help` lists what is accepted"),
    (["doctor", "x"], 'doctor: "x" is one too many; `curfew doctor --help` shows what is accepted'),
    (["doctor", "--jsno"],
     "doctor: unknown option --jsno; did you mean --json? `curfew doctor --help` lists all"),
    (["ps", "x"], 'ps: "x" is one too many; `curfew ps --help` shows what is accepted'),
    (["ps", "--jsno"], "ps: unknown option --jsno; did you mean --json? `curfew ps --help` lists all"),
    (["ps", "-json"], "ps: unknown option -json; did you mean --json? `curfew ps --help` lists all"),
    (["events", "--fllow"], "events: unknown option --fllow; did you mean --follow? `curfew events --help` lists all"),
    (["task"], f"task: no verb given; it is one of {TASK_VERBS}; `curfew task --help` tells more"),
    (["task", "lst"], f'task: "lst" isn\'t one of {TASK_VERBS}; did you mean list?'),
    (["task", "frobnicate"], f'task: "frobnicate" isn\'t one of {TASK_VERBS}'),
    (["task", "begin"], "task begin: a name for the task is needed, such as: curfew task begin upload"),
    (["task", "begin", ""], "task begin: a name for the task is needed, such as: curfew task begin upload"),
    (["task", "begin", "a", "b"],
     'task begin: "b" is one too many: a task has one name; quote it if it has blanks'),
    (["task", "begin", "--owner"], "task begin: --owner needs a value: a pid"),
    (["task", "begin", "--owner", "me", "a"], 'task begin: --owner: "me" isn\'t a pid'),
    (["task", "end"], "task end: a task's number is needed, as `curfew task begin` printed it"),
    (["task", "end", "x"], 'task end: "x" isn\'t a task\'s number, as `curfew task begin` printed it'),
    (["task", "end", "1", "2"], 'task end: "2" is one too many; `curfew task end --help` shows what is accepted'),
    (["task", "list", "x"], 'task list: "x" is one too many; `curfew task list --help` shows what is accepted'),
    (["task", "run"], f"task run: a name for the task is needed; {TASK_RUN_USAGE}"),
    (["task", "run", "x"], f"task run: no command given; {TASK_RUN_USAGE}"),
    (["task", "run", "x", "--"], f"task run: no command given; {TASK_RUN_USAGE}"),
]


def shown(value):
    return ascii(" ".join(value))[:80] if isinstance(value, list) else ""


@pytest.mark.parametrize("arguments, problem", MISTAKES, ids=shown)
def test_mistakes_are_told_in_one_line(sandbox, arguments, problem):
    expect(sandbox.curfew(*arguments), 64, err=f"curfew: {problem}\n")


@pytest.mark.parametrize("verb", map(command_name, PARSED))
def test_unknown_option(sandbox, verb):
    result = sandbox.curfew(*verb.split(), "--bogus", *OPERANDS.get(verb, []))
    expect(result, 64, err=f"curfew: {verb}: unknown option --bogus; `curfew {verb} --help` lists what is accepted\n")


@pytest.mark.parametrize("verb, option", [(verb, option) for verb in PARSED for option in OPTIONS[verb]])
def test_missing_value_or_one_too_many(sandbox, verb, option):
    flags = {"--background", "--aware", "--wait-all", "--drop-caps", "--no-new-privs", "--json", "--follow",
             "--exits-on-suspend", "--strict", "--manual-clock", "--all", "--purge", "--environment",
             "--stop", "--join", "--print-manifest", "--cancel-all", "--sources", "--refresh", "--processing",
             "--needs-network", "--needs-power"}
    if option in flags:
        result = sandbox.curfew(*verb.split(), f"{option}=1", *OPERANDS.get(verb, []))
        expect(result, 64, err=f'curfew: {verb}: {option} takes no value; it was given "1"\n')
    else:
        result = sandbox.curfew(*verb.split(), option)
        assert (result.returncode, result.stdout) == (64, "")
        assert re.fullmatch(f"curfew: {verb}: {option} needs a value: .+\n", result.stderr)


@pytest.mark.parametrize("name", ["a/b", "", "..", ".x", "-x", "a" * 65, "123", "a b", "é", "a\nb"])
def test_bad_name(sandbox, name):
    shown = name.replace("\n", "\\n")
    for option in (["--name", name], [f"--name={name}"]):
        result = sandbox.curfew("run", *option, "--", "touch", sandbox.scratch / "started")
        expect(result, 64, err=f'curfew: run: --name: "{shown}" isn\'t a name; accepted: {NAME}\n')
    assert not (sandbox.scratch / "started").exists()


@pytest.mark.parametrize("name", ["a" * 64, "_x", "+5", "1a", "a.b@c-d"])
def test_good_name(sandbox, name):
    expect(sandbox.curfew("run", "--name", name, "--", "true"))


@pytest.mark.parametrize("verb", ["open", "interrupt", "dismiss", "wake", "post", "wait"])
def test_an_app_is_needed(sandbox, verb):
    expect(sandbox.curfew(verb), 64, err=f"curfew: {verb}: {NO_APP}\n")
    expect(sandbox.curfew(verb, "--json"), 64, err=f"curfew: {verb}: {NO_APP}\n")


# ---- finding the app -----------------------------------------------------------------------------------------------


APP_VERBS = ["home", "open", "interrupt", "dismiss", "wake", "post", "quit", "status", "events", "wait"]


def after_app(verb):
    """What a verb needs besides the app."""
    return OPERANDS.get(verb, [])[1:]


@pytest.mark.parametrize("verb", APP_VERBS)
def test_no_such_app(sandbox, verb):
    unknown = f"curfew: {verb}: no app called nosuch is running; `curfew ps` lists those that are\n"
    expect(sandbox.curfew(verb, "nosuch", *after_app(verb)), 69, err=unknown)
    expect(sandbox.curfew(verb, "--json", "nosuch", *after_app(verb)), 69, err=unknown)
    unknown = f"curfew: {verb}: no app has the pid 2147483647; `curfew ps` lists those that run, with their pids\n"
    expect(sandbox.curfew(verb, "2147483647", *after_app(verb)), 69, err=unknown)


@pytest.mark.parametrize("verb", APP_VERBS)
@pytest.mark.parametrize("app", ["a/b", "..", "", "0", "99999999999", "a" * 65])
def test_neither_name_nor_pid(sandbox, verb, app):
    problem = f'"{app}" is neither a name nor a pid; a name is {NAME}'
    expect(sandbox.curfew(verb, app, *after_app(verb)), 64, err=f"curfew: {verb}: {problem}\n")


@pytest.mark.parametrize("verb", ["status", "events"])
def test_no_app_at_all(sandbox, verb):
    expect(sandbox.curfew(verb), 69, err=f"curfew: {verb}: no app is running; `curfew run` starts one\n")


def test_a_dead_socket_is_no_app_and_is_swept(sandbox):
    running = sandbox.shell("sleep 60 & echo up; wait", name="gone")
    running.expect("up")
    path = sandbox.runtime / "curfew" / "gone.sock"
    dead = path.with_name("dead.sock")
    os.link(path, dead)
    assert sandbox.curfew("quit", "gone").returncode == 0
    running.wait()
    expect(sandbox.curfew("status", "dead"), 69,
           err="curfew: status: no app called dead is running; `curfew ps` lists those that are\n")
    assert sandbox.curfew("ps", "--json").stdout == "[]\n"
    assert not dead.exists()


def test_finds_an_app_by_name_or_pid(sandbox):
    running = sandbox.shell("sleep 60 & echo up; wait", name="backup")
    running.expect("up")
    status = running.status()
    assert status["front"] == running.pid
    for app in ["backup", status["pid"], status["front"], status["supervisor"]]:
        result = sandbox.curfew("status", app, "--json")
        assert (result.returncode, result.stderr) == (0, "")
        assert json.loads(result.stdout)["app"] == "backup"
    only = sandbox.curfew("status", "--json")
    assert json.loads(only.stdout)["app"] == "backup"


def test_several_apps_must_be_named(sandbox):
    for name in ("beta", "alpha"):
        sandbox.shell("sleep 60 & echo up; wait", name=name).expect("up")
    for verb in ("status", "events"):
        expect(sandbox.curfew(verb), 64, err=f"curfew: {verb}: several apps are running; say which: alpha, beta\n")


def test_a_pid_that_two_apps_answer_to(sandbox):
    outer = sandbox.start(binary(), "run", "--name", "inner", "--", "sh", "-c", "sleep 60 & echo up; wait", name="outer")
    outer.expect("up")
    pid = outer.status()["pid"]
    expect(sandbox.curfew("home", pid), 64,
           err=f"curfew: home: the pid {pid} could mean inner, outer; say which by name\n")


def test_a_supervisor_that_does_not_answer(sandbox):
    """Each verb gives it ten seconds; here they wait together."""
    running = sandbox.shell("sleep 60 & echo up; wait", name="stuck")
    running.expect("up")
    supervisor = running.stop()
    try:
        asking = {
            verb: subprocess.Popen(
                [binary(), verb, argument], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True, env=sandbox.environment)
            for verb, argument in (("quit", "stuck"), ("ps", "--json"))}
        answers = {verb: process.communicate(timeout=LIMIT) for verb, process in asking.items()}
    finally:
        os.kill(running.pid, signal.SIGCONT)
        os.kill(supervisor, signal.SIGCONT)
    for verb, status, out in (("quit", 69, ""), ("ps", 0, "[]\n")):
        assert answers[verb] == (out, f"curfew: {verb}: stuck: its supervisor didn't answer in 10 s\n")
        assert asking[verb].returncode == status


# ---- seeing --------------------------------------------------------------------------------------------------------


TITLES = "NAME  PID  STATE  FOR  TASKS  LEFT  PROCS  MEMORY  CPU  COMMAND\n"


def whole(seconds):
    """Rounded as for people."""
    return int(seconds + 0.5)


def test_ps_of_none(sandbox):
    expect(sandbox.curfew("ps"), out=TITLES)
    expect(sandbox.curfew("ps", "--json"), out="[]\n")


def test_ps_of_two(sandbox):
    sandbox.shell("sleep 60 & echo up; wait", name="long-name").expect("up")
    sandbox.shell("sleep 61 & echo up; wait", name="b").expect("up")
    assert sandbox.curfew("home", "b").returncode == 0
    result = sandbox.curfew("ps")
    assert (result.returncode, result.stderr) == (0, "")
    titles, first, second = result.stdout.splitlines()
    assert titles.split() == TITLES.split()
    row = r"(\d+(\.\d)? m?s) +0 +{left} +2 +\d+(\.\d)? [KM]iB +[\d.]+ (ms|us|s) +sh -c sleep {seconds} & echo up; wait"
    apps = json.loads(sandbox.curfew("ps", "--json").stdout)
    assert [app["app"] for app in apps] == ["b", "long-name"]
    # It stands while it is suspended; how long that took is chance.
    minutes, seconds = divmod(whole(apps[0]["remaining"]), 60)
    left = f"{minutes} min" + (f" {seconds} s" if seconds else "")
    assert re.fullmatch(r"b +\d+ +suspended +" + row.format(left=left, seconds=61), first)
    assert re.fullmatch(r"long-name +\d+ +active +" + row.format(left="unlimited", seconds=60), second)
    # Names and states to the left, numbers to the right.
    assert titles.index("STATE") == first.index("suspended") == second.index("active")
    assert titles.index("COMMAND") == first.index("sh -c") == second.index("sh -c")


def test_status_text(sandbox):
    running = sandbox.shell(
        "curfew task begin upload; sleep 60 & echo up; wait", name="backup",
        options=["--memory", "500M", "--time-limit", "1h"])
    running.expect("up")
    lines = sandbox.curfew("status", "backup").stdout.splitlines()
    expected = [
        r"backup: active for (\d+ ms|[\d.]+ s)",
        r"  command       sh -c curfew task begin upload; sleep 60 & echo up; wait",
        r"  pid           \d+ \(proxy \d+, supervisor \d+\)",
        r"  kind          plain",
        r"  remaining     unlimited in foreground, 10 min once in background",
        r'  tasks         1 "upload" \([\d.]+ (ms|s)\)',
        r"  processes     2",
        r"  footprint     \d+(\.\d)? [KM]iB of 500 MiB",
        r"  CPU time      [\d.]+ (us|ms|s)",
        r"  running       [\d.]+ (ms|s) of 1 h",
        r"  containment   \S.*",
    ]
    assert len(lines) == len(expected)
    for line, pattern in zip(lines, expected):
        assert re.fullmatch(pattern, line), line
    assert sandbox.curfew("home", "backup").returncode == 0
    before = running.status()["remaining"]
    text = sandbox.curfew("status", "backup").stdout
    after = running.status()["remaining"]
    assert text.startswith("backup: background for ")
    # Rounded to the nearest second: that which has just begun is whole.
    minutes, seconds = re.search(r"\n  remaining     (\d+) min(?: (\d+) s)? of 10 min\n", text).groups("0")
    assert 600 >= whole(before) >= 60 * int(minutes) + int(seconds) >= whole(after)


def test_status_json(sandbox):
    running = sandbox.shell(
        'curfew task begin "nightly upload"; sleep 60 & echo up; wait', name="backup", options=["--memory", "500M"])
    running.expect("up")
    status = running.status()
    assert {key: type(value) for key, value in status.items()} == {
        "app": str, "pid": int, "front": int, "supervisor": int, "state": str, "since": float, "aware": bool,
        "remaining": type(None), "budget": float, "openTasks": int, "processes": int, "footprint": int, "cpu": float,
        "containment": str, "runningFor": float, "memoryLimit": int, "command": str, "tasks": list,
    }
    assert (status["app"], status["state"], status["aware"]) == ("backup", "active", False)
    assert (status["budget"], status["memoryLimit"], status["openTasks"]) == (600.0, 500 << 20, 1)
    (task,) = status["tasks"]
    assert (task["task"], task["name"], type(task["ageSeconds"])) == (1, "nightly upload", float)


def test_a_command_called_true_is_a_string(sandbox):
    program = sandbox.scratch / "true"
    program.write_text("#!/bin/sh\necho up\nexec sleep 60\n")
    program.chmod(0o755)
    environment = dict(sandbox.environment, PATH=f"{sandbox.scratch}:{sandbox.environment['PATH']}")
    running = sandbox.start("true", name="true", env=environment)
    running.expect("up")
    status = running.status()
    assert (status["command"], status["app"]) == ("true", "true")


def test_what_apps_say_stays_on_its_line(sandbox):
    script = 'curfew task begin "$(printf "a\\nb\\033[31m")"\necho up\nsleep 60'
    running = sandbox.shell(script, name="loud")
    running.expect("up")
    table = sandbox.curfew("ps").stdout
    assert len(table.splitlines()) == 2
    text = sandbox.curfew("status", "loud").stdout
    assert '"a\\nb\\x1b[31m"' in text
    events = sandbox.curfew("events", "loud").stdout
    assert "title=a\\nb\\x1b[31m\n" in events
    assert "\x1b" not in table + text + events
    assert running.status()["tasks"][0]["name"] == "a\nb\x1b[31m"


def test_events(sandbox):
    running = sandbox.shell("sleep 60 & echo up; wait", name="backup")
    running.expect("up")
    assert sandbox.curfew("home", "backup").returncode == 0
    result = sandbox.curfew("events", "backup")
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    clock = r"\d\d:\d\d:\d\d\.\d{3}"
    assert re.fullmatch(clock + "  stateDidChange  from=notRunning  to=active", lines[0])
    assert re.fullmatch(clock + "  stateDidChange  from=background  to=suspended", lines[-1])
    result = sandbox.curfew("events", "--json", "backup")
    events = [json.loads(line) for line in result.stdout.splitlines()]
    assert [event["number"] for event in events] == list(range(1, len(lines) + 1))
    assert events[0].keys() == {"name", "number", "time", "app", "from", "to"}
    assert (events[0]["name"], events[0]["app"], events[0]["to"]) == ("stateDidChange", "backup", "active")
    assert all(type(event["time"]) is float for event in events)
    # People are shown the time of day where they are. The two clocks are compared anew each time: a little up or down.
    there = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
    moments = [datetime.datetime.fromtimestamp(events[0]["time"] + slip, there) for slip in (-0.005, 0, 0.005)]
    elsewhere = sandbox.curfew("events", "backup", env=dict(sandbox.environment, TZ="TST-5:30"))
    assert elsewhere.stdout[:8] in {moment.strftime("%T") for moment in moments}


def test_events_follow_until_the_end(sandbox):
    running = sandbox.shell("sleep 60 & echo up; wait", name="backup")
    running.expect("up")
    follower = subprocess.Popen(
        [binary(), "events", "--follow", "--json", "backup"], stdout=subprocess.PIPE, text=True,
        env=sandbox.environment)
    assert json.loads(follower.stdout.readline())["to"] == "active"
    assert sandbox.curfew("quit", "backup").returncode == 0
    events = [json.loads(line) for line in follower.communicate(timeout=LIMIT)[0].splitlines()]
    assert events[-1]["name"] == "didEnd"
    assert follower.returncode == 0


# ---- driving -------------------------------------------------------------------------------------------------------


def state(name):
    return f'{{\n  "state": "{name}"\n}}\n'


def test_driving_prints_nothing_or_json(sandbox):
    running = sandbox.shell("sleep 60 & echo up; wait", name="backup")
    running.expect("up")
    expect(sandbox.curfew("home", "backup"))
    expect(sandbox.curfew("open", "backup"))
    expect(sandbox.curfew("home", "--json", "backup"), out=state("suspended"))
    expect(sandbox.curfew("home", "backup", "--json"), out=state("suspended"))
    expect(sandbox.curfew("open", "--json", "--", "backup"), out=state("active"))
    expect(sandbox.curfew("quit", "--json", running.pid), out=state("notRunning"))
    assert running.wait() == 143 - 128 or running.process.returncode in (143, -15)
    expect(sandbox.curfew("quit", "backup"), 69,
           err="curfew: quit: no app called backup is running; `curfew ps` lists those that are\n")


@pytest.mark.parametrize("verb", ["home", "open", "interrupt", "dismiss", "wake", "post", "quit"])
def test_a_process_inside_an_app_drives_nothing(sandbox, verb):
    running = sandbox.shell(f"curfew {verb} self {' '.join(after_app(verb))}; echo $?", name="self")
    status, out, err = running.finish()
    assert (status, out) == (0, "1\n")
    assert err == f"curfew: {verb}: self: refused (forbidden): a process inside an app can't drive a supervisor\n"


def test_status_inside_an_app_is_its_own(sandbox):
    sandbox.shell("sleep 60 & echo up; wait", name="other").expect("up")
    running = sandbox.shell("curfew status | head -n 1; curfew ps | tail -n +2 | wc -l", name="self")
    status, out, err = running.finish()
    assert re.fullmatch(r"self: active for (\d+ ms|[\d.]+ s)\n1\n", out)
    assert (status, err) == (0, "")


# ---- help ----------------------------------------------------------------------------------------------------------


def assert_is_help(result, verb):
    assert (result.returncode, result.stderr) == (0, "")
    assert f"\nUSAGE: curfew {verb}".rstrip() in result.stdout
    for option in OPTIONS.get(verb, ["--version", "--shell-library"]) + ["-h, --help"]:
        assert re.search(rf"^  (-\w, )?{option}( |$)", result.stdout, re.M), option
    assert result.stdout.endswith("\n") and not result.stdout.endswith("\n\n")


@pytest.mark.parametrize("verb", map(command_name, OPTIONS))
def test_help_of_each_verb(sandbox, verb):
    words = verb.split()
    asked = [[*words, "--help"], [*words, "-h"], ["help", *words], ["--help", *words]]
    answers = [sandbox.curfew(*arguments) for arguments in asked]
    assert_is_help(answers[0], verb)
    assert "Example" in answers[0].stdout
    assert len({answer.stdout for answer in answers}) == 1
    assert {answer.returncode for answer in answers} == {0}


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["help"], ["help", "--help"]])
def test_help_of_curfew(sandbox, arguments):
    result = sandbox.curfew(*arguments)
    assert_is_help(result, "")
    for verb in VERBS.split(", "):
        assert re.search(rf"^  {verb} ", result.stdout, re.M)


def test_help_tells_the_exit_statuses_and_defaults(sandbox):
    text = sandbox.curfew("run", "--help").stdout
    for status in (124, 137, 125, 126, 127, 64):
        assert re.search(rf"^ +{status}  \S", text, re.M), status
    assert "(default: 600 s; ios7 180 s; ios13 30 s)" in " ".join(text.split())


def test_help_belongs_to_curfew_only_before_the_command(sandbox):
    assert_is_help(sandbox.curfew("run", "--name", "x", "--help"), "run")
    assert_is_help(sandbox.curfew("run", "--background", "-h", "echo"), "run")
    program = sandbox.scratch / "show"
    program.write_text('#!/bin/sh\necho "$@"\n')
    program.chmod(0o755)
    expect(sandbox.curfew("run", program, "--help", "-h"), out="--help -h\n")
    expect(sandbox.curfew("run", "--name", "x", "--", program, "--help"), out="--help\n")
    expect(sandbox.curfew("run", "--drop-caps", program, "--help"), out="--help\n")
    expect(sandbox.curfew("task", "run", "x", program, "--help"), out="--help\n",
           err=f"curfew: task run: not inside an app; running {program} without a background task\n")


def test_version(sandbox):
    expect(sandbox.curfew("--version"), out="curfew 0.1.0\n")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions(sandbox, shell):
    result = sandbox.curfew("--generate-completion-script", shell)
    assert (result.returncode, result.stderr) == (0, "")
    assert "expiration-lead" in result.stdout
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=result.stdout, text=True, check=True)
    assert sandbox.curfew(f"--generate-completion-script={shell}").stdout == result.stdout


@pytest.fixture
def complete(sandbox):
    """The words that Bash offers for the last of these."""
    script = sandbox.scratch / "completions"
    script.write_text(sandbox.curfew("--generate-completion-script", "bash").stdout)

    def complete(*words):
        line = " ".join(words)
        code = (f'. {script}; COMP_WORDS=({" ".join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}; '
                f'COMP_LINE={line!r}; COMP_POINT={len(line)}; COMP_TYPE=9; _curfew curfew {words[-1]!r} {words[-2]!r}; '
                'printf "%s\\n" "${COMPREPLY[@]}"')
        result = subprocess.run(["bash", "-c", code], capture_output=True, text=True, env=sandbox.environment)
        return [word.strip() for word in result.stdout.split()]

    return complete


def test_bash_completes_verbs_options_values_and_apps(sandbox, complete):
    sandbox.shell("sleep 60 & echo up; wait", name="backup").expect("up")
    assert {"run", "status", "task", "interrupt", "wake"} <= set(complete("curfew", ""))
    assert complete("curfew", "sta") == ["status"]
    assert complete("curfew", "run", "--expi") == ["--expiration-lead"]
    assert complete("curfew", "run", "--profile", "ios1") == ["ios13"]
    assert complete("curfew", "home", "") and "backup" in complete("curfew", "home", "")
    assert "backup" in complete("curfew", "post", "")
    sandbox.reports.mkdir(parents=True)
    (sandbox.reports / "backup-20251121T124509Z-7.json").write_text("{}")
    assert complete("curfew", "report", "") == ["backup-20251121T124509Z-7"]
    assert complete("curfew", "run", "--settings-") == ["--settings-signal"]


def test_bash_completes_a_servers_apps(sandbox, complete):
    """Those that run, those that have run, and those that only have a manifest: whom each verb can mean."""
    apps = sandbox.scratch / "config" / "curfew" / "apps"
    apps.mkdir(parents=True, mode=0o700)
    (apps / "written.toml").write_text('command = ["true"]\n')
    sandbox.environment["XDG_CONFIG_HOME"] = str(sandbox.scratch / "config")
    server = sandbox.serve()
    for name in ["runs", "ended"]:
        server.launch(name, "sleep", "1000")
    server.expect("quit app=ended")
    server.wait_state("ended", "notRunning")
    names = {"runs", "ended", "written"}

    def offered(*words):
        return names & set(complete("curfew", *words, ""))

    for verb in ["home", "status", "quit", "events"]:
        assert offered(verb) == {"runs"}, verb
    for verb in ["open", "launch", "log", "history", "remove", "schedule", "push"]:
        assert offered(verb) == names, verb
    assert complete("curfew", "launch", "wr") == ["written"]


# ---- tasks ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [["begin", "x"], ["end", "1"], ["keep-alive", "10m"], ["remaining"], ["list"], ["list", "--json"]])
def test_task_outside_an_app(sandbox, arguments):
    expect(sandbox.curfew("task", *arguments), 69, err=f"curfew: task {arguments[0]}: {OUTSIDE}\n")


def test_task_run_outside_an_app(sandbox):
    said = "curfew: task run: not inside an app; running sh without a background task\n"
    expect(sandbox.curfew("task", "run", "x", "--", "sh", "-c", "echo hi; exit 3"), 3, "hi\n", said)
    expect(sandbox.curfew("task", "run", "x", "sh", "-c", "kill -TERM $$"), 143, "", said)
    said = "curfew: task run: not inside an app; running nosuch without a background task\n"
    expect(sandbox.curfew("task", "run", "x", "--", "nosuch"), 127, "",
           said + "curfew: task run: nosuch: No such file or directory\n")
    expect(sandbox.curfew("task", "run", "x", "--", "/etc/passwd"), 126, "",
           said.replace("nosuch", "/etc/passwd") + "curfew: task run: /etc/passwd: Permission denied\n")


def test_an_environment_that_outlived_its_app(sandbox):
    path = str(sandbox.runtime / "gone.sock")
    environment = dict(sandbox.environment, CURFEW_SOCKET=path)
    gone = f"the app of this environment has ended: nobody listens at CURFEW_SOCKET, {path}"
    for arguments in (["task", "begin", "x"], ["task", "list"], ["status"]):
        verb = " ".join(arguments[:2]) if arguments[0] == "task" else arguments[0]
        expect(sandbox.curfew(*arguments, env=environment), 69, err=f"curfew: {verb}: {gone}\n")
    expect(sandbox.curfew("task", "run", "x", "--", "echo", "hi", env=environment), out="hi\n",
           err=f"curfew: task run: {gone}; running echo without a background task\n")
    empty = dict(sandbox.environment, CURFEW_SOCKET="")
    expect(sandbox.curfew("task", "list", env=empty), 69, err=f"curfew: task list: {OUTSIDE}\n")


def test_tasks_inside_an_app(sandbox):
    script = """
        curfew task begin upload; curfew task begin --json 'second one' | tr -d ' \\n'; echo
        curfew task remaining; curfew task remaining --json | tr -d ' \\n'; echo
        curfew task list; curfew task list --json
        curfew task end 1; curfew task end 1; echo $?
    """
    status, out, err = sandbox.shell(script).finish()
    assert status == 0
    assert re.fullmatch(
        r'1\n\{"task":2,"remaining":null\}\ninf\n\{"seconds":null\}\n'
        r"TASK +AGE  NAME\n   1 +[\d.]+ m?s  upload\n   2 +[\d.]+ m?s  second one\n"
        r'\[\n  \{\n    "task": 1,\n    "name": "upload",\n    "ageSeconds": [\d.]+\n  \},\n'
        r'  \{\n    "task": 2,\n    "name": "second one",\n    "ageSeconds": [\d.]+\n  \}\n\]\n0\n', out), out
    assert err == "curfew: task end: task 1 isn't open; ignored\n"


def test_keep_alive_inside_an_app(sandbox):
    """Asked for, shown, refused with the minimum, and ended."""
    script = """
        curfew task keep-alive 10m; echo $?; curfew status | grep '^  keep-alive'
        curfew task keep-alive 599; echo $?
        curfew task keep-alive 0; curfew status --json | grep '^  "keepAlive'
        """
    status, out, err = sandbox.shell(script).finish()
    assert status == 1
    assert re.fullmatch(r"0\n +keep-alive +woken every 10 min, next in (10 min|9 min 59 s)\n1\n", out), out
    assert err == ("curfew: task keep-alive: refused (invalid): the app can't be woken as often as that; ask for the minimum, "
                   "or more: 10 min\n")


def test_no_keep_alive_under_ios13(sandbox):
    status, _, err = sandbox.shell("curfew task keep-alive 10m", options=["--profile", "ios13"]).finish()
    assert (status, err) == (69, "curfew: task keep-alive: refused (unsupported): there is no keep-alive under this app's "
                                 "profile; `--profile ios7` has it\n")


def test_an_owner_must_be_of_the_app(sandbox):
    status, out, err = sandbox.shell("curfew task begin --owner 1 x; echo $?").finish()
    assert (status, out) == (0, "1\n")
    why = "`leader` or the pid of a process of the app"
    assert re.fullmatch(rf"curfew: task begin: refused \(invalid\): .*{why}.*\n", err)


def test_task_run_holds_a_task_while_it_runs(sandbox):
    script = "curfew task run upload -- curfew task list --json; curfew task list --json"
    status, out, err = sandbox.shell(script).finish()
    held, after = json.JSONDecoder().raw_decode(out)[0], out.rpartition("]\n")[0].rpartition("[")[2]
    assert (status, err, [task["name"] for task in held], after) == (0, "", ["upload"], "")


def test_task_run_outlives_children_it_inherits(sandbox):
    # The shell's own child ends at about the same time as the command; both ends come as one SIGCHLD.
    script = "for i in 1 2 3 4 5 6 7 8; do sleep 0.05 & done; exec curfew task run x -- sleep 0.05"
    assert sandbox.shell(script).finish()[0] == 0


def test_task_run_of_another_tree_is_refused(sandbox):
    running = sandbox.shell("sleep 60 & echo up; wait", name="backup")
    running.expect("up")
    path = str(sandbox.runtime / "curfew" / "backup.sock")
    environment = dict(sandbox.environment, CURFEW_SOCKET=path)
    why = "refused (forbidden): only a process inside the app speaks for it"
    expect(sandbox.curfew("task", "run", "x", "--", "echo", "hi", env=environment), 1,
           err=f"curfew: task run: {why}; echo wasn't run\n")
    expect(sandbox.curfew("task", "begin", "x", env=environment), 1, err=f"curfew: task begin: {why}\n")


def test_task_run_stops_with_its_command(sandbox):
    environment = dict(sandbox.environment, PS1="next> ", TERM="dumb")
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], environment)
    seen = b""

    def see(text):
        nonlocal seen
        while text not in seen:
            assert select.select([terminal], [], [], LIMIT)[0], f"no {text!r} in {seen!r}"
            seen += os.read(terminal, 4096)
        before, _, seen = seen.partition(text)
        return before

    see(b"next> ")
    os.write(terminal, b"curfew task run x -- sh -c 'echo started $$; sleep 60'\n")
    see(b"\nstarted ")
    command = int(see(b"\r\n"))
    os.write(terminal, b"\x1a")
    see(b"Stopped")
    see(b"next> ")
    os.write(terminal, b"fg\n")
    see(b"\ncurfew task run x -- sh")
    # Bash hands the terminal to the job, and that to its command: a key pressed before is somebody else's.
    wait_for("the command to have the terminal", lambda: os.tcgetpgrp(terminal) == os.getpgid(command))
    # As a person would, again where nothing comes of it: while a terminal changes hands a key can get lost.
    deadline = time.monotonic() + LIMIT
    while b"next> " not in seen and time.monotonic() < deadline:
        os.write(terminal, b"\x03")
        while b"next> " not in seen and select.select([terminal], [], [], 1)[0]:
            seen += os.read(terminal, 4096)
    see(b"next> ")
    os.write(terminal, b"echo status=$?\n")
    see(b"\nstatus=130")
    os.write(terminal, b"exit\n")
    os.waitpid(pid, 0)
    os.close(terminal)


# ---- colours -------------------------------------------------------------------------------------------------------


def on_terminal(sandbox, *arguments, width=0, **environment):
    """What a verb writes to a terminal; one of width 0 doesn't say how wide it is."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 0, width, 0, 0))
    variables = dict(sandbox.environment, TERM="xterm")
    for variable in ("NO_COLOR", "COLUMNS"):
        variables.pop(variable, None)
    process = subprocess.Popen(
        [binary(), *arguments], stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.PIPE,
        env={**variables, **environment})
    os.close(slave)
    text = b""
    while select.select([master], [], [], LIMIT)[0]:
        try:
            chunk = os.read(master, 65536)
        except OSError:
            break
        if not chunk:
            break
        text += chunk
    os.close(master)
    assert (process.wait(LIMIT), process.stderr.read()) == (0, b"")
    process.stderr.close()
    return text.decode()


def test_colours_only_on_a_terminal(sandbox):
    sandbox.shell("sleep 60 & echo up; wait", name="backup").expect("up")
    for verb in ("ps", "status"):
        assert "\x1b[32mactive\x1b[0m" in on_terminal(sandbox, verb)
        assert "\x1b" in on_terminal(sandbox, verb, NO_COLOR="")
        assert "\x1b" not in on_terminal(sandbox, verb, NO_COLOR="1")
        assert "\x1b" not in on_terminal(sandbox, verb, TERM="dumb")
        assert "\x1b" not in on_terminal(sandbox, verb, "--json")
        piped = sandbox.curfew(verb, env=dict(sandbox.environment, TERM="xterm"))
        assert "\x1b" not in piped.stdout
    # The colour's bytes don't count as width: two blanks behind the state the next column begins.
    titles, row = re.sub(r"\x1b\[\d+m", "", on_terminal(sandbox, "ps")).splitlines()
    end = row.index("active") + len("active")
    assert min(titles.index("FOR"), re.compile(r"\S").search(row, end).start()) == end + 2
    assert titles.index("COMMAND") == row.index("sh -c")


def test_ps_is_cut_to_the_terminal(sandbox):
    command = f"sh -c sleep 60 & echo up; wait; : {'x' * 300}"
    sandbox.shell(command[len("sh -c "):], name="backup").expect("up")

    def row(**options):
        titles, line = on_terminal(sandbox, "ps", NO_COLOR="1", **options).splitlines()
        return line, titles.index("COMMAND")

    line, column = row()
    assert line[column:] == command
    for options in (dict(width=100), dict(COLUMNS="100"), dict(width=200, COLUMNS="100"), dict(width=100, COLUMNS="x")):
        line, column = row(**options)
        assert len(line) == 100 and line[column:] == command[:99 - column] + "…", options
    # Never to less than its title.
    line, column = row(width=20)
    assert line[column:] == command[:6] + "…"
    # In full where nobody looks at it, and as JSON.
    piped = sandbox.curfew("ps", env=dict(sandbox.environment, COLUMNS="100"))
    assert piped.stdout.endswith("x" * 300 + "\n")
    assert command in on_terminal(sandbox, "ps", "--json", width=100)
    # The colour's bytes don't count.
    coloured = on_terminal(sandbox, "ps", width=100).splitlines()[1]
    assert "\x1b[32mactive" in coloured
    assert len(re.sub(r"\x1b\[\d+m", "", coloured)) == 100


# ---- output that can't be written ----------------------------------------------------------------------------------


PRINTING = [
    ["ps"], ["report"], ["doctor"], ["--version"], ["--help"], ["run", "--help"],
    ["--generate-completion-script", "bash"],
]


@pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
def test_full_disk(sandbox, arguments):
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [binary(), *arguments], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True,
            env=sandbox.environment, timeout=LIMIT)
    problem = "curfew: can't write to standard output: No space left on device\n"
    assert (result.returncode, result.stderr) == (1, problem)


@pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
@pytest.mark.parametrize("ignored", [False, True])
def test_a_reader_that_went_away(sandbox, arguments, ignored):
    reading, writing = os.pipe()
    os.close(reading)
    action = signal.SIG_IGN if ignored else signal.SIG_DFL
    result = subprocess.run(
        [binary(), *arguments], stdin=subprocess.DEVNULL, stdout=writing, stderr=subprocess.PIPE, text=True,
        env=sandbox.environment, timeout=LIMIT, restore_signals=False,
        preexec_fn=lambda: signal.signal(signal.SIGPIPE, action))
    os.close(writing)
    # `curfew run` has blocked every signal by the time it reads its options.
    quiet = 0 if ignored or arguments[0] == "run" else -signal.SIGPIPE
    assert (result.returncode, result.stderr) == (quiet, "")


def test_a_reader_that_leaves_in_the_middle(sandbox):
    running = sandbox.shell("sleep 60 & echo up; wait", name="backup")
    running.expect("up")
    follower = subprocess.Popen(
        [binary(), "events", "--follow", "backup"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env=sandbox.environment)
    assert "to=active" in follower.stdout.readline()
    follower.stdout.close()
    for verb in ("home", "open", "home", "open"):
        assert sandbox.curfew(verb, "backup").returncode == 0
    assert (follower.wait(LIMIT), follower.stderr.read()) == (-signal.SIGPIPE, "")
    follower.stderr.close()


def shell(sandbox, script):
    return subprocess.run(["sh", "-c", script], capture_output=True, text=True, env=sandbox.environment, timeout=LIMIT)


def test_closed_descriptors(sandbox):
    sandbox.shell("sleep 60 & echo up; wait", name="backup").expect("up")
    bad = "curfew: can't write to standard output: Bad file descriptor\n"
    expect(shell(sandbox, "curfew ps >&-"), 1, err=bad)
    expect(shell(sandbox, "curfew status backup >&-"), 1, err=bad)
    expect(shell(sandbox, "curfew home backup <&- >&- 2>&-; echo $?"), out="0\n")
    expect(shell(sandbox, "curfew home nosuch <&- >&- 2>&-; echo $?"), out="69\n")
    expect(shell(sandbox, "curfew run -- true <&- >&- 2>&-; echo $?"), out="0\n")
    expect(shell(sandbox, "curfew run -- sh -c 'echo out; echo err >&2' <&-"), 0, "out\n", "err\n")
    # The command finds closed what the caller closed.
    for number in (0, 1, 2):
        script = f"test -e /proc/self/fd/{number} && echo open >seen || echo closed >seen"
        shell(sandbox, f"cd {sandbox.scratch}; curfew run -- sh -c '{script}' {number}>&-")
        assert (sandbox.scratch / "seen").read_text() == "closed\n", number


def test_a_report_is_not_mistaken_for_standard_error(sandbox):
    report = sandbox.scratch / "report.json"
    result = shell(sandbox, f"curfew run --time-limit 0.1 --report {report} -- sleep 60 2>&-")
    expect(result, 124)
    assert json.loads(report.read_text())["reason"] == "time-limit"
