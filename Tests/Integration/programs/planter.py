"""Listens at a socket that others are to take for a supervisor's, and writes down who says anything, beside it."""

import os
import socket
import sys

path = sys.argv[1]
with socket.socket(socket.AF_UNIX) as plant:
    plant.bind(path + ".new")
    os.chmod(path + ".new", 0o777)
    plant.listen()
    os.rename(path + ".new", path)
    while True:
        connection, _ = plant.accept()
        heard = connection.recv(4096)
        if heard:
            with open(os.path.join(os.path.dirname(path), "heard"), "ab") as note:
                note.write(heard)
