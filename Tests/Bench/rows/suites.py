"""The suites of examples/scenarios, each by itself: how long whoever changes a program waits for its lifecycle's tests."""

import json
import time

from figures import CURFEW, Line, judge, skipped
from harness import HERE

ROW = "suites"
BAR_S = 3
SUITES = HERE.parent.parent / "examples/scenarios"


def play(bench, suite):
    """How long it took, and how many of its scenarios passed; a program that isn't installed has them skipped."""
    started = time.monotonic()
    told = bench.check([bench.curfew, "test", "--json", suite], 120)
    seconds = time.monotonic() - started
    return seconds, json.loads(told.splitlines()[-1])["passed"]


def measure(bench):
    for suite in sorted(SUITES.glob("*.curfew")):
        plays = [play(bench, suite) for _ in range(bench.rounds(5, 2))]
        passed = plays[-1][1]
        what = f"curfew test {suite.name}: {passed} {'scenario' if passed == 1 else 'scenarios'}"
        if not passed:
            yield skipped(ROW, f"curfew test {suite.name}", "its program isn't installed", CURFEW)
            continue
        line = Line(ROW, what, "s", [seconds for seconds, _ in plays], who=CURFEW, bar=f"≤ {BAR_S} s")
        line.verdict = judge(line.figure, BAR_S, " s")
        yield line
