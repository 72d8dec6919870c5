"""`curfew timeline`: pictures of real runs, from the app, its report and its journal; and the page in a real browser."""

import json
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import time
import xml.etree.ElementTree

import pytest

from conftest import LIMIT, ROOT, binary, wait_for
from programs import browser

SVG = "{http://www.w3.org/2000/svg}"
SAMPLES = ROOT / "Tests/CurfewTimelineTests/Samples"


def expect(result, status=0, out="", err=""):
    assert (result.returncode, result.stdout, result.stderr) == (status, out, err)


def fails(result, problem, status=1):
    expect(result, status, err=f"curfew: timeline: {problem}\n")


def parsed(text):
    return xml.etree.ElementTree.fromstring(text)


def words(picture):
    """All that is written in it, without what is only shown where the pointer rests."""
    return [element.text or element[0].tail for element in picture.iter(SVG + "text")]


def titles(picture):
    return [element.text for element in picture.iter(SVG + "title")]


def bands(picture):
    """The states, by their rectangles' titles, in order."""
    found = [element for element in picture.iter(SVG + "rect") if "band" in element.get("class", "") and len(element)]
    found.sort(key=lambda element: float(element.get("x")))
    return [element[0].text.split(",")[0] for element in found]


@pytest.fixture
def killed(sandbox):
    """An app that was killed for its budget, by the name `photo`; with its report and its journal."""
    journal, report = sandbox.scratch / "photo.journal", sandbox.scratch / "photo.json"
    running = sandbox.shell(
        'curfew task begin "<upload & co>" >/dev/null; echo up; sleep 60 & wait', name="photo",
        options=["--budget", "0.4", "--expiration-lead", "0.2", "--journal", journal, "--report", report])
    running.expect("up")
    assert sandbox.curfew("home", "photo").returncode == 0
    assert running.wait() == 124
    return sandbox


# ---- what is drawn -------------------------------------------------------------------------------------------------


def test_a_running_app_by_name_by_pid_and_by_default(sandbox):
    running = sandbox.shell("curfew task begin upload >/dev/null; echo up; sleep 60 & wait", name="photo",
                            options=["--memory", "500M"])
    running.expect("up")
    assert sandbox.curfew("home", "photo").returncode == 0
    running.wait_state("background")
    # However long it took the app to begin its task: the name is written once its bar is long enough.
    wait_for("room for the task's name", lambda: "upload" in words(parsed(sandbox.curfew("timeline", "photo").stdout)))
    for operands in (["photo"], [running.status()["pid"]], []):
        result = sandbox.curfew("timeline", *operands)
        assert (result.returncode, result.stderr) == (0, "")
        picture = parsed(result.stdout)
        assert bands(picture) == ["active", "background"]
        assert "photo" in words(picture) and "upload" in words(picture)
        assert "background at the end of what is known" in words(picture)
        # What is known of the budget: all of it at home, what is left now.
        assert "budget left" in words(picture) and "10 min" in words(picture)
        assert "memory" in words(picture) and "CPU time" in words(picture)


def test_a_report(killed):
    out = killed.scratch / "why.svg"
    expect(killed.curfew("timeline", killed.scratch / "photo.json", "-o", out))
    picture = parsed(out.read_text())
    assert [state for state in bands(picture) if state != "notRunning"] == ["active", "background"]
    assert "✕ killed: background-task-timeout" in words(picture)
    assert any("killed: background-task-timeout (0x2182bad2)" in title for title in titles(picture))
    assert any('task 1 "<upload & co>"' in title and "not ended" in title for title in titles(picture))
    assert any(title.startswith("budget left: 0.4 s to ") for title in titles(picture))


def test_a_report_of_held_time_has_no_budget_by_the_calendar(sandbox):
    report = sandbox.scratch / "held.json"
    running = sandbox.shell(
        "curfew task begin upload >/dev/null; echo up; read x; sleep 60 & wait", name="held",
        options=["--manual-clock", "--report", report])
    running.expect("up")
    assert sandbox.curfew("home", "held").returncode == 0
    assert sandbox.curfew("advance", "held", "5m").returncode == 0
    assert sandbox.curfew("quit", "held").returncode == 0
    running.wait()
    assert json.loads(report.read_text())["clock"] == "manual"
    result = sandbox.curfew("timeline", report)
    assert (result.returncode, result.stderr) == (0, "")
    assert "upload" in result.stdout and "budget left" not in result.stdout


def test_the_last_report_by_name(killed):
    for name in ("last", "photo"):
        result = killed.curfew("timeline", name)
        assert (result.returncode, result.stderr) == (0, "")
        assert "✕ killed: background-task-timeout" in result.stdout


def test_a_journal(killed):
    result = killed.curfew("timeline", "photo.journal", cwd=killed.scratch)
    assert (result.returncode, result.stderr) == (0, "")
    picture = parsed(result.stdout)
    assert [state for state in bands(picture) if state != "notRunning"] == ["active", "background"]
    assert "photo" in words(picture)
    assert "the app's own time since its launch" in words(picture)
    # The core's own time: to the last nanosecond nothing was left.
    assert any(title.startswith("budget left: 0.4 s to 0 s") for title in titles(picture))
    assert "killed: background-task-timeout (0x2182bad2), status 124" in words(picture)


def test_a_journal_whose_time_never_moved(sandbox):
    journal = sandbox.scratch / "held.journal"
    running = sandbox.shell("echo up; sleep 60 & wait", name="held", options=["--manual-clock", "--journal", journal])
    running.expect("up")
    assert sandbox.curfew("home", "held").returncode == 0
    assert sandbox.curfew("quit", "held").returncode == 0
    running.wait()
    picture = parsed(sandbox.curfew("timeline", journal).stdout)
    assert "real time since its launch; its own stood still" in words(picture)
    assert bands(picture)[0] == "active" and "active" in words(picture)
    assert not any(word and word.endswith(" ns") for word in words(picture))
    assert "budget left" not in words(picture)


def test_what_events_printed(sandbox):
    running = sandbox.shell("echo up; read x; sleep 60 & wait", name="photo")
    running.expect("up")
    assert sandbox.curfew("home", "photo").returncode == 0
    running.wait_state("suspended")
    events = sandbox.scratch / "life.events"
    events.write_text(sandbox.curfew("events", "photo", "--json").stdout)
    picture = parsed(sandbox.curfew("timeline", events).stdout)
    assert "photo" in words(picture) and "suspended at the end of what is known" in words(picture)


def test_several_below_each_other(killed):
    out = killed.scratch / "both.svg"
    running = killed.shell("echo up; read x; sleep 60 & wait", name="web")
    running.expect("up")
    expect(killed.curfew("timeline", "web", killed.scratch / "photo.json", "--output", out))
    picture = parsed(out.read_text())
    assert "web" in words(picture) and "photo" in words(picture)
    assert sum(bool(word and word.startswith("time since ")) for word in words(picture)) == 1


def test_a_title_instead_of_its_own(killed):
    for name in ("photo.journal", "photo.json"):
        result = killed.curfew("timeline", killed.scratch / name, "--title", "<why>")
        assert (result.returncode, result.stderr) == (0, "")
        assert "<why>" in words(parsed(result.stdout)) and "photo" not in words(parsed(result.stdout))
    result = killed.curfew("timeline", *2 * [killed.scratch / "photo.json"], "--title=why")
    assert {"why", "why 2"} <= set(words(parsed(result.stdout)))


# ---- recorded ------------------------------------------------------------------------------------------------------


@pytest.fixture
def record(sandbox):
    """Starts to record an app, and returns once that goes on: the process."""
    started = []

    def start(name, out):
        process = subprocess.Popen(
            [binary(), "timeline", name, "--record", "10ms", "-o", out], env=sandbox.environment, stderr=subprocess.PIPE,
            text=True)
        started.append(process)
        wait_for("the recording's begin", lambda: process.poll() is not None or heeds_signals(process))
        measured(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def heeds_signals(process):
    """It takes them over before it asks for anything."""
    try:
        return any("signalfd" in os.readlink(each) for each in pathlib.Path(f"/proc/{process.pid}/fd").iterdir())
    except FileNotFoundError:
        return False  # it starts, and has closed one meanwhile


def reads(process):
    """How often it has read: once for each measurement, and for what it is told."""
    return int(re.search(r"syscr: (\d+)", pathlib.Path(f"/proc/{process.pid}/io").read_text())[1])


def measured(process):
    """Waits until it has measured some times more."""
    enough = reads(process) + 10
    wait_for("measurements", lambda: process.poll() is not None or reads(process) >= enough)
    assert process.poll() is None, process.stderr.read()


def test_an_app_is_recorded_to_its_end_with_memory_against_its_limit(sandbox, record):
    holds = "held = b'x' * (20 << 20); print('up', flush=True); input(); raise SystemExit(3)"
    running = sandbox.start(
        "python3", "-c", holds, name="photo", options=["--memory", "100M"], stdin=subprocess.PIPE)
    running.expect("up")
    out = sandbox.scratch / "recorded.json"
    process = record("photo", out)
    running.process.communicate(b"go\n", LIMIT)
    assert running.wait() == 3
    assert process.wait(LIMIT) == 0 and process.stderr.read() == ""
    events = json.loads(out.read_text())
    counters = {name: [event["args"] for event in events if event["ph"] == "C" and event["name"] == name]
                for name in ("memory", "memory limit", "CPU time")}
    assert len(counters["memory"]) >= 3 and len(counters["CPU time"]) >= 3
    assert counters["memory limit"] == [{"bytes": 100 << 20}]
    assert 20 << 20 <= max(sample["bytes"] for sample in counters["memory"]) < 100 << 20
    assert any(event["ph"] == "i" and event["name"] == "didEnd" for event in events)


def test_what_is_suspended_is_measured_once(sandbox, record):
    running = sandbox.shell("echo up; read x; sleep 60 & wait", name="photo")
    running.expect("up")
    out = sandbox.scratch / "recorded.svg"
    process = record("photo", out)
    assert sandbox.curfew("home", "photo").returncode == 0
    running.wait_state("suspended")
    wait_for("it to be left alone", lambda: reads(process) == (time.sleep(0.2), reads(process))[1])  # a while
    assert sandbox.curfew("open", "photo").returncode == 0
    measured(process)
    process.send_signal(signal.SIGINT)
    assert process.wait(LIMIT) == 0 and process.stderr.read() == ""
    picture = parsed(out.read_text())
    assert bands(picture)[0] == bands(picture)[-1] == "active" and "suspended" in bands(picture)
    assert {"memory", "CPU time", "active at the end of what is known"} <= set(words(picture))


def test_what_is_over_is_not_recorded(killed):
    fails(killed.curfew("timeline", killed.scratch / "photo.journal", "--record", "1s"),
          "--record is for one app that runs; what is over is drawn without it", 64)
    fails(killed.curfew("timeline", "a", "b", "--record", "1s"), "--record is for one app that runs", 64)
    fails(killed.curfew("timeline", "a", "--record", "1ms"), '--record: "1ms" isn\'t a time from 10ms on, such as 1s', 64)


def test_chromes_trace(killed):
    out = killed.scratch / "why.json"
    expect(killed.curfew("timeline", killed.scratch / "photo.journal", "-o", out))
    events = json.loads(out.read_text())
    assert {event["ph"] for event in events} == {"M", "X", "i", "C"}
    assert [event["name"] for event in events if event.get("cat") == "state"][:2] == ["active", "background"]
    (task,) = [event for event in events if event.get("cat") == "task"]
    assert (task["name"], task["args"]["outcome"]) == ("<upload & co>", "open")
    budget = [event["args"]["seconds"] for event in events if event["name"] == "budget left"]
    assert (budget[0], budget[-1]) == (0.4, 0)
    for event in events:
        assert isinstance(event["pid"], int) and isinstance(event["tid"], int)
        assert event["ph"] == "M" or event["ts"] >= 0


def test_the_picture_in_the_documents(sandbox):
    if not (ROOT / "docs").exists():
        pytest.skip("there are no documents here")
    out = sandbox.scratch / "timeline.svg"
    (command,) = re.findall(r"^curfew (timeline .*) -o docs/timeline.svg$", (ROOT / "docs/timeline.md").read_text(), re.M)
    expect(sandbox.curfew(*command.split(), "-o", out, cwd=ROOT))
    assert out.read_text() == (ROOT / "docs/timeline.svg").read_text()


# ---- errors --------------------------------------------------------------------------------------------------------


def test_no_such_app_and_no_such_file(sandbox):
    no_such = "no app called nosuch is running, and there is no file and no report of that name"
    fails(sandbox.curfew("timeline", "nosuch"), no_such + "; `curfew ps` lists apps, `curfew report` reports", 69)
    fails(sandbox.curfew("timeline", "./nosuch.json"), "./nosuch.json: No such file or directory")
    fails(sandbox.curfew("timeline", "/"), "/: Is a directory")
    fails(sandbox.curfew("timeline"), "no app is running; `curfew run` starts one", 69)


def test_several_apps_must_be_named(sandbox):
    for name in ("beta", "alpha"):
        sandbox.shell("echo up; read x; sleep 60 & wait", name=name).expect("up")
    fails(sandbox.curfew("timeline"), "several apps are running; say which: alpha, beta", 64)


@pytest.mark.parametrize(
    "text, problem",
    [("hello\n", ": it is neither a report, a journal, nor what `curfew events --json` prints"),
     ("", ": it is empty"),
     ('{"app": "x"}', ": it is no report of Curfew's: it has no app, version or status"),
     ("{\n", ", line 2: it isn't whole JSON: a key is missing at byte 2"),
     ("curfew-journal version=1\nbroken\n", ', line 2: "broken" is neither input nor effect'),
     ("curfew-journal version=1\neffect\n", ', line 2: it has no name'),
     ("curfew-journal version=7\n", ", line 1: its version is 7; this curfew reads 1"),
     ("curfew-journal version=1\n", ": it tells of no app: nothing was started"),
     ('{"name":"x","time":1,"app":"a"}\n{"name":\n{}\n', ", line 2: it isn't whole JSON: a value is missing at byte 8")],
    ids=["neither", "empty", "object", "report", "line", "journal", "version", "nothing", "events"])
def test_a_file_that_is_none_or_is_damaged(sandbox, text, problem):
    path = sandbox.scratch / "file"
    path.write_text(text)
    fails(sandbox.curfew("timeline", path), f"{path}{problem}")


def test_a_journal_beside_another_clock(killed):
    result = killed.curfew("timeline", killed.scratch / "photo.journal", killed.scratch / "photo.json")
    fails(result, "a journal has a clock of its own, which nothing can be laid beside; draw it by itself")


def test_what_is_drawn_is_not_overwritten(killed):
    """A report's name ends as a trace's does."""
    report = killed.scratch / "photo.json"
    before = report.read_text()
    for name in (str(report), f"{report.parent}/./{report.name}"):
        result = killed.curfew("timeline", report, "-o", name)
        assert (result.returncode, result.stderr) == (
            64, f"curfew: timeline: -o {name} is what is drawn, and would be lost; give it another name\n")
    assert report.read_text() == before


def test_output_that_cannot_be_written(killed):
    report = killed.scratch / "photo.json"
    fails(killed.curfew("timeline", report, "-o", "/nosuch/x.svg"), "can't write /nosuch/x.svg: No such file or directory")
    full = killed.scratch / "full.html"
    full.symlink_to("/dev/full")
    fails(killed.curfew("timeline", report, "-o", full), f"can't write {full}: No space left on device")
    with open("/dev/full", "w") as device:
        result = subprocess.run(
            [binary(), "timeline", report], stdout=device, stderr=subprocess.PIPE, text=True, env=killed.environment)
    assert (result.returncode, result.stderr) == (1, "curfew: can't write to standard output: No space left on device\n")


@pytest.mark.parametrize("name", ["x.png", "x", ".svg", ""])
def test_a_suffix_that_is_none(sandbox, name):
    accepted = "the path of a file that ends in .svg, .html or .json"
    fails(sandbox.curfew("timeline", "x", "-o", name), f'-o: "{name}" isn\'t {accepted}', 64)
    fails(sandbox.curfew("timeline", "x", f"--output={name}"), f'--output: "{name}" isn\'t {accepted}', 64)


def test_a_terminal_gets_no_picture(killed):
    ours, theirs = pty.openpty()
    try:
        result = subprocess.run(
            [binary(), "timeline", killed.scratch / "photo.json"], stdin=subprocess.DEVNULL, stdout=theirs,
            stderr=subprocess.PIPE, text=True, env=killed.environment, timeout=LIMIT)
    finally:
        os.close(theirs)
        os.close(ours)
    problem = "standard output is a terminal; write to a file: -o FILE.svg, .html or .json"
    assert (result.returncode, result.stderr) == (64, f"curfew: timeline: {problem}\n")


def test_where_its_executable_is_not_installed(sandbox):
    alone = sandbox.scratch / "bin" / "curfew"
    alone.parent.mkdir()
    shutil.copy(binary(), alone)
    result = subprocess.run([alone, "timeline", "x"], capture_output=True, text=True, env=sandbox.environment)
    path = f"{alone.parent}/../libexec/curfew/curfew-timeline"
    assert (result.returncode, result.stdout) == (69, "")
    assert result.stderr == f"curfew: timeline: can't start {path}: No such file or directory; reinstall Curfew\n"


def test_installed_it_is_in_libexec(sandbox):
    prefix = sandbox.scratch / "prefix"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "libexec/curfew").mkdir(parents=True)
    shutil.copy(binary(), prefix / "bin/curfew")
    for helper in ("curfew-help", "curfew-timeline"):
        shutil.copy(pathlib.Path(binary()).parent / helper, prefix / "libexec/curfew" / helper)
    result = subprocess.run(
        [prefix / "bin/curfew", "timeline", SAMPLES / "upload.events"], capture_output=True, text=True, env=sandbox.environment)
    assert (result.returncode, result.stdout, result.stderr) == (0, (SAMPLES / "upload.svg").read_text(), "")
    help_text = subprocess.run(
        [prefix / "bin/curfew", "timeline", "--help"], capture_output=True, text=True, env=sandbox.environment)
    assert (help_text.returncode, help_text.stderr) == (0, "")
    assert "USAGE: curfew timeline [options] [APP|FILE…]" in help_text.stdout


# ---- the page, in a browser ----------------------------------------------------------------------------------------


@pytest.fixture
def chromium(sandbox):
    if not browser.PROGRAM:
        pytest.skip("chromium isn't installed")
    opened = browser.Browser(sandbox.scratch)
    yield opened
    opened.close()


def page_of(sandbox, source):
    out = sandbox.scratch / "page.html"
    expect(sandbox.curfew("timeline", source, "-o", out))
    return out


def view(chromium):
    return chromium.value("document.getElementById('view').textContent")


def centre(chromium, selector):
    """The middle of the first element that it selects."""
    box = "JSON.stringify(document.querySelector(%s).getBoundingClientRect())" % json.dumps(selector)
    box = json.loads(chromium.value(box))
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_the_page_zooms_moves_and_says_what_the_pointer_is_on(sandbox, chromium):
    chromium.open(page_of(sandbox, SAMPLES / "photo-sync.journal"))
    whole = view(chromium)
    assert re.fullmatch(r"0 to 20 min \S+ s", whole)
    x, y = centre(chromium, "svg.run rect.band.suspended")
    chromium.mouse("mouseMoved", x, y)
    assert chromium.value("document.getElementById('on').textContent").startswith("suspended, 3 min 20 s: ")
    chromium.mouse("mouseMoved", *centre(chromium, "svg.run rect.task"))
    assert 'task 1 "upload"' in chromium.value("document.getElementById('on').textContent")
    # The wheel, about what it is on: that stays where it is.
    chromium.mouse("mouseWheel", x, y, deltaX=0, deltaY=-300)
    chromium.value("1")
    zoomed = view(chromium)
    assert zoomed != whole
    chromium.mouse("mouseMoved", x, y)
    assert chromium.value("document.getElementById('on').textContent").startswith("suspended, 3 min 20 s: ")
    # Dragged to the right, an earlier time is seen.
    chromium.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
    chromium.mouse("mouseMoved", x + 60, y, button="left", buttons=1)
    chromium.mouse("mouseReleased", x + 60, y, button="left", clickCount=1)
    dragged = view(chromium)
    assert dragged != zoomed
    chromium.key("0")
    assert view(chromium) == whole
    chromium.key("+")
    nearer = view(chromium)
    assert nearer != whole
    chromium.key("ArrowRight")
    assert view(chromium) != nearer
    for button in ("all", "nearer", "farther"):
        x, y = centre(chromium, f"#{button}")
        chromium.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        chromium.mouse("mouseReleased", x, y, button="left", clickCount=1)
    assert view(chromium) == whole
    assert chromium.complaints() == []
    assert [url for url in chromium.requests() if not url.startswith(("file:", "about:"))] == []


def test_the_page_looks_different_in_the_dark(sandbox, chromium):
    chromium.open(page_of(sandbox, SAMPLES / "photo-sync.journal"))
    seen = {}
    for scheme in ("light", "dark"):
        chromium.mode(scheme)
        seen[scheme] = chromium.value("getComputedStyle(document.body).backgroundColor")
        assert chromium.picture().startswith(b"\x89PNG")
    assert seen == {"light": "rgb(255, 255, 255)", "dark": "rgb(13, 17, 23)"}


def busy(path, count):
    """So many events of an app whose names mean mischief."""
    name = "</script><img src=x onerror=alert(1)>"
    with open(path, "w") as file:
        def tell(number, **event):
            file.write(json.dumps({"number": number, "time": 1.7e9 + number * 0.37, "app": name, **event}) + "\n")

        tell(1, name="stateDidChange", **{"from": "notRunning", "to": "active"})
        for number in range(2, count + 1):
            if number % 10 == 0:
                states = ["active", "background"][:: 1 if number % 20 else -1]
                tell(number, name="stateDidChange", **dict(zip(("to", "from"), states)))
            elif number % 10 in (1, 6):
                kind = "taskDidBegin" if number % 10 == 1 else "taskDidEnd"
                tell(number, name=kind, task=number // 10, title=name)
            else:
                tell(number, name="didDeliver", event="didBecomeActive", seq=number)
    return path


def test_ten_thousand_events_in_the_page(sandbox, chromium):
    chromium.open(page_of(sandbox, busy(sandbox.scratch / "busy.events", 10_000)))
    drawn = chromium.value("document.querySelectorAll('svg.run *').length")
    assert 100 < drawn < 12_000
    assert "0 to 1 h 1 min" in view(chromium)
    # Two states take turns faster than pixels: each is seen with its share.
    heights = "JSON.stringify([...document.querySelectorAll('svg.run rect.band.%s.thin')].map(each => each.height.baseVal.value))"
    active, background = [json.loads(chromium.value(heights % state)) for state in ("active", "background")]
    assert len(active) > 300 and 0.8 < sum(active) / sum(background) < 1.25
    for _ in range(9):
        chromium.key("+")
    # Near enough, a few are left, and they are named.
    assert 1 <= chromium.value("document.querySelectorAll('svg.run circle').length") < 40
    assert "didBecomeActive" in chromium.value("document.querySelector('svg.run').textContent")
    assert chromium.value("document.querySelectorAll('img, body script[src]').length") == 0
    assert chromium.value("document.querySelector('h2').textContent") == "</script><img src=x onerror=alert(1)>"
    assert chromium.complaints() == []


def axis(chromium):
    """What the axis says, from left to right."""
    return json.loads(chromium.value(
        "JSON.stringify([...document.querySelectorAll('svg.run text.small[text-anchor=middle]')].map(each => each.textContent))"))


def test_the_axis_tells_its_times_apart_at_every_zoom(sandbox, chromium):
    chromium.open(page_of(sandbox, SAMPLES / "photo-sync.journal"))
    for _ in range(45):
        shown = axis(chromium)
        assert len(shown) >= 1 and len(set(shown)) == len(shown), shown
        assert not re.search(r"\b(60 s|60 min|24 h|1000 )", " ".join([view(chromium), *shown])), shown
        start, end = view(chromium).split(" to ")
        assert start != end
        chromium.key("+")
    assert chromium.complaints() == []


def tasks_at_once(path, count):
    """So many tasks of an app, all of them open at once."""
    with open(path, "w") as file:
        def tell(time, **event):
            file.write(json.dumps({"number": 1, "time": 1.7e9 + time, "app": "many", **event}) + "\n")

        tell(0, name="stateDidChange", **{"from": "notRunning", "to": "active"})
        for number in range(count):
            tell(1 + number / count, name="taskDidBegin", task=number, title=f"t{number}")
        tell(4, name="didBecomeReady")
    return path


def test_every_task_can_be_seen_in_the_page(sandbox, chromium):
    chromium.open(page_of(sandbox, tasks_at_once(sandbox.scratch / "tasks.events", 50)))
    assert chromium.value("document.querySelectorAll('svg.run rect.task').length") == 10
    assert "40 more tasks here: r: more rows" in chromium.value("document.querySelector('svg.run').textContent")
    chromium.key("r")
    chromium.key("r")
    assert chromium.value("document.querySelectorAll('svg.run rect.task').length") == 50
    assert "more tasks" not in chromium.value("document.querySelector('svg.run').textContent")
    assert chromium.complaints() == []


def test_more_tasks_than_a_call_takes_arguments(sandbox, chromium):
    page = page_of(sandbox, tasks_at_once(sandbox.scratch / "tasks.events", 1))
    head, data, tail = re.fullmatch(r'(.* id="data">)(.*?)(</script>.*)', page.read_text(), re.S).groups()
    data = json.loads(data)
    (task,) = data["runs"][0]["tasks"]
    data["runs"][0]["tasks"] = [[task[0], 10 * number, 10 * number + 5, *task[3:]] for number in range(150_000)]
    page.write_text(head + json.dumps(data) + tail)
    chromium.open(page)
    assert chromium.value("document.querySelectorAll('svg.run rect.task').length") > 100
    assert chromium.complaints() == []


def test_the_wheel_scrolls_where_all_is_shown(sandbox, chromium):
    chromium.open(page_of(sandbox, tasks_at_once(sandbox.scratch / "tasks.events", 160)))
    chromium.key("r")
    chromium.key("r")
    wheel = ("document.querySelector('main').dispatchEvent(new WheelEvent('wheel', {deltaY: %d, clientX: 400, bubbles: true, "
             "cancelable: true}))")
    # True: nobody prevented what the browser does with it.
    assert chromium.value(wheel % 100) is True
    assert chromium.value(wheel % -100) is False
    assert chromium.value(wheel % 100) is False


def test_the_last_value_is_named_and_its_dot_is_whole_at_the_edge(sandbox, chromium):
    chromium.open(page_of(sandbox, SAMPLES / "photo-sync.journal"))
    assert "40 MiB" in chromium.value("document.querySelector('svg.run').textContent")
    assert chromium.value("document.querySelectorAll('svg.run circle.dot').length") > 2
    assert chromium.value("document.querySelectorAll('svg.run [clip-path] circle').length") == 0
