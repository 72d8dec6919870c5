"""A server as many are: processes that were forked beforehand share a listening socket, and each serves whom it accepts."""

import os
import socket

listener = socket.create_server(("127.0.0.1", 0), backlog=64)
print(listener.getsockname()[1], flush=True)


def serve(client):
    """Answers each line with the number of this process."""
    with client, client.makefile("rw") as lines:
        for line in lines:
            lines.write(f"{os.getpid()}: {line}")
            lines.flush()


for _ in range(4):
    if os.fork() == 0:
        while True:
            serve(listener.accept()[0])
while True:
    os.wait()
