"""The first process of a pid namespace: gives the pid that an app's leader had to a stranger, and says what becomes of it.

reuse.py CURFEW keeper|hang-up
"""

import json
import os
import pty
import signal
import subprocess
import sys
import time

CURFEW = sys.argv[1]
NAME = "reused"

# Its leader: leaves a daemon behind that has group and session of its own, names it the main process, and ends.
LEADER = """
import os, socket, subprocess, sys
sys.stdin.readline()
daemon = subprocess.Popen(["sleep", "300"], start_new_session=True)
if sys.argv[1] == "keeper":
    address = os.environ["NOTIFY_SOCKET"].replace("@", chr(0), 1)
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"MAINPID=%d" % daemon.pid, address)
print("left behind", flush=True)
sys.stdin.readline()
"""


def wait_for(what, probe):
    deadline = time.monotonic() + 20
    while not (seen := probe()):
        if time.monotonic() > deadline:
            sys.exit(f"waited for {what}; last seen: {seen!r}")
        time.sleep(0.01)
    return seen


def status():
    result = subprocess.run([CURFEW, "status", NAME, "--json"], capture_output=True, text=True)
    return json.loads(result.stdout) if result.returncode == 0 else None


def events():
    return subprocess.run([CURFEW, "events", NAME], capture_output=True, text=True).stdout


def is_there(pid):
    return os.path.exists(f"/proc/{pid}")


def stranger(pid):
    """A process of that pid, in a group and session of its own. Source: proc_sys_kernel(5), ns_last_pid."""
    for _ in range(100):
        with open("/proc/sys/kernel/ns_last_pid", "w") as file:
            file.write(str(pid - 1))
        process = subprocess.Popen(
            ["cat"], start_new_session=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if process.pid == pid:
            return process
        process.kill()
        process.wait()
    sys.exit(f"can't get pid {pid}")


def answers(process):
    """Whether it still does what it is there for; one with a deadly signal on its way doesn't."""
    out, _ = process.communicate(b"here")
    return out == b"here"


def read_terminal(text):
    seen = b""
    while text not in seen:
        seen += os.read(terminal, 4096)


case = sys.argv[2]
options = ["run", "--name", NAME, "--containment=tree", "--wait-all", "--terminate-limit=0.2s", "--"]
command = [CURFEW, *options, sys.executable, "-c", LEADER, case]
proxy, terminal = pty.fork()
if proxy == 0:
    os.execv(CURFEW, command)

first = wait_for("the app", status)
leader = first["pid"]
os.write(terminal, b"\n")
read_terminal(b"left behind")
if case == "keeper":
    wait_for("MAINPID", lambda: "mainProcessDidChange" in events())
os.write(terminal, b"\n")
wait_for("the leader's end", lambda: not is_there(leader))
other = stranger(leader)
if case == "keeper":
    os.kill(first["supervisor"], signal.SIGKILL)
else:
    os.close(terminal)
    # Passed on after the hang-up.
    os.kill(proxy, signal.SIGTERM)
os.waitpid(proxy, 0)
print("alive" if answers(other) else "hit")
