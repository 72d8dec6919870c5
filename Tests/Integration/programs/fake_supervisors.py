"""Supervisors that only answer: many sockets of a runtime directory, served by one thread, and what they were asked."""

import os
import selectors
import socket
import threading


class FakeSupervisors:
    """Each app has a state and whatever else its status is to say; `asked` has the requests, as (app, verb)."""

    def __init__(self, runtime):
        self.folder = runtime / "curfew"
        self.folder.mkdir(mode=0o700, exist_ok=True)
        self.apps = {}
        self.asked = []
        self.followers = []
        self.paths = []
        self.lock = threading.Lock()
        self.selector = selectors.DefaultSelector()
        self.alarm, alarm = socket.socketpair()
        self.selector.register(alarm, selectors.EVENT_READ, None)
        self.listeners = [alarm]
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def close(self):
        self.alarm.close()
        self.thread.join()
        for path in self.paths:
            path.unlink(missing_ok=True)
        if (self.folder / "server").exists():
            (self.folder / "server").rmdir()

    def add(self, name, state, **fields):
        """An app with a supervisor of its own."""
        self.apps[name] = {"state": state, **fields}
        self.listen(self.folder / f"{name}.sock", name)

    def add_server(self, server, apps):
        """A server, and its apps: a state each; those that aren't `notRunning` have a link."""
        (self.folder / "server").mkdir(mode=0o700, exist_ok=True)
        self.apps |= {name: {"state": state} for name, state in apps.items()}
        self.listen(self.folder / "server" / f"{server}.sock", None)
        for name, state in apps.items():
            if state != "notRunning":
                link = self.folder / f"{name}.sock"
                link.symlink_to(f"server/{server}.sock")
                self.paths.append(link)

    def listen(self, path, name):
        """It gets its name when it is listened on already, as the real ones do."""
        nascent = path.with_name(f".{os.getpid()}")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(nascent))
        listener.listen(64)
        listener.setblocking(False)
        self.listeners.append(listener)
        self.paths.append(path)
        self.selector.register(listener, selectors.EVENT_READ, ("accept", name))
        os.rename(nascent, path)

    def tell(self, name, event, **fields):
        """To all who follow that app."""
        self.apps[name]["state"] = fields.get("to", self.apps[name]["state"])
        line = " ".join([f"event name={event} app={name}", *(f"{key}={value}" for key, value in fields.items())])
        with self.lock:
            for connection, own in self.followers:
                if own in (name, None):
                    connection.sendall(f"{line}\n".encode())

    def count(self, name, verb):
        return self.asked.count((name, verb))

    # Below, all in the thread.

    def serve(self):
        while True:
            for key, _ in self.selector.select():
                if key.data is None:
                    for each in [key.fileobj for key in self.selector.get_map().values()]:
                        each.close()
                    return
                kind, name = key.data[:2]
                if kind == "accept":
                    connection, _ = key.fileobj.accept()
                    self.selector.register(connection, selectors.EVENT_READ, ("read", name, bytearray()))
                else:
                    self.read(key.fileobj, name, key.data[2])

    def read(self, connection, name, rest):
        try:
            chunk = connection.recv(65536)
        except ConnectionError:
            chunk = b""
        if not chunk:
            with self.lock:
                self.followers = [each for each in self.followers if each[0] is not connection]
            self.selector.unregister(connection)
            connection.close()
            return
        rest += chunk
        *lines, last = bytes(rest).split(b"\n")
        rest[:] = last
        for line in lines:
            self.answer(connection, name, line.decode())

    def answer(self, connection, name, line):
        verb, *words = line.split()
        fields = dict(word.split("=", 1) for word in words)
        app = name or fields.get("app")
        self.asked.append((app, verb))
        mark = f"id={fields['id']}"
        lines = []
        if verb == "events":
            with self.lock:
                self.followers.append((connection, name))
        elif verb == "apps":
            lines = [f"app {mark} name={each} state={about['state']} since=5.000" for each, about in self.apps.items()]
        elif verb == "status":
            about = {
                "app": app, "pid": 1, "since": "5.000", "remaining": "inf", "budget": "600.000", "open-tasks": 0,
                "processes": 1, "footprint": 1000000, "cpu": "1.000", "command": "fake", **self.apps[app]}
            mark += "".join(f" {key}={value}" for key, value in about.items())
        else:
            mark += f" state={self.apps[app]['state']}"
        text = "\n".join([*lines, f"ok {mark}", ""])
        with self.lock:
            connection.sendall(text.encode())
