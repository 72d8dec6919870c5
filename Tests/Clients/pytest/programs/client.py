"""client.py PORT: uploads in two halves, the second when it is told to go on."""

import socket
import sys

with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as server:
    server.sendall(b"x" * 1000)
    server.recv(100)
    server.sendall(b"y" * 1000)
