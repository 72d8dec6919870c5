"""What sshd is to a shell: a terminal of the shell's own, and whatever is typed and printed goes over a connection."""

import os
import pty
import select
import socket

listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
client = listener.accept()[0]
child, terminal = pty.fork()
if child == 0:
    os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], dict(os.environ, PS1="prompt> ", TERM="dumb", HISTFILE=""))
while True:
    ready = select.select([client, terminal], [], [])[0]
    if client in ready:
        keys = client.recv(4096)
        if not keys:
            break
        os.write(terminal, keys)
    if terminal in ready:
        try:
            client.sendall(os.read(terminal, 4096))
        except OSError:
            break  # the shell has ended
