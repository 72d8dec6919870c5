"""--journal and `curfew replay`: what a supervisor was told, run through the rules again, gives what it gave then."""

import contextlib
import os
import pathlib
import random
import re
import signal
import subprocess
import threading

import pytest

from conftest import LIMIT, is_alive, wait_for
from programs.driving import Speaker, wait_there
from programs.helpers import Arena, Client, program, remove_programs, socket_of


@pytest.fixture(scope="module", autouse=True)
def programs():
    yield
    remove_programs()


@pytest.fixture
def journal(sandbox):
    return sandbox.scratch / "life.journal"


def recorded(path):
    """The journal's lines; the last is a part of one where it was cut."""
    return path.read_text().split("\n")


def inputs(path):
    return [re.search(r" name=(\S+)", line).group(1) for line in recorded(path) if line.startswith("input ")]


def effects(path):
    return [re.search(r" name=(\S+)", line).group(1) for line in recorded(path) if line.startswith("effect ")]


def replays(sandbox, path):
    """It gives what it gave: status 0, not a word on standard error, and the journal on standard output."""
    result = sandbox.curfew("replay", path)
    assert (result.returncode, result.stderr) == (0, "")
    header, *lines = path.read_text().splitlines()
    assert header == "curfew-journal version=1"
    # Each input as it stands there, its effects below it.
    assert result.stdout.splitlines() == [line.replace("effect ", "    effect ", 1) for line in lines]


# Lives


def test_a_busy_life_replays(sandbox, journal, containment):
    """Every request, event and notification there is, names and values of every kind, to its end by quit."""
    settings = sandbox.scratch / "app.conf"
    settings.write_text("one")
    app = Speaker(
        sandbox, "--children", "2", "push=mute",
        options=[
            "--journal", journal, "--containment", containment, "--aware", "--settings", settings, "--watchdog", "300",
            "--memory", "2G", "--on=zone=WINCH", "--exec-on=willTerminate=true", "--time-limit", "1h",
            "--launch-option", "text=a \"b\" \\ c\nd\te", "--launch-option", "empty="]).launched()
    for name in ('plain', '"two words"', '""', '"quote \\" backslash \\\\ line\\nfeed \\x07"', "åäö🌙", "å" * 500):
        assert app.ask(f"begin id=1 name={name}").verb == "ok"
    app.say("end id=2 task=1", "end id=2 task=1", "end id=2 task=77", "ack seq=4711", "begin id=3 name=x owner=leader",
            "begin id=4 name=x owner=1", "nonsense", "broken id=\"")
    while "code=malformed" not in app.running.read_line():
        pass
    app.notifies("READY=1", "STATUS=fine", "WATCHDOG=1", "EXTEND_TIMEOUT_USEC=1000000", "WATCHDOG_USEC=99999999999")
    app.drive("interrupt")
    app.drive("dismiss")
    app.hear("willResignActive", "didBecomeActive")
    app.drive("post", "zone", "name=Europe/Oslo", "long=" + "x" * 3000, "text=a \"b\"\nc", "empty=")
    settings.write_text("two")
    app.hear("zone", "settingsDidChange")
    app.drive("home")
    app.hear("willResignActive", "didEnterBackground")
    for task in range(2, 8):
        app.say(f"end id=e task={task}")
    app.running.wait_state("suspended")
    for number in range(3):
        app.drive("post", "zone", f"n={number}")
    app.drive("wake", "push", "subject=Lunch?", "big=" + "y" * 3000)
    heard = app.hear("didEnterBackground", "zone", "push")
    app.drive("open")
    app.hear("willEnterForeground", "didBecomeActive")
    app.say(f"ack seq={heard[-1]['seq']}")
    with Client(socket_of(app.running)) as second:
        assert second.ask("home id=2").verb == "ok"
        second.send("half a li")
    app.hear("willResignActive", "didEnterBackground")
    app.running.wait_state("suspended")
    app.drive("open")
    app.hear("willEnterForeground", "didBecomeActive")
    sandbox.curfew("quit", app.name)
    assert app.finish() == (0, ["willTerminate"], "")
    replays(sandbox, journal)
    assert {"launch", "started", "hello", "acknowledge", "beginTask", "endTask", "home", "open", "interrupt", "dismiss",
            "post", "wake", "quit", "leaderExited", "treeGone"} <= set(inputs(journal))
    assert {"deliver", "stateChanged", "reply", "suspend", "resume", "note", "ended"} <= set(effects(journal))


@pytest.mark.parametrize(
    "options, script, verbs, status",
    [(["--time-limit", "0.3"], "read x", [], 124),
     (["--aware", "--launch-limit", "0.3"], "read x", [], 124),
     (["--watchdog", "0.3"], "read x", [], 124),
     (["--budget", "0.4", "--expiration-lead", "0.2"], "curfew task begin x >&2; echo up; read x", ["home"], 124),
     (["--grace", "0.2", "--wake-limit", "0.1"], "echo up; read x", ["home", "wait", "wake", "wait", "quit"], 137),
     (["--exits-on-suspend"], "echo up; read x", ["home"], 143),
     (["--terminate-limit", "0.3"], "trap '' TERM; echo up; while :; do read x; done", ["quit"], 124),
     (["--background", "--wake", "fetch", "--grace", "0.3"], "read x", ["wait", "open", "quit"], 143),
     (["--wait-all"], "sleep 0.3 & exit 3", [], 3),
     (["--time-scale", "100", "--budget", "40"], "curfew task begin x >&2; echo up; read x", ["home"], 124),
     ([], "exit 0", [], 0)],
    ids=["time-limit", "launch", "watchdog", "budget", "suspended", "exits", "stays", "background", "wait-all",
         "scaled", "short"])
def test_each_end_replays(sandbox, journal, options, script, verbs, status):
    """Whatever ends an app."""
    running = sandbox.shell(script, options=["--journal", journal, *options], stdin=subprocess.PIPE)
    if "echo up" in script:
        running.expect("up")
    for verb in verbs:
        if verb == "wait":
            # One that is launched into background may be stopped before it has said anything.
            wait_there(running)
            running.wait_state("suspended")
        else:
            sandbox.curfew(verb, running.name, *(["fetch"] if verb == "wake" else []))
    assert running.wait() == status
    replays(sandbox, journal)
    assert effects(journal)[-1] == "ended"


def test_a_kill_for_memory_replays(sandbox, journal, containment):
    """Also where the footprint is sampled: what was measured stands there."""
    arena = Arena(pathlib.Path(f"/tmp/cf-arena-{sandbox.marker}"))
    try:
        running = sandbox.start(
            program("eater"), 4000, "self",
            options=["--journal", journal, "--containment", containment, "--memory", "40M"],
            env=dict(sandbox.environment, ARENA=str(arena.path)), stdin=subprocess.PIPE)
        # As long as its input is open it doesn't end by itself.
        assert running.wait() == 137
    finally:
        arena.path.unlink()
    replays(sandbox, journal)
    assert "reason=memory-limit" in journal.read_text()


def test_a_flood_replays(sandbox, journal):
    """Thousands of requests and datagrams, faster than they can be answered."""
    app = Speaker(sandbox, options=["--journal", journal]).launched()

    def operate():
        with Client(socket_of(app.running)) as operator:
            for number in range(240):
                operator.ask(("post name=zone info.n={}", "wake name=push info.n={}", "home", "open", "interrupt",
                              "dismiss")[number % 6].format(number))

    operators = [threading.Thread(target=operate) for _ in range(3)]
    for thread in operators:
        thread.start()
    app.say("!flood 1000 WATCHDOG=1", *(f"begin id=1 name=t{n}\nend id=2 task={n}" for n in range(500)))
    for thread in operators:
        thread.join(LIMIT)
    sandbox.curfew("open", app.name)
    sandbox.curfew("quit", app.name)
    app.finish()
    replays(sandbox, journal)


# Journals that aren't whole, or not true


@pytest.fixture
def whole(sandbox, journal):
    """A short life's journal."""
    running = sandbox.shell(
        "curfew task begin x >&2; echo up; read x; exit 3", options=["--journal", journal, "--grace", "0"],
        stdin=subprocess.PIPE)
    running.expect("up")
    for verb in ("interrupt", "home"):
        sandbox.curfew(verb, running.name)
    sandbox.curfew("post", running.name, "zone")
    sandbox.curfew("open", running.name)
    running.process.stdin.write(b"\n")
    running.process.stdin.flush()
    assert running.finish()[0] == 3
    replays(sandbox, journal)
    return journal


def differs(sandbox, path, lines, number):
    path.write_text("\n".join(lines))
    result = sandbox.curfew("replay", path)
    assert result.returncode == 1, (number, lines[number - 1])
    first, *rest = result.stderr.splitlines()
    assert first == f"curfew: replay: {path}, line {number}: this differs from what was recorded"
    assert [line.split()[0] for line in rest] == ["recorded", "replayed"]
    return [line.strip().partition("  ")[2] for line in rest]


def test_a_changed_line_is_named(sandbox, whole):
    """Each effect that is altered, each that is taken out, and one that is put in."""
    lines = recorded(whole)
    for index, line in enumerate(lines):
        if not line.startswith("effect "):
            continue
        altered = line.replace("app=1", "app=2") if "app=1" in line else line.replace("request=", "request=9")
        wrong = differs(sandbox, whole, [*lines[:index], altered, *lines[index + 1:]], index + 1)
        assert wrong == [altered, line]
        following = lines[index + 1]
        # Without the last one it is cut off, which another test sees to.
        if following:
            missing = differs(sandbox, whole, lines[:index] + lines[index + 1:], index + 1)
            assert missing == [following if following.startswith("effect ") else "nothing", line]
        doubled = differs(sandbox, whole, lines[:index + 1] + lines[index:], index + 2)
        assert doubled[0] == line
    whole.write_text("\n".join(lines))
    replays(sandbox, whole)


def test_a_changed_input_changes_what_follows(sandbox, whole):
    """The status the program ended with is the run's."""
    lines = recorded(whole)
    number = len(lines) - 1
    assert " status=3" in lines[number - 1]
    wrong = differs(sandbox, whole, [line.replace("exited=3", "exited=4") for line in lines], number)
    assert (" status=3" in wrong[0], " status=4" in wrong[1]) == (True, True)


def test_a_journal_cut_anywhere_is_said_to_be(sandbox, whole):
    """In the middle of a line, or before all that followed from an input: what is there still replays."""
    text = whole.read_bytes()
    header = text.index(b"\n") + 1
    places = {header + 1, len(text) - 1, *random.Random(20261121).sample(range(header, len(text)), 40)}
    for place in sorted(places):
        whole.write_bytes(text[:place])
        result = sandbox.curfew("replay", whole)
        at_line = text[place - 1:place] == b"\n"
        more_to_come = text[place:].startswith(b"effect ")
        expected = f"curfew: replay: {whole} is cut off at its end\n" if not at_line or more_to_come else ""
        assert (result.returncode, result.stderr) == (0, expected), place


def test_a_journal_of_a_supervisor_that_was_killed(sandbox, journal):
    """Both halves killed in the middle of it all: what was written replays, and more isn't claimed."""
    moments = random.Random(7)
    for turn in range(6):
        app = Speaker(sandbox, options=["--journal", journal]).launched()
        supervisor, leader = app.running.status()["supervisor"], app.running.status()["pid"]
        # A reader of its answers that doesn't hold them up.
        app.say("!deaf", *(f"begin name=t{number}\nend task={number}" for number in range(1, 400)))
        enough = moments.randrange(1, 60_000)
        wait_for("the journal to grow", lambda: journal.stat().st_size > enough)
        for pid in (app.running.pid, supervisor, leader):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        app.running.finish()
        wait_for("it to be gone", lambda: not is_alive(supervisor))
        result = sandbox.curfew("replay", journal)
        assert result.returncode == 0, result.stderr
        assert result.stderr in ("", f"curfew: replay: {journal} is cut off at its end\n")
        assert "ended" not in effects(journal)
    assert sandbox.curfew("run", "true").returncode == 0  # sweeps what both halves couldn't
    for path in sandbox.sockets():
        path.unlink()


@pytest.mark.parametrize(
    "text, problem",
    [("", ""), ("curfew-journal version=2\n", "line 1: its version is 2; this curfew reads 1"),
     ("#!/bin/sh\necho\n", "line 1: "), ("input at=1 name=started app=1\n", "line 1: it doesn't begin as a journal"),
     ("curfew-journal version=1\nstatus id=1\n", 'line 2: "status" is neither input nor effect'),
     ("curfew-journal version=1\n\ninput at=1 name=dance app=1\n", "line 3: this input can't be read"),
     ("curfew-journal version=1\ninput at=x name=started app=1\n", "line 2: this input can't be read"),
     ("curfew-journal version=1\ninput at=1 name=home\n", "line 2: this input can't be read"),
     ("x" * 3_000_000, "")],
    ids=["empty", "version", "script", "header", "verb", "input", "instant", "app", "one-line"])
def test_what_is_no_journal(sandbox, journal, text, problem):
    """Status 1, the line, and what is wrong with it."""
    journal.write_text(text)
    result = sandbox.curfew("replay", journal)
    assert result.returncode == 1
    assert result.stderr.startswith(f"curfew: replay: {journal}") and problem in result.stderr, result.stderr


def test_a_journal_that_can_not_be_read(sandbox):
    """Missing, a directory, too many: one line each."""
    missing = sandbox.scratch / "none"
    assert sandbox.curfew("replay", missing).stderr == f"curfew: replay: {missing}: No such file or directory\n"
    assert sandbox.curfew("replay", sandbox.scratch).stderr == f"curfew: replay: {sandbox.scratch}: Is a directory\n"
    for arguments in ([], ["a", "b"], ["--json", "a"]):
        assert sandbox.curfew("replay", *arguments).returncode == 64


def test_noise_is_no_journal(sandbox, whole):
    """Seeded damage to a true one: status 0 or 1, never a crash."""
    noise = random.Random(4711)
    text = whole.read_bytes()
    for _ in range(60):
        damaged = bytearray(text)
        for _ in range(noise.randrange(1, 8)):
            place = noise.randrange(len(damaged))
            damaged[place:place + noise.randrange(0, 4)] = noise.randbytes(noise.randrange(0, 5))
        whole.write_bytes(bytes(damaged))
        result = subprocess.run(
            ["curfew", "replay", whole], capture_output=True, timeout=LIMIT, env=sandbox.environment)
        assert result.returncode in (0, 1), (result.returncode, result.stderr, bytes(damaged))


# A journal that can't be written


@pytest.mark.parametrize(
    "path, reason", [("no/such/life", "No such file or directory"), (".", "Is a directory"),
                     ("fifo", "No such device or address")])
def test_a_journal_that_can_not_be_made(sandbox, path, reason):
    """125, one line, and nothing was started; a pipe that nobody reads isn't waited for."""
    os.mkfifo(sandbox.scratch / "fifo")
    path = sandbox.scratch / path
    result = sandbox.curfew("run", "--journal", path, "--", "touch", sandbox.scratch / "started")
    assert (result.returncode, result.stdout) == (125, "")
    assert result.stderr == f"curfew: run: --journal {path}: {reason}; nothing was started\n"
    assert not (sandbox.scratch / "started").exists()


def test_a_journal_is_the_users_own(sandbox, whole):
    """Names of tasks are nobody else's business."""
    assert whole.stat().st_mode & 0o777 == 0o600


LIFE = "i=0; while [ $i -lt 30 ]; do i=$((i+1)); curfew task end $(curfew task begin x); done; exit 4"


def test_a_full_disk_ends_the_journal_and_nothing_else(sandbox):
    """It is told once; the app goes on, and its status is its own."""
    running = sandbox.shell(LIFE, options=["--journal", "/dev/full"])
    assert running.finish() == (4, "", "curfew: the journal /dev/full ends here: No space left on device\n")


def test_a_limit_of_file_sizes_ends_the_journal_and_nothing_else(sandbox, journal):
    """Neither does SIGXFSZ end the supervisor; what was written replays."""
    running = sandbox.shell(
        LIFE, options=["--journal", journal], preexec_fn=lambda: set_file_limit(2000))
    assert running.finish() == (4, "", f"curfew: the journal {journal} ends here: File too large\n")
    result = sandbox.curfew("replay", journal)
    assert (result.returncode, journal.stat().st_size <= 2000) == (0, True), result.stderr


def set_file_limit(size):
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_a_journal_into_a_pipe(sandbox):
    """Read, it is a journal as any."""
    reading, writing = os.pipe()
    running = sandbox.shell(LIFE, options=["--journal", f"/dev/fd/{writing}"], pass_fds=[writing])
    os.close(writing)
    with open(reading) as file:
        text = file.read()
    assert running.finish() == (4, "", "")
    path = sandbox.scratch / "piped"
    path.write_text(text)
    replays(sandbox, path)


@pytest.mark.parametrize("reader", ["gone", "slow"])
def test_a_pipe_that_is_not_read_holds_nobody_up(sandbox, reader):
    """Its reader gone, or not reading: the journal ends, and the supervisor goes on as ever."""
    reading, writing = os.pipe()
    running = sandbox.shell(
        "echo up; read x; exit 4", options=["--journal", f"/dev/fd/{writing}"], pass_fds=[writing],
        stdin=subprocess.PIPE)
    running.expect("up")
    os.close(writing)
    if reader == "gone":
        os.close(reading)
    with Client(socket_of(running)) as operator:
        for number in range(600):
            assert operator.ask(f"post name=zone info.n={number} info.big={'x' * 400}").verb == "ok"
    assert sandbox.curfew("home", running.name, "--json").stdout.split()[2] == '"suspended"'
    sandbox.curfew("open", running.name)
    running.process.stdin.write(b"\n")
    running.process.stdin.flush()
    status, _, err = running.finish()
    reason = {"gone": "Broken pipe", "slow": "Resource temporarily unavailable"}[reader]
    assert (status, err) == (4, f"curfew: the journal /dev/fd/{writing} ends here: {reason}\n")
    if reader == "slow":
        os.close(reading)
