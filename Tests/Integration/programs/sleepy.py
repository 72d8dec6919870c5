"""A server for the tests of sleep: `sleepy.py KIND…` answers each line in capitals, by whatever it came.

Kinds: tcp, tcp6, unix, udp, udp6, datagram (Unix), pre-fork (tcp, accepted by two children). Of each it prints `KIND PLACE`,
then `up`. On standard input: `ask PORT` connects there and prints the answer as `told …`, `fill MIB` writes so much to standard
output, `listen` opens one more (tcp), `close` closes what listens, `eat MIB` fills so much memory and says `eaten`, `count` prints how
often it was woken by its selector, anything else is printed in capitals. A waking event is none of its business.
"""

import os
import selectors
import signal
import socket
import sys

FAMILIES = {
    "tcp": (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
    "pre-fork": (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
    "tcp6": (socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0)),
    "udp": (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
    "udp6": (socket.AF_INET6, socket.SOCK_DGRAM, ("::1", 0)),
    "unix": (socket.AF_UNIX, socket.SOCK_STREAM, os.path.abspath(f"stream.{os.getpid()}")),
    "datagram": (socket.AF_UNIX, socket.SOCK_DGRAM, os.path.abspath(f"datagram.{os.getpid()}")),
}
selector = selectors.DefaultSelector()
listening = []
eaten = []
turns = 0


def say(*words):
    print(*words, flush=True)


def accept(server):
    try:
        connection, _ = server.accept()
    except BlockingIOError:
        return  # another child was quicker
    selector.register(connection, selectors.EVENT_READ, answer)


def answer(connection):
    data = connection.recv(4096)
    if data:
        connection.sendall(data.upper())
    else:
        selector.unregister(connection)
        connection.close()


def answer_datagram(server):
    data, sender = server.recvfrom(4096)
    if sender:
        server.sendto(data.upper(), sender)
    else:
        say("got", data.decode())


def told(connection):
    data = connection.recv(4096)
    say("told", data.decode() if data else "the end")
    if not data:
        selector.unregister(connection)
        connection.close()


def listen(kind):
    family, style, place = FAMILIES[kind]
    server = socket.socket(family, style)
    server.bind(place)
    server.setblocking(False)
    if style == socket.SOCK_STREAM:
        server.listen(64)
        listening.append(server)
    selector.register(server, selectors.EVENT_READ, accept if style == socket.SOCK_STREAM else answer_datagram)
    name = server.getsockname()
    say(kind, name if isinstance(name, str) else name[1])


def fill(data):
    # A stop cuts a write short that is under way, and Python's own streams lose the rest.
    while data:
        data = data[os.write(1, data):]


def obey(stdin):
    line = os.read(stdin.fileno(), 65536).decode()
    if not line:
        say("end of input")
        selector.unregister(stdin)
    for word, *rest in map(str.split, line.splitlines()):
        if word == "ask":
            selector.register(socket.create_connection(("127.0.0.1", int(rest[0]))), selectors.EVENT_READ, told)
        elif word == "fill":
            fill(b"x" * (int(rest[0]) << 20) + b"\n")
        elif word == "eat":
            eaten.append(bytearray(b"x") * (int(rest[0]) << 20))
            say("eaten")
        elif word == "listen":
            listen("tcp")
        elif word == "close":
            for server in listening:
                selector.unregister(server)
                server.close()
            say("closed")
        elif word == "count":
            say("turns", turns)
        else:
            say(line.strip().upper())
            break


def main():
    global turns, selector
    for kind in sys.argv[1:]:
        listen(kind)
    if "pre-fork" in sys.argv:
        for _ in range(2):
            if os.fork() == 0:
                # An epoll is shared with the parent's.
                files = [(key.fileobj, key.data) for key in selector.get_map().values()]
                selector = selectors.DefaultSelector()
                for file, what in files:
                    selector.register(file, selectors.EVENT_READ, what)
                break
        else:
            say("up")
            while True:
                signal.pause()
    else:
        selector.register(sys.stdin, selectors.EVENT_READ, obey)
        say("up")
    while True:
        for key, _ in selector.select():
            turns += 1
            key.data(key.fileobj)


main()
