"""What whoever runs the tests has left to the programs they start, and is no business of those."""

import os
import signal


def forget():
    """The usual dispositions of signals, for nohup or a background job ignores some; and nothing of the caller's make."""
    for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for variable in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        os.environ.pop(variable, None)
