"""A game's server: it answers datagrams, and moves its world twenty times a second, whether somebody plays or not."""

import select
import socket
import time

TICK = 0.05
world = {}
places = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
places.bind(("127.0.0.1", 0))
print(places.getsockname()[1], flush=True)

due = time.monotonic() + TICK
while True:
    if select.select([places], [], [], max(0, due - time.monotonic()))[0]:
        move, player = places.recvfrom(512)
        world[player] = world.get(player, 0) + {b"left": -1, b"right": 1}.get(move.strip(), 0)
        places.sendto(f"you are at {world[player]}\n".encode(), player)
    if time.monotonic() >= due:
        for player in world:
            pass  # monsters come here
        due = time.monotonic() + TICK
