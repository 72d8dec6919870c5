#!/usr/bin/env python3
"""refusing ERRNO CALL[,CALL…] COMMAND…: runs COMMAND as in a sandbox whose filter answers these system calls with an error.

Without privileges a filter needs no_new_privs, which changes nothing for what the tests run. Source: seccomp(2), prctl(2).
"""

import ctypes
import errno
import os
import struct
import sys

# The same on every architecture. Source: kernel, scripts/syscall.tbl.
NUMBERS = {"pidfd_send_signal": 424, "pidfd_open": 434, "clone3": 435, "close_range": 436, "openat2": 437}
# Of ioctl, told by its request, its second argument. Source: kernel, include/uapi/linux/pidfd.h, PIDFD_GET_INFO.
REQUESTS = {"pidfd_get_info": 0xC040FF0B}
AT_NUMBER, AT_REQUEST = 0, 24 if sys.byteorder == "little" else 28
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, FAIL = 0x7FFF0000, 0x00050000


def instruction(code, value, if_true=0, if_false=0):
    return struct.pack("HBBI", code, if_true, if_false, value)


def main():
    error, calls, *command = sys.argv[1:]
    program = b""
    for call in calls.split(","):
        program += instruction(LOAD, AT_REQUEST if call in REQUESTS else AT_NUMBER)
        program += instruction(JUMP_IF_EQUAL, REQUESTS.get(call) or NUMBERS[call], 0, 1)
        program += instruction(RETURN, FAIL | getattr(errno, error))
    program += instruction(RETURN, ALLOW)
    code = ctypes.create_string_buffer(program)
    filter_ = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    assert libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter_, 0, 0) == 0, os.strerror(ctypes.get_errno())
    os.execvp(command[0], command)


main()
