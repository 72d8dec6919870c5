"""What whoever runs the tests has left to the programs they start, and is no business of those."""

import fcntl
import os
import signal
import termios


def forget():
    """The usual dispositions of signals, for nohup or a background job ignores some; no terminal; nothing of a make's."""
    for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    leave_terminal()
    for variable in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        os.environ.pop(variable, None)


def leave_terminal():
    """An app that has its terminal is in its caller's process group; tests that want one make it. Ctrl-C still comes."""
    if os.getsid(0) == os.getpid():
        return  # its leader's leaving would send all in front SIGHUP
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return
    fcntl.ioctl(terminal, termios.TIOCNOTTY)
    os.close(terminal)
