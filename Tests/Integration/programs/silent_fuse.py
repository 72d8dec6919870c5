"""silent_fuse FOLDER MIB: has a file open whose file system is a program that has stopped answering, then a memfd of so many MiB.

Says "can't: WHY" where it can't mount. The mount is seen by this process and its child alone. Source: linux/fuse.h.
"""

import ctypes
import os
import signal
import struct
import sys
import time

CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000
MS_NOSUID, MS_NODEV, MS_REC, MS_PRIVATE = 2, 4, 0x4000, 1 << 18
LOOKUP, GETATTR, OPEN, INIT = 1, 3, 14, 26
LIBC = ctypes.CDLL(None, use_errno=True)


def check(result, what):
    if result != 0:
        print(f"can't: {what}: {os.strerror(ctypes.get_errno())}", flush=True)
        sys.exit(1)


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def unshare():
    uid, gid = os.getuid(), os.getgid()
    check(LIBC.unshare(CLONE_NEWNS if uid == 0 else CLONE_NEWNS | CLONE_NEWUSER), "unshare")
    if uid != 0:
        write("/proc/self/setgroups", "deny")
        write("/proc/self/uid_map", f"0 {uid} 1")
        write("/proc/self/gid_map", f"0 {gid} 1")
    check(LIBC.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None), "mount")


def attributes(node):
    """Nothing may be kept: each look asks anew."""
    mode = 0o40755 if node == 1 else 0o100666
    return struct.pack("QQQQQQIIIIIIIIII", node, 4096, 8, 0, 0, 0, 0, 0, 0, mode, 1, os.getuid(), os.getgid(), 0, 4096, 0)


def answer(opcode, node):
    if opcode == INIT:
        return struct.pack("IIIIHHIIHHI28x", 7, 31, 4096, 0, 16, 12, 4096, 1, 0, 0, 0)
    if opcode == LOOKUP:
        return struct.pack("QQQQII", 2, 0, 0, 0, 0, 0) + attributes(2)
    if opcode == GETATTR:
        return struct.pack("QII", 0, 0, 0) + attributes(node)
    if opcode == OPEN:
        return struct.pack("QII", 1, 0, 0)
    return None


def serve(device):
    """Until a file has been opened."""
    while True:
        request = os.read(device, 1 << 17)
        _, opcode, unique, node = struct.unpack_from("IIQQ", request)
        body = answer(opcode, node)
        if body is None:
            os.write(device, struct.pack("IiQ", 16, -38, unique))
        else:
            os.write(device, struct.pack("IiQ", 16 + len(body), 0, unique) + body)
        if opcode == OPEN:
            return


folder, mebibytes = sys.argv[1], int(sys.argv[2])
try:
    device = os.open("/dev/fuse", os.O_RDWR)
except OSError as error:
    print(f"can't: /dev/fuse: {error.strerror}", flush=True)
    sys.exit(1)
unshare()
options = f"fd={device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}".encode()
check(LIBC.mount(b"silent", folder.encode(), b"fuse", MS_NOSUID | MS_NODEV, options), "mount")
if os.fork() == 0:
    serve(device)
    signal.pause()
os.close(device)
held = os.open(folder + "/file", os.O_RDWR)
memory = os.memfd_create("memory")
print("up", flush=True)
for _ in range(mebibytes):
    os.write(memory, b"x" * (1 << 20))
# Held for good, whatever interrupts it.
while True:
    time.sleep(1000)
