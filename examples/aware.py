#!/usr/bin/env python3
"""An app that speaks the control pipe by hand, with the standard library alone.

Run without arguments it starts itself under curfew, sends itself home and checks what happened.
"""

import json
import os
import select
import shlex
import signal
import socket
import subprocess
import sys
import time


class ControlPipe:
    """One message a line: a verb, then key=value pairs; a value with a space is in double quotes."""

    def __init__(self):
        self.socket = socket.socket(fileno=int(os.environ["CURFEW_FD"]))
        self.buffer = b""

    def send(self, line):
        self.socket.sendall(line.encode() + b"\n")

    def messages(self, seconds):
        """What has come within `seconds`, as (verb, pairs)."""
        if select.select([self.socket], [], [], seconds)[0]:
            self.buffer += self.socket.recv(4096) or sys.exit("the supervisor is gone")
        *lines, self.buffer = self.buffer.split(b"\n")
        for line in lines:
            verb, *pairs = shlex.split(line.decode())
            yield verb, dict(pair.partition("=")[::2] for pair in pairs)


def app():
    pipe, task, pages = ControlPipe(), None, 0
    pipe.send("hello version=1 client=aware.py")
    while True:
        for verb, pairs in pipe.messages(0.1 if task else None):
            name = pairs.get("name") if verb == "event" else None
            if name:
                print(f"{name} after {pages} pages", flush=True)
            if name == "didEnterBackground":
                pipe.send('begin id=1 name="print the book"')
            elif name == "backgroundTaskWillExpire":
                # A few seconds are left: save, end the task, and be suspended instead of killed.
                pipe.send(f"end id=2 task={task}")
                task = None
            elif name == "willTerminate":
                sys.exit(0)
            elif verb == "ok" and pairs.get("id") == "1":
                task = pairs["task"]
            if pairs.get("ack") == "required":
                pipe.send(f"ack seq={pairs['seq']}")
        pages += 1 if task else 0


def demo():
    name = f"aware-py-{os.getpid()}"
    run = subprocess.Popen(
        ["curfew", "run", "--manual-clock", "--name", name, "--aware", "--",
         sys.executable, __file__, "app"], stdout=subprocess.PIPE, text=True)
    # Whatever it doesn't say is awaited no longer than this.
    signal.alarm(100)
    try:
        seen = []

        def until(event):
            while not seen or not seen[-1].startswith(event):
                seen.append(run.stdout.readline().strip() or sys.exit(f"it ended before {event}"))
                print(f"  {seen[-1]}")

        def wait_for(key, value):
            deadline = time.monotonic() + 20
            while (status := json.loads(subprocess.check_output(["curfew", "status", name, "--json"])))[key] != value:
                assert time.monotonic() < deadline, status
                time.sleep(0.05)

        until("didBecomeActive")
        print("- home")
        subprocess.check_call(["curfew", "home", name])
        until("didEnterBackground")
        wait_for("openTasks", 1)
        print("- ten minutes pass, without anybody waiting for them: its time stands still but for this")
        subprocess.check_call(["curfew", "advance", name, "10m"])
        until("backgroundTaskWillExpire")
        wait_for("state", "suspended")
        print("- it ended its task in time: suspended, not killed\n- open")
        subprocess.check_call(["curfew", "open", name])
        until("didBecomeActive")
        subprocess.check_call(["curfew", "quit", name])
        until("willTerminate")
        assert run.wait(20) == 0, run.returncode
        print("- quit: it heard willTerminate and ended with status 0")
    finally:
        run.terminate()
        run.wait()


if __name__ == "__main__":
    app() if sys.argv[1:] == ["app"] else demo()
