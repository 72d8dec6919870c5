"""An app for the tests of memory and locks: does on each line of standard input what it says, and answers.

eat MIB, free, spin SECONDS, lock KIND FILE (posix, flock, ofd, read), unlock, cache FILE MIB, shm MIB, pid, end.
"""

import ctypes
import fcntl
import mmap
import os
import struct
import sys
import time

held = []
locked = []


def eat(mib):
    memory = mmap.mmap(-1, int(mib) << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for at in range(0, len(memory), 4096):
        memory[at] = 1
    held.append(memory)


def free():
    while held:
        held.pop().close()


def spin(seconds):
    end = time.process_time() + float(seconds)
    while time.process_time() < end:
        pass


def lock(kind, path):
    file = open(path, "a+")
    locked.append(file)
    if kind == "flock":
        fcntl.flock(file, fcntl.LOCK_EX)
    elif kind == "ofd":
        F_OFD_SETLK = 37
        fcntl.fcntl(file, F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
    else:
        fcntl.lockf(file, fcntl.LOCK_SH if kind == "read" else fcntl.LOCK_EX)


def unlock():
    while locked:
        locked.pop().close()


def cache(path, mib):
    with open(path, "wb") as file:
        for _ in range(int(mib)):
            file.write(b"x" * (1 << 20))
    with open(path, "rb") as file:
        while file.read(1 << 20):
            pass


def shm(mib):
    memory = mmap.mmap(-1, int(mib) << 20, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
    for at in range(0, len(memory), 4096):
        memory[at] = 1
    held.append(memory)


def pid():
    print(os.getpid(), flush=True)


ctypes.CDLL(None).prctl(1, 9)  # with its parent, whatever happens
print("up", flush=True)
for line in sys.stdin:
    word, *rest = line.split()
    if word == "end":
        break
    globals()[word](*rest)
    print("done", flush=True)
