#!/usr/bin/env python3
"""eater.py MEBIBYTES: takes so much memory, piece by piece, holds it for a second, gives it back, and begins again."""

import sys
import time

while True:
    held = []
    for _ in range(int(sys.argv[1]) // 16):
        held.append(bytearray(b"x" * (16 << 20)))
        time.sleep(0.01)
    print(f"holds {len(held) * 16} MiB", flush=True)
    time.sleep(1)
    del held
    time.sleep(0.2)
