"""A headless Chromium, driven by its DevTools protocol over two pipes; see https://chromedevtools.github.io/devtools-protocol/."""

import base64
import json
import os
import select
import shutil
import subprocess
import time

from conftest import LIMIT

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    """One page in it."""

    def __init__(self, folder):
        theirs_in, self.out = os.pipe()
        self.input, theirs_out = os.pipe()

        def hand_over():
            # Chromium reads commands from 3 and writes answers to 4; each may be the other's number now.
            read, write = os.dup(theirs_in), os.dup(theirs_out)
            read, write = os.dup(read), os.dup(write)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            [PROGRAM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
             f"--user-data-dir={folder}/profile", "--window-size=1000,800", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=hand_over,
            close_fds=False, env=dict(os.environ, HOME=str(folder)))
        os.close(theirs_in)
        os.close(theirs_out)
        self.buffer, self.number, self.session, self.events = b"", 0, None, []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(domain + ".enable")

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.input], [], [], max(0, deadline - time.monotonic()))
            chunk = os.read(self.input, 1 << 20) if ready else b""
            assert chunk, f"the browser said nothing more; it ended with {self.process.poll()}"
            self.buffer += chunk
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def ask(self, method, **parameters):
        """One command and its result; what happens meanwhile is kept in `events`."""
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.out, json.dumps(command).encode() + b"\0")
        deadline = time.monotonic() + 3 * LIMIT
        while True:
            message = self.receive(deadline)
            if message.get("id") == self.number:
                assert "error" not in message, message
                return message["result"]
            self.events.append(message)

    def open(self, path):
        """Shows a file, and returns once it is loaded."""
        before = len(self.events)
        self.ask("Page.navigate", url=f"file://{path}")
        deadline = time.monotonic() + 3 * LIMIT
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events[before:]):
            self.events.append(self.receive(deadline))

    def value(self, expression):
        """What an expression of JavaScript's gives."""
        result = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def mouse(self, kind, x, y, **more):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def key(self, key):
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, text=key if len(key) == 1 else "")
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key)

    def mode(self, scheme):
        """`light` or `dark`, as the page sees it."""
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self):
        """The window, as PNG."""
        return base64.b64decode(self.ask("Page.captureScreenshot")["data"])

    def complaints(self):
        """Errors of scripts, and what the page's own policy forbade."""
        return [event for event in self.events
                if event.get("method") == "Runtime.exceptionThrown"
                or event.get("method") == "Log.entryAdded" and event["params"]["entry"]["level"] == "error"]

    def requests(self):
        return [event["params"]["request"]["url"] for event in self.events if event.get("method") == "Network.requestWillBeSent"]

    def close(self):
        try:
            self.session = None
            self.ask("Browser.close")
        except (AssertionError, OSError):
            self.process.kill()
        self.process.wait(LIMIT)
        os.close(self.out)
        os.close(self.input)
