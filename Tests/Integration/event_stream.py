"""What a supervisor tells, as it tells it: a connection to its control socket that follows its events."""

import re
import select
import socket
import time


class EventStream:
    """The events of one app from the first that is kept, and answers on the same connection, in the order they came."""

    def __init__(self, path, limit):
        self.events = []
        self.has_ended = False
        self.rest = b""
        self.replies = []
        self.requests = 0
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self.socket.settimeout(limit)
            self.socket.connect(str(path))
        except OSError:
            self.socket.close()
            raise
        self.socket.setblocking(False)
        self.ask("events follow=1", limit)

    def close(self):
        self.socket.close()

    def read(self, deadline):
        """Takes in what has come, waiting for something until the deadline; False if nothing came, or nothing will."""
        left = max(0, deadline - time.monotonic())
        if self.has_ended or not select.select([self.socket], [], [], left)[0]:
            return False
        try:
            chunk = self.socket.recv(65536)
        except ConnectionError:
            chunk = b""
        if not chunk:
            self.has_ended = True
            return False
        *lines, self.rest = (self.rest + chunk).split(b"\n")
        for line in lines:
            text = line.decode()
            (self.events if text.startswith("event ") else self.replies).append(text)
        return True

    def next(self, known, deadline):
        """Waits until there are more events than those; False when the deadline passed or there will be none."""
        while len(self.events) <= known:
            if not self.read(deadline):
                return False
        return True

    def ask(self, request, limit):
        """The answer to a request, or None if none came."""
        self.requests += 1
        mark = f" id={self.requests}"
        deadline = time.monotonic() + limit
        try:
            self.socket.sendall(f"{request}{mark}\n".encode())
        except ConnectionError:
            return None
        while True:
            for reply in self.replies:
                if re.match(f"(ok|error){mark}( |$)", reply):
                    self.replies.clear()
                    return reply
            if not self.read(deadline):
                return None

    def state(self, limit):
        """The app's state now, or None if nobody answers."""
        found = re.search(r" state=(\w+)", self.ask("status", limit) or "")
        return found and found.group(1)

    def text(self):
        return "\n".join(line.removeprefix("event ") for line in self.events) or "nothing"
