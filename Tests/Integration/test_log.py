"""`curfew log`, of logs that are there already; who writes them is tested where they are written."""

import json
import os
import select
import subprocess

import pytest

from conftest import LIMIT, binary


def mark(text, log, run, time):
    verb, _, rest = text.partition(" ")
    line = f"=== curfew: {verb} at={len(log)} run={run} time={time}" + (f" {rest}" if rest else "") + "\n"
    return log + line.encode()


@pytest.fixture
def folder(sandbox):
    folder = sandbox.scratch / "state" / "curfew" / "logs"
    folder.mkdir(mode=0o700, parents=True)
    sandbox.environment["XDG_STATE_HOME"] = str(sandbox.scratch / "state")
    earlier = mark("began pid=7", b"", 1, "2025-01-01T00:00:00Z") + b"one\n"
    later = mark("continued", b"", 1, "2025-01-01T00:01:00Z") + b"two \x1b[1m\xff\n"
    later = mark('lost bytes=70 reason="No space left on device"', later, 1, "2025-01-01T00:02:00Z")
    later = mark("began pid=8", later, 2, "2025-01-02T00:00:00Z") + b"three\n"
    (folder / "mail.log.1").write_bytes(earlier)
    (folder / "mail.log").write_bytes(later)
    return folder


def shown(sandbox, *words):
    return subprocess.run(
        [binary(), "log", *words], env=sandbox.environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT)


LOST = b"curfew: log: 70 bytes of run 1 couldn't be kept: No space left on device\n"


def test_a_log_is_shown_as_it_was_written(sandbox, folder):
    result = shown(sandbox, "mail")
    assert (result.returncode, result.stdout, result.stderr) == (0, b"one\ntwo \x1b[1m\xff\nthree\n", LOST)


def test_of_one_run_and_since_a_moment(sandbox, folder):
    result = shown(sandbox, "mail", "--run", "2")
    assert (result.stdout, result.stderr) == (b"three\n", b"")
    assert shown(sandbox, "mail", "--since", "2025-01-01T12:00:00Z").stdout == b"three\n"
    assert shown(sandbox, "mail", "--since", "1h").stdout == b""
    assert shown(sandbox, "mail", "--since", "inf", "--run=1").stdout == b"one\ntwo \x1b[1m\xff\n"


def test_for_programs(sandbox, folder):
    lines = [json.loads(line) for line in shown(sandbox, "mail", "--json").stdout.splitlines()]
    assert lines == [
        {"run": 1, "time": 1735689600, "text": "one"}, {"run": 1, "time": 1735689660, "text": "two \x1b[1m\ufffd"},
        {"run": 2, "time": 1735776000, "text": "three"}]


def test_without_a_log(sandbox, folder):
    result = shown(sandbox, "web")
    assert (result.returncode, result.stdout) == (1, b"")
    assert result.stderr == b"curfew: log: web has no log: an app that a server runs gets one once it writes something\n"


def test_follows_what_is_written_and_where_it_goes_on(sandbox, folder):
    follower = subprocess.Popen(
        [binary(), "log", "-f", "mail"], env=sandbox.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL)
    seen = b""

    def hears(line):
        nonlocal seen
        while b"\n" not in seen:
            assert select.select([follower.stdout], [], [], LIMIT)[0], f"no {line!r} in {LIMIT} s; seen of it {seen!r}"
            chunk = os.read(follower.stdout.fileno(), 4096)
            assert chunk, f"ended before {line!r}; seen of it {seen!r}"
            seen += chunk
        first, _, seen = seen.partition(b"\n")
        assert first + b"\n" == line

    try:
        for line in (b"one\n", b"two \x1b[1m\xff\n", b"three\n"):
            hears(line)
        with open(folder / "mail.log", "ab") as log:
            log.write(b"four\n")
            log.flush()
            hears(b"four\n")
            log.write(b"five\n")
        os.rename(folder / "mail.log", folder / "mail.log.1")
        (folder / "mail.log").write_bytes(b"six\n")
        hears(b"five\n")
        hears(b"six\n")
        os.truncate(folder / "mail.log", 0)
        with open(folder / "mail.log", "ab") as log:
            log.write(b"7\n")
        hears(b"7\n")
    finally:
        follower.terminate()
        follower.wait(LIMIT)
