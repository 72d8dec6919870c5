#!/usr/bin/env python3
"""An app that uses Curfew's Python client, Sources/clients/python/curfew.py, to go on with an upload when sent home.

Run without arguments it starts itself under curfew, drives itself and checks what happened.
"""

import json
import os
import pathlib
import queue
import signal
import subprocess
import sys
import threading
import time

# Not needed where curfew.py is installed, or lies beside the program.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Sources/clients/python"))
import curfew


def say(words):
    # One write, for lines come from two threads here.
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


def main():
    app = curfew.app()
    wishes = queue.Queue()

    @app.on("didFinishLaunching")
    def launch(event):
        say(f"launched in the {event.launched}")

    @app.on("didEnterBackground")
    def save(event):
        say("saved the draft")  # acknowledged when this returns; then only a background task keeps the app running

    @app.on("fetch")
    def fetch(event):
        done = event.defer()  # acknowledged later, by the thread that fetches

        def work():
            with done:
                say(f"fetched {event.info['what']} while {app.state}")

        threading.Thread(target=work).start()

    @app.on("upload")
    def another(event):
        wishes.put(int(event.info.get("chunks", 12)))

    @app.on("willTerminate")
    def end(event):
        wishes.put(None)

    app.start()
    while (chunks := wishes.get()) is not None:
        upload(app, chunks)
    say("bye")


def upload(app, chunks):
    with app.background_task("upload") as task:  # ended however this is left; in the background that is the last moment
        say(f"uploading, task {task.id}")
        for _ in range(chunks):
            if task.expired.wait(0.1):  # a chunk takes that long
                say("the rest can wait")
                return
        say("uploaded")


class Demo:
    """Drives the app from outside, as an operator does."""

    def __init__(self):
        self.name = f"client-py-{os.getpid()}"
        self.run = subprocess.Popen(
            ["curfew", "run", "--name", self.name, "--aware", "--manual-clock", "--",
             sys.executable, __file__, "app"], stdout=subprocess.PIPE, text=True)

    def drive(self, verb, *arguments):
        print(f"- {verb} {' '.join(arguments)}".rstrip(), flush=True)
        subprocess.check_call(["curfew", verb, self.name, *arguments])

    def until(self, *lines):
        """Reads the app's lines, which must be these."""
        for expected in lines:
            line = self.run.stdout.readline().strip()
            print(f"  {line}")
            assert line == expected, f"expected {expected!r}"

    def until_state(self, *states):
        """Passes through these states."""
        for state in states:
            deadline = time.monotonic() + 20
            while self.status()["state"] != state:
                assert time.monotonic() < deadline, self.status()
                time.sleep(0.02)
            print(f"  ({state})")

    def status(self):
        return json.loads(subprocess.check_output(["curfew", "status", self.name, "--json"]))

    def play(self):
        self.until("launched in the foreground")
        self.drive("post", "upload", "chunks=100000")
        self.until("uploading, task 1")
        self.drive("home")
        self.until("saved the draft")
        self.until_state("background")
        # Its time stands still but for this: it is warned, and has all the time it needs to heed that.
        self.drive("advance", "10m")
        self.until("the rest can wait")
        self.until_state("suspended")

        self.drive("wake", "fetch", "what=mail")
        # It enters the background anew, without having been in front.
        self.until("saved the draft", "fetched mail while background")
        self.until_state("suspended")

        self.drive("open")
        self.drive("post", "upload", "chunks=2")
        self.until("uploading, task 2", "uploaded")
        self.drive("quit")
        self.until("bye")
        assert self.run.wait(20) == 0, self.run.returncode
        print("- it ended by itself, with status 0")


if __name__ == "__main__":
    if sys.argv[1:] == ["app"]:
        main()
    else:
        signal.signal(signal.SIGALRM, lambda *_: sys.exit("not done in 100 s"))
        signal.alarm(100)
        demo = Demo()
        try:
            demo.play()
        finally:
            demo.run.terminate()
            demo.run.wait()
