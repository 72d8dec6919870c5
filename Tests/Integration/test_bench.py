"""The bench's arithmetic, its verdicts and its picture. What it measures, it is run for: `make bench`."""

import contextlib
import json
import pathlib
import socket
import subprocess
import sys
import types
import xml.etree.ElementTree

import pytest

BENCH = pathlib.Path(__file__).resolve().parents[1] / "Bench"
sys.path.insert(0, str(BENCH))

import figures  # noqa: E402
import picture  # noqa: E402
import processes  # noqa: E402
import ways  # noqa: E402
from rows import asleep, firstbyte, paged, requests, wake  # noqa: E402


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


# The rows of sleep

SLEEP, WAKE = "event name=didSleep seq=1", 'event name=didWake seq=2 by="a connection to :6379"'


@pytest.mark.parametrize("lines, is_cycle, wakings", [
    ([SLEEP, "ok id=2 state=suspended", WAKE], True, 1),
    # Told before the answer or behind it, and with what an earlier waking has left.
    (["ok id=2 state=suspended", "event name=stateDidChange", SLEEP, WAKE], True, 1),
    ([WAKE, SLEEP, WAKE, "ok id=2 state=suspended"], True, 1),
    # Woken before it was asleep: no cycle.
    ([WAKE, "ok id=2 state=active"], False, 0),
    (["ok id=2 state=active"], False, 0)])
def test_a_cycle_is_counted_when_it_was_asleep_and_has_been_woken(lines, is_cycle, wakings):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall("".join(line + "\n" for line in ["event name=didLaunch", "ok id=1", *lines]).encode())
        operator = requests.Operator(ours)
        assert (operator.sleep(), operator.wakings) == (is_cycle, wakings)


def test_a_refused_sleep_is_no_cycle_but_a_failure():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"ok id=1\nerror id=2 code=input-unwatched\n")
        with pytest.raises(processes.BenchError, match="sleep: error id=2 code=input-unwatched"):
            requests.Operator(ours).sleep()


def beyond(bar, **samples):
    """The lines of so many (asleep, awake) pairs in µs, by what they tell and of whom."""
    taken = {wake.LEAST if name == "least" else name: pairs for name, pairs in samples.items()}
    lines = {line.what.removeprefix("N=1, "): line for line in wake.compared("N=1", "new", taken, bar, 1)}
    return lambda name, what: lines[f"{wake.LEAST if name == 'least' else name}, a new connection: {what}"]


def test_what_waking_costs_is_held_to_its_bar_in_milliseconds():
    """The median of the differences, each of two answers that were taken one after the other."""
    line_of = beyond(1, curfew=[(1300, 200), (1150, 250), (9000, 4000)], least=[(500, 200)])
    longer = line_of("curfew", "asleep beyond awake")
    assert (longer.figure, longer.unit, longer.bar, longer.verdict) == (1.1, "ms", "≤ 1 ms", "MISSED by 0.10 ms")
    assert line_of("curfew", "PING asleep").ratios == {"awake": 5.2, "C": 2.6}
    assert line_of("least", "asleep beyond awake").verdict == figures.NO_BAR
    assert beyond(2, curfew=[(1300, 200)])("curfew", "asleep beyond awake").verdict == figures.OK
    assert beyond(None, curfew=[(1300, 200)])("curfew", "asleep beyond awake").verdict == figures.NO_BAR


def sleep_lines():
    """What the rows of sleep put into the picture, with an answer that took less asleep, and one that was lost."""
    pairs = [(150, 200), (200, 200), (1900, 200)]
    for size, bar, unit in (("N=1", 1, 1), ("N=100", 5, 5), ("N=1, 1,000 connections", None, 1)):
        yield from wake.compared(size, "new", {"curfew run --containment=tree": pairs, wake.LEAST: pairs[:2]}, bar, unit)
    yield from requests.lines_of("curfew run", 10_000, 7, 99.0, 0.0, 14_000.0)
    yield from requests.lines_of("curfew run --containment=tree", 10_000, 7, 98.0, 1.0, 14_000.0)
    samples = {(kind, request): [50 * (index + 1)] for index, kind in enumerate(paged.KINDS) for request in paged.REQUESTS}
    yield from (paged.line_of(kind, request, samples) for kind, request in samples)
    for count in (0, 607):
        each = asleep.Watched("curfew run --containment=tree, asleep", "1,000 clients", figures.CURFEW, [], [])
        yield asleep.wake_up_line(each, count, 60)


def extent(element):
    """From where to where a text reaches, about: by what a letter takes up in each size."""
    kinds = element.get("class").split()
    sizes = {"title": 10.5, "heading": 7.3, "own": 6.9, "small": 5.8}
    width = next((size for kind, size in sizes.items() if kind in kinds), 6.6) * len(element.text or "")
    left = float(element.get("x")) - {"start": 0, "middle": width / 2, "end": width}[element.get("text-anchor")]
    return left, left + width


def fits(left, right):
    return 12 <= left and right <= picture.WIDTH


def test_the_rows_of_sleep_are_in_the_picture():
    drawn = picture.draw(json.loads(json.dumps(report(*sleep_lines()))))
    elements = list(xml.etree.ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text"))
    words = [element.text for element in elements]
    assert {"curfew run, asleep, paged out", "GET of 64 KiB · PING", "lost", "607", "1,000 clients"} <= set(words), words
    assert not any(marker in drawn for marker in ("nan", "inf,", "None"))
    beyond = [element.text for element in elements if not fits(*extent(element))]
    assert not beyond, beyond


def first_answers(**samples):
    """The lines of asleep ways, by name; each takes these µs, None for no answer."""
    here = [types.SimpleNamespace(name=name, who=figures.CURFEW if name == "curfew" else figures.PEER) for name in samples]
    lines = firstbyte.first_lines(here, {name: (taken, taken) for name, taken in samples.items()}, [50])
    return {line.what.removeprefix("asleep, "): line for line in lines if line.what.startswith("asleep, ")}


def test_the_first_answer_is_held_to_the_fastest_peer():
    kept = first_answers(curfew=[190], knockd=[50_000], socat=[200])["curfew"]
    assert (kept.verdict, kept.bar, kept.ratios) == (
        figures.OK, "< 1× the fastest peer", {"running": 3.8, "the fastest peer": 0.95})
    assert first_answers(curfew=[210], socat=[200])["curfew"].verdict == "MISSED by 0.05×"
    assert first_answers(curfew=[200])["curfew"].verdict == figures.NO_BAR


def test_a_peer_that_lets_a_client_wait_for_ever_says_so():
    lines = first_answers(curfew=[300], socat=[100, None], knockd=[None, None])
    assert lines["socat"].remark == "1 of 2 not answered within 2 s"
    assert (lines["knockd"].figure, lines["knockd"].spots) == (None, [])
    with pytest.raises(processes.BenchError, match="curfew: 1 of 1 not answered"):
        first_answers(curfew=[None])


def test_a_peer_that_is_not_installed_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(ways, "UNITS", tmp_path / "none")
    monkeypatch.setattr(ways, "ALL", {
        "knockd": lambda bench: ways.standing_by(bench, ["no-such-peer"], None), "systemd-socket-proxyd": ways.systemd})
    with contextlib.ExitStack() as stack:
        here, missing = ways.enter(None, stack)
    assert here == []
    assert missing == {"knockd": "no-such-peer not installed", "systemd-socket-proxyd": "systemd doesn't run here"}
