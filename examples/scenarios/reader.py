#!/usr/bin/env python3
"""A book that is opened where it was left: saved when sent home, for nothing is said when a suspended app is ended."""

import os
import pathlib
import sys

# Not needed where curfew.py is installed, or lies beside the program.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Sources/clients/python"))
import curfew

app = curfew.app()
saved = pathlib.Path(app.state_directory or sys.exit("CURFEW_STATE_DIR isn't set"), "page")
page = 1


def show(what=""):
    print(f"page {page}{what}", flush=True)


@app.on("didFinishLaunching")
def launch(event):
    global page
    if event.is_restored and saved.exists():
        page = int(saved.read_text())
        return show(f", after {event.ended_because}")
    show()


@app.on("turn")
def turn(event):
    global page
    page += 1
    show()


@app.on("didEnterBackground")
def save(event):
    # It may be ended in the middle of this, too: what is there is whole, the old or the new.
    new = saved.with_suffix(".new")
    new.write_text(str(page))
    os.replace(new, saved)


app.run()
