"""The bench's arithmetic, its verdicts and its picture. What it measures, it is run for: `make bench`."""

import json
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

import pytest

BENCH = pathlib.Path(__file__).resolve().parents[1] / "Bench"
sys.path.insert(0, str(BENCH))

import figures  # noqa: E402
import picture  # noqa: E402


@pytest.mark.parametrize("share, expected", [(0, 1), (10, 1), (50, 5), (90, 9), (91, 10), (95, 10), (100, 10)])
def test_a_percentile_is_the_nearest_rank(share, expected):
    assert figures.percentile([3, 1, 2, 10, 9, 8, 7, 6, 5, 4], share) == expected


@pytest.mark.parametrize("value, text", [
    (0, "0"), (-0.001, "0"), (1, "1"), (1.234, "1.23"), (12.0, "12"), (12.34, "12.3"), (1234.5, "1234")])
def test_numbers_have_three_digits_or_four(value, text):
    assert figures.number(value) == text


def line(who, samples, **more):
    return figures.Line("launch", "what", "µs", samples, who=who, **more)


@pytest.mark.parametrize("ours, verdict", [
    ([86, 87, 88], "ok, stretch too"), ([99, 100, 120], "ok"), ([101, 110, 111], "MISSED by 0.10×")])
def test_a_line_is_held_to_its_bar_by_the_ratio_of_the_medians(ours, verdict):
    base = line(figures.PEER, [90, 100, 200])
    judged = figures.hold(figures.compare(line(figures.CURFEW, ours), {"timeout": base}), "timeout", 1.0, 0.87)
    assert judged.verdict == verdict
    assert judged.cells()[4:6] == [f"{figures.number(judged.figure / 100)}× timeout", "≤ 1× timeout (stretch 0.87×)"]


def test_what_is_not_there_to_compare_with_gives_no_verdict():
    alone = figures.hold(figures.compare(line(figures.CURFEW, [1]), {"timeout": None}), "timeout", 1.0)
    assert (alone.verdict, alone.bar, alone.ratios) == (figures.NO_BAR, "", {})


def report(*lines, complete=True):
    machine = {"date": "2020-02-02", "machine": "m<&>", "kernel": "6.1.0-9", "cpus": 2, "load_before": 0.5}
    return {"machine": machine, "complete": complete, "lines": [each.as_json() for each in lines]}


def some_lines():
    for mark, ours in (("1", [110, 150, 190]), ("10", [80, 90, 95]), ("1,000", [111, 151, 191])):
        compared = figures.compare(line(figures.CURFEW, ours), {"timeout": line(figures.PEER, [100])})
        figures.hold(compared, "timeout", 1.0)
        yield figures.place(compared, "launch & more", "curfew <run>", 100, mark, limit=100)
    yield figures.place(line(figures.PEER, [0, 300]), "launch & more", "tini", 100)
    counted = line(figures.CURFEW, [], value=0, verdict=figures.OK)
    counted.spots = [figures.Spot("escape", "curfew", kind, count=n) for kind, n in (("daemon", 0), ("comet", 2))]
    yield counted
    yield figures.skipped("launch", "bwrap", "not installed")


def test_the_picture_is_well_formed_and_says_each_verdict_in_words():
    drawn = picture.draw(json.loads(json.dumps(report(*some_lines()))))
    elements = xml.etree.ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")
    words = [element.text for element in elements]
    assert {"curfew <run>", "tini", "missed at 1, 1,000", "10", "1 · 1,000", "ok", "daemon"} <= set(words)
    assert not any(marker in drawn for marker in ("nan", "inf,", "None"))


def test_a_picture_is_drawn_only_of_a_complete_run(tmp_path):
    source, target = tmp_path / "rough.json", tmp_path / "bench.svg"
    source.write_text(json.dumps(report(*some_lines(), complete=False)))
    drawn = subprocess.run([sys.executable, BENCH / "picture.py", source, target], capture_output=True, text=True)
    assert drawn.returncode == 1 and "isn't of a complete run" in drawn.stderr and not target.exists()
