"""Refresh and processing requests: apps that a server launches for some work, once, when it suits the machine."""

import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import time

import pytest

from conftest import LIMIT, binary, fields_of, wait_for
from programs.machine import Machine
from test_schedules import is_due_after

# Tells its events on standard output, a line each. Works on a request until the file it is given says how to answer.
WORKING = r"""
import os, select, socket, sys
channel = socket.socket(fileno=int(os.environ["CURFEW_FD"]))
channel.sendall(b"hello\n")
for request in sys.argv[2:]:
    channel.sendall(request.encode() + b"\n")
rest, owed = b"", []
while True:
    if select.select([channel], [], [], 0.05)[0]:
        data = channel.recv(4096)
        if not data:
            break
        rest += data
    *lines, rest = rest.split(b"\n")
    for line in map(bytes.decode, lines):
        print(line, flush=True)
        words = [word for word in line.split() if word.startswith("seq=")]
        if "name=processing " in line or "name=refresh " in line:
            owed += words
        elif words:
            channel.sendall(f"ack {words[0]}\n".encode())
        if "willTerminate" in line:
            sys.exit()
    answer = open(sys.argv[1]).read().strip()
    while owed and answer:
        channel.sendall(f"completed {owed.pop()} {answer}\n".encode())
"""


class Photos:
    """An app that a manifest defines, with both modes, and what it answers its requests."""

    def __init__(self, sandbox):
        self.sandbox = sandbox
        self.answer_file = sandbox.scratch / "answer"
        self.folder = pathlib.Path(sandbox.scratch) / "config" / "curfew" / "apps"
        self.folder.mkdir(parents=True, mode=0o700)
        self.program = sandbox.scratch / "photos.py"
        self.program.write_text(WORKING)
        self.environment = dict(sandbox.environment, XDG_CONFIG_HOME=str(self.folder.parents[1]))
        self.answers("success=true")
        self.define()

    def define(self, name="photos", modes=("fetch", "processing"), more=""):
        (self.folder / f"{name}.toml").write_text(
            f'command = ["python3", "{self.program}", "{self.answer_file}"]\nbackground-modes = {json.dumps(modes)}\n{more}')

    def answers(self, how):
        """To what it works on, too; an empty text: not at all."""
        new = self.answer_file.with_suffix(".new")
        new.write_text(how)
        new.rename(self.answer_file)


@pytest.fixture
def photos(sandbox):
    return Photos(sandbox)


@pytest.fixture
def machine(sandbox):
    return Machine(sandbox)


def waiting(server, app="photos"):
    """Of each of its requests: its id, and what it waits for."""
    lines, final = server.ask(f"schedule app={app}")
    assert final.startswith("ok"), final
    things = [fields_of(line) for line in lines]
    return [(thing["request"], thing.get("waits")) for thing in things if thing["kind"] in ("refresh", "processing")]


def rows(server):
    with sqlite3.connect(server.sandbox.state / "curfew" / "server.sqlite") as database:
        return list(database.execute("SELECT app, id, kind, needs_network, needs_power FROM request ORDER BY app, id"))


def restarted(server, photos, how=signal.SIGTERM, **more):
    os.kill(int(server.expect("server")["supervisor"]), how)
    server.process.wait(LIMIT)
    return server.sandbox.serve(env=photos.environment, **more)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=["ended", "killed"])
def test_requests_are_kept_listed_and_cancelled(sandbox, photos, how):
    server = sandbox.serve(env=photos.environment)
    asked = time.time()
    assert server.expect("submit app=photos kind=refresh request=inbox in=3600")["request"] == "inbox"
    server.expect("submit app=photos kind=processing request=index in=3600 needs-power=1 needs-network=1")
    server = restarted(server, photos, how)
    assert waiting(server) == [("inbox", "too-early"), ("index", "too-early")]
    thing = fields_of(server.ask("schedule app=photos")[0][1])
    is_due_after(3600, thing, asked)
    assert (thing["kind"], thing["needs-power"], thing["needs-network"]) == ("processing", "1", "1")
    assert rows(server) == [("photos", "inbox", "refresh", 0, 0), ("photos", "index", "processing", 1, 1)]
    server.expect("cancel app=photos request=index")
    server.expect("cancel app=photos request=index", ignored="unknown-request")
    assert waiting(server) == [("inbox", "too-early")]
    server.expect("cancel app=photos all=requests")
    assert waiting(server) == [] and rows(server) == []
    assert server.app("photos") is None


def test_a_refresh_launches_its_app_which_answers(sandbox, photos):
    server = sandbox.serve(env=photos.environment)
    server.expect("submit app=photos kind=refresh request=inbox in=3600")
    server.expect("run-request app=photos request=inbox", state="background")
    server.wait_line("photos", "name=refresh ")
    line = next(line for line in server.log("photos").splitlines() if "name=refresh " in line)
    fields = fields_of(line)
    assert (fields["info.request"], fields["kind"], fields["seconds"]) == ("inbox", "wake", "30.000")
    server.wait_state("photos", "suspended")
    assert waiting(server) == []
    wait_for("it to be kept no more", lambda: rows(server) == [])
    server.refused("run-request app=photos request=inbox", "unknown-request")


def test_processing_is_expired_and_answers(sandbox, photos):
    photos.answers("")
    server = sandbox.serve(env=photos.environment)
    server.expect("submit app=photos kind=processing request=index in=3600")
    server.refused("expire-request app=photos request=index", "unknown-request")
    server.expect("run-request app=photos request=index", state="background")
    server.wait_line("photos", "name=processing ")
    assert waiting(server) == [("index", "runs")]
    # Its handler submits the next one.
    server.expect("submit app=photos kind=processing request=index in=7200")
    server.expect("expire-request app=photos request=index")
    server.wait_line("photos", "name=taskWillExpire ")
    log = server.log("photos").splitlines()
    work = fields_of(next(line for line in log if "name=processing " in line))
    told = fields_of(next(line for line in log if "name=taskWillExpire " in line))
    assert work["seconds"] == "600.000"
    assert (told["info.event"], told["info.seq"], told["seconds"]) == ("processing", work["seq"], "5.000")
    photos.answers("success=false")
    server.wait_state("photos", "suspended")
    assert waiting(server) == [("index", "too-early")]


def test_whoever_never_answers_is_killed_and_others_go_on(sandbox, photos):
    photos.answers("")
    # Aware, for its limit begins when it hears of the event, however long python takes.
    photos.define(more='aware = true\nprocessing-limit = "400ms"\n')
    photos.define("other")
    server = sandbox.serve(env=photos.environment)
    for app in ("photos", "other"):
        server.expect(f"submit app={app} kind=processing request=index in=3600")
        server.expect(f"run-request app={app} request=index")
    sandbox.wait_for_event(
        server.stream(), "it to be killed", lambda: (server.app("photos") or {}).get("ended") == "background-fetch-timeout")
    server.wait_line("other", "name=processing ")
    assert server.app("other")["state"] == "background"
    photos.answers("success=true")
    server.wait_state("other", "suspended")
    # It can be launched for the next one.
    photos.define()
    server.expect("reload")
    server.expect("submit app=photos kind=refresh request=inbox in=3600")
    server.expect("run-request app=photos request=inbox")
    server.wait_state("photos", "suspended")


def test_an_app_submits_for_itself_and_needs_the_mode(sandbox, photos):
    photos.define("plain", modes=["fetch"])
    server = sandbox.serve(env=photos.environment)
    server.launch("own", "python3", photos.program, photos.answer_file,
                  "submit id=7 kind=processing request=index in=3600", "run-request id=8 request=index")
    server.wait_line("own", "ok id=7 request=index")
    server.wait_line("own", "error id=8 code=forbidden")
    assert waiting(server, "own") == [("index", "too-early")]
    assert "processing" in server.refused("submit app=plain kind=processing request=index", "no-background-mode")
    server.expect("submit app=plain kind=refresh request=inbox in=3600")
    server.refused("submit app=plain kind=refresh request=another", "too-many-requests")
    server.refused("submit app=nobody kind=refresh request=inbox", "no-app")


@pytest.mark.parametrize("words, told", [
    ("request=a", "kind="), ("kind=fetch request=a", "refresh or processing"), ("kind=refresh", "request="),
    ("kind=refresh request=a/b", "letters"), ("kind=refresh request=a earliest=soon", "earliest=soon"),
    ("kind=refresh request=a in=-1", "in=-1"), ("kind=refresh request=a in=1 earliest=08:00", "exclude"),
    ("kind=refresh request=a needs-power=yes", "needs-power=yes"),
])
def test_what_isnt_one_is_refused(sandbox, photos, words, told):
    server = sandbox.serve(env=photos.environment)
    assert told in server.refused(f"submit app=photos {words}", "invalid")
    assert rows(server) == []


def test_processing_comes_by_itself_and_ends_when_others_need_the_machine(sandbox, photos, machine):
    photos.answers("")
    machine.is_like(stall=90, busy=0)
    server = sandbox.serve(env=photos.environment, wrapper=machine.wrapper)
    server.expect("submit app=photos kind=processing request=index")
    wait_for("it to wait", lambda: waiting(server) == [("index", "machine-in-use")])
    assert server.app("photos") is None
    # Whatever is submitted has all looked at anew.
    machine.is_like(stall=0, busy=0)
    server.expect("submit app=photos kind=processing request=later in=3600")
    server.wait_line("photos", "name=processing ")
    assert waiting(server) == [("index", "runs"), ("later", "too-early")]
    machine.is_like(stall=90, busy=1_000)
    busy = iter(range(2_000, 1_000_000, 1_000))

    def is_told():
        machine.is_like(stall=90, busy=next(busy))
        return "name=taskWillExpire " in server.log("photos")

    wait_for("it to be told", is_told)
    photos.answers("success=false")
    server.wait_state("photos", "suspended")


def test_a_removed_app_isnt_launched(sandbox, photos, machine):
    server = sandbox.serve(env=photos.environment, wrapper=machine.wrapper)
    server.expect("open app=photos")
    server.expect("submit app=photos kind=refresh request=inbox in=1")
    server.expect("remove app=photos")
    # Another app's that is due later comes.
    photos.define("other")
    server.expect("reload")
    server.expect("submit app=other kind=refresh request=inbox in=1.5")
    server.wait_line("other", "name=refresh ")
    assert waiting(server) == [("inbox", "app-removed")]
    server.refused("run-request app=photos request=inbox", "app-removed")
    server.refused("fetch app=photos", "app-removed")
    assert (server.app("photos") or {}).get("state") in (None, "notRunning")


def test_a_plain_app_runs_for_it_and_is_stopped(sandbox, photos):
    (photos.folder / "plain.toml").write_text(
        'command = ["sleep", "1000"]\nbackground-modes = ["processing"]\nprocessing-limit = "300ms"\n')
    server = sandbox.serve(env=photos.environment)
    server.expect("submit app=plain kind=processing request=index in=3600")
    server.expect("run-request app=plain request=index", state="background")
    server.wait_state("plain", "suspended")


def test_by_the_command_line(sandbox, photos):
    photos.answers("")
    server = sandbox.serve(env=photos.environment)
    done = sandbox.curfew("submit", "photos", "index", "--processing", "--earliest", "2096-12-01 08:00", "--needs-power")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = sandbox.curfew("submit", "photos", "inbox", "--refresh", "--in", "1h", "--json")
    assert json.loads(done.stdout) == {"id": "inbox"}
    lines = sandbox.curfew("schedule", "photos").stdout.splitlines()
    assert [line.split()[:3] for line in lines[1:]] == [["photos", "refresh", "inbox"], ["photos", "processing", "index"]]
    assert "2096-12-01 08:00:00 " in lines[2]
    thing = json.loads(sandbox.curfew("schedule", "photos", "--json").stdout)[1]
    assert (thing["kind"], thing["id"], thing["needs-power"], thing["waits"]) == ("processing", "index", True, "too-early")
    done = sandbox.curfew("schedule", "photos", "--run", "index", "--json")
    assert (done.returncode, json.loads(done.stdout)["state"]) == (0, "background"), done.stderr
    assert sandbox.curfew("schedule", "photos").stdout.splitlines()[1].endswith("it runs now")
    assert "  requests      1 wait" in sandbox.curfew("status", "photos").stdout
    server.wait_line("photos", "name=processing ")
    assert sandbox.curfew("schedule", "photos", "--expire", "index").returncode == 0
    server.wait_line("photos", "name=taskWillExpire ")
    photos.answers("success=true")
    server.wait_state("photos", "suspended")
    refused = sandbox.curfew("schedule", "photos", "--expire", "index")
    assert (refused.returncode, "doesn't work on" in refused.stderr) == (75, True)
    assert sandbox.curfew("submit", "photos", "--cancel", "inbox").returncode == 0
    assert "no request of that id" in sandbox.curfew("submit", "photos", "--cancel", "inbox").stderr
    assert sandbox.curfew("submit", "photos", "--cancel-all").returncode == 0


@pytest.mark.parametrize("words, told", [
    (["submit", "photos"], "an ID is needed"), (["submit", "photos", "a"], "either --refresh or --processing"),
    (["submit", "photos", "a", "--refresh", "--processing"], "either --refresh or --processing"),
    (["submit", "photos", "a/b", "--refresh"], "an id"), (["submit", "photos", "a", "--refresh", "--in", "soon"], "--in"),
    (["submit", "photos", "a", "--refresh", "--in", "1", "--earliest", "08:00"], "exclude"),
    (["submit", "photos", "a", "--cancel", "a"], "what is cancelled"),
    (["submit", "photos", "--cancel", "a", "--cancel-all"], "exclude"),
    (["schedule", "--run", "a"], "need an app"), (["schedule", "photos", "--run", "a", "--expire", "a"], "exclude"),
    (["schedule", "photos", "--run", "a b"], "--run"),
])
def test_a_command_line_that_isnt_one(sandbox, words, told):
    refused = sandbox.curfew(*words)
    assert (refused.returncode, told in refused.stderr) == (64, True), refused.stderr


# ---- the clients -------------------------------------------------------------------------------------------------

CLIENTS = pathlib.Path(__file__).resolve().parents[2] / "Sources" / "clients"
IN_C = r"""
#include <stdio.h>
#include "curfew.h"

static struct curfew_client client;
static struct curfew_event event, work;

int main(void)
{
    struct curfew_task_request index = {.kind = CURFEW_TASK_REQUEST_PROCESSING, .identifier = "index"};
    struct curfew_local_notification tea = {.identifier = "tea", .alert_body = "It is \"ready\"", .fire_date = "2096-12-01T08:00:00Z"};
    struct curfew_pending_notification_request notification;
    struct curfew_pending_task_request request;
    char identifier[65], payload[CURFEW_PAYLOAD_MAX + 1];
    setvbuf(stdout, NULL, _IOLBF, 0);
    index.earliest_begin_date = "2096-12-01T08:00:00Z";
    printf("connected %d\n", curfew_connect(&client));
    printf("submitted %d\n", curfew_submit_task_request(&client, &index));
    printf("scheduled %d %s\n", curfew_schedule_local_notification(&client, &tea, identifier), identifier);
    printf("waiting %d ", curfew_get_pending_notification_requests(&client, &notification, 1));
    printf("%s %.0f, ", notification.identifier, notification.next_trigger_date);
    printf("%d ", curfew_get_pending_task_requests(&client, &request, 1));
    printf("%s %.0f\n", request.identifier, request.earliest_begin_date);
    printf("fetches %d\n", curfew_set_minimum_background_fetch_interval(&client, 7200));
    curfew_hello(&client, "c");
    while (curfew_next_event(&client, &event, -1) > 0) {
        if (event.type == CURFEW_EVENT_WAKE && !strcmp(event.name, "processing")) {
            work = event;
            printf("works on %s\n", curfew_event_info(&event, "request"));
        } else if (event.type == CURFEW_EVENT_WAKE && !strcmp(event.name, "remote-notification")) {
            printf("pushed %d %s\n", curfew_remote_notification(&client, &event, payload, sizeof payload), payload);
            curfew_complete_fetch(&client, &event, CURFEW_FETCH_NEW_DATA);
        } else if (event.type == CURFEW_EVENT_CHANGE && !strcmp(event.name, CURFEW_TASK_WILL_EXPIRE)) {
            // With that it may be stopped.
            printf("completes\n");
            if (curfew_set_task_completed(&client, &work, false) != 0)
                printf("refused\n");
        } else {
            curfew_acknowledge(&client, &event);
            if (event.type == CURFEW_EVENT_WILL_TERMINATE)
                break;
        }
    }
    return 0;
}
"""
IN_PYTHON = r"""
import curfew
app = curfew.app()
def say(*words): print(*words, flush=True)
def work(task):
    task.expiration_handler = lambda: (say("completes"), task.set_task_completed(False))
    say("works on", task.identifier)
app.register("index", work)
@app.on("remote-notification")
def pushed(event):
    say("pushed", len(str(app.remote_notification(event)["text"])))
    event.set_fetch_result(curfew.FetchResult.NEW_DATA)
app.submit_task_request(curfew.ProcessingTaskRequest("index", 4e9))
say("scheduled 0", app.schedule_local_notification(curfew.LocalNotification('It is "ready"', fire_date=4e9, identifier="tea")))
(notification,), (request,) = app.get_pending_notification_requests(), app.get_pending_task_requests()
say("waiting 1", notification.identifier, f"{notification.next_trigger_date:.0f}, 1", request.identifier, f"{request.earliest_begin_date:.0f}")
app.set_minimum_background_fetch_interval(7200)
say("fetches 0")
app.run()
"""


@pytest.mark.parametrize("language", ["c", "python"])
def test_a_client_asks_for_all_of_it(sandbox, photos, language):
    if language == "c":
        compiler = shutil.which("cc")
        if not compiler:
            pytest.skip("no C compiler")
        source, words = sandbox.scratch / "app.c", [str(sandbox.scratch / "app")]
        source.write_text(IN_C)
        subprocess.run([compiler, "-std=c99", "-D_GNU_SOURCE", "-I", CLIENTS / "c", source, "-o", words[0]], check=True)
    else:
        (sandbox.scratch / "app.py").write_text(f"import sys\nsys.path.insert(0, {str(CLIENTS / 'python')!r})\n" + IN_PYTHON)
        words = ["python3", str(sandbox.scratch / "app.py")]
    server = sandbox.serve(env=photos.environment)
    server.launch("own", *words)
    server.wait_line("own", "fetches 0")
    assert "scheduled 0 tea" in server.log("own")
    moment = 4005187200 if language == "c" else 4000000000
    assert f"waiting 1 tea {moment}, 1 index {moment}" in server.log("own")
    lines, _ = server.ask("schedule app=own")
    kinds = {thing["kind"]: thing for thing in map(fields_of, lines)}
    assert (kinds["processing"]["request"], kinds["notification"]["notification"], kinds["fetch"]["repeat"]) == (
        "index", "tea", "7200")
    server.launch("other", "sleep", "1000")
    server.wait_state("own", "suspended")
    server.expect("run-request app=own request=index")
    server.wait_line("own", "works on index")
    server.expect("expire-request app=own request=index")
    server.wait_line("own", "completes")
    server.wait_state("own", "suspended")
    text = json.dumps({"aps": {"content-available": 1}, "text": "x" * 3000})
    quoted = text.replace('"', '\\"')
    server.expect(f'push app=own payload="{quoted}"')
    server.wait_line("own", "pushed 3000" if language == "python" else f"pushed {len(text)} {text}")
    server.wait_state("own", "suspended")
    assert "refused" not in server.log("own")


IN_SHELL = r"""
curfew_schedule_local_notification --id tea --at @4000000000 'it is "ready"'
curfew_schedule_local_notification --id late --at @4000000060 --title '  {' '    "id": "none",'
curfew_submit_task_request index --processing --earliest @4000000000
curfew_submit_task_request inbox --refresh --earliest @4000000060
curfew_get_pending_notification_requests; echo "$?"
curfew_get_pending_task_requests; echo "$?"
curfew_cancel_all_task_requests; curfew_cancel_all_local_notifications
curfew_get_pending_notification_requests; curfew_get_pending_task_requests; echo "end $?"
"""


def test_a_shell_script_lists_what_waits(sandbox):
    server = sandbox.serve()
    script = sandbox.scratch / "script"
    script.write_text(f". {CLIENTS / 'shell' / 'curfew.sh'}\n{IN_SHELL}")
    server.launch("own", "env", f"CURFEW_COMMAND={binary()}", "sh", str(script))
    server.wait_line("own", "end 0\n")
    assert server.log("own") == "tea\nlate\ntea 4000000000\nlate 4000000060\n0\nindex processing\ninbox refresh\n0\nend 0\n"
