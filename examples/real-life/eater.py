#!/usr/bin/env python3
"""eater.py MEBIBYTES [LOW]: takes so much memory, piece by piece, holds it for a second, gives it back, and begins again. With LOW it
takes no more than leaves the machine so many bytes."""

import sys
import time

PIECE = 16
low = int(sys.argv[2]) if len(sys.argv) > 2 else 0


def available():
    with open("/proc/meminfo") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("MemAvailable:"))


while True:
    held = []
    while len(held) * PIECE < int(sys.argv[1]) and (not held or available() > low):
        held.append(bytearray(b"x" * (PIECE << 20)))
        time.sleep(0.005)
    print(f"holds {len(held) * PIECE} MiB", flush=True)
    time.sleep(1)
    del held
    time.sleep(0.2)
