"""A program with a planted bug: sent home within 50 ms of an expiration, it drops its thumbnails. No tester is that quick.

When its time in the background runs out it saves them and lets go of them; opened, it loads them anew, which takes it 50 ms. Sent home
meanwhile, it saves what it has: nothing.
"""

import json
import os
import pathlib
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Sources/clients/python"))
import curfew

SAVED = pathlib.Path(os.environ["CURFEW_STATE_DIR"]) / "thumbnails"

app = curfew.app()
over = threading.Event()
task = curfew.INVALID_TASK
let_go = None


def now():
    """Seconds of its life; in a scenario they pass only when time is moved."""
    told = subprocess.check_output(["curfew", "status", app.name, "--json"])
    return json.loads(told)["runningFor"]


def save(what):
    new = SAVED.with_suffix(".new")
    new.write_text(what)
    new.replace(SAVED)


@app.on("didEnterBackground")
def go_home(event):
    global task
    are_there = let_go is None or now() - let_go >= 0.05
    save("all" if are_there else "none")
    task = app.begin_background_task("thumbnails", expire)


def expire():
    global let_go
    let_go = now()
    app.end_background_task(task)


@app.on("willTerminate")
def end(event):
    over.set()


save("all")
app.start()
over.wait()
