"""What an app, a file or a caller has named reaches no terminal raw: it can forge no line, draw nothing, and turn nothing about."""

import contextlib
import json
import os
import shutil
import subprocess
import sys

import pytest

from conftest import LIMIT, binary

# A title, a cleared screen, a line of its own, what the Unicode standard calls bidirectional controls, C1, DEL.
HOSTILE = "a\x1b[32m\x1b]0;t\x07\x1b[2J\x7f\r\nforged: line\u202e\u2066\u200f\u061c\u2028\x9b31mz"
UNFIT = set(map(chr, [*range(0x20), *range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)]))


def assert_fit(printed, told=True):
    """`printed`: bytes that came to a terminal. `told`: whether the name is among them."""
    text = printed.decode()
    assert not (UNFIT - {"\n"}) & set(text), repr(text)
    assert not any(line.startswith("forged") for line in text.splitlines()), text
    if told:
        assert "forged" in text, text


def run(sandbox, *arguments, told=True, **options):
    """Runs a verb to its end; all that it prints is looked at."""
    environment = dict(sandbox.environment, **options.pop("environment", {}))
    result = subprocess.run(
        [binary(), *arguments], capture_output=True, timeout=LIMIT, env=environment, stdin=subprocess.DEVNULL,
        cwd=sandbox.scratch, **options)
    assert_fit(result.stdout + result.stderr, told)
    return result


def ends_fit(running):
    """The kill line."""
    running.wait()
    errors = running.process.stderr.read()
    assert b"killed: " in errors
    assert_fit(errors)


def look(sandbox, name, *, ps=True):
    """Everything that looks at a running app."""
    run(sandbox, "status", name)
    run(sandbox, "events", name, told=False)
    run(sandbox, "ps", told=ps)
    for verb in (["status", name], ["events", name], ["ps"]):
        json_lines = run(sandbox, *verb, "--json", told=False).stdout
        assert json_lines


def read_reports(sandbox, name):
    run(sandbox, "report", told=False)
    run(sandbox, "report", name)
    run(sandbox, "report", HOSTILE, told=False)
    kept = run(sandbox, "report", name, "--json").stdout
    # For programs nothing is lost.
    assert "forged: line" in json.loads(kept)["message"] + json.dumps(json.loads(kept)["command"])
    for path in sandbox.reports.glob("*.json"):
        assert_fit(path.read_bytes())


def test_a_tasks_name(sandbox):
    script = 'curfew task begin "$0" && curfew task list && exec sleep 100'
    app = sandbox.start("sh", "-c", script, HOSTILE, options=["--budget", "1s", "--expiration-lead", "0"])
    app.expect("1")
    app.read_line()
    listed = app.read_line()
    assert_fit(listed.encode())
    look(sandbox, app.name)
    run(sandbox, "home", app.name, told=False)
    ends_fit(app)
    read_reports(sandbox, app.name)


def test_a_locked_files_path(sandbox):
    path = sandbox.scratch / HOSTILE
    script = "import fcntl, sys, time; f = open(sys.argv[1], 'w'); fcntl.lockf(f, fcntl.LOCK_EX); print('up', flush=True); time.sleep(100)"
    app = sandbox.start(sys.executable, "-c", script, path, options=["--locks", "kill"])
    app.expect("up")
    run(sandbox, "home", app.name, told=False)
    ends_fit(app)
    read_reports(sandbox, app.name)


def test_what_a_program_says_of_itself(sandbox):
    script = (
        "import os, socket, sys, time; s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)\n"
        "s.sendto(b'STATUS=' + os.fsencode(sys.argv[1]), '\\0' + os.environ['NOTIFY_SOCKET'][1:])\n"
        "print('up', flush=True); time.sleep(100)")
    # A line feed ends a status.
    status = HOSTILE.replace("\n", "")
    app = sandbox.start(sys.executable, "-c", script, status)
    app.expect("up")
    app.wait_told("the status", lambda: app.status().get("notifyStatus"))
    look(sandbox, app.name)
    run(sandbox, "quit", app.name, told=False)


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_a_command_that_ran_too_long(sandbox, locale):
    program = sandbox.scratch / HOSTILE
    shutil.copy("/bin/sleep", program)
    environment = {"LC_ALL": locale}
    timed_out = run(sandbox, "timeout", "-v", "-v", ".1", program, "100", environment=environment)
    assert timed_out.returncode == 124 and b"sending signal TERM to command" in timed_out.stderr
    limited = ["sh", "-c", "sleep 100; :", HOSTILE]
    assert run(sandbox, "timeout", "-v", "-v", ".1", *limited, told=False, environment=environment).returncode == 124
    assert run(sandbox, "run", "--name", "late", "--time-limit", ".1", "--", *limited, told=False).returncode == 124
    read_reports(sandbox, "late")


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "--", HOSTILE], ["run", "--", b"/" + b"forged\xff\xfe"], ["timeout", "1", HOSTILE],
        ["timeout", HOSTILE, "true"], ["timeout", "-s", HOSTILE, "1", "true"], ["timeout", "--" + HOSTILE, "1", "true"],
        ["timeout", "--profile", HOSTILE, "1", "true"],
        ["run", "--name", HOSTILE, "--", "true"], ["run", "--" + HOSTILE, "--", "true"],
        ["run", "--budget", HOSTILE, "--", "true"], ["run", "--report", HOSTILE + "/x", "--", "true"],
        ["run", "--journal", HOSTILE + "/x", "--", "true"], ["run", "--settings", HOSTILE + "/x", "--", "true"],
        ["run", "--state-dir", "/dev/null/" + HOSTILE, "--", "true"],
        [HOSTILE], ["--" + HOSTILE], ["status", HOSTILE], ["quit", HOSTILE], ["replay", HOSTILE],
        ["task", HOSTILE], ["task", "end", HOSTILE], ["help", HOSTILE], ["ps", HOSTILE],
        ["task", "run", "name", "--", HOSTILE],
    ],
    ids=lambda arguments: " ".join(str(word) if len(str(word)) < 12 else "…" for word in arguments))
def test_words_of_a_command_line(sandbox, arguments):
    result = run(sandbox, *arguments)
    assert result.returncode != 0 and result.stderr


def test_a_terminals_colours_are_ours(sandbox):
    """On a terminal the state is coloured; what is named can't be."""
    app = sandbox.start("sh", "-c", "echo up; exec sleep 100", "\x1b[32mgreen\u202e")
    app.expect("up")
    reader, writer = os.openpty()
    environment = dict(sandbox.environment, TERM="xterm")
    environment.pop("NO_COLOR", None)
    subprocess.run([binary(), "ps"], stdout=writer, env=environment, check=True, timeout=LIMIT)
    os.close(writer)
    shown = b""
    # Piece by piece, as the terminal passes it on; then there is nobody at its other side any more.
    with contextlib.suppress(OSError):
        while True:
            shown += os.read(reader, 65536)
    os.close(reader)
    shown = shown.decode()
    assert "\x1b[32mactive\x1b[0m" in shown and "\x1b[32mgreen" not in shown and "\u202e" not in shown, shown
    run(sandbox, "quit", app.name, told=False)
