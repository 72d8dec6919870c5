"""The Python client: against a scripted supervisor, and against the real one where $CURFEW names it."""

import asyncio
import contextlib
import datetime
import json
import math
import os
import pathlib
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import uuid

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "Sources/clients/python"
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(LIBRARY)]

import curfew  # noqa: E402
from fake_supervisor import LIMIT, FakeSupervisor, Line, Malformed  # noqa: E402
from history import SANDBOX, file_end  # noqa: E402

BINARY = os.environ.get("CURFEW")
CLIENT_THREADS = ("curfew-reader", "curfew-events", "curfew-expiration")
DID_ENTER_BACKGROUND = "event name=didEnterBackground seq=4 ack=required seconds=5.000"


def client_threads():
    return [thread for thread in threading.enumerate() if thread.name in CLIENT_THREADS]


def join_client_threads():
    deadline = time.monotonic() + LIMIT
    for thread in client_threads():
        thread.join(max(0, deadline - time.monotonic()))
    assert not client_threads(), f"threads left: {client_threads()}"


def wait_until(what, probe, limit=LIMIT):
    deadline = time.monotonic() + limit
    while not (seen := probe()):
        assert time.monotonic() < deadline, f"waited {limit} s for {what}; last seen: {seen!r}"
        time.sleep(0.01)  # a moment
    return seen


@pytest.fixture(autouse=True)
def deadline():
    """No test waits for ever: what its thread is in is interrupted, and shown."""
    previous = signal.signal(signal.SIGUSR2, lambda *_: pytest.fail(f"not done in {3 * LIMIT} s"))
    timer = threading.Timer(3 * LIMIT, signal.pthread_kill, (threading.main_thread().ident, signal.SIGUSR2))
    timer.daemon = True
    timer.start()
    yield
    timer.cancel()
    timer.join()
    signal.signal(signal.SIGUSR2, previous)


@pytest.fixture
def fake():
    """A supervisor; once it is gone, none of the client's threads may be left."""
    with FakeSupervisor() as supervisor:
        yield supervisor
    join_client_threads()


@pytest.fixture
def app(fake):
    return curfew.Application(fake.environment({}))


def aware(app, fake, *names):
    """Makes the app one that is told events, delivered by dispatch(); returns what its handler of `names` was given."""
    events = []
    app.on(*names)(events.append)
    assert app.dispatch() == 0
    fake.wait_for("hello")
    return events


def dispatch(app, count=1):
    """Delivers `count` events."""
    done = 0
    deadline = time.monotonic() + LIMIT
    while done < count:
        assert time.monotonic() < deadline, f"{done} of {count} events came"
        done += app.dispatch(1)
    return done


def python(script, *arguments, env=None, **options):
    """Starts a Python program that has the client, `app` and the fake's way of being found."""
    script = f"import sys\nsys.path.insert(0, {str(LIBRARY)!r})\nimport curfew, os, signal, threading, time\n" \
        f"app = curfew.app()\n{textwrap.dedent(script)}"
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments], env=env, text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def finish(process, limit=LIMIT):
    """(status, standard output, standard error)."""
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        pytest.fail(f"it hasn't ended in {limit} s: {process.communicate()}")
    return process.returncode, out, err


# Lines


VALUES = [
    "plain", "", " ", "two words", 'a "quote"', "back\\slash", "line\nfeed", "tab\tand\rreturn", "\x00\x01\x1f\x7f",
    "é", "日本語", "🦊", "\u2028\x85", "a=b", "\\x41", '"', "\\"]


@pytest.mark.parametrize("value", VALUES)
def test_values_survive_the_wire(value):
    """What is written is what docs/protocol.md allows, and what is read."""
    line = curfew._encode("verb", key=value, other="1")
    assert line.endswith(b"\n") and line.count(b"\n") == 1
    assert Line(line.decode()[:-1]) == {"key": value, "other": "1"}
    assert curfew._parse(line[:-1]) == ("verb", {"key": value, "other": "1"})


def test_what_utf8_cannot_hold_is_replaced():
    """File names that were never UTF-8, and halves of surrogate pairs."""
    name = os.fsdecode(b"caf\xe9") + "\ud83d"
    assert Line(curfew._encode("begin", name=name).decode()[:-1])["name"] == "caf\ufffd\ufffd"


@pytest.mark.parametrize(("name", "cut"), [
    ("x" * 128, "x" * 128), ("x" * 129, "x" * 128), ("é" * 65, "é" * 64), ("x" + "é" * 64, "x" + "é" * 63),
    ("🦊" * 33, "🦊" * 32), ("\udcff" * 100, "\ufffd" * 42)])
def test_names_are_cut_to_128_bytes_and_no_character_is_halved(name, cut):
    """As the supervisor cuts them; so a line never grows too long."""
    assert curfew._cut(name) == cut


def test_the_longest_line_fits():
    """A name that takes four bytes of the line for each of its own."""
    assert len(curfew._encode("begin", id="9999999999-999999", name=curfew._cut("\x01" * 5000))) < 4096


@pytest.mark.parametrize("line", [
    b"verb", b"  verb  ", b"verb\r", b"verb a=1  b=2 ", b'verb a="" b="\\x7f\\n"', b"ver.b_-9 A.b-_9=x"])
def test_lines_that_are_allowed(line):
    """Blanks between, before and after, and a CR at the end."""
    assert curfew._parse(line)


@pytest.mark.parametrize("line", [b"", b"   ", b"\r"])
def test_blank_lines_are_passed_over(line):
    """They are no mistake."""
    assert curfew._parse(line) is None


def test_the_first_of_two_equal_keys_counts():
    """As the protocol has it."""
    assert curfew._parse(b"verb a=1 a=2") == ("verb", {"a": "1"})


@pytest.mark.parametrize("line", [
    b"verb a", b"verb a=", b"verb =1", b'verb a="', b'verb a="x', b'verb a="x"y', b'verb a="x"b=1', b"verb a=b\"c",
    b"verb a\\=1", b"verb a=\\", b'verb a="\\q"', b'verb a="\\x80"', b'verb a="\\x4"', b"verb a=\x01", b'verb a="\x01"',
    b"verb a=\xff", b"\xff", b"v!rb", b"=1", b'"', b"verb\ta=1", b"verb \xc0\x80=1", b"verb a=\xed\xa0\x80",
    b"ver\xc3\xa9"])
def test_lines_that_are_not_allowed(line):
    """Nor does the tests' own reader take them."""
    with pytest.raises(ValueError):
        curfew._parse(line)
    with pytest.raises((Malformed, UnicodeDecodeError)):
        Line(line.decode())


# Not under Curfew


def closed_descriptor():
    reader, writer = os.pipe()
    os.close(writer)
    os.close(reader)
    return reader


def everything_does_nothing(app):
    """What the module promises of an app without Curfew."""
    assert app.is_multitasking_supported is False
    assert (app.name, app.state, app.background_time_remaining) == (None, "active", math.inf)
    called = []
    assert app.begin_background_task("x", lambda: called.append("expired")) == curfew.INVALID_TASK == 0
    app.end_background_task(0)
    app.end_background_task(17)
    with app.background_task("x") as task:
        called.append(task.id)
        task.raise_if_expired()
    assert called == [0] and not task.expired.is_set()


@pytest.mark.parametrize("environment", [
    {}, {"CURFEW_SOCKET": ""}, {"CURFEW_SOCKET": "/nowhere/at/all.sock"}, {"CURFEW_SOCKET": "x" * 200},
    {"CURFEW_SOCKET": "/"}, {"CURFEW_SOCKET": "a\0b"}, {"CURFEW_FD": ""}, {"CURFEW_FD": "x"}, {"CURFEW_FD": "-1"},
    {"CURFEW_FD": "9" * 40}, {"CURFEW_SOCKET": "", "CURFEW_FD": "987654"}], ids=str)
def test_without_curfew_everything_does_nothing(environment):
    """Whatever the environment says in vain."""
    app = curfew.Application(environment)
    everything_does_nothing(app)
    app.on("didEnterBackground")(lambda event: pytest.fail("there are no events"))
    app.run()
    app.stop()
    assert app.dispatch() == app.dispatch(None) == app.dispatch(math.inf) == app.dispatch(-1) == 0
    threading.Timer(0.05, app.stop).start()
    assert app.dispatch(1e30) == 0
    assert not select.select([app.fileno()], [], [], 0)[0]
    app._mailbox.close()
    assert curfew.Application(environment).start() is False
    assert not client_threads()


def test_without_curfew_a_dispatch_keeps_its_pace():
    """A loop around dispatch(1) doesn't spin."""
    app = curfew.Application({})
    start = time.monotonic()
    assert app.dispatch(0.2) == 0
    assert time.monotonic() - start >= 0.19


def test_without_curfew_an_async_for_ends_at_once():
    """Nothing comes, and nothing is waited for."""
    app = curfew.Application({})

    async def count():
        return [event async for event in app.events()]

    assert asyncio.run(asyncio.wait_for(count(), LIMIT)) == []
    app._mailbox.close()


def test_a_socket_where_nobody_listens_any_more(tmp_path):
    """As after the supervisor's end."""
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
    everything_does_nothing(curfew.Application({"CURFEW_SOCKET": path}))


@contextlib.contextmanager
def foreign(kind):
    """Something that CURFEW_FD can have come to stand for; its peer must get nothing, and lose nothing."""
    with contextlib.ExitStack() as stack:
        if kind == "closed":
            yield closed_descriptor(), None
        elif kind == "file":
            file = stack.enter_context(tempfile.TemporaryFile())
            file.write(b"mine")
            yield file.fileno(), None
            assert file.tell() == 4
        elif kind == "pipe":
            reader, writer = os.pipe()
            yield reader, None
            os.close(reader)
            os.close(writer)
        elif kind == "udp":
            yield stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)).fileno(), None
        elif kind == "datagrams":
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
            with ours, theirs:
                yield ours.fileno(), theirs
        else:
            ours, theirs = socket.socketpair()
            with ours, theirs:
                theirs.sendall(b"for its owner\n")
                yield ours.fileno(), theirs
                assert ours.recv(100) == b"for its owner\n"


@pytest.mark.parametrize("kind", ["closed", "file", "pipe", "udp", "datagrams", "socket pair"])
def test_a_descriptor_that_stands_for_something_else_is_left_alone(kind):
    """subprocess closes CURFEW_FD and leaves the variable; asyncio's own socket pair may have the number now."""
    with foreign(kind) as (number, peer):
        before = os.listdir("/proc/self/fd")
        everything_does_nothing(curfew.Application({"CURFEW_FD": str(number)}))
        assert os.listdir("/proc/self/fd") == before
        if peer:
            with pytest.raises(BlockingIOError):
                peer.recv(100, socket.MSG_DONTWAIT)


def test_one_that_is_no_part_of_the_app_has_no_curfew(fake, app):
    """The variables can be inherited by what isn't below the supervisor."""
    fake.answer("remaining", "error id={id} code=forbidden message=no")
    everything_does_nothing(app)
    assert fake.verbs() == ["remaining"]
    fake.wait_for_end()


def test_the_whole_process_has_one_app():
    """And nothing is asked before it is used."""
    assert curfew.app() is curfew.app()
    assert isinstance(curfew.app(), curfew.Application)
    assert curfew.app()._link is None


# Background tasks


def test_a_task_is_begun_and_ended(fake, app):
    """By its name and number; no hello is said for it."""
    number = app.begin_background_task("nightly upload")
    fake.wait_for("begin", name="nightly upload")
    assert number == 1
    app.end_background_task(number)
    fake.expect("end", task="1")
    assert "hello" not in fake.verbs()


def test_a_second_end_and_an_unknown_number_are_ignored(fake, app):
    """They aren't even sent."""
    number = app.begin_background_task("x")
    for task in (number, number, 17, 0, -1):
        app.end_background_task(task)
    assert app.background_time_remaining == math.inf
    assert fake.verbs() == ["remaining", "begin", "end", "remaining"]


def test_a_refusal_is_the_invalid_task(fake, app):
    """As in UIKit."""
    fake.answer("begin", "error id={id} code=expired task=0 message=spent")
    assert app.begin_background_task("x") == curfew.INVALID_TASK
    app.end_background_task(curfew.INVALID_TASK)
    assert fake.verbs() == ["remaining", "begin"]


def test_a_with_whose_task_is_refused_is_not_entered(fake, app):
    """The exception says why."""
    fake.answer("begin", 'error id={id} code=expired task=0 message="the budget is spent"')
    refused = pytest.raises(curfew.BackgroundTaskRefused, match="the budget is spent")
    with refused as caught, app.background_task("upload"):
        pytest.fail("it was entered")
    assert caught.value.code == "expired" and "upload" in str(caught.value)
    assert "end" not in fake.verbs()


def test_a_refusal_without_reason(fake, app):
    """Nothing is taken for granted of an error."""
    fake.answer("begin", "error id={id}")
    with pytest.raises(curfew.BackgroundTaskRefused) as caught, app.background_task("x"):
        pytest.fail("it was entered")
    assert caught.value.code == "unknown"


def leave_by_exception():
    raise KeyError("x")


@pytest.mark.parametrize("leave", [lambda: None, leave_by_exception, lambda: sys.exit(3)], ids=["end", "error", "exit"])
def test_a_with_ends_its_task_once_however_it_is_left(fake, app, leave):
    """Also when it was ended before."""
    for early in (False, True):
        with contextlib.suppress(KeyError, SystemExit), app.background_task("x") as task:
            assert task.id > 0
            if early:
                task.end()
            leave()
        task.end()
    assert fake.verbs() == ["remaining", "begin", "end", "begin", "end"]


def test_a_task_is_entered_once(fake, app):
    """Its number would be lost."""
    task = app.background_task("x")
    with task, pytest.raises(RuntimeError, match="another"):
        task.__enter__()
    with pytest.raises(RuntimeError):
        task.__enter__()
    assert fake.verbs() == ["remaining", "begin", "end"]


@pytest.mark.parametrize("name", ['a "b"\nc', "", "é" * 100, os.fsdecode(b"\xff\xfe")])
def test_any_name_will_do(fake, app, name):
    """It comes as it was given, as far as a line can hold it."""
    with app.background_task(name):
        line = fake.wait_for("begin")
    assert line["name"] == curfew._cut(name)


def test_the_remaining_time(fake, app):
    """In seconds; nonsense is no reason to fail."""
    assert app.background_time_remaining == math.inf
    for answer, seconds in [
            ("ok id={id} seconds=571.204", 571.204), ("ok id={id} seconds=0.000", 0), ("ok id={id}", math.inf),
            ("ok id={id} seconds=soon", math.inf), ("error id={id} code=unknown", math.inf)]:
        fake.answer("remaining", answer)
        assert app.background_time_remaining == seconds


# Keep-alive


def test_keep_alive_is_asked_for_and_its_handler_called(fake, app):
    """Where events are delivered; its return acknowledges, and another handler replaces it."""
    called = []
    app.dispatch()
    assert app.set_keep_alive_timeout(600, lambda: called.append("first"))
    fake.wait_for("keep-alive", seconds="600.000")
    fake.wait_for("hello")
    fake.send("event name=keepAlive seq=7 kind=wake ack=required seconds=30.000")
    dispatch(app, 1)
    fake.wait_for("ack", seq="7")
    assert app.set_keep_alive_timeout(1200.25, lambda: called.append("second"))
    fake.wait_for("keep-alive", seconds="1200.250")
    fake.send("event name=keepAlive seq=8 kind=wake ack=required seconds=30.000")
    dispatch(app, 1)
    assert called == ["first", "second"]


def test_a_refused_keep_alive_leaves_what_was_there(fake, app, caplog):
    """And says why."""
    called = []
    app.dispatch()
    assert app.set_keep_alive_timeout(600, lambda: called.append("first"))
    fake.answer("keep-alive", "error id={id} code=invalid message=never minimum=600.000")
    with caplog.at_level("INFO"):
        assert not app.set_keep_alive_timeout(30, lambda: called.append("second"))
    assert "never" in caplog.text
    fake.send("event name=keepAlive seq=7 kind=wake ack=required seconds=30.000")
    dispatch(app, 1)
    assert called == ["first"]


def test_a_cleared_keep_alive_calls_nothing(fake, app):
    """The supervisor is told, also by who hasn't set it."""
    called = []
    app.on("willTerminate")(lambda event: None)
    app.dispatch()
    assert app.set_keep_alive_timeout(600, lambda: called.append("first"))
    app.clear_keep_alive_timeout()
    app.clear_keep_alive_timeout()
    assert [line["seconds"] for line in fake.seen if line.verb == "keep-alive"] == ["600.000", "0", "0"]
    fake.send("event name=keepAlive seq=7 kind=wake ack=required seconds=30.000")
    dispatch(app, 1)
    assert called == []


def test_a_keep_alive_that_cannot_be_is_refused(fake, app):
    """At once, where the mistake is."""
    for seconds in (0, -1, 0.0001, math.inf, math.nan):
        with pytest.raises(ValueError, match="above 0"):
            app.set_keep_alive_timeout(seconds, print)

    async def handler():
        pass

    with pytest.raises(TypeError, match="events"):
        app.set_keep_alive_timeout(600, handler)
    assert fake.verbs() == []


def test_no_keep_alive_without_curfew():
    """Said, and nothing else."""
    app = curfew.Application({})
    assert not app.set_keep_alive_timeout(600, print)
    app.clear_keep_alive_timeout()


# What is to be done later


def test_a_local_notification_is_scheduled_with_all_it_has(fake, app):
    """By the protocol's words; its identifier comes back once it is kept."""
    fake.answer("notify", "ok id={id} notification=tea due=1796112240.000")
    assert app.schedule_local_notification(curfew.LocalNotification(
        alert_body="It is ready", alert_title="Tea", fire_date=1796112240, time_zone="Europe/Berlin",
        repeat_interval=86400, alert_action="Drink", application_icon_badge_number=2, sound_name="bell",
        user_info={"kind": "a b"}, identifier="tea")) == "tea"
    assert {key: value for key, value in fake.wait_for("notify").items() if key != "id"} == {
        "notification": "tea", "title": "Tea", "body": "It is ready", "at": "2026-12-01T08:04:00Z", "zone": "Europe/Berlin",
        "repeat": "86400", "action": "Drink", "badge": "2", "sound": "bell", "info.kind": "a b"}


@pytest.mark.parametrize("fire_date, at", [
    (None, None), (0.75, "1970-01-01T00:00:00Z"), (datetime.datetime(2026, 12, 1, 8), "2026-12-01T08:00:00"),
    (datetime.datetime(2026, 12, 1, 8, tzinfo=datetime.timezone(datetime.timedelta(hours=1))), "2026-12-01T07:00:00Z"),
])
def test_when_a_notification_is_due(fake, app, fire_date, at):
    """A datetime without a zone is what a clock shows; without a time it is due at once."""
    fake.answer("notify", "ok id={id} notification=n1 due=1.000 dropped=n0")
    notification = curfew.LocalNotification("Hello", fire_date=fire_date, has_action=False, repeat_interval="daily")
    assert app.schedule_local_notification(notification) == "n1"
    line = fake.wait_for("notify")
    assert (line.get("at"), line["action"], line["repeat"], "badge" in line) == (at, "none", "daily", False)


def test_what_is_scheduled_is_cancelled(fake, app):
    """One, or all; a request's and a notification's are two things."""
    for _ in range(4):
        fake.answer("cancel", "ok id={id}")
    app.cancel_local_notification("tea")
    app.cancel_all_local_notifications()
    app.cancel_task_request("index")
    app.cancel_all_task_requests()
    assert [(line.get("notification"), line.get("request"), line.get("all")) for line in fake.seen if line.verb != "remaining"] == [
        ("tea", None, None), (None, None, "1"), (None, "index", None), (None, None, "requests")]


def test_how_often_it_fetches(fake, app):
    for _ in range(3):
        fake.answer("fetch-interval", "ok id={id}")
    for seconds in (curfew.BACKGROUND_FETCH_INTERVAL_MINIMUM, curfew.BACKGROUND_FETCH_INTERVAL_NEVER, 7200):
        app.set_minimum_background_fetch_interval(seconds)
    assert [line["seconds"] for line in fake.seen if line.verb != "remaining"] == ["minimum", "never", "7200.000"]
    for seconds in (-1, math.nan):
        with pytest.raises(ValueError, match="0 or more"):
            app.set_minimum_background_fetch_interval(seconds)


def test_requests_are_submitted(fake, app):
    for _ in range(2):
        fake.answer("submit", "ok id={id} request=x")
    app.submit_task_request(curfew.AppRefreshTaskRequest("inbox"))
    app.submit_task_request(curfew.ProcessingTaskRequest("index", 1796112240, True, True))
    assert [{key: value for key, value in line.items() if key != "id"} for line in fake.seen if line.verb != "remaining"] == [
        {"kind": "refresh", "request": "inbox"},
        {"kind": "processing", "request": "index", "earliest": "2026-12-01T08:04:00Z", "needs-network": "1",
         "needs-power": "1"}]


def test_what_is_refused_is_raised(fake, app):
    """With the protocol's code; what can't be a line isn't sent."""
    fake.answer("submit", 'error id={id} code=too-many-requests message="one waits"')
    with pytest.raises(curfew.ScheduleRefused, match="one waits") as refusal:
        app.submit_task_request(curfew.AppRefreshTaskRequest("inbox"))
    assert refusal.value.code == "too-many-requests"
    with pytest.raises(curfew.ScheduleRefused, match="longer than a line"):
        app.schedule_local_notification(curfew.LocalNotification("x" * 5000))
    with pytest.raises(ValueError, match="no key"):
        app.schedule_local_notification(curfew.LocalNotification("x", user_info={"a b": "c"}))
    with pytest.raises(TypeError, match="text"):
        app.schedule_local_notification(curfew.LocalNotification(5))
    assert [verb for verb in fake.verbs() if verb != "remaining"] == ["submit"]
    fake.drop()
    wait_until("the end to be seen", lambda: not app.is_multitasking_supported)
    assert app.schedule_local_notification(curfew.LocalNotification("x")) is None


def test_nothing_is_scheduled_without_curfew():
    app = curfew.Application({})
    assert app.schedule_local_notification(curfew.LocalNotification("x")) is None
    app.submit_task_request(curfew.ProcessingTaskRequest("index"))
    app.set_minimum_background_fetch_interval(0)
    app.cancel_all_task_requests()


def test_the_result_of_a_fetch_is_told_with_the_acknowledgement(fake, app):
    """Once its handlers have returned, or the last deferral is over."""
    @app.on("fetch")
    def fetch(event):
        event.set_fetch_result(curfew.FetchResult.NO_DATA)
        with pytest.raises(ValueError, match="no result"):
            event.set_fetch_result("good")

    app.dispatch()
    fake.wait_for("hello")
    fake.send("event name=fetch seq=7 kind=wake ack=required seconds=30.000")
    dispatch(app)
    assert fake.wait_for("completed", seq="7")["result"] == "no-data"


PROCESSING = "event name=processing seq=8 kind=wake ack=required seconds=600.000 info.request=index"
EXPIRING = "event name=taskWillExpire seq=9 kind=change seconds=5.000 info.event=processing info.seq=8"


def test_a_request_has_its_launch_handler_called(fake, app):
    """It is answered once the task is said to be completed, by whatever thread."""
    tasks = []
    app.register("index", tasks.append)
    app.register("other", lambda task: pytest.fail("not that one"))
    app.dispatch()
    fake.wait_for("hello")
    fake.send(PROCESSING)
    dispatch(app)
    task, = tasks
    assert (task.identifier, task.kind, task.expired.is_set()) == ("index", "processing", False)
    thread = threading.Thread(target=task.set_task_completed, args=(True,))
    thread.start()
    thread.join()
    task.set_task_completed(False)
    assert fake.wait_for("completed", seq="8")["success"] == "true"
    # One that nobody is registered for is acknowledged.
    fake.send(PROCESSING.replace("seq=8", "seq=10").replace("index", "unknown"))
    dispatch(app)
    fake.wait_for("ack", seq="10")
    assert len(tasks) == 1


@pytest.mark.parametrize("has_handler", [True, False])
def test_a_request_that_expires(fake, app, has_handler):
    """Its handler is called, and it is told to whatever works; without a handler it has failed."""
    tasks = []

    def launch(task):
        tasks.append(task)
        if has_handler:
            task.expiration_handler = lambda: task.set_task_completed(False)

    app.register("index", launch)
    app.dispatch()
    fake.wait_for("hello")
    fake.send(PROCESSING)
    dispatch(app)
    fake.send(EXPIRING.replace("info.seq=8", "info.seq=7"), EXPIRING)
    assert tasks[0].expired.wait(LIMIT)
    dispatch(app, 2)
    assert fake.wait_for("completed", seq="8")["success"] == "false"


def test_a_payload_is_read_in_parts(fake, app):
    """What the event tells of, whole; None where it tells of none, or it isn't kept any more."""
    events = aware(app, fake, "remote-notification")
    fake.send("event name=remote-notification seq=7 kind=wake ack=required seconds=30.000 info.push=3 info.bytes=30",
              "event name=remote-notification seq=8 kind=wake ack=required seconds=30.000")
    dispatch(app, 2)
    fake.answer("payload", r'part id={id} text="{\"aps\":{\"alert\":\"Lu"', r'part id={id} text="nch?\"},\"from\":\"ada\"}"',
                "ok id={id} bytes=39")
    assert app.remote_notification(events[0]) == {"aps": {"alert": "Lunch?"}, "from": "ada"}
    assert fake.wait_for("payload")["push"] == "3"
    fake.answer("payload", "error id={id} code=unknown-push message=gone")
    assert app.remote_notification(events[0]) is None
    assert app.remote_notification(events[1]) is None
    assert fake.verbs().count("payload") == 2


PENDING = (
    'schedule id={id} app=a kind=processing request=now due=1.000 shown="" waits=runs',
    "schedule id=other app=a kind=refresh request=other due=2.000",
    'schedule id={id} app=a kind=notification notification=tea due=1796112240.500 shown="" zone=local repeat=daily badge=2 title="Tea x"',
    'schedule id={id} app=a kind=fetch due=1796112241.000 shown="" repeat=7200',
    'schedule id={id} app=a kind=processing request=index due=1796112242.000 shown="" earliest=1796112000.000 needs-network=1 needs-power=1',
    'schedule id={id} app=a kind=refresh request=inbox due=1796112243.000 shown="" waits=offline',
    'schedule id={id} app=a kind=notification notification=n1 due=1796112244.000 shown="" title=y', "ok id={id} count=6")


def test_what_waits_is_listed(fake, app):
    """The soonest first, each kind by itself; what the app works on waits no more."""
    fake.answer("schedule", *PENDING)
    assert app.get_pending_notification_requests() == [
        curfew.PendingNotificationRequest("tea", 1796112240.5, "Tea x", "local", "daily", 2),
        curfew.PendingNotificationRequest("n1", 1796112244.0, "y")]
    fake.answer("schedule", *PENDING)
    assert app.get_pending_task_requests() == [
        curfew.ProcessingTaskRequest("index", 1796112000.0, requires_network_connectivity=True, requires_external_power=True),
        curfew.AppRefreshTaskRequest("inbox")]
    fake.answer("schedule", "error id={id} code=unsupported message=no")
    with pytest.raises(curfew.ScheduleRefused) as refused:
        app.get_pending_task_requests()
    assert refused.value.code == "unsupported"
    nobody = curfew.Application({})
    assert nobody.get_pending_task_requests() == nobody.get_pending_notification_requests() == []


def test_name_and_state(fake, app):
    """The state is asked for each time, the name once."""
    fake.answer("status", "task id={id} task=1 name=x age=1.0", "ok id={id} app=backup state=background")
    fake.answer("status", "ok id={id} app=backup state=inactive")
    assert [app.name, app.state, app.name] == ["backup", curfew.State.INACTIVE, "backup"]
    fake.answer("status", "error id={id} code=forbidden")
    assert app.state == curfew.State.ACTIVE


# Expiration


def test_expiration_without_delivery(fake, app):
    """The handler is called, on a thread of its own, and may ask and end; `expired` is set."""
    outcome = []
    done = threading.Event()

    def expire():
        outcome.append((threading.current_thread().name, app.background_time_remaining))
        app.end_background_task(number)
        done.set()

    number = app.begin_background_task("x", expire)
    fake.send(f"event name=backgroundTaskWillExpire seq=5 task={number} seconds=5.000")
    assert done.wait(LIMIT)
    assert outcome == [("curfew-expiration", math.inf)]
    fake.wait_for("end", task=str(number))


def test_expiration_sets_the_event_of_its_own_task_alone(fake, app):
    """Another's number means nothing here."""
    with app.background_task("a") as a, app.background_task("b") as b:
        fake.send("event name=backgroundTaskWillExpire seq=5 task=99 seconds=5.000",
                  f"event name=backgroundTaskWillExpire seq=6 task={b.id} seconds=5.000")
        assert b.expired.wait(LIMIT)
        assert not a.expired.is_set()
        a.raise_if_expired()
        with pytest.raises(curfew.BackgroundTaskExpired, match="'b'"):
            b.raise_if_expired()


def test_expiration_handlers_are_called_where_events_are_delivered(fake, app):
    """Before the app's own handlers of the event; one that fails is reported; an ended task has none."""
    called = []

    def fail():
        called.append("a")
        raise KeyError("a")

    first = app.begin_background_task("a", fail)
    second = app.begin_background_task("b", lambda: called.append("b"))
    app.end_background_task(second)
    app.on("backgroundTaskWillExpire")(lambda event: called.append(event.task))
    app.dispatch()
    fake.send(f"event name=backgroundTaskWillExpire seq=5 task={first} seconds=5.000",
              f"event name=backgroundTaskWillExpire seq=6 task={second} seconds=5.000")
    dispatch(app, 2)
    assert called == ["a", first, second]
    assert "ack" not in fake.verbs()


def test_expiration_reaches_a_slow_program_by_the_event(fake, app):
    """`expired` is set while the only thread that delivers is busy with something else."""
    release = threading.Event()
    app.on("didEnterBackground")(lambda _: release.wait(LIMIT))
    assert app.start()
    fake.wait_for("hello")
    with app.background_task("x") as task:
        fake.send(DID_ENTER_BACKGROUND, f"event name=backgroundTaskWillExpire seq=5 task={task.id} seconds=1.000")
        assert task.expired.wait(LIMIT)
        release.set()
    fake.wait_for("ack", seq="4")


# Lifecycle


def test_hello_is_said_for_handlers_once_events_are_delivered(fake, app):
    """Neither alone makes an app aware."""
    app.dispatch()
    assert app.background_time_remaining == math.inf
    assert "hello" not in fake.verbs()
    app.on("didEnterBackground")(lambda _: None)
    fake.wait_for("hello", version="1", client=os.path.basename(sys.argv[0]))
    app.on("willTerminate")(lambda _: None)
    app.dispatch()
    assert app.name == "fake"
    assert fake.verbs().count("hello") == 1 and "status" not in fake.verbs()


def test_a_refused_hello_is_reported(fake, app, caplog):
    """Nothing else happens."""
    fake.answer("hello", "error id={id} code=forbidden message=never")
    aware(app, fake, "didEnterBackground")
    assert "never" in caplog.text


def test_what_an_event_tells(fake, app):
    """All that the protocol has, and what it may come to have."""
    events = aware(app, fake)
    fake.send("event name=didFinishLaunching seq=1 ack=required seconds=20.000 launched=background wake=fetch "
              'containment=cgroup2 info.from="a friend" info.urgent=yes',
              "event name=didBecomeActive seq=2",
              'event name=localeDidChange seq=3 kind=change info.exists=false info.x="" more="to come"',
              "event name=fetch seq=12 kind=wake ack=required seconds=inf",
              "event name=backgroundTaskWillExpire seq=13 task=7 seconds=5.000",
              "event name=didReceiveMemoryWarning seq=14 level=critical")
    dispatch(app, 6)
    launch, active, change, wake, expiration, memory = events
    assert (launch.name, launch.sequence, launch.kind, launch.seconds) == ("didFinishLaunching", 1, "lifecycle", 20)
    assert (launch.launched, launch.wake, launch.needs_acknowledgement) == ("background", "fetch", True)
    assert launch.info == {"from": "a friend", "urgent": "yes"} and launch.fields["containment"] == "cgroup2"
    assert (active.seconds, active.needs_acknowledgement, active.info, active.task) == (None, False, {}, None)
    assert (change.kind, change.info, change.fields["more"]) == ("change", {"exists": "false", "x": ""}, "to come")
    assert (wake.kind, wake.seconds) == ("wake", math.inf)
    assert (expiration.task, expiration.kind, expiration.seconds) == (7, "lifecycle", 5)
    assert (memory.level, memory.kind, memory.needs_acknowledgement) == ("critical", "lifecycle", False)
    assert [event.level for event in events[:-1]] == [None] * 5
    fake.wait_for("ack", seq="1")
    fake.wait_for("ack", seq="12")
    assert fake.texts("ack") == ["ack seq=1", "ack seq=12"]


def test_a_launch_tells_whether_the_app_is_restored(fake, app):
    events = aware(app, fake)
    launch = "event name=didFinishLaunching seq={} launched=foreground {}"
    fake.send(launch.format(1, "info.restored=true info.ended=memory-pressure"),
              launch.format(2, "info.restored=true"), launch.format(3, "info.restored=yes"),
              launch.format(4, "restored=true ended=memory-pressure"),
              "event name=fetch seq=5 kind=wake info.restored=true info.ended=memory-pressure")
    dispatch(app, 5)
    assert [(event.is_restored, event.ended_because) for event in events] == [
        (True, "memory-pressure"), (True, None), (False, None), (False, None), (False, None)]


def test_the_directory_for_its_state():
    assert curfew.Application({"CURFEW_STATE_DIR": "/saved"}).state_directory == "/saved"
    assert curfew.Application({"CURFEW_STATE_DIR": ""}).state_directory is None
    assert curfew.Application({}).state_directory is None


def test_an_event_can_be_made_by_hand():
    """For a program's own tests of its handlers."""
    event = curfew.Event("didEnterBackground", 4, seconds=5)
    event.defer()()
    assert event == curfew.Event("didEnterBackground", 4, seconds=5) != curfew.Event("didEnterBackground", 5, seconds=5)
    assert event in {event}


def test_handlers_are_called_in_their_order_and_by_name(fake, app):
    """One function may hear several names, one name several functions, and no name means each event."""
    called = []
    app.on("didEnterBackground")(lambda event: called.append("first"))

    @app.on("willResignActive", "didEnterBackground")
    def second(event):
        called.append(event.name)

    app.on()(lambda event: called.append("any"))
    app.dispatch()
    fake.send("event name=willResignActive seq=3", DID_ENTER_BACKGROUND, "event name=other seq=5 kind=change")
    dispatch(app, 3)
    assert called == ["willResignActive", "any", "first", "didEnterBackground", "any", "any"]
    app.off(second)
    app.off(second)
    fake.send("event name=willResignActive seq=6")
    dispatch(app)
    assert called[6:] == ["any"]


def test_an_event_is_acknowledged_after_its_handlers(fake, app):
    """Not before they have returned."""
    seen = []

    @app.on("didEnterBackground")
    def save(event):
        assert app.background_time_remaining == math.inf
        seen.extend(fake.verbs())

    app.dispatch()
    fake.send(DID_ENTER_BACKGROUND)
    dispatch(app)
    fake.wait_for("ack", seq="4")
    assert "ack" not in seen and "id" not in fake.seen[-1]


def test_an_event_without_handlers_is_acknowledged(fake, app):
    """Who handles one need not handle all."""
    aware(app, fake, "willResignActive")
    fake.send(DID_ENTER_BACKGROUND)
    dispatch(app)
    fake.wait_for("ack", seq="4")


def test_a_handler_that_fails_is_reported_and_the_event_acknowledged(fake, app, caplog):
    """A bug in saving is no reason to be killed as hung; the other handlers are called."""
    @app.on("didEnterBackground")
    def fail(event):
        raise ValueError("no space left")

    events = aware(app, fake, "didEnterBackground")
    fake.send(DID_ENTER_BACKGROUND)
    dispatch(app)
    fake.wait_for("ack", seq="4")
    assert len(events) == 1
    assert "no space left" in caplog.text and "didEnterBackground" in caplog.text


def test_a_deferred_event_is_acknowledged_when_the_last_deferral_is_done(fake, app):
    """From any thread; a second call does nothing; too late is an error."""
    deferrals = []
    kept = []
    app.on("fetch")(lambda event: (deferrals.append(event.defer()), kept.append(event)))
    app.on("fetch")(lambda event: deferrals.append(event.defer()))
    app.dispatch()
    fake.send("event name=fetch seq=12 kind=wake ack=required seconds=30.000")
    dispatch(app)
    first, second = deferrals
    first()
    first()
    deferrals.append(kept[0].defer())
    with second:
        pass
    assert app.background_time_remaining == math.inf  # what was sent before it has come
    assert "ack" not in fake.verbs()
    worker = threading.Thread(target=deferrals[2])
    worker.start()
    worker.join(LIMIT)
    fake.wait_for("ack", seq="12")
    for deferral in deferrals:
        deferral()
    with pytest.raises(RuntimeError, match="acknowledged already"):
        kept[0].defer()
    assert app.background_time_remaining == math.inf
    assert fake.texts("ack") == ["ack seq=12"]


def test_a_deferral_done_at_once_does_not_acknowledge_for_the_handlers(fake, app):
    """Those that come after it are still to be called."""
    def check(event):
        assert app.background_time_remaining == math.inf  # what was sent before it has come
        seen.extend(fake.verbs())

    seen = []
    app.on("fetch")(lambda event: event.defer()())
    app.on("fetch")(check)
    app.dispatch()
    fake.send("event name=fetch seq=12 kind=wake ack=required seconds=30.000")
    dispatch(app)
    fake.wait_for("ack", seq="12")
    assert seen and "ack" not in seen


def test_deferrals_done_by_many_threads_at_once_acknowledge_once(fake, app):
    """Whoever is last."""
    deferrals = []
    app.on("fetch")(lambda event: deferrals.extend(event.defer() for _ in range(32)))
    app.dispatch()
    for sequence in range(20):
        fake.send(f"event name=fetch seq={sequence} kind=wake ack=required seconds=30.000")
        dispatch(app)
        threads = [threading.Thread(target=deferral) for deferral in deferrals]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LIMIT)
        deferrals.clear()
    assert app.background_time_remaining == math.inf
    assert fake.texts("ack") == [f"ack seq={sequence}" for sequence in range(20)]


def test_names_and_handlers_that_cannot_be_are_refused(app):
    """At once, where the mistake is."""
    for name in ("", "1st", "two words", "x" * 65, "didEnterBackground\n", "é"):
        with pytest.raises(ValueError, match="event's name"):
            app.on(name)

    async def handler(event):
        pass

    with pytest.raises(TypeError, match="events"):
        app.on("x")(handler)


# Ways of delivery


def test_a_thread_delivers_and_handlers_may_ask(fake, app):
    """start() says hello; begin, end and remaining don't wait for the thread they are called on."""
    outcome = []
    done = threading.Event()

    @app.on("didEnterBackground")
    def save(event):
        with app.background_task("save") as task:
            outcome.append((task.id, app.background_time_remaining, app.state, threading.current_thread().name))
        done.set()

    assert app.start() is True
    assert app.start() is True
    fake.wait_for("hello")
    fake.send(DID_ENTER_BACKGROUND)
    assert done.wait(LIMIT)
    fake.wait_for("ack", seq="4")
    assert outcome == [(1, math.inf, "active", "curfew-events")]
    assert len(client_threads()) == 2


def test_other_threads_ask_while_a_handler_is_busy(fake, app):
    """A handler that waits for a worker, which ends a task, gets what it waits for."""
    number = app.begin_background_task("x")
    outcome = []

    @app.on("didEnterBackground")
    def save(event):
        worker = threading.Thread(target=app.end_background_task, args=(number,))
        worker.start()
        worker.join(LIMIT)
        outcome.append(worker.is_alive())

    app.start()
    fake.wait_for("hello")
    fake.send(DID_ENTER_BACKGROUND)
    fake.wait_for("end")
    fake.wait_for("ack")
    assert outcome == [False]


def test_sys_exit_in_a_handler_does_not_stop_the_delivering_thread(fake, app, caplog):
    """What comes next is acknowledged too, and the mistake is reported."""
    app.on("didEnterBackground")(lambda event: sys.exit(1))
    app.start()
    fake.wait_for("hello")
    fake.send(DID_ENTER_BACKGROUND, DID_ENTER_BACKGROUND.replace("seq=4", "seq=5"))
    fake.wait_for("ack", seq="4")
    fake.wait_for("ack", seq="5")
    assert "tried to end the thread" in caplog.text


def test_run_delivers_until_will_terminate(fake, app):
    """In the calling thread; what comes later is left."""
    events = aware(app, fake)
    fake.send("event name=didBecomeActive seq=2", "event name=willTerminate seq=3 ack=required seconds=5.000",
              "event name=other seq=4")
    app.run()
    assert [event.name for event in events] == ["didBecomeActive", "willTerminate"]
    fake.wait_for("ack", seq="3")


@pytest.mark.parametrize("stopper", ["handler", "thread", "before"])
def test_run_stops(fake, app, stopper):
    """Called by a handler, by another thread, and before: then at once. The next run() is not concerned."""
    events = aware(app, fake)
    app.on("enough")(lambda event: app.stop())
    if stopper == "handler":
        fake.send("event name=enough seq=2 kind=change")
    elif stopper == "before":
        app.stop()
    else:
        app.on("first")(lambda event: threading.Timer(0.05, app.stop).start())
        fake.send("event name=first seq=2 kind=change")
    app.run()
    fake.send("event name=second seq=3 kind=change", "event name=enough seq=4 kind=change")
    app.run()
    assert [event.name for event in events][-2:] == ["second", "enough"]


def test_run_ends_with_the_supervisor(fake, app):
    """After what had come; and later at once."""
    events = aware(app, fake)
    fake.send("event name=didBecomeActive seq=2")
    fake.drop()
    app.run()
    app.run()
    assert [event.name for event in events] == ["didBecomeActive"]
    assert app.dispatch(None) == 0


def test_a_keyboard_interrupt_leaves_run_and_acknowledges(fake, app):
    """It is the caller's, and the event isn't lost."""
    def interrupt(event):
        raise KeyboardInterrupt

    app.on("didEnterBackground")(interrupt)
    app.dispatch()
    fake.send(DID_ENTER_BACKGROUND)
    with pytest.raises(KeyboardInterrupt):
        app.run()
    fake.wait_for("ack", seq="4")


def test_dispatch_and_its_descriptor(fake, app):
    """Readable when something has come, and no more when it was delivered."""
    events = aware(app, fake)
    fake.send("event name=early seq=1 kind=change")
    assert app.background_time_remaining == math.inf  # the reader is done with what came before
    descriptor = app.fileno()
    assert select.select([descriptor], [], [], 0)[0], "what came before the descriptor was made"
    assert dispatch(app) == 1
    assert not select.select([descriptor], [], [], 0)[0]
    fake.send("event name=one seq=2", "event name=two seq=3")
    while len(events) < 3:
        assert select.select([descriptor], [], [], LIMIT)[0]
        app.dispatch()
    assert [event.name for event in events] == ["early", "one", "two"]
    assert app.dispatch() == 0
    app._mailbox.close()


def test_dispatch_tells_of_what_an_exception_left(fake, app):
    """The descriptor stays readable, and the rest is delivered by the next call."""
    descriptor = app.fileno()
    app.on("one")(lambda event: sys.exit(1))
    events = aware(app, fake)
    fake.send("event name=one seq=2", "event name=two seq=3", "event name=three seq=4")
    assert app.background_time_remaining == math.inf  # the reader is done with all that came before
    with pytest.raises(SystemExit):
        app.dispatch()
    assert select.select([descriptor], [], [], LIMIT)[0]
    assert app.dispatch() == 2
    assert [event.name for event in events] == ["two", "three"]
    assert not select.select([descriptor], [], [], 0)[0]
    app._mailbox.close()


def test_dispatch_delivers_no_more_than_what_has_come(fake, app):
    """A handler whose event brings on the next doesn't keep it for ever."""
    @app.on("again")
    def again(event):
        fake.send(f"event name=again seq={event.sequence + 1}")
        wait_until("the next", lambda: not app._mailbox.is_empty)

    app.dispatch()
    fake.send("event name=again seq=1")
    assert app.dispatch(LIMIT) == 1
    assert app.dispatch() == 1


def test_dispatch_waits_as_long_as_it_is_told(fake, app):
    """For the first event, not for more."""
    aware(app, fake)
    start = time.monotonic()
    assert app.dispatch(0.2) == 0
    assert time.monotonic() - start >= 0.19
    threading.Timer(0.05, fake.send, ["event name=one seq=2"]).start()
    assert app.dispatch(None) == 1


def test_events_come_to_asyncio(fake, app):
    """Each after its handlers; acknowledged when the next is asked for, or the loop is left."""
    handled = []
    app.on("didEnterBackground")(lambda event: handled.append(event.name))

    async def listen():
        seen = []
        async for event in app.events():
            seen.append(event.name)
            if event.name == "didEnterBackground":
                assert handled == ["didEnterBackground"]
                # Read in another thread, so that this one isn't held up.
                assert await asyncio.to_thread(lambda: app.background_time_remaining) == math.inf
                assert "ack" not in fake.verbs()
            if event.name == "willTerminate":
                break
        return seen

    async def main():
        listener = asyncio.ensure_future(asyncio.wait_for(listen(), LIMIT))
        await asyncio.to_thread(fake.wait_for, "hello")
        fake.send("event name=didBecomeActive seq=2", DID_ENTER_BACKGROUND)
        await asyncio.to_thread(fake.wait_for, "ack", seq="4")
        fake.send("event name=willTerminate seq=5 ack=required seconds=5.000")
        return await listener

    assert asyncio.run(main()) == ["didBecomeActive", "didEnterBackground", "willTerminate"]
    fake.wait_for("ack", seq="5")
    app._mailbox.close()


@pytest.mark.parametrize("end", ["drop", "stop"])
def test_events_end(fake, app, end):
    """With the supervisor, and by stop(); also while nothing comes."""
    seen = []

    async def listen():
        async for event in app.events():
            seen.append(event.name)

    async def main():
        listener = asyncio.ensure_future(asyncio.wait_for(listen(), LIMIT))
        await asyncio.to_thread(fake.wait_for, "hello")
        fake.send("event name=didBecomeActive seq=2")
        await asyncio.to_thread(wait_until, "the event", lambda: seen)
        (fake.drop if end == "drop" else app.stop)()
        await listener

    asyncio.run(main())
    assert seen == ["didBecomeActive"]
    app._mailbox.close()


def test_there_is_one_way_of_delivery(fake):
    """Two would take each other's events."""
    started = curfew.Application(fake.environment({}))
    started.start()
    for way in (started.run, started.dispatch, started.fileno, lambda: asyncio.run(first_of(started.events()))):
        with pytest.raises(RuntimeError, match="one way"):
            way()
    dispatching = curfew.Application(fake.environment({}))
    dispatching.dispatch()
    with pytest.raises(RuntimeError, match="one way"):
        dispatching.start()


async def first_of(events):
    return await events.__anext__()


@pytest.mark.parametrize("way", ["app.start(); signal.pause()", "while True: app.dispatch(None)"])
def test_will_terminate_without_handler_is_sigterm(fake, way):
    """As for a plain app, so that it needn't be killed."""
    process = python(f"app.on('didEnterBackground')(print)\n{way}", env=fake.environment())
    fake.wait_for("hello")
    fake.send("event name=willTerminate seq=5 ack=required seconds=5.000")
    assert finish(process) == (-signal.SIGTERM, "", "")
    fake.wait_for("ack", seq="5")


def test_will_terminate_with_handler_is_the_handlers(fake):
    """No signal then."""
    process = python("""
        done = threading.Event()
        app.on("willTerminate")(lambda event: done.set())
        app.start()
        done.wait()
        time.sleep(0.2)  # a moment
        print("bye")
        """, env=fake.environment())
    fake.wait_for("hello")
    fake.send("event name=willTerminate seq=5 ack=required seconds=5.000")
    assert finish(process) == (0, "bye\n", "")


# The connection


def test_the_inherited_pipe_is_used_without_a_socket(fake, monkeypatch):
    """And left open and as blocking as it was, whatever the default is for sockets."""
    monkeypatch.setattr(curfew, "_is_control_pipe", lambda pipe: True)
    socket.setdefaulttimeout(5)
    try:
        with fake.pipe() as pipe:
            os.set_blocking(pipe.fileno(), True)
            app = curfew.Application({"CURFEW_FD": str(pipe.fileno())})
            assert app.begin_background_task("x") == 1
            assert os.get_blocking(pipe.fileno())
            os.set_blocking(pipe.fileno(), False)
            app.end_background_task(1)
            fake.wait_for("end")
            events = aware(app, fake)
            fake.send("event name=one seq=2")
            dispatch(app)
            assert events
    finally:
        socket.setdefaulttimeout(None)


def test_a_connection_of_its_own_comes_first(fake, monkeypatch):
    """Its events are nobody else's; the pipe is the second best."""
    monkeypatch.setattr(curfew, "_is_control_pipe", lambda pipe: True)
    with FakeSupervisor() as other, other.pipe() as pipe:
        app = curfew.Application({"CURFEW_SOCKET": fake.path, "CURFEW_FD": str(pipe.fileno())})
        assert app.is_multitasking_supported and fake.verbs() == ["remaining"] and not other.verbs()
        fallen = curfew.Application({"CURFEW_SOCKET": "/nowhere", "CURFEW_FD": str(pipe.fileno())})
        assert fallen.is_multitasking_supported and other.verbs() == ["remaining"]
        other.drop()
        wait_until("the end to be noticed", lambda: not fallen.is_multitasking_supported)


def test_events_of_a_pipe_on_which_another_said_hello(fake, monkeypatch):
    """Nobody here listens, but nobody else will see them: they are acknowledged."""
    monkeypatch.setattr(curfew, "_is_control_pipe", lambda pipe: True)
    with fake.pipe() as pipe:
        app = curfew.Application({"CURFEW_FD": str(pipe.fileno())})
        assert app.is_multitasking_supported
        fake.send(DID_ENTER_BACKGROUND)
        fake.wait_for("ack", seq="4")


def test_a_default_timeout_of_sockets_changes_nothing(fake):
    """A connection that is quiet for longer isn't lost."""
    socket.setdefaulttimeout(0.01)
    try:
        app = curfew.Application(fake.environment({}))
        events = aware(app, fake)
        assert app.dispatch(0.1) == 0
        fake.send("event name=one seq=2")
        dispatch(app)
        assert events and app.is_multitasking_supported
    finally:
        socket.setdefaulttimeout(None)


def test_half_lines_are_joined_and_many_in_one_are_parted(fake, app):
    """However the bytes come."""
    events = aware(app, fake)
    text = "".join(f'event name=c{number} seq={number} kind=change info.x="ü\\n"\r\n' for number in range(40)).encode()
    for index in range(0, len(text), 7):
        fake.send_bytes(text[index:index + 7])
    dispatch(app, 40)
    assert [(event.sequence, event.info["x"]) for event in events] == [(number, "ü\n") for number in range(40)]


def test_garbage_is_reported_and_passed_over(fake, app, caplog):
    """What can't be read, what isn't known, and what lacks something."""
    events = aware(app, fake)
    fake.send_bytes(b"\xff\xfe\n\n  \nevent\nevent name=x\nevent seq=1\nevent name=x seq=y\n"
                    b"event name=x seq=1 seconds=soon\n"
                    b'event name="\nok\nok id=77\nerror code=malformed offset=3 message="what is that"\nnews at=10\n'
                    b"event name=good seq=9\n")
    dispatch(app)
    assert [event.name for event in events] == ["good"]
    assert "no message" in caplog.text and "what is that" in caplog.text
    assert app.begin_background_task("x") == 1


@pytest.mark.parametrize(
    "data", [b"x" * 4096, b"event name=" + b"x" * 4096 + b" seq=1\n", b"x" * 200000], ids=["no end", "a line", "more"])
def test_a_line_without_end_ends_the_channel(fake, app, data):
    """Whoever sends that is no supervisor; nothing is kept of it."""
    aware(app, fake)
    with contextlib.suppress(OSError):
        fake.send_bytes(data)
    fake.wait_for_end()
    everything_does_nothing(app)


def test_the_longest_line_is_read(fake, app):
    """4096 bytes, its LF included."""
    events = aware(app, fake)
    line = "event name=one seq=2 kind=change info.x="
    fake.send(line + "x" * (4095 - len(line)))
    dispatch(app)
    assert len(events[0].info["x"]) == 4095 - len(line)


def test_replies_find_their_requests_in_any_order(fake, app):
    """Whoever asked first may be answered last."""
    assert app.is_multitasking_supported
    fake.wait_for("remaining")
    answers = {}
    threads = []
    ids = []
    for number in range(5):
        fake.answer("remaining")
        thread = threading.Thread(target=lambda number=number: answers.update({number: app.background_time_remaining}))
        thread.start()
        threads.append(thread)
        ids.append(fake.wait_for("remaining")["id"])
    for number in (3, 0, 4, 2, 1):
        fake.send(f"ok id={ids[number]} seconds={number}.000")
    for thread in threads:
        thread.join(LIMIT)
    assert answers == {number: number for number in range(5)}


def test_many_threads_begin_and_end_at_once(fake, app):
    """No line gets into another, and no number to somebody else."""
    numbers = []

    def work(name):
        for _ in range(50):
            with app.background_task(name) as task:
                numbers.append(task.id)

    threads = [threading.Thread(target=work, args=(f"worker {number}",)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)
    assert sorted(numbers) == list(range(1, 801))
    assert sorted(int(line["task"]) for line in fake.seen if line.verb == "end") == sorted(numbers)
    assert fake.connections == 1


def test_threads_that_are_first_make_one_connection(fake, app):
    """All of them wait for it."""
    start = threading.Barrier(12)
    supported = []

    def ask():
        start.wait(LIMIT)
        supported.append(app.is_multitasking_supported)

    threads = [threading.Thread(target=ask) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)
    assert supported == [True] * 12 and fake.connections == 1


# The supervisor's end, and its silence


def test_the_supervisors_end(fake, app):
    """From then on everything does nothing, and an open task's end too."""
    number = app.begin_background_task("x")
    with app.background_task("y"):
        fake.drop()
        wait_until("the end to be noticed", lambda: not app.is_multitasking_supported)
    app.end_background_task(number)
    everything_does_nothing(app)
    assert app.start() is False
    join_client_threads()


def test_the_supervisors_end_while_a_reply_is_awaited(fake, app, monkeypatch):
    """Nobody waits on."""
    monkeypatch.setattr(curfew, "_SLICE_SECONDS", 10 * LIMIT)
    assert app.is_multitasking_supported
    fake.answer("begin")
    fake.answer("remaining")
    answers = []
    threads = [threading.Thread(target=lambda ask=ask: answers.append(ask()), daemon=True) for ask in (
        lambda: app.begin_background_task("x"), lambda: app.background_time_remaining)]
    for thread in threads:
        thread.start()
    wait_until("both to ask", lambda: sorted(fake.verbs()) == ["begin", "remaining", "remaining"])
    fake.drop()
    for thread in threads:
        thread.join(LIMIT)
    assert sorted(answers) == [0, math.inf]


def test_no_reply_at_all(fake, app, monkeypatch, caplog):
    """The wait ends; a task whose number comes too late is ended at once."""
    assert app.is_multitasking_supported
    monkeypatch.setattr(curfew, "_SLICE_SECONDS", 0.01)
    fake.answer("begin")
    fake.answer("remaining")
    assert app.begin_background_task("late") == curfew.INVALID_TASK
    assert app.background_time_remaining == math.inf
    assert "hasn't answered begin" in caplog.text
    fake.send(f"ok id={fake.wait_for('begin')['id']} task=41 remaining=inf")
    fake.wait_for("end", task="41")
    assert app.is_multitasking_supported
    app.end_background_task(41)
    monkeypatch.setattr(curfew, "_SLICE_SECONDS", 1)
    assert app.begin_background_task("in time") > 0
    assert fake.verbs().count("end") == 1


def test_a_peer_that_says_nothing_is_no_supervisor(fake, app, monkeypatch):
    """It isn't asked again."""
    monkeypatch.setattr(curfew, "_SLICE_SECONDS", 0.01)
    fake.answer("remaining")
    everything_does_nothing(app)
    fake.wait_for_end()  # by then it has read what was sent
    assert fake.verbs() == ["remaining"]


@contextlib.contextmanager
def busy_listener(path):
    """One whose queue is full."""
    with socket.socket(socket.AF_UNIX) as listener, contextlib.ExitStack() as waiting:
        listener.bind(path)
        listener.listen(0)
        with contextlib.suppress(BlockingIOError):
            while True:
                client = waiting.enter_context(socket.socket(socket.AF_UNIX))
                client.setblocking(False)
                client.connect(path)
        yield listener


def test_a_supervisor_that_accepts_nobody(tmp_path, monkeypatch):
    """It is waited for, not for ever."""
    monkeypatch.setattr(curfew, "_SLICE_SECONDS", 0.01)
    path = str(tmp_path / "s")
    with busy_listener(path):
        everything_does_nothing(curfew.Application({"CURFEW_SOCKET": path}))


def test_a_supervisor_that_accepts_late(fake, tmp_path, monkeypatch):
    """It is waited for."""
    attempts = threading.Semaphore(0)
    monkeypatch.setattr(curfew.time, "sleep", lambda seconds: attempts.release() or threading.Event().wait(0.01))
    monkeypatch.setattr(curfew, "_REPLY_SLICES", 10000)
    path = str(tmp_path / "s")
    app = curfew.Application({"CURFEW_SOCKET": path})
    numbers = []
    with busy_listener(path) as listener:
        asking = threading.Thread(target=lambda: numbers.append(app.begin_background_task("x")))
        asking.start()
        assert attempts.acquire(timeout=LIMIT)
        deadline = time.monotonic() + LIMIT
        while asking.is_alive() and time.monotonic() < deadline:
            if select.select([listener], [], [], 0.01)[0]:
                fake._serve(listener.accept()[0])
        asking.join(LIMIT)
    assert numbers == [1]


def test_an_interrupted_begin_leaves_no_task_open(fake, app):
    """Its number is lost with the exception, so it is ended when it comes."""
    assert app.is_multitasking_supported
    with interruption(fake, "begin", fail) as requests, pytest.raises(RuntimeError, match="the program's"):
        app.begin_background_task("x")
    fake.send(f"ok id={requests[0]['id']} task=41 remaining=inf")
    fake.wait_for("end", task="41")


def fail(*_):
    raise RuntimeError("the program's")


@contextlib.contextmanager
def interruption(fake, verb, handler):
    """The next request of this verb isn't answered, and a signal's handler interrupts who waits for it."""
    def interrupt():
        requests.append(fake.wait_for(verb))
        os.kill(os.getpid(), signal.SIGALRM)

    fake.answer(verb)
    requests = []
    previous = signal.signal(signal.SIGALRM, handler)
    interrupter = threading.Thread(target=interrupt)
    interrupter.start()
    try:
        yield requests
    finally:
        interrupter.join(LIMIT)
        signal.signal(signal.SIGALRM, previous)


def test_an_interrupted_connection_is_made_by_the_next_call(fake, app):
    """Whatever a signal handler raises meanwhile is the program's."""
    with interruption(fake, "remaining", fail), pytest.raises(RuntimeError, match="the program's"):
        app.begin_background_task("x")
    fake.wait_for_end(0)
    assert app.begin_background_task("x") == 1
    assert fake.connections == 2


def test_a_signal_handler_in_the_middle_of_the_connection(fake, app):
    """It is told that there is no Curfew yet, and makes no connection of its own."""
    outcome = []

    def handler(*_):
        outcome.append(app.begin_background_task("from a signal"))
        fake.send(f"ok id={fake.seen[0]['id']} seconds=inf")

    with interruption(fake, "remaining", handler):
        outcome.append(app.begin_background_task("from the program"))
    assert outcome == [0, 1] and fake.connections == 1


@pytest.mark.parametrize("missing", ["curfew-reader", "curfew-events"])
def test_where_no_thread_can_be_had(fake, app, monkeypatch, caplog, missing):
    """Without a reader there is no Curfew; without a thread for events nobody says hello, so nothing is owed."""
    start = threading.Thread.start

    def fail(thread):
        if thread.name == missing:
            raise RuntimeError("can't start new thread")
        start(thread)

    app.on("didEnterBackground")(print)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", fail)
        assert app.start() is False
        app.on("willTerminate")(print)
    assert "can't start new thread" in caplog.text and "hello" not in fake.verbs()
    if missing == "curfew-reader":
        everything_does_nothing(app)
        fake.wait_for_end()
    else:
        assert app.start() is True
        fake.wait_for("hello")


def test_a_descriptor_closed_by_somebody_else(fake, app):
    """A program that closes what it doesn't know loses Curfew, and nothing more."""
    assert app.is_multitasking_supported
    time.sleep(0.05)  # a moment, for the reader to wait again
    os.close(app._link._socket.fileno())
    assert app.begin_background_task("x") == curfew.INVALID_TASK
    everything_does_nothing(app)


def test_a_program_that_dies_of_sigpipe_does_not_die_of_this(fake):
    """The supervisor's end is noticed by no signal, not even by a line that is on its way when it comes."""
    process = python("""
        import socket
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        ours, theirs = socket.socketpair()
        theirs.close()
        assert not curfew._Link(ours).send(b"x\\n")
        task = app.begin_background_task("x")
        print("up", flush=True)
        while app.is_multitasking_supported:
            app.background_time_remaining
        app.end_background_task(task)
        print("alive")
        """, env=fake.environment())
    fake.wait_for("begin")
    assert process.stdout.readline() == "up\n"
    fake.drop()
    assert finish(process) == (0, "alive\n", "")


def test_a_supervisor_that_does_not_read_is_waited_for(app, fake):
    """A full socket takes no line; none is lost or halved when it takes them again."""
    assert app.is_multitasking_supported
    release = threading.Event()
    handled = FakeSupervisor._handle

    def slow(self, connection, data, number):
        release.wait(LIMIT)
        handled(self, connection, data, number)

    fake._handle = slow.__get__(fake)
    sender = threading.Thread(target=lambda: [app._link.acknowledge(str(number)) for number in range(20000)])
    sender.start()
    sender.join(0.3)
    assert sender.is_alive(), "the socket took everything; the test needs more lines"
    release.set()
    sender.join(LIMIT)
    assert app.background_time_remaining == math.inf
    assert fake.texts("ack") == [f"ack seq={number}" for number in range(20000)]


# Signals, forks, ends


def test_signal_handlers_may_ask_at_any_moment(fake):
    """One that comes in the middle of a request, or of the first connection, neither hangs nor tears a line."""
    process = python("""
        import random
        delays = random.Random(20261121)
        begun = []
        def handler(*_):
            number = app.begin_background_task("from a signal")
            begun.append(number)
            app.end_background_task(number)
            if len(begun) < 1000:
                arm()
        def arm():
            signal.setitimer(signal.ITIMER_REAL, delays.uniform(0.00001, 0.001))
        signal.signal(signal.SIGALRM, handler)
        arm()
        count = 0
        while len(begun) < 1000 or count < 50:
            with app.background_task("from the program"):
                count += 1
        print("done")
        """, env=fake.environment())
    assert finish(process, 3 * LIMIT) == (0, "done\n", "")
    assert "malformed" not in fake.verbs()
    assert fake.verbs().count("begin") == fake.verbs().count("end")


def test_a_signal_handler_may_stop_run(fake):
    """Whose loop is woken by it."""
    process = python("""
        app.on("x")(print)
        signal.signal(signal.SIGTERM, lambda *_: app.stop())
        app.run()
        print("stopped")
        """, env=fake.environment())
    fake.wait_for("hello")
    process.send_signal(signal.SIGTERM)
    assert finish(process) == (0, "stopped\n", "")


def test_ctrl_c_ends_run(fake):
    """As any other wait."""
    process = python("""
        app.on("x")(print)
        try:
            app.run()
        except KeyboardInterrupt:
            print("interrupted")
        """, env=fake.environment(), preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    fake.wait_for("hello")
    process.send_signal(signal.SIGINT)
    assert finish(process) == (0, "interrupted\n", "")


def test_a_forked_child_has_a_connection_of_its_own(fake):
    """It can't end the parent's tasks, nor acknowledge for it, and begins its own."""
    process = python("""
        deferral = []
        app.on("fetch")(lambda event: deferral.append(event.defer()))
        number = app.begin_background_task("the parent's")
        app.dispatch()
        print("up", flush=True)
        while not deferral:
            app.dispatch(1)
        with app.background_task("both") as task:
            child = os.fork()
            if child == 0:
                app.end_background_task(number)
                deferral[0]()
                with app.background_task("the child's"):
                    pass
                app.dispatch()
            else:
                assert os.waitpid(child, 0)[1] == 0
        if child == 0:
            os._exit(0)
        deferral[0]()
        app.end_background_task(number)
        print("done")
        """, env=fake.environment())
    assert process.stdout.readline() == "up\n"
    fake.send("event name=fetch seq=9 kind=wake ack=required seconds=30.000")
    status, out, err = finish(process)
    assert (status, out) == (0, "done\n"), err
    assert [(line.verb, line.connection) for line in fake.seen] == [
        ("remaining", 0), ("begin", 0), ("hello", 0), ("begin", 0),
        ("remaining", 1), ("begin", 1), ("end", 1), ("hello", 1),
        ("end", 0), ("ack", 0), ("end", 0)]
    assert fake.connections == 2


def test_a_forked_child_does_not_read_the_parents_pipe(fake, monkeypatch):
    """Of which there is only one."""
    monkeypatch.setattr(curfew, "_is_control_pipe", lambda pipe: True)
    with fake.pipe() as pipe:
        app = curfew.Application({"CURFEW_FD": str(pipe.fileno())})
        assert app.is_multitasking_supported
        child = os.fork()
        if child == 0:
            os._exit(0 if not app.is_multitasking_supported and app.background_time_remaining == math.inf else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert fake.verbs() == ["remaining"]
        assert app.is_multitasking_supported


def test_a_forked_child_has_nothing_of_the_parents_open(fake, app):
    """Neither the connection nor the descriptor for loops; what it opens later isn't taken for them."""
    descriptors = [app.fileno(), app._mailbox._pipe[1]]
    assert app.is_multitasking_supported
    descriptors.append(app._link._socket.fileno())
    child = os.fork()
    if child == 0:
        open_ones = [number for number in descriptors if os.path.exists(f"/proc/self/fd/{number}")]
        os._exit(len(open_ones))
    assert os.waitpid(child, 0)[1] == 0
    app._mailbox.close()


def test_the_parent_outlives_its_children(fake, app):
    """Their end doesn't close the parent's connection, and the parent's end is seen though they live."""
    assert app.is_multitasking_supported
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writer)
        os.read(reader, 1)
        os._exit(0)
    try:
        app._link._socket.shutdown(socket.SHUT_RDWR)
        fake.wait_for_end()
        join_client_threads()
    finally:
        os.close(writer)
        os.waitpid(child, 0)
        os.close(reader)


def test_a_fork_in_a_handler(fake):
    """The child is that thread alone; the parent goes on."""
    process = python("""
        done = threading.Event()
        @app.on("didEnterBackground")
        def save(event):
            child = os.fork()
            if child == 0:
                with app.background_task("the child's"):
                    os._exit(7)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
            done.set()
        app.start()
        done.wait()
        print("done")
        """, env=fake.environment())
    fake.wait_for("hello")
    fake.send(DID_ENTER_BACKGROUND)
    fake.wait_for("begin")
    fake.wait_for("ack", seq="4")
    status, out, err = finish(process)
    assert (status, out) == (0, "done\n"), err


def test_forks_while_threads_ask(fake):
    """Whatever the other threads are in the middle of, the child can ask."""
    process = python("""
        over = threading.Event()
        def work():
            while not over.is_set():
                with app.background_task("a thread's"):
                    pass
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(50):
            child = os.fork()
            if child == 0:
                with app.background_task("a child's") as task:
                    os._exit(0 if task.id else 1)
            assert os.waitpid(child, 0)[1] == 0
        over.set()
        for thread in threads:
            thread.join()
        print("done")
        """, env=fake.environment())
    status, out, err = finish(process)
    assert (status, out) == (0, "done\n"), err
    assert len([line for line in fake.seen if line.get("name") == "a child's"]) == 50
    assert "malformed" not in fake.verbs() and fake.connections == 51


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_multiprocessing(fake, tmp_path, method):
    """Each worker has its own connection."""
    script = tmp_path / "program.py"
    script.write_text(textwrap.dedent(f"""
        import multiprocessing, sys
        sys.path.insert(0, {str(LIBRARY)!r})
        import curfew
        def work(number):
            with curfew.app().background_task(f"worker {{number}}") as task:
                return task.id > 0
        if __name__ == "__main__":
            with curfew.app().background_task("parent"):
                with multiprocessing.get_context({method!r}).Pool(2) as pool:
                    print(pool.map(work, range(4), chunksize=1))
                    pool.close()
                    pool.join()
        """))
    process = subprocess.Popen([sys.executable, "-W", "ignore", script], env=fake.environment(), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    assert finish(process) == (0, "[True, True, True, True]\n", "")
    assert fake.verbs().count("begin") == fake.verbs().count("end") == 5
    assert fake.connections >= 2


def test_the_interpreters_end(fake):
    """With events under way, a task open and an atexit function that asks: it ends, and says nothing."""
    process = python("""
        import atexit
        app.on()(lambda event: time.sleep(0.001))  # a moment
        app.begin_background_task("x")
        atexit.register(lambda: print(app.background_time_remaining, app.begin_background_task("at exit")))
        app.start()
        """, env=fake.environment())
    fake.wait_for("begin")
    with contextlib.suppress(OSError):
        for number in range(2000):
            fake.send(f"event name=x seq={number} kind=change")
    assert finish(process) == (0, "inf 2\n", "")


def test_an_end_from_a_finalizer(fake):
    """Called when no other thread runs any more, it sends the line and waits for no reply."""
    process = python("""
        curfew._SLICE_SECONDS = 60
        class Late:
            def __del__(self, end=app.end_background_task, say=os.write, is_finalizing=sys.is_finalizing):
                end(1)
                say(1, f"late {is_finalizing()}\\n".encode())
        assert app.begin_background_task("x") == 1
        late = Late()
        """, env=fake.environment())
    assert finish(process) == (0, "late True\n", "")
    fake.wait_for("end", task="1")


@pytest.mark.parametrize(("wait", "threads"), [
    ("app.start(); signal.pause()", 3), ("app.run()", 2), ("app.dispatch(None)", 2), ("asyncio.run(listen())", 2)])
def test_who_waits_for_events_does_not_wake_up(fake, wait, threads):
    """Neither the reader, nor who delivers, looks about while nothing happens."""
    process = python(f"""
        import asyncio
        async def listen():
            async for event in app.events():
                pass
        app.on("x")(print)
        {wait}
        """, env=fake.environment())
    try:
        fake.wait_for("hello")
        # Until then it may still be on its way to sleep, however slow; who looks about does so in each such while.
        asleep = wait_until("all to stay asleep", lambda: same_twice(lambda: wake_ups(process.pid)))
        assert len(asleep) == threads and process.poll() is None
    finally:
        process.kill()
        process.communicate()


def same_twice(look):
    first = look()
    time.sleep(0.5)  # a while
    return first if look() == first else None


def wake_ups(pid):
    return {
        thread.name: [line for line in (thread / "status").read_text().splitlines() if "ctxt_switches" in line]
        for thread in pathlib.Path(f"/proc/{pid}/task").iterdir()}


def test_nothing_is_left_open(fake):
    """Neither descriptors nor threads, after the supervisor's end."""
    before = len(os.listdir("/proc/self/fd"))
    with FakeSupervisor() as other:
        app = curfew.Application(other.environment({}))
        app.on()(print)
        app.dispatch()
        assert app.is_multitasking_supported
    join_client_threads()
    assert len(os.listdir("/proc/self/fd")) == before
    assert not app.is_multitasking_supported


def test_importing_costs_no_asyncio_and_no_connection(fake):
    """The module is small to a program that doesn't use it."""
    process = python("print('asyncio' in sys.modules, threading.active_count())", env=fake.environment())
    assert finish(process) == (0, "False 1\n", "")
    assert not fake.seen


# The real supervisor


needs_curfew = pytest.mark.skipif(not BINARY, reason="CURFEW doesn't name the curfew to test with")


class Sandbox:
    """A runtime directory of its own, and the apps started in it."""

    def __init__(self, scratch):
        self.scratch = scratch
        # Short: a socket's path has 107 bytes at most.
        self.runtime = tempfile.mkdtemp(prefix="cf-")
        self.environment = dict(
            os.environ, XDG_RUNTIME_DIR=self.runtime, XDG_STATE_HOME=str(scratch / "state"), PYTHONPATH=str(LIBRARY))
        for variable in ("CURFEW_FD", "CURFEW_SOCKET", "NOTIFY_SOCKET"):
            self.environment.pop(variable, None)
        self.apps = []

    def curfew(self, *arguments):
        return subprocess.run(
            [BINARY, *arguments], env=self.environment, capture_output=True, text=True, timeout=LIMIT,
            stdin=subprocess.DEVNULL)

    def start(self, script, *options):
        program = self.scratch / f"program{len(self.apps)}.py"
        program.write_text(
            "import os, signal, subprocess, sys, threading, time\nimport curfew\napp = curfew.app()\n"
            "def say(*words): os.write(1, (' '.join(map(str, words)) + '\\n').encode())\n" + textwrap.dedent(script))
        name = "t" + uuid.uuid4().hex[:8]
        process = subprocess.Popen(
            [BINARY, "run", "--name", name, "--journal", self.journal(name), *options, "--", sys.executable, str(program)],
            env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.apps.append(RealApp(self, process, name))
        return self.apps[-1]

    def journal(self, name):
        return self.scratch / f"{name}.journal"

    def tell_history(self):
        """What is known of each app, as (title, text), once a test has failed."""
        return [(f"app {app.name}", app.history()) for app in self.apps]

    def close(self):
        for app in self.apps:
            if app.process.poll() is None:
                # Quits the app; killing it would too, but leave the look of a crash.
                app.process.terminate()
            try:
                app.process.wait(LIMIT)
            except subprocess.TimeoutExpired:
                app.process.kill()
                app.process.wait()
            app.process.stdout.close()
            app.process.stderr.close()
        left = os.listdir(os.path.join(self.runtime, "curfew")) if self.apps else []
        shutil.rmtree(self.runtime, ignore_errors=True)
        assert not left, f"sockets left: {left}"


class RealApp:
    """A `curfew run` under way."""

    def __init__(self, sandbox, process, name):
        self.sandbox = sandbox
        self.process = process
        self.name = name
        self.output = b""
        self.lines = []

    def line(self):
        """The next line of its output."""
        deadline = time.monotonic() + LIMIT
        while b"\n" not in self.output:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))
            chunk = os.read(self.process.stdout.fileno(), 4096) if ready else b""
            assert chunk, f"no line {'in time' if not ready else 'any more'}; seen: {self.lines}, {self.events()}"
            self.output += chunk
        line, _, self.output = self.output.partition(b"\n")
        self.lines.append(line.decode())
        return self.lines[-1]

    def expect(self, *lines):
        for line in lines:
            assert self.line() == line, f"expected {line!r}; seen: {self.lines}; {self.events()}"

    def drive(self, verb, *arguments):
        result = self.sandbox.curfew(verb, self.name, *arguments)
        assert result.returncode == 0, f"{verb}: {result.stderr}"

    def history(self):
        """Its output, its events or what it ended with, and the end of its journal."""
        journal = file_end(self.sandbox.journal(self.name), "no journal", 40)
        try:
            told = self.events()
        except (OSError, subprocess.TimeoutExpired, ValueError) as error:
            told = str(error)
        return "\n".join(["-- lines of its output", *self.lines, "-- events", str(told), "-- journal, its end", journal])

    def events(self):
        if self.process.poll() is not None:
            return f"it ended with {self.process.returncode}: {self.process.stderr.read()}"
        return self.sandbox.curfew("events", self.name).stdout

    def status(self):
        result = self.sandbox.curfew("status", self.name, "--json")
        return json.loads(result.stdout) if result.returncode == 0 else {"state": "gone: " + result.stderr}

    def wait_state(self, state):
        def is_in_state():
            seen.append(self.status()["state"])
            return seen[-1] == state

        seen = []
        try:
            wait_until(f"it to be {state}", is_in_state)
        except AssertionError as error:
            raise AssertionError(f"{error}; the last states: {seen[-3:]}; {self.events()}") from None

    def wait(self):
        try:
            return self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            pytest.fail(f"it hasn't ended in {LIMIT} s: {self.events()}")


@pytest.fixture
def real(tmp_path, request):
    sandbox = request.node.stash[SANDBOX] = Sandbox(tmp_path)
    yield sandbox
    sandbox.close()


ANNOUNCER = """
    @app.on()
    def tell(event):
        say(event.name, app.state)
    app.run()
    say("bye")
"""


@needs_curfew
def test_real_lifecycle(real):
    """Launched, sent home, suspended, opened, quit: each event in its order, and status 0."""
    app = real.start(ANNOUNCER, "--aware")
    app.expect("didFinishLaunching active", "didBecomeActive active")
    for _ in range(3):
        app.drive("home")
        app.expect("willResignActive background", "didEnterBackground background")
        app.wait_state("suspended")
        app.drive("open")
        app.expect("willEnterForeground active", "didBecomeActive active")
    app.drive("quit")
    assert app.line().startswith("willTerminate ")
    app.expect("bye")
    assert app.wait() == 0


@needs_curfew
def test_real_task_keeps_the_app_running(real):
    """In the background until it is ended; then it is suspended."""
    app = real.start("""
        with app.background_task("nightly upload") as task:
            say(app.is_multitasking_supported, app.name is not None, app.state, app.background_time_remaining, task.id)
            while app.state != "background":
                time.sleep(0.01)  # a moment
            say(0 < app.background_time_remaining <= 600, app.begin_background_task("another"))
            app.end_background_task(2)
            while not os.path.exists(sys.argv[0] + ".go"):
                time.sleep(0.01)  # a moment
        say("ended")
        signal.pause()
        """)
    app.expect("True True active inf 1")
    app.drive("home")
    app.expect("True 2")
    status = app.status()
    assert status["state"] == "background" and "nightly upload" in json.dumps(status), status
    (real.scratch / "program0.py.go").touch()
    app.wait_state("suspended")
    assert app.status()["aware"] is False


@needs_curfew
def test_real_expiration(real):
    """Warned in time, by event and by handler, on a plain app and on an aware one: suspended, not killed."""
    app = real.start("""
        def expire():
            say("handler", app.background_time_remaining < 3)
            app.end_background_task(number)
        number = app.begin_background_task("by handler", expire)
        with app.background_task("by event") as task:
            say("up")
            say("expired", task.expired.wait(300))
        signal.pause()
        """, "--budget", "3s", "--expiration-lead", "2s", "--manual-clock")
    app.expect("up")
    app.drive("home")
    app.drive("advance", "1s")
    assert sorted([app.line(), app.line()]) == ["expired True", "handler True"]
    app.wait_state("suspended")
    app.drive("open")
    app.wait_state("active")


@needs_curfew
def test_real_refusal_after_expiration(real):
    """The exception has the protocol's code."""
    app = real.start("""
        with app.background_task("long") as task:
            say("up")
            task.expired.wait(300)
            say(app.begin_background_task("late"))
            try:
                with app.background_task("late"):
                    say("entered")
            except curfew.BackgroundTaskRefused as refusal:
                say(refusal.code)
        signal.pause()
        """, "--budget", "3s", "--expiration-lead", "2s", "--manual-clock")
    app.expect("up")
    app.drive("home")
    app.drive("advance", "1s")
    app.expect("0", "expired")
    app.wait_state("suspended")


@needs_curfew
def test_real_keep_alive(real):
    """Woken each time it is due, and suspended again; refused below the minimum; cleared, it sleeps on."""
    app = real.start("""
        app.on("keep")(lambda event: app.clear_keep_alive_timeout())
        say(app.set_keep_alive_timeout(599, lambda: say("too soon")), app.set_keep_alive_timeout(600, lambda: say("alive")))
        app.run()
        """, "--manual-clock")
    app.expect("False True")
    app.drive("home")
    app.wait_state("suspended")
    for _ in range(2):
        app.drive("advance", "10m")
        app.expect("alive")
        app.wait_state("suspended")
    app.drive("wake", "keep")
    app.wait_state("suspended")
    assert "keepAlive" not in app.status()


@needs_curfew
def test_real_failing_handler_is_not_the_end(real):
    """A didEnterBackground handler that raises, and one that defers: suspended both times."""
    app = real.start("""
        times = []
        @app.on("didEnterBackground")
        def save(event):
            times.append(event)
            if len(times) == 1:
                raise OSError("no space left")
            deferral = event.defer()
            def finish():
                with deferral:
                    say("saved")
            threading.Thread(target=finish).start()
        app.start()
        say("up")
        signal.pause()
        """, "--aware")
    app.expect("up")
    app.drive("home")
    app.wait_state("suspended")
    app.drive("open")
    app.drive("home")
    app.expect("saved")
    app.wait_state("suspended")


@needs_curfew
def test_real_will_terminate_without_handler(real):
    """The app ends by SIGTERM at once, as a plain one does, and isn't killed as hung."""
    app = real.start("""
        app.on("didEnterBackground")(print)
        app.start()
        say("up")
        signal.pause()
        """, "--aware")
    app.expect("up")
    app.drive("quit")
    assert app.wait() == -signal.SIGTERM
    assert b"watchdog" not in app.process.stderr.read()


@needs_curfew
def test_real_pipe_without_a_socket(real):
    """CURFEW_FD is taken for what it is, events and all."""
    app = real.start('del os.environ["CURFEW_SOCKET"]\n' + textwrap.dedent(ANNOUNCER), "--aware")
    app.expect("didFinishLaunching active", "didBecomeActive active")
    app.drive("home")
    app.expect("willResignActive background", "didEnterBackground background")
    app.wait_state("suspended")
    app.drive("quit")
    app.wait()


@needs_curfew
def test_real_children(real):
    """A subprocess without CURFEW_FD, a forked child and the parent: each has its own tasks; the dead have none."""
    app = real.start("""
        with app.background_task("parent") as task:
            child = "import curfew; print(curfew.app().begin_background_task('subprocess'), flush=True)"
            say("subprocess", subprocess.check_output([sys.executable, "-c", child]).decode().strip())
            if os.fork() == 0:
                say("forked", app.begin_background_task("forked"))
                os._exit(0)
            os.wait()
        say("ended")
        signal.pause()
        """)
    app.expect("subprocess 2", "forked 3", "ended")
    wait_until("the dead ones' tasks to be released", lambda: "subprocess" not in json.dumps(app.status()["tasks"]))
    wait_until("no task to be open", lambda: not app.status()["tasks"])
    app.drive("home")
    app.wait_state("suspended")


@needs_curfew
def test_real_outsider_has_no_curfew(real):
    """The variables alone make nobody a part of the app."""
    app = real.start("say(os.environ['CURFEW_SOCKET']); signal.pause()")
    path = app.line()
    assert not curfew.Application({"CURFEW_SOCKET": path}).is_multitasking_supported
    assert app.process.poll() is None


@needs_curfew
def test_real_requests_across_suspensions(real):
    """A request under way when the app is stopped is answered when it runs again; none is lost or given up."""
    app = real.start("""
        count = 0
        while True:
            before = time.monotonic()
            number = app.begin_background_task("x")
            app.end_background_task(number)
            assert app.is_multitasking_supported
            count += 1
            if count % 50 == 0:
                say("tick", number > 0)
        """)
    app.expect("tick True")
    for _ in range(10):
        app.drive("home")
        app.drive("open")
        app.line()
        app.line()
    assert all(line.startswith("tick") for line in app.lines)
    assert app.status()["state"] == "active"


@needs_curfew
def test_real_supervisors_end(real):
    """Resumed by the keeper, the app goes on without Curfew."""
    app = real.start("""
        task = app.begin_background_task("x")
        say("up")
        while app.is_multitasking_supported:
            time.sleep(0.01)  # a moment
        app.end_background_task(task)
        say(app.state, app.background_time_remaining, app.begin_background_task("y"))
        """, "--on-supervisor-exit=resume")
    app.expect("up")
    os.kill(app.status()["supervisor"], signal.SIGKILL)
    app.expect("active inf 0")
    app.wait()
    for left in pathlib.Path(real.runtime, "curfew").glob("*"):
        left.unlink()


@needs_curfew
def test_real_waking_event(real):
    """A suspended app runs for it, until the deferral is done, and is suspended again."""
    app = real.start("""
        @app.on("fetch")
        def fetch(event):
            deferral = event.defer()
            say(event.kind, event.needs_acknowledgement, sorted(event.info.items()), app.state)
            threading.Thread(target=lambda: (say("fetched"), deferral())).start()
        app.on("didFinishLaunching")(lambda event: say("launched", event.launched))
        app.start()
        signal.pause()
        """, "--aware")
    app.expect("launched foreground")
    app.drive("home")
    app.wait_state("suspended")
    for _ in range(3):
        app.drive("wake", "fetch", "from=a friend", "urgent=yes")
        app.expect("wake True [('from', 'a friend'), ('urgent', 'yes')] background", "fetched")
        app.wait_state("suspended")


@needs_curfew
def test_real_posted_changes(real):
    """Told at once in the foreground; of those posted to a suspended app the latest, when it runs again."""
    app = real.start("""
        @app.on()
        def tell(event):
            say(event.kind, event.name, event.info.get("online"))
        app.run()
        """, "--aware")
    app.expect("lifecycle didFinishLaunching None", "lifecycle didBecomeActive None")
    app.drive("post", "networkDidChange", "online=true")
    app.expect("change networkDidChange true")
    app.drive("home")
    app.expect("lifecycle willResignActive None", "lifecycle didEnterBackground None")
    app.wait_state("suspended")
    for online in ("false", "true", "maybe"):
        app.drive("post", "networkDidChange", f"online={online}")
    app.drive("open")
    app.expect("lifecycle willEnterForeground None", "change networkDidChange maybe", "lifecycle didBecomeActive None")


@needs_curfew
def test_real_restoring(real, tmp_path):
    """What one run has saved when it was sent home, the next finds."""
    saver = """
        import pathlib
        book = pathlib.Path(app.state_directory) / "book"
        @app.on("didFinishLaunching")
        def launch(event):
            say(event.is_restored, event.ended_because, book.read_text() if event.is_restored else "new")
        app.on("didEnterBackground")(lambda event: book.write_text("page 7"))
        app.run()
        """
    first = real.start(saver, "--aware", "--state-dir", tmp_path / "state")
    first.expect("False None new")
    first.drive("home")
    first.wait_state("suspended")
    first.drive("reclaim")
    first.wait()
    second = real.start(saver, "--aware", "--state-dir", tmp_path / "state", "--launch-option", "restored=true",
                        "--launch-option", "ended=memory-pressure")
    second.expect("True memory-pressure page 7")


@needs_curfew
def test_real_memory_warning(real):
    """With its level, in front and on the budget."""
    app = real.start("""
        @app.on("didReceiveMemoryWarning")
        def drop_caches(event):
            say(event.level, event.needs_acknowledgement, app.state)
        app.start()
        with app.background_task("work"):
            say("up")
            signal.pause()
        """)
    app.expect("up")
    app.drive("warn")
    app.expect("warning False active")
    app.drive("home")
    app.drive("warn", "critical")
    app.expect("critical False background")


@needs_curfew
def test_real_interruption(real):
    """Inactive for a while, and running on."""
    app = real.start(ANNOUNCER, "--aware")
    app.expect("didFinishLaunching active", "didBecomeActive active")
    app.drive("interrupt")
    app.expect("willResignActive inactive")
    app.drive("dismiss")
    app.expect("didBecomeActive active")


@needs_curfew
def test_real_launch_in_background(real):
    """The launch says so, and there is no didBecomeActive."""
    app = real.start("""
        @app.on()
        def tell(event):
            say(event.name, event.launched)
        app.run()
        """, "--aware", "--background")
    app.expect("didFinishLaunching background", "didEnterBackground None")
    app.wait_state("suspended")
