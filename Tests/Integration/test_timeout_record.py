"""Rows of Tests/Conformance/timeout.txt as real processes: GNU's own timeout, `curfew timeout`, and a link to curfew that is
called `timeout`, side by side. All rows are asked in process by ConformanceTests.swift, and of GNU's by `make conformance`.
"""

import resource
import sys

import pytest

from conftest import ROOT, binary

sys.path.insert(0, str(ROOT / "Tests/Conformance"))
import record  # noqa: E402

GNU = record.gnu_timeout()
record.hear_all_signals()
ROWS = [row for row in record.Record.read().rows if row.is_process]


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    stage = record.Stage(tmp_path_factory.mktemp("stage"))
    for subject, target in (("gnu", GNU and GNU[0]), ("curfew", binary()), ("link", binary())):
        if target:
            stage.add(subject, target)
    return stage


@pytest.fixture(autouse=True)
def no_cores():
    before = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_CORE, before)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.line[:60])
def test_row(sandbox, stage, row):
    subjects = ["curfew", "link"]
    if GNU and (not row.since or row.since <= GNU[1]):
        subjects.insert(0, "gnu")
    for subject in subjects:
        answer = stage.run(row, subject, stage.environment(subject, sandbox.environment))
        assert answer == row.answer_of(subject), f"{subject}, {record.PATH.name}:{row.number}"
