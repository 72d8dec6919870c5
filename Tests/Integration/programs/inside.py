"""A process inside an app that sends signals when it is told to, one line of standard input each:

kill PID SIGNAL         by kill(2)
gone PID SIGNAL         the same by a child that is gone at once
forge PID SIGNAL FROM VALUE   by rt_sigqueueinfo(2), as if another process had sent it
exit STATUS
"""

import ctypes
import os
import signal
import struct
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
SYS_RT_SIGQUEUEINFO = {"x86_64": 129, "aarch64": 138}[os.uname().machine]
SYS_RT_SIGACTION = {"x86_64": 13, "aarch64": 134}[os.uname().machine]


class Siginfo(ctypes.Structure):
    _fields_ = [
        ("signal", ctypes.c_int), ("error", ctypes.c_int), ("code", ctypes.c_int), ("padding", ctypes.c_int),
        ("pid", ctypes.c_int), ("uid", ctypes.c_int), ("value", ctypes.c_long), ("rest", ctypes.c_char * 96)]


def forge(pid, number, sender, value):
    info = Siginfo(signal=number, code=-1, pid=sender, uid=os.getuid(), value=value)
    LIBC.syscall(SYS_RT_SIGQUEUEINFO, pid, number, ctypes.byref(info))


def from_child(pid, number):
    child = os.fork()
    if child == 0:
        os.kill(pid, number)
        os._exit(0)
    os.waitpid(child, 0)


# What the proxy passes on must not end this process. By the system call, for the C library hides 32 and 33.
for number in set(range(1, 65)) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
    LIBC.syscall(SYS_RT_SIGACTION, number, struct.pack("QQQQ", signal.SIG_IGN, 0, 0, 0), None, 8)
print("up", flush=True)
for line in sys.stdin:
    verb, *numbers = line.split()
    numbers = [int(number) for number in numbers]
    if verb == "exit":
        sys.exit(numbers[0])
    {"kill": os.kill, "gone": from_child, "forge": forge}[verb](*numbers)
    print("done", flush=True)
