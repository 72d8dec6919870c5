"""What apps of a server have scheduled: local notifications, by the socket and by `curfew notify` and `curfew schedule`."""

import datetime
import fcntl
import json
import os
import pathlib
import signal
import sqlite3
import time

import pytest

from conftest import LIMIT, fields_of, wait_for
from programs.helpers import fill_disk, small_disk
from programs.machine import Machine

SLEEP = ("sleep", "1000")
# Tells its events on standard output, a line each, and acknowledges.
AWARE = r"""
import os, socket, sys
channel = socket.socket(fileno=int(os.environ["CURFEW_FD"]))
channel.sendall(b"hello\n")
for request in sys.argv[1:]:
    channel.sendall(request.encode() + b"\n")
for line in channel.makefile():
    print(line.strip(), flush=True)
    for word in line.split():
        if word.startswith("seq="):
            channel.sendall(f"ack {word}\n".encode())
    if "willTerminate" in line:
        break
"""
# Stands in for libnotify's: writes down what it was given, and waits for a word where it has a button.
NOTIFY_SEND = r"""#!/bin/sh
[ -e "$FAKE_DESKTOP/broken" ] && exit 1
printf '%s\0' "$@" > "$FAKE_DESKTOP/$$.new"
mv "$FAKE_DESKTOP/$$.new" "$FAKE_DESKTOP/$$.shown"
# Stays as long as the test holds this.
[ -e "$FAKE_DESKTOP/held" ] && flock -s "$FAKE_DESKTOP/held" true
case $1$2 in *--action=*)
    read -r word < "$FAKE_DESKTOP/answers"
    [ "$word" = closed ] || echo "$word";;
esac
"""


class Desktop:
    """A place where notifications are shown, and pressed."""

    def __init__(self, sandbox):
        self.folder = pathlib.Path(sandbox.scratch) / "desktop"
        programs = self.folder / "bin"
        programs.mkdir(parents=True)
        os.mkfifo(self.folder / "answers")
        self.program = programs / "notify-send"
        self.program.write_text(NOTIFY_SEND)
        self.program.chmod(0o755)
        self.environment = dict(
            sandbox.environment, FAKE_DESKTOP=str(self.folder), PATH=f"{programs}:{sandbox.environment['PATH']}")

    @property
    def shown(self):
        """The words of each that was shown, in no order."""
        return [path.read_text().split("\0")[:-1] for path in self.folder.glob("*.shown")]

    def wait_shown(self, text):
        """Its words, once there is one with that body or title."""
        def find():
            return next((words for words in self.shown if text in words), None)

        return wait_for(f"{text!r} to be shown; shown: {self.shown}", find)

    def answer(self, word):
        with open(self.folder / "answers", "w") as answers:
            answers.write(word + "\n")


@pytest.fixture
def desktop(sandbox):
    return Desktop(sandbox)


@pytest.fixture
def server(sandbox, desktop):
    server = sandbox.serve(env=dict(desktop.environment, TZ="Europe/Berlin"))
    server.launch("mail", *SLEEP)
    return server


def scheduled(server, app=None):
    lines, final = server.ask("schedule" + (f" app={app}" if app else ""))
    assert final.startswith("ok"), final
    return [fields_of(line) for line in lines]


def is_due_after(seconds, thing, began):
    """So long after something that has happened since, to the second."""
    assert began + seconds - 1 <= float(thing["due"]) <= time.time() + seconds + 1, thing


def rows(server):
    """What is kept of notifications: (app, id, passed), in order."""
    path = server.sandbox.state / "curfew" / "server.sqlite"
    with sqlite3.connect(path) as database:
        return list(database.execute("SELECT app, id, passed FROM notification ORDER BY app, id"))


# ---- what is kept ------------------------------------------------------------------------------------------------


def test_a_notification_is_kept_listed_and_cancelled(server):
    answer = server.expect('notify app=mail notification=tea in=3600 title=Tea body="It is ready" badge=2', notification="tea")
    assert abs(float(answer["due"]) - time.time() - 3600) < LIMIT
    assert rows(server) == [("mail", "tea", 0)]
    thing, = scheduled(server)
    assert thing["due"] == answer["due"] and (thing["app"], thing["kind"], thing["notification"]) == (
        "mail", "notification", "tea")
    assert (thing["waits"], thing["title"], thing["badge"]) == ("too-early", "Tea", "2")
    assert server.status("mail")["notifications"] == "1"
    assert server.expect("cancel app=mail notification=coffee")["ignored"] == "unknown-notification"
    assert "ignored" not in server.expect("cancel app=mail notification=tea")
    assert scheduled(server) == [] and rows(server) == []
    server.refused("cancel app=mail", "invalid")


def test_ids_are_given_out_and_replaced(server):
    first = server.expect("notify app=mail in=100 title=a")["notification"]
    second = server.expect("notify app=mail in=200 title=b")["notification"]
    assert first != second
    server.expect(f"notify app=mail notification={first} in=300 title=c")
    assert [thing["title"] for thing in scheduled(server)] == ["b", "c"]
    server.expect("cancel app=mail all=1")
    assert scheduled(server) == []


def test_the_soonest_64_are_kept(server):
    for number in range(64):
        server.expect(f"notify app=mail notification=a{number} in={1000 + number} title=x")
    assert server.expect("notify app=mail notification=late in=5000 title=x")["dropped"] == "late"
    assert server.expect("notify app=mail notification=soon in=500 title=x")["dropped"] == "a63"
    assert len(scheduled(server, "mail")) == 64
    wait_for("what was pushed out to be gone from the database", lambda: len(rows(server)) == 64)
    assert not {"late", "a63"} & {id for _, id, _ in rows(server)}


@pytest.mark.parametrize("request_, words", [
    ("in=10", "title="), ("in=x title=a", "in=x"), ("at=later title=a", "at=later"), ("at=08:00 in=3 title=a", "exclude"),
    ("at=08:00 zone=Europe/Atlantis title=a", "Europe/Atlantis"), ("in=3 repeat=59 title=a", "repeat=59"),
    ("in=3 repeat=hourly title=a", "repeat=hourly"), ("badge=-1", "badge=-1"), ("badge=x", "badge=x"),
    ('notification="a b" title=a', "id"), ("title=a info.notification.id=3", "pairs"), ('title="a\\x00b"', "NUL"),
    ('title=a action=""', "action"), ("at=2026-02-30T08:00 title=a", "2026-02-30"),
    (f"title={'x' * 3000}", "too long")])
def test_what_isnt_one_is_refused(server, request_, words):
    assert words in server.refused(f"notify app=mail {request_}", "invalid")
    assert scheduled(server) == []


def test_nobodys_notification(server):
    assert "nothing is known" in server.refused("notify app=nobody title=a", "no-app")
    assert "app=NAME" in server.refused("notify title=a", "no-app")
    assert "nothing is known" in server.refused("schedule app=nobody", "no-app")


def test_an_app_with_only_a_manifest_has_notifications(sandbox, desktop):
    folder = pathlib.Path(sandbox.scratch) / "config" / "curfew" / "apps"
    folder.mkdir(parents=True, mode=0o700)
    (folder / "news.toml").write_text('command = ["sleep", "1000"]\n')
    server = sandbox.serve(env=dict(desktop.environment, XDG_CONFIG_HOME=str(folder.parents[1])))
    server.expect("notify app=news title=Headlines")
    assert desktop.wait_shown("Headlines")[0] == "--app-name=news"


# ---- whose clocks ------------------------------------------------------------------------------------------------


def due(server, words):
    answer = server.expect(f"notify app=mail notification=z title=a {words}")
    return datetime.datetime.fromtimestamp(float(answer["due"]), datetime.timezone.utc).strftime("%F %T")


@pytest.mark.parametrize("words, moment", [
    ("at=2096-07-01T08:00:00Z", "2096-07-01 08:00:00"),
    ('at="2096-07-01 08:00" zone=local', "2096-07-01 06:00:00"),
    ('at="2096-01-01 08:00" zone=local', "2096-01-01 07:00:00"),
    ('at="2096-07-01 08:00"', "2096-07-01 06:00:00"),
    ('at="2096-07-01 08:00" zone=America/New_York', "2096-07-01 12:00:00"),
    ("at=2096-07-01T08:00+09:00", "2096-06-30 23:00:00"),
    ("at=2096-07-01T08:00-03:30", "2096-07-01 11:30:00"),
    # Clocks are put forward at 01:00 UTC on 25 March, and back on 28 October.
    ('at="2096-03-25 02:30" zone=Europe/Berlin', "2096-03-25 01:00:00"),
    ('at="2096-10-28 02:30" zone=Europe/Berlin', "2096-10-28 00:30:00"),
    ("at=@4000000000", "2096-10-02 07:06:40")])
def test_zones_of_the_systems_database(server, words, moment):
    assert due(server, words) == moment


# Clocks in a place of its own, which somebody takes elsewhere.
PLACE = r"""
cp -a /etc "$0/etc" && mount --bind "$0/etc" /etc || exit 77
unset TZ
exec "$@"
"""


def test_the_machine_goes_to_another_zone(sandbox, desktop):
    if os.geteuid() != 0:
        pytest.skip("mounts of its own need root")
    folder = sandbox.scratch / "place"
    folder.mkdir()
    server = sandbox.serve(
        env=desktop.environment, wrapper=["unshare", "--mount", "--propagation", "private", "sh", "-c", PLACE, folder])
    server.launch("mail", *SLEEP)
    server.expect('notify app=mail at="2096-07-01 08:00" zone=local title=Here')
    server.expect('notify app=mail at="2096-07-01 08:00" zone=Europe/Berlin title=There')
    zone = folder / "etc" / "localtime"
    for name, offset, moment in [("America/New_York", "-04:00", "12:00"), ("Asia/Tokyo", "+09:00", "23:00")]:
        link = folder / "link"
        link.symlink_to(f"/usr/share/zoneinfo/{name}")
        link.rename(zone)
        wait_for(f"its clocks to show {name}", lambda: scheduled(server)[0]["shown"].endswith(offset))
        here, there = sorted(scheduled(server), key=lambda thing: thing["title"])
        assert here["shown"] == f"2096-07-01 08:00:00 {offset}"
        assert time.strftime("%H:%M", time.gmtime(float(here["due"]))) == moment
        assert time.strftime("%H:%M", time.gmtime(float(there["due"]))) == "06:00"


def test_a_time_of_day_is_the_next_one(server):
    moment = datetime.datetime.fromisoformat(due(server, "at=08:00 zone=Asia/Tokyo"))
    assert moment.strftime("%T") == "23:00:00"
    left = moment - datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
    assert datetime.timedelta(0) < left <= datetime.timedelta(days=1)


def test_what_repeats_comes_next(server):
    # Long begun: what was is over, and it isn't due at once.
    server.expect('notify app=mail notification=z at="2020-01-31 08:00" zone=Europe/Berlin repeat=monthly title=a')
    thing, = scheduled(server)
    assert thing["shown"].startswith(datetime.datetime.fromtimestamp(float(thing["due"])).strftime("%Y-"))
    assert thing["shown"][11:19] == "08:00:00" and thing["shown"][20:] in ("+01:00", "+02:00")
    assert (thing["zone"], thing["repeat"]) == ("Europe/Berlin", "monthly")
    assert rows(server)[0][2] > 70


# ---- delivery ----------------------------------------------------------------------------------------------------


def test_in_front_an_aware_app_is_told_and_nothing_shown(server, desktop):
    server.launch("chat", "python3", "-c", AWARE)
    server.wait_line("chat", "name=didBecomeActive")
    stream = server.stream()
    server.expect("notify app=chat notification=hi title=Ada body=Lunch? badge=1 sound=bell info.from=ada")
    server.wait_line("chat", "name=didReceiveLocalNotification")
    event = fields_of(next(line for line in server.log("chat").splitlines() if "LocalNotification" in line))
    assert {key: value for key, value in event.items() if key.startswith("info.")} == {
        "info.notification": "hi", "info.notification.title": "Ada", "info.notification.body": "Lunch?",
        "info.notification.action": "Open", "info.notification.badge": "1", "info.notification.sound": "bell",
        "info.from": "ada"}
    told = server.sandbox.wait_for_event(
        stream, "it to be told", lambda: [line for line in stream.events if "name=didNotify" in line])
    assert fields_of(told[0])["by"] == "app"
    assert server.status("chat")["badge"] == "1"
    assert desktop.shown == []
    wait_for("it to be kept no more", lambda: rows(server) == [])


def test_an_app_asks_for_itself(server):
    server.launch("chat", "python3", "-c", AWARE, "notify id=7 title=mine in=900", "notify id=8 app=mail title=other")
    server.wait_line("chat", "ok id=7 notification=")
    server.wait_line("chat", "error id=8 code=forbidden")
    assert [thing["app"] for thing in scheduled(server)] == ["chat"]


def test_behind_it_is_shown_and_its_button_opens_the_app(server, desktop):
    server.launch("chat", "python3", "-c", AWARE)
    server.wait_line("chat", "name=didBecomeActive")
    server.expect("home app=chat")
    server.wait_state("chat", "suspended")
    server.expect('notify app=chat notification=hi title=Ada body="a <b> & c\\\\d" action=Answer')
    assert desktop.wait_shown("Ada") == [
        "--app-name=chat", "--action=default=Answer", "--", "Ada", "a &lt;b&gt; &amp; c\\\\d"]
    # Nothing of it runs for that.
    assert server.app("chat")["state"] == "suspended"
    desktop.answer("default")
    server.wait_state("chat", "active")

    def last_heard():
        return [fields_of(line).get("name") for line in server.log("chat").splitlines() if line.startswith("event")][-3:]

    wait_for("it to hear of it on its way", lambda: last_heard() == [
        "willEnterForeground", "didReceiveLocalNotification", "didBecomeActive"])


def test_its_button_launches_an_app_that_has_ended(server, desktop):
    server.launch("chat", "python3", "-c", AWARE)
    server.wait_line("chat", "name=didBecomeActive")
    server.expect("quit app=chat")
    server.wait_state("chat", "notRunning")
    server.expect("notify app=chat notification=hi title=Ada info.from=ada")
    desktop.wait_shown("Ada")
    desktop.answer("default")
    server.wait_state("chat", "active")
    server.wait_line("chat", "info.notification=hi")
    launch = [line for line in server.log("chat").splitlines() if "name=didFinishLaunching" in line][-1]
    assert fields_of(launch)["info.from"] == "ada" and fields_of(launch)["launched"] == "foreground"


def test_closed_it_opens_nothing(server, desktop):
    stream = server.stream()
    server.expect("quit app=mail")
    server.wait_state("mail", "notRunning")
    server.expect("notify app=mail title=Ada")
    desktop.wait_shown("Ada")
    desktop.answer("closed")
    # Of two the second is answered later.
    server.expect("notify app=mail title=Bob action=none")
    assert desktop.wait_shown("Bob") == ["--app-name=mail", "--", "Bob"]
    assert server.app("mail")["state"] == "notRunning", stream.text()


def test_a_plain_app_in_front_hears_nothing_so_it_is_shown(server, desktop):
    server.expect("notify app=mail title=Ada action=none")
    desktop.wait_shown("Ada")


def test_a_badge_alone_shows_nothing(server, desktop):
    stream = server.stream()
    server.expect("notify app=mail badge=5")
    server.sandbox.wait_for_event(
        stream, "the badge", lambda: any("by=badge" in line for line in stream.events))
    assert server.status("mail")["badge"] == "5" and desktop.shown == []
    server.expect("notify app=mail badge=0")
    server.sandbox.wait_for_event(stream, "no badge", lambda: "badge" not in server.status("mail"))


def test_an_id_is_no_option_and_text_neither(server, desktop):
    server.expect('notify app=mail title=--help body="--version" action=none')
    assert desktop.wait_shown("--help") == ["--app-name=mail", "--", "--help", "--version"]


def test_what_repeats_goes_on(server, desktop):
    asked = time.time()
    server.expect("notify app=mail notification=again title=Again repeat=60 action=none")
    desktop.wait_shown("Again")
    wait_for("the next one to be kept", lambda: rows(server) == [("mail", "again", 1)])
    thing, = scheduled(server)
    is_due_after(60, thing, asked)


# ---- who can't show it -------------------------------------------------------------------------------------------


def test_without_notify_send_it_is_told_in_the_log_and_to_followers(server, desktop):
    desktop.program.unlink()
    desktop.program.symlink_to("/nonexistent")
    stream = server.stream()
    server.expect('notify app=mail title=Ada body="Lunch\\nnow"')
    wait_for("it to be told", lambda: "notification from mail: Ada: Lunch\\nnow\n" in server.errors())
    server.expect("notify app=mail title=Bob")
    wait_for("it to be told", lambda: "notification from mail: Bob\n" in server.errors())
    assert server.errors().count("can't be shown on the desktop") == 1
    assert sum("name=didNotify" in line for line in stream.events) <= 2
    server.sandbox.wait_for_event(
        stream, "both events", lambda: sum("name=didNotify" in line for line in stream.events) == 2)


def test_one_that_fails_is_tried_without_a_button_and_told(server, desktop):
    (desktop.folder / "broken").touch()
    server.expect("notify app=mail title=Ada")
    wait_for("it to be told", lambda: "notification from mail: Ada\n" in server.errors())
    assert "exit status 1" in server.errors()


def test_many_at_once_are_summed_up(server, desktop):
    stream = server.stream()
    with open(desktop.folder / "held", "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for number in range(20):
            server.expect(f"notify app=mail title=T{number} action=none")
        server.sandbox.wait_for_event(
            stream, "all to be due", lambda: sum("name=didNotify" in line for line in stream.events) == 20)
        wait_for("16 to be shown", lambda: len(desktop.shown) == 16)
    assert desktop.wait_shown("4 more notifications") == [
        "--app-name=curfew", "--", "4 more notifications", "mail: 4"]
    assert len(desktop.shown) == 17
    # From then on each is shown again.
    server.expect("notify app=mail title=Last action=none")
    desktop.wait_shown("Last")


def test_what_sums_up_others_and_cant_be_shown_is_told(server, desktop):
    with open(desktop.folder / "held", "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for number in range(20):
            server.expect(f"notify app=mail title=T{number} action=none")
        wait_for("16 to be shown", lambda: len(desktop.shown) == 16)
        (desktop.folder / "broken").touch()
    wait_for("it to be told", lambda: "4 more notifications: mail: 4\n" in server.errors())


def test_over_16_that_wait_are_shown_without_a_button(server, desktop):
    for number in range(17):
        server.expect(f"notify app=mail title=T{number}")
    wait_for("all to be shown", lambda: len(desktop.shown) == 17)
    assert sum("--action=default=Open" in words for words in desktop.shown) == 16


# ---- what lasts --------------------------------------------------------------------------------------------------


def restarted(server, desktop, how=signal.SIGTERM):
    os.kill(int(server.expect("server")["supervisor" if how == signal.SIGKILL else "pid"]), how)
    server.process.wait(LIMIT)
    return server.sandbox.serve(env=dict(desktop.environment, TZ="Europe/Berlin"))


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=["ended", "killed"])
def test_it_outlives_its_server(server, desktop, how):
    server.expect('notify app=mail notification=one at=2096-07-01T08:00:00Z title=Ada info.a="b c"')
    server.expect('notify app=mail notification=two at="2096-07-01 08:00" zone=local repeat=yearly body=Bob badge=3')
    before = scheduled(server)
    server = restarted(server, desktop, how)
    assert scheduled(server) == before


def test_what_fell_due_meanwhile_is_delivered_once(server, desktop):
    server.expect("notify app=mail notification=once in=1000 title=Once action=none badge=4")
    server.expect("notify app=mail notification=series in=1000 title=Series repeat=60 action=none")
    server.expect("stop")
    server.process.wait(LIMIT)
    with sqlite3.connect(server.sandbox.state / "curfew" / "server.sqlite") as database:
        database.execute("UPDATE notification SET moment = moment - 1600 * 1000000")
    server = server.sandbox.serve(env=desktop.environment)
    for title in ("Once", "Series"):
        desktop.wait_shown(title)
    wait_for("it to be kept", lambda: [row[1] for row in rows(server)] == ["series"] and rows(server)[0][2] >= 11)
    thing, = scheduled(server)
    assert 0 < float(thing["due"]) - time.time() <= 60
    # The badge stands with what was delivered, and again after the next start.
    server = restarted(server, desktop)
    server.launch("mail", *SLEEP)
    assert server.status("mail")["badge"] == "4"
    assert len(desktop.shown) == 2, desktop.shown


def test_who_was_removed_gets_nothing_until_it_is_opened(server, desktop):
    server.expect("notify app=mail notification=later in=3 title=Later action=none")
    server.expect("remove app=mail")
    thing, = scheduled(server)
    assert thing["waits"] == "app-removed"
    server = restarted(server, desktop)
    thing, = scheduled(server)
    assert thing["waits"] == "app-removed"
    # Another's comes when that one's time is over, too.
    server.launch("other", *SLEEP)
    server.expect(f"notify app=other at=@{int(float(thing['due'])) + 1} title=After action=none")
    desktop.wait_shown("After")
    assert len(desktop.shown) == 1
    server.launch("mail", *SLEEP)
    desktop.wait_shown("Later")


# ---- background fetch ---------------------------------------------------------------------------------------------

# Answers each fetch with the result in the file it is given.
FETCHING = r"""
import os, socket, sys
channel = socket.socket(fileno=int(os.environ["CURFEW_FD"]))
channel.sendall(b"hello\n")
for request in sys.argv[2:]:
    channel.sendall(request.encode() + b"\n")
for line in channel.makefile():
    print(line.strip(), flush=True)
    for word in line.split():
        if word.startswith("seq="):
            result = open(sys.argv[1]).read().strip() if "name=fetch " in line else ""
            if result != "none":
                channel.sendall((f"completed {word} result={result}\n" if result else f"ack {word}\n").encode())
    if "willTerminate" in line:
        break
"""


@pytest.fixture
def fetching(sandbox, desktop):
    """The environment of a server that knows `news` by a manifest, which fetches every hour at most."""
    (sandbox.scratch / "result").write_text("new-data")
    folder = pathlib.Path(sandbox.scratch) / "config" / "curfew" / "apps"
    folder.mkdir(parents=True, mode=0o700)
    program = sandbox.scratch / "news.py"
    program.write_text(FETCHING)
    (folder / "news.toml").write_text(
        f'command = ["python3", "{program}", "{sandbox.scratch}/result"]\nbackground-modes = ["fetch"]\n'
        'minimum-fetch-interval = "1h"\nwake-limit = "30s"\n')
    (folder / "plain.toml").write_text('command = ["sleep", "1000"]\nbackground-modes = ["voip"]\n')
    return dict(desktop.environment, XDG_CONFIG_HOME=str(folder.parents[1]))


def fetch_of(server, app="news"):
    return next((thing for thing in scheduled(server) if thing["kind"] == "fetch" and thing["app"] == app), None)


def test_fetch_launches_an_app_and_its_result_counts(sandbox, fetching):
    server = sandbox.serve(env=fetching)
    asked = time.time()
    server.expect("fetch app=news")
    server.wait_line("news", "name=fetch ")
    launch = next(line for line in server.log("news").splitlines() if "name=didFinishLaunching" in line)
    assert (fields_of(launch)["launched"], fields_of(launch)["wake"]) == ("background", "fetch")
    server.wait_state("news", "suspended")
    first = fetch_of(server)
    is_due_after(3600, first, asked)
    assert first["repeat"] == "3600"
    (sandbox.scratch / "result").write_text("no-data")
    # Of one that runs, too; what finds nothing doubles the interval.
    server.expect("fetch app=news")
    wait_for("the interval to be longer", lambda: fetch_of(server)["repeat"] == "7200")
    assert "next-fetch" in server.status("news")
    with sqlite3.connect(sandbox.state / "curfew" / "server.sqlite") as database:
        wait_for("that to be kept", lambda: list(database.execute("SELECT app, interval, fruitless FROM fetch")) == [
            ("news", None, 1)])


def test_a_fetch_that_isnt_answered_is_the_end(sandbox, fetching):
    (sandbox.scratch / "result").write_text("none")
    manifest = pathlib.Path(fetching["XDG_CONFIG_HOME"]) / "curfew" / "apps" / "news.toml"
    # Aware, for its limit begins when it hears of the event, however long python takes.
    manifest.write_text(manifest.read_text().replace('"30s"', '"300ms"\naware = true'))
    server = sandbox.serve(env=fetching)
    server.expect("fetch app=news")
    sandbox.wait_for_event(
        server.stream(), "it to be killed", lambda: (server.app("news") or {}).get("ended") == "background-fetch-timeout")
    # The next one goes on.
    manifest.write_text(manifest.read_text().replace('"300ms"\naware = true', '"30s"'))
    server.expect("reload")
    (sandbox.scratch / "result").write_text("new-data")
    server.expect("fetch app=news")
    server.wait_state("news", "suspended")


def holding(path):
    """What a program waits at that reads it, until the test writes there."""
    os.mkfifo(path)
    return path


def test_who_never_answers_is_killed_and_anothers_fetch_goes_on(sandbox, fetching):
    """The one hangs from its launch on, as long as the test likes; its limit begins when it hears of the event."""
    folder = pathlib.Path(fetching["XDG_CONFIG_HOME"]) / "curfew" / "apps"
    hello, answer = holding(sandbox.scratch / "hello"), holding(sandbox.scratch / "answer")
    (sandbox.scratch / "never").write_text("none")
    program = sandbox.scratch / "news.py"
    (folder / "mute.toml").write_text(
        f'command = ["sh", "-c", "read -r word < {hello}; exec python3 {program} {sandbox.scratch}/never"]\n'
        'background-modes = ["fetch"]\naware = true\nlaunch-limit = "10min"\nwake-limit = "300ms"\n')
    (folder / "other.toml").write_text(
        f'command = ["python3", "{program}", "{answer}"]\nbackground-modes = ["fetch"]\nminimum-fetch-interval = "1h"\n'
        'aware = true\nlaunch-limit = "10min"\nwake-limit = "10min"\n')
    server = sandbox.serve(env=fetching)
    server.expect("fetch app=mute", state="background")
    # Asked for and answered while that one hangs.
    server.expect("fetch app=other")
    server.wait_line("other", "name=fetch ")
    answer.write_text("no-data")
    server.wait_state("other", "suspended")
    assert fetch_of(server, "other")["repeat"] == "7200"
    assert server.app("mute")["state"] == "background"
    # Asked for while it hangs, and under way when it is killed.
    server.expect("fetch app=other")
    wait_for("it to fetch again", lambda: server.log("other").count("name=fetch ") == 2)
    hello.write_text("\n")
    server.wait_state("mute", "notRunning")
    assert server.app("mute")["ended"] == "background-fetch-timeout"
    report, = (json.loads(path.read_text()) for path in sandbox.reports.glob("*.json"))
    assert (report["app"], report["code"], report["limit"]["event"]) == ("mute", "0x2182bad4", "fetch")
    assert server.app("other")["state"] == "background"
    answer.write_text("new-data")
    server.wait_state("other", "suspended")
    assert fetch_of(server, "other")["repeat"] == "3600"


def test_fetch_needs_neither_keep_alive_nor_another_mode(sandbox, fetching):
    folder = pathlib.Path(fetching["XDG_CONFIG_HOME"]) / "curfew" / "apps"
    (folder / "bare.toml").write_text(
        f'command = ["python3", "{sandbox.scratch}/news.py", "{sandbox.scratch}/result"]\nbackground-modes = ["fetch"]\n')
    server = sandbox.serve(env=fetching)
    server.expect("fetch app=bare")
    server.wait_line("bare", "name=fetch ")
    server.wait_state("bare", "suspended")
    # It never asked to be woken, so no other comes by itself.
    assert "keep-alive" not in server.status("bare") and fetch_of(server, "bare") is None


def test_fetch_needs_its_mode(sandbox, fetching):
    server = sandbox.serve(env=fetching)
    server.refused("fetch app=plain", "no-background-mode")
    server.expect("quit app=plain")
    server.wait_state("plain", "notRunning")
    assert "fetch" in server.refused("fetch app=plain", "no-background-mode")
    server.expect("launch app=plain")
    server.refused("fetch app=plain", "no-background-mode")
    server.refused("fetch-interval app=plain seconds=minimum", "no-background-mode")
    server.refused("fetch app=nobody", "no-app")


def test_an_app_asks_how_often_it_fetches_and_that_is_kept(sandbox, fetching):
    server = sandbox.serve(env=fetching)
    program = sandbox.scratch / "news.py"
    server.launch("own", "python3", program, sandbox.scratch / "result", "fetch-interval id=7 seconds=7200")
    server.wait_line("own", "ok id=7 due=")
    assert fetch_of(server, "own")["repeat"] == "7200"
    server.expect("fetch-interval app=news seconds=never")
    assert fetch_of(server) is None
    server.refused("fetch-interval app=news seconds=soon", "invalid")
    os.kill(int(server.expect("server")["supervisor"]), signal.SIGKILL)
    server.process.wait(LIMIT)
    server = sandbox.serve(env=fetching)
    assert fetch_of(server) is None and fetch_of(server, "own")["repeat"] == "7200"
    server.expect("fetch-interval app=news seconds=minimum")
    assert fetch_of(server)["repeat"] == "900"


def test_completed_has_to_say_what(sandbox, fetching):
    server = sandbox.serve(env=fetching)
    server.launch("own", "python3", sandbox.scratch / "news.py", sandbox.scratch / "result",
                  "completed id=1", "completed id=2 seq=1", "completed id=3 seq=1 result=good", "completed id=4 seq=99 result=failed")
    server.wait_line("own", "ok id=4")
    log = server.log("own")
    assert [f"error id={number} code=invalid" in log for number in (1, 2, 3)] == [True] * 3


@pytest.mark.parametrize("stall", [0, 99], ids=["quiet", "busy"])
def test_a_fetch_comes_by_itself_unless_the_machine_is_short(sandbox, fetching, stall):
    machine = Machine(sandbox)
    machine.is_like(stall=stall, busy=0)
    began = time.time()
    server = sandbox.serve(env=fetching, wrapper=machine.wrapper)
    if stall:
        wait_for("it to be put off", lambda: (fetch_of(server) or {}).get("waits") == "short-of-cpu")
        assert server.app("news") is None
        is_due_after(300, fetch_of(server), began)
    else:
        server.wait_line("news", "name=fetch ")
        server.wait_state("news", "suspended")
        is_due_after(3600, fetch_of(server), began)


def test_its_openings_are_kept(sandbox, fetching):
    server = sandbox.serve(env=fetching)
    server.expect("open app=news")
    server.launch("other", *SLEEP)
    server.expect("open app=news")
    with sqlite3.connect(sandbox.state / "curfew" / "server.sqlite") as database:
        wait_for("both to be kept", lambda: list(database.execute(
            "SELECT app, count(*) FROM opening GROUP BY app")) == [("news", 2)])


def test_fetch_by_the_command_line(sandbox, fetching):
    server = sandbox.serve(env=fetching)
    done = sandbox.curfew("fetch", "news", "--json")
    assert (done.returncode, done.stderr) == (0, "") and "state" in json.loads(done.stdout)
    server.wait_state("news", "suspended")
    line = next(line for line in sandbox.curfew("schedule").stdout.splitlines() if " fetch " in line)
    assert line.split()[0] == "news" and line.endswith("  1 h")
    thing, = json.loads(sandbox.curfew("schedule", "news", "--json").stdout)
    assert thing["kind"] == "fetch" and "id" not in thing
    assert "  fetches       next at " in sandbox.curfew("status", "news").stdout
    assert sandbox.curfew("fetch", "nobody").returncode == 69


# ---- remote notifications ----------------------------------------------------------------------------------------


def payload(app="chat", **aps):
    return json.dumps({"aps": aps, "from": "ada"}, separators=(",", ":"))


def push(server, text, app="chat", more=""):
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return server.ask(f'push app={app} {more} payload="{quoted}"')[1]


@pytest.fixture
def pushed(sandbox, desktop):
    """The environment of a server that knows `chat`, which may be woken for what is pushed, and `mute`, which mayn't."""
    folder = pathlib.Path(sandbox.scratch) / "config" / "curfew" / "apps"
    folder.mkdir(parents=True, mode=0o700)
    program = sandbox.scratch / "chat.py"
    program.write_text(AWARE)
    (folder / "chat.toml").write_text(
        f'command = ["python3", "{program}"]\nbackground-modes = ["remote-notification"]\n')
    (folder / "mute.toml").write_text(f'command = ["python3", "{program}"]\nbackground-modes = ["fetch"]\n')
    return dict(desktop.environment, XDG_CONFIG_HOME=str(folder.parents[1]))


def heard(server, name, app="chat"):
    return [fields_of(line) for line in server.log(app).splitlines() if f" name={name} " in line]


def test_an_alert_is_told_in_front_and_its_payload_is_kept(sandbox, pushed, desktop):
    server = sandbox.serve(env=pushed)
    server.expect("open app=chat")
    server.wait_line("chat", "name=didBecomeActive")
    text = payload(alert={"title": "Ada", "body": "Lunch? \"\\\u00e9" + "x" * 3900}, badge=2)
    (server.folder / "77.order").write_text(text)
    (server.folder / "77.order").chmod(0o600)
    assert len(text.encode()) <= 4096
    answer = server.expect("push app=chat order=77.order")
    server.wait_line("chat", "name=didReceiveRemoteNotification")
    event, = heard(server, "didReceiveRemoteNotification")
    assert (event["info.push"], event["info.bytes"]) == (answer["push"], str(len(text.encode())))
    parts, final = server.ask(f"payload app=chat push={answer['push']}")
    assert "".join(fields_of(line)["text"] for line in parts) == text
    assert fields_of(final)["bytes"] == event["info.bytes"]
    assert server.status("chat")["badge"] == "2" and desktop.shown == []


def test_behind_an_alert_is_shown_and_its_button_opens_the_app(sandbox, pushed, desktop):
    server = sandbox.serve(env=pushed)
    assert push(server, payload(alert="Lunch?")).startswith("ok")
    assert desktop.wait_shown("Lunch?") == ["--app-name=chat", "--action=default=Open", "--", "chat", "Lunch?"]
    assert server.app("chat") is None
    desktop.answer("default")
    server.wait_state("chat", "active")
    server.wait_line("chat", "name=didBecomeActive")
    launch, = heard(server, "didFinishLaunching")
    assert launch["info.push"] == "1"


def test_content_available_launches_and_wakes(sandbox, pushed, desktop):
    server = sandbox.serve(env=pushed)
    push(server, payload(**{"content-available": 1}))
    server.wait_line("chat", "name=remote-notification")
    launch, = heard(server, "didFinishLaunching")
    assert (launch["launched"], launch["wake"]) == ("background", "remote-notification")
    server.wait_state("chat", "suspended")
    push(server, payload(alert="Lunch?", **{"content-available": 1}))
    desktop.wait_shown("Lunch?")
    wait_for("both to be heard", lambda: [event["info.push"] for event in heard(server, "remote-notification")] == ["1", "2"])
    assert heard(server, "remote-notification")[1]["ack"] == "required"


def test_of_silent_ones_three_an_hour_come_and_the_latest_of_the_others_later(sandbox, pushed, desktop):
    server = sandbox.serve(env=pushed)
    began = time.time()
    for number in range(6):
        assert push(server, payload(number=number, **{"content-available": 1})).startswith("ok")
    wait_for("three to be heard", lambda: len(heard(server, "remote-notification")) == 3)
    thing, = scheduled(server)
    assert (thing["kind"], thing["push"], thing["waits"]) == ("push", "6", "too-early")
    is_due_after(3600, thing, began)
    # That outlives the server; an hour later it comes.
    server.expect("stop")
    server.process.wait(LIMIT)
    with sqlite3.connect(server.sandbox.state / "curfew" / "server.sqlite") as database:
        assert [row[0] for row in database.execute("SELECT delivered = 0 FROM push ORDER BY number")] == [0, 0, 0, 1, 1, None]
        database.execute("UPDATE push SET delivered = delivered - 3600 * 1000000 WHERE delivered > 0")
    server = sandbox.serve(env=pushed)
    wait_for("it to be heard", lambda: [event["info.push"] for event in heard(server, "remote-notification")][3:] == ["6"])
    assert scheduled(server) == []


def test_a_full_disk(sandbox, pushed, desktop):
    """All is answered and done, and it is said that it is held in memory; with room again it is written, and outlives a kill."""
    with small_disk(sandbox.state, 2 << 20):
        server = sandbox.serve(env=pushed)
        for number in range(3):
            push(server, payload(number=number, **{"content-available": 1}))
        wait_for("three to be heard", lambda: len(heard(server, "remote-notification")) == 3)
        server.expect("notify app=chat notification=gone at=@4000000000 title=Gone")
        server.expect("notify app=chat notification=kept at=@4000000000 title=Kept")
        fill_disk(sandbox.state / "filler")
        wait_for("it to be noticed", lambda: server.expect("notify app=chat notification=kept at=@4000000001 title=Kept")
                 and server.expect("server")["store"] == "full")
        assert "kept in memory alone" in server.errors()
        server.expect("cancel app=chat notification=gone")
        server.expect("notify app=chat notification=now title=Now badge=2", notification="now")
        assert server.ask("submit app=mute kind=refresh request=inbox earliest=@4000000002")[1] == "ok id=1 request=inbox"
        server.expect("fetch-interval app=mute seconds=never")
        assert push(server, payload(number=3, **{"content-available": 1})) == "ok id=1 push=4"
        assert push(server, payload(alert="Lunch?"), more="apns-id=7f3a") == "ok id=1 push=5"
        for text in ("Now", "Lunch?"):
            desktop.wait_shown(text)
        waits = [("4", None, None), (None, "kept", None), (None, None, "inbox")]

        def is_there(server):
            assert [tuple(map(thing.get, ("push", "notification", "request"))) for thing in scheduled(server)] == waits
            assert scheduled(server, "chat")[1]["due"] == "4000000001.000"
            parts, _ = server.ask("payload app=chat push=5")
            assert "".join(fields_of(part)["text"] for part in parts) == payload(alert="Lunch?")
            assert "ignored=known-apns-id" in push(server, payload(alert="Lunch?"), more="apns-id=7f3a")

        is_there(server)
        assert server.status("chat")["badge"] == "2"
        assert server.expect("server")["store"] == "full"
        (sandbox.state / "filler").unlink()
        wait_for("it to be written", lambda: server.expect("server")["store"] == "ok")
        assert "written again" in server.errors()
        os.kill(int(server.expect("server")["supervisor"]), signal.SIGKILL)
        server.process.wait(LIMIT)
        server = sandbox.serve(env=pushed)
        is_there(server)
        server.expect("open app=chat")
        assert server.status("chat")["badge"] == "2"
        assert len(desktop.shown) == 2
        server.expect("stop")
        server.process.wait(LIMIT)


def test_one_id_is_one_push(sandbox, pushed, desktop):
    server = sandbox.serve(env=pushed)
    assert "push=1" in push(server, payload(alert="Once"), more="apns-id=7f3a")
    assert "ignored=known-apns-id" in push(server, payload(alert="Twice"), more="apns-id=7f3a")
    desktop.wait_shown("Once")
    with sqlite3.connect(sandbox.state / "curfew" / "server.sqlite") as database:
        wait_for("its delivery to be kept", lambda: database.execute(
            "SELECT count(*) FROM push WHERE delivered IS NOT NULL").fetchone() == (1,))
    os.kill(int(server.expect("server")["supervisor"]), signal.SIGKILL)
    server.process.wait(LIMIT)
    server = sandbox.serve(env=pushed)
    assert "ignored=known-apns-id" in push(server, payload(alert="Twice"), more="apns-id=7f3a")
    assert "push=2" in push(server, payload(alert="Another"), more="apns-id=7f3b")
    desktop.wait_shown("Another")
    assert len(desktop.shown) == 2


def test_what_wasnt_delivered_is_at_the_next_start(sandbox, pushed, desktop):
    server = sandbox.serve(env=pushed)
    push(server, payload(alert="Late"))
    desktop.wait_shown("Late")
    server.expect("stop")
    server.process.wait(LIMIT)
    with sqlite3.connect(server.sandbox.state / "curfew" / "server.sqlite") as database:
        assert list(database.execute("SELECT delivered > 0 FROM push")) == [(1,)]
        database.execute("UPDATE push SET delivered = NULL")
    for path in desktop.folder.glob("*.shown"):
        path.unlink()
    sandbox.serve(env=pushed)
    desktop.wait_shown("Late")


@pytest.mark.parametrize("text, words", [
    ("", "JSON object"), ("[]", "JSON object"), ("{}", "JSON object"), ('{"aps":{}}', "none of"), ('{"aps":{"alert":3}}', "alert"),
    ('{"aps":{"badge":-1}}', "badge"), ('{"aps":{"badge":"3"}}', "badge"), ('{"aps":{"content-available":0}}', "none of")])
def test_what_is_no_payload(sandbox, pushed, text, words):
    server = sandbox.serve(env=pushed)
    answer = push(server, text)
    assert "code=invalid" in answer and words in answer


def test_a_byte_too_much(sandbox, pushed, desktop):
    server = sandbox.serve(env=pushed)
    text = payload(alert="x" * 4000)
    text = text.replace("ada", "a" * (4096 - len(text) + 3))
    assert len(text) == 4096
    for more, status in ((" ", 1), ("", 0)):
        file = sandbox.scratch / "payload.json"
        file.write_text(text + more)
        done = sandbox.curfew("push", "chat", file)
        assert done.returncode == status, done.stderr
        assert ("PayloadTooLarge" in done.stderr) == bool(more)


def test_who_gets_nothing(sandbox, pushed, desktop):
    server = sandbox.serve(env=pushed)
    assert "code=no-app" in push(server, payload(alert="x"), app="nobody")
    assert "code=no-background-mode" in push(server, payload(**{"content-available": 1}), app="mute")
    # What is shown, too, is shown.
    assert push(server, payload(alert="Shown", **{"content-available": 1}), app="mute").startswith("ok")
    desktop.wait_shown("Shown")
    assert server.app("mute") is None
    server.expect("open app=chat")
    server.expect("remove app=chat")
    assert "code=app-removed" in push(server, payload(alert="x"))
    server.refused("payload app=chat push=9", "unknown-push")
    server.refused("payload app=chat", "invalid")


def test_a_source_pushes(sandbox, pushed, desktop):
    file = sandbox.scratch / "requests"
    text = payload(alert="From afar").replace('"', '\\"')
    file.write_text(f'push app=chat apns-id=a payload="{text}"\n' * 2)
    server = sandbox.serve("--source", f"cat {file}; exec sleep 1000", env=pushed)
    desktop.wait_shown("From afar")
    server.expect("stop")
    server.process.wait(LIMIT)
    with sqlite3.connect(sandbox.state / "curfew" / "server.sqlite") as database:
        assert list(database.execute("SELECT app, apns_id FROM push")) == [("chat", "a")]


def test_push_by_the_command_line(sandbox, pushed, desktop):
    server = sandbox.serve(env=pushed)
    text = sandbox.scratch / "payload.json"
    text.write_text(payload(alert="Lunch?"))
    done = sandbox.curfew("push", "chat", "--json", "--apns-id", "a", stdin=open(text))
    assert (done.returncode, json.loads(done.stdout)) == (0, {"push": 1}), done.stderr
    done = sandbox.curfew("push", "chat", "--apns-id", "a", text)
    assert (done.returncode, "came before" in done.stderr) == (0, True)
    assert sandbox.curfew("push", "chat", "/nonexistent").returncode == 1
    assert not list(server.folder.glob("*.order"))


# ---- the command line --------------------------------------------------------------------------------------------


def test_notify_and_schedule_by_the_command_line(sandbox, server):
    shown = sandbox.curfew("notify", "mail", "--at", "2096-12-01 08:00", "--title", "Mail", "--id", "m", "Have a look")
    assert (shown.returncode, shown.stdout, shown.stderr) == (0, "m\n", "")
    shown = sandbox.curfew("notify", "mail", "--in", "1h", "--repeat", "1d", "--json", "--", "-x")
    assert shown.returncode == 0, shown.stderr
    answer = json.loads(shown.stdout)
    assert set(answer) == {"id", "due"}
    lines = sandbox.curfew("schedule", "mail").stdout.splitlines()
    assert lines[0].split() == ["APP", "KIND", "ID", "NEXT", "ZONE", "REPEAT", "WAITS", "TITLE"]
    assert lines[2] == "mail  notification  m   2096-12-01 08:00:00 +01:00  local                 Mail"
    first, second = json.loads(sandbox.curfew("schedule", "--json").stdout)
    assert (first["id"], first["repeat"], first["title"], first["waits"]) == (answer["id"], "86400", "-x", "too-early")
    assert (second["shown"], second["zone"]) == ("2096-12-01 08:00:00 +01:00", "local")
    status = sandbox.curfew("status", "mail").stdout
    assert "  notifications 2 wait, the next one until " in status
    assert json.loads(sandbox.curfew("status", "mail", "--json").stdout)["notifications"] == 2
    assert sandbox.curfew("notify", "mail", "--cancel", "m").returncode == 0
    assert "no notification of that id" in sandbox.curfew("notify", "mail", "--cancel", "m").stderr
    assert sandbox.curfew("notify", "mail", "--cancel-all").returncode == 0
    assert json.loads(sandbox.curfew("schedule", "--json").stdout) == []
    refused = sandbox.curfew("notify", "mail", "--in", "3")
    assert (refused.returncode, "it needs title=" in refused.stderr) == (1, True)


def test_notify_without_a_server_says_so(sandbox):
    assert sandbox.curfew("schedule").returncode == 69
    assert sandbox.curfew("notify", "mail", "hello").returncode == 69
    run = sandbox.start("sh", "-c", "echo up; exec sleep 1000", name="alone")
    run.expect("up")
    refused = sandbox.curfew("notify", "alone", "hello")
    assert refused.returncode == 69 and "curfew serve" in refused.stderr
