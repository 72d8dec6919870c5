"""What only processes show of timeout's command line. The rest are rows of Tests/Conformance/timeout.txt, which ConformanceTests.swift
reads in process, and test_timeout_record.py runs some of."""

import os
import shutil
import subprocess

import pytest

from conftest import LIMIT, binary, wait_for
from programs.timeouts import SLEEP, by_either_name, subject  # noqa: F401

EXIT_7 = ["sh", "-c", "exit 7"]


class TestHelp:
    @by_either_name
    @pytest.mark.parametrize("option", ["--help", "--version"])
    def test_copied_alone(self, subject, option):
        """The executable is enough: nothing has to be beside it."""
        alone = subject.sandbox.scratch / "alone"
        alone.mkdir()
        source = binary() if subject.name == "curfew" else os.path.realpath(subject.sandbox.scratch / subject.name / "timeout")
        program = alone / ("curfew" if subject.name == "curfew" else "timeout")
        shutil.copy(source, program)
        words = [program, *subject.words[1:], option]
        result = subprocess.run(words, capture_output=True, text=True, env=subject.environment, timeout=LIMIT)
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout.startswith("Usage: " if option == "--help" else "timeout (")

    def test_version(self, subject):
        status, out, err = subject.run("--version")
        assert (status, err) == (0, "")
        assert out.startswith("timeout (GNU coreutils) " if subject.is_gnu else "timeout (Curfew) ")

    @pytest.mark.parametrize("option", ["--help", "--version"])
    def test_output_that_cannot_be_written(self, subject, option):
        with open("/dev/full", "w") as full:
            status, _, err = subject.run(option, stdout=full)
        assert status == 125
        assert err.endswith(": No space left on device\n")

    def test_a_full_disk_is_the_commands_business(self, subject):
        with open("/dev/full", "w") as full:
            assert subject.run("9", *EXIT_7, stdout=full, stderr=full)[0] == 7

    @by_either_name
    def test_name_by_which_it_was_called(self, subject):
        """Messages begin with the program's name as it was called, a path if that was one."""
        path = "curfew" if subject.name == "curfew" else str(subject.sandbox.scratch / subject.name / "timeout")
        subject.words[0] = path
        name = " ".join(subject.words)
        caller = "curfew: timeout" if subject.name == "curfew" else path
        assert subject.run("x", "true") == (
            125, "", f"{caller}: invalid time interval 'x'\nTry '{name} --help' for more information.\n")


def test_verbose_twice(subject):
    """Nothing more with GNU's; ours then tells what there was."""
    status, out, err = subject.run("-vv", ".01", *SLEEP)
    first, *more = err.splitlines()
    assert (status, out, first) == (124, "", subject.says("timeout: sending signal TERM to command 'sleep'"))
    assert bool(more) != subject.is_gnu, err


class TestPath:
    def test_passed_over(self, subject):
        """A file that can't be executed doesn't hide one that can, later in PATH."""
        scratch = subject.sandbox.scratch
        for name in ("first", "second"):
            (scratch / name).mkdir()
        (scratch / "first/tool").write_text("")
        (scratch / "second/tool").write_text("#!/bin/sh\nexit 6\n")
        (scratch / "second/tool").chmod(0o755)
        subject.environment["PATH"] += f":{scratch}/first:{scratch}/second"
        assert subject.run("5", "tool") == (6, "", "")

    def test_none(self, subject):
        """Where PATH isn't set, the system's own is looked through."""
        subject.words[0] = str(wait_for("its path", lambda: which(subject)))
        del subject.environment["PATH"]
        assert subject.run("5", "sh", "-c", "exit 6") == (6, "", "")


def which(subject):
    for folder in subject.environment["PATH"].split(":"):
        if os.access(path := os.path.join(folder, subject.words[0]), os.X_OK):
            return path
    return None
