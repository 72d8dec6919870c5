"""An app in Python that speaks on its control pipe: `app.py MODE`.

Prints each event it hears as `event NAME`, unless it is told otherwise by its mode:
  aware      hello, acknowledges everything
  unacked    hello, acknowledges all but didEnterBackground
  deaf-quit  hello, acknowledges willTerminate and then goes on for ever
  mute-quit  hello, doesn't acknowledge willTerminate, and goes on for ever
  exit-quit  hello, exits 7 at willTerminate
"""

import os
import re
import sys

mode = sys.argv[1]
pipe = os.fdopen(int(os.environ["CURFEW_FD"]), "r+b", buffering=0)
lines = os.fdopen(os.dup(pipe.fileno()), "rb")


def say(text):
    pipe.write(text.encode() + b"\n")


say("hello version=1 client=app.py")
print(lines.readline().decode().strip(), flush=True)
for line in lines:
    line = line.decode().strip()
    if not line.startswith("event "):
        continue
    name = re.search(r"name=(\S+)", line).group(1)
    sequence = re.search(r"seq=(\d+)", line).group(1)
    print("event", name, flush=True)
    if name == "willTerminate" and mode == "exit-quit":
        sys.exit(7)
    silent = {"unacked": "didEnterBackground", "mute-quit": "willTerminate"}.get(mode)
    if "ack=required" in line and name != silent:
        say(f"ack seq={sequence}")
