"""An app that speaks the control channel by hand: `lifecycle_app.py [options] [EVENT=ACTION …]`.

Every line it hears goes to its standard output as it came; every line of its standard input goes out as it is. An event
with `ack=required` is acknowledged, and willTerminate ends it, unless an action says otherwise:
  mute      isn't acknowledged
  stay      is acknowledged and nothing more: it doesn't end
  burn      isn't acknowledged; it computes instead, in several processes
  exit:N    it ends with status N instead
  begin     begins a task called as the event first
  end       ends the task it has begun last first

Options:
  --socket       speaks through CURFEW_SOCKET, on a connection of its own, not on the inherited pipe
  --no-hello     stays plain
  --children N   has N more processes
  --prefix P     stands before each line of its output
  --term LINES   at SIGTERM it does these, with `;` between them, as if they came on its input

A line of its input that begins with `!` is for itself, and is printed once it is done:
  !deaf, !listen   leaves what it is told unread, and reads it again
  !close           gives its connection up
  !notify TEXT     sends a datagram to NOTIFY_SOCKET; in TEXT, \\n and \\xHH stand for what they say
  !barrier         sends BARRIER=1 with a descriptor, and waits until it is closed
  !flood N TEXT    sends N datagrams
  !daemonise       becomes a child, which goes on, and names it by MAINPID; the first process ends at once
  !env NAME        prints the variable instead
  !sleep SECONDS, !exit STATUS
"""

import argparse
import os
import re
import select
import signal
import socket
import sys
import time


class Channel:
    def __init__(self, through_socket):
        if through_socket:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(os.environ["CURFEW_SOCKET"])
        else:
            self.socket = socket.socket(fileno=int(os.environ["CURFEW_FD"]))
        self.socket.setblocking(True)
        self.buffer = b""
        self.is_read = True

    def send(self, line):
        try:
            self.socket.sendall(line.encode() + b"\n")
        except OSError:
            print("unsent", line, flush=True)

    def lines(self):
        """What has come; None once the channel is closed."""
        try:
            data = self.socket.recv(65536)
        except OSError:
            data = b""
        if not data:
            return None
        *lines, self.buffer = (self.buffer + data).split(b"\n")
        return [line.decode() for line in lines]


class Notifier:
    """Speaks sd_notify(3)."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.connect(os.environ["NOTIFY_SOCKET"].replace("@", "\0", 1))

    def send(self, text, descriptors=()):
        data = text.encode().decode("unicode_escape").encode("latin-1")
        socket.send_fds(self.socket, [data], descriptors)

    def barrier(self):
        ours, theirs = os.pipe()
        self.send("BARRIER=1", [theirs])
        os.close(theirs)
        os.read(ours, 1)
        os.close(ours)


class App:
    def __init__(self, options):
        self.channel = Channel(options.socket)
        self.prefix = options.prefix
        self.actions = dict(action.split("=", 1) for action in options.actions)
        self.task = None
        self.commands = b""
        self.inputs = [sys.stdin.fileno()]
        self.notifier = Notifier()
        if options.term:
            signal.signal(signal.SIGTERM, lambda *_: [self.obey(line) for line in options.term.split(";")])

    def show(self, line):
        # Not by print, which refuses a signal handler that comes in the middle of it.
        os.write(sys.stdout.fileno(), (self.prefix + line + "\n").encode())

    def run(self, says_hello):
        if says_hello:
            self.channel.send("hello version=1 client=lifecycle_app.py")
        while True:
            channel = self.channel
            waited = self.inputs + ([channel.socket] if channel and channel.is_read else [])
            for ready in select.select(waited, [], [])[0]:
                if ready is sys.stdin.fileno():
                    self.read_commands()
                elif self.channel is channel:
                    self.read_channel()

    def read_channel(self):
        lines = self.channel.lines()
        if lines is None:
            self.show("closed")
            self.channel = None
            return
        for line in lines:
            self.show(line)
            self.answer(line)

    def answer(self, line):
        task = re.match(r"ok .*\btask=(\d+)", line)
        if task:
            self.task = task.group(1)
        if not line.startswith("event "):
            return
        name = re.search(r"name=(\S+)", line).group(1)
        sequence = re.search(r"seq=(\d+)", line).group(1)
        action, _, argument = self.actions.get(name, "").partition(":")
        if action == "exit" or (name == "willTerminate" and not action):
            os._exit(int(argument or 0))
        if action == "burn":
            burn()
        if action == "begin":
            self.channel.send(f"begin id=auto name={name}")
        if action == "end":
            self.channel.send(f"end id=auto task={self.task}")
        if "ack=required" in line and action != "mute":
            self.channel.send(f"ack seq={sequence}")

    def read_commands(self):
        data = os.read(sys.stdin.fileno(), 65536)
        if not data:
            self.inputs = []
            return
        *lines, self.commands = (self.commands + data).split(b"\n")
        for line in lines:
            self.obey(line.decode())

    def obey(self, line):
        if not line.startswith("!"):
            self.channel.send(line)
            return
        word, _, argument = line.partition(" ")
        if word == "!exit":
            os._exit(int(argument))
        elif word == "!close":
            self.channel.socket.close()
            self.channel = None
        elif word in ("!deaf", "!listen"):
            self.channel.is_read = word == "!listen"
        elif word == "!notify":
            self.notifier.send(argument)
        elif word == "!barrier":
            self.notifier.barrier()
        elif word == "!flood":
            count, _, text = argument.partition(" ")
            for _ in range(int(count)):
                self.notifier.send(text)
        elif word == "!daemonise":
            self.daemonise()
        elif word == "!sleep":
            time.sleep(float(argument))
        self.show(os.environ.get(argument, "none") if word == "!env" else word)

    def daemonise(self):
        child = os.fork()
        if child != 0:
            self.notifier.send(f"MAINPID={child}")
            os._exit(0)


def burn():
    """Several processes, each in a session: one gets no half of a processor where others want it too, nor do many of
    one session where the kernel shares it out among sessions."""
    for _ in range(7):
        if os.fork() == 0:
            os.setsid()
            break
    while True:
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--socket", action="store_true")
    parser.add_argument("--no-hello", action="store_true")
    parser.add_argument("--children", type=int, default=0)
    parser.add_argument("--prefix", default="")
    parser.add_argument("--term", default="")
    parser.add_argument("actions", nargs="*")
    options = parser.parse_args()
    for _ in range(options.children):
        if os.fork() == 0:
            while True:
                time.sleep(60)
    App(options).run(not options.no_hello)


main()
