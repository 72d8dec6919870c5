"""Who may drive an app: judged by each message's sender, and by what /proc shows, be it hidden, another's or not there."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile

import pytest

from conftest import LIMIT, binary, cgroup2_directory, wait_for
from programs.helpers import AS_ORDINARY, ORDINARY, ORDINARY_PYTHON, Client, Line, needs_root, socket_of

# ---- a connection that is handed on ---------------------------------------------------------------------------------

# Takes a connection from its starter, and asks by it what it is told to.
RECEIVER = """
import array, os, socket, sys
with socket.socket(socket.AF_UNIX) as link:
    link.connect(os.environ["LINK"])
    _, ancillary, _, _ = link.recvmsg(1, socket.CMSG_SPACE(4))
    (fd,) = array.array("i", ancillary[0][2])
    handed = socket.socket(fileno=fd)
    for line in sys.stdin:
        handed.sendall(line.rstrip("\\n").replace("|", "\\n").encode())
        print("sent", flush=True)
"""


class Handed:
    """An operator's connection that a process inside the app has got as well."""

    def __init__(self, sandbox, *options):
        path = sandbox.scratch / "link"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        self.app = sandbox.start(
            sys.executable, "-c", RECEIVER, stdin=subprocess.PIPE, options=options,
            env=dict(sandbox.environment, LINK=str(path)))
        self.link, _ = self.listener.accept()
        self.client = Client(socket_of(self.app))

    def hand_over(self):
        socket.send_fds(self.link, [b"x"], [self.client.socket.fileno()])

    def sends_inside(self, text):
        self.app.process.stdin.write(text.encode() + b"\n")
        self.app.process.stdin.flush()
        self.app.expect("sent")

    def close(self):
        for one in (self.client, self.link, self.listener):
            one.close()


@pytest.fixture
def handed(sandbox, held):
    it = Handed(sandbox, *held)
    yield it
    it.close()


def test_a_connection_handed_into_the_app_drives_nothing(handed):
    """The operator has been heard on it; what the app writes on it is the app's all the same, and the other way round."""
    assert handed.client.ask("status id=1").verb == "ok"
    handed.hand_over()
    handed.sends_inside("home id=2|")
    assert (handed.client.line()["code"], handed.app.status()["state"]) == ("forbidden", "active")
    handed.sends_inside("begin id=3 name=x|")
    assert handed.client.line()["task"] == "1"
    assert handed.client.ask("begin id=4 name=y")["code"] == "forbidden"
    assert handed.client.ask("interrupt id=5").verb == "ok"
    handed.sends_inside("quit id=6|")
    assert handed.client.line()["code"] == "forbidden"
    assert handed.client.ask("dismiss id=7").verb == "ok"


def test_a_line_of_two_processes_is_nobodys(handed):
    """The app begins a line and the operator ends it: neither has said that."""
    handed.hand_over()
    handed.sends_inside("home id=1")
    handed.client.send("\n")
    assert handed.client.line() is None
    assert handed.app.status()["state"] == "active"
    assert "one line came from two processes" in handed.app.sandbox.curfew("events", handed.app.name).stdout


def test_a_connection_of_the_apps_in_an_operators_hands(sandbox, held):
    """A connection that a child of the operator's shell inherits: the child is an operator itself."""
    running = sandbox.shell("sleep 300 & echo up; wait", options=held)
    running.expect("up")
    with Client(socket_of(running)) as client:
        script = f"import socket; s = socket.socket(fileno={client.socket.fileno()}); s.sendall(b'home id=1\\n'); s.detach()"
        subprocess.run([sys.executable, "-c", script], pass_fds=[client.socket.fileno()], check=True)
        line = client.line()
    # Gone before it was asked who it was, it is trusted with nothing.
    assert line.verb == "ok" or line["code"] == "forbidden"


# ---- a /proc that hides, is another's, or isn't there ---------------------------------------------------------------


def unshared(script, *flags):
    """sh in a mount namespace of its own, with `flags` of unshare(1)."""
    return ["unshare", "--mount", "--propagation", "private", *flags, "sh", "-ec", script]


REFUSING = pathlib.Path(__file__).parent / "programs/refusing.py"
AS_NOBODY = f"setpriv --reuid {ORDINARY} --regid {ORDINARY} --clear-groups"


@pytest.fixture
def nobodys(sandbox):
    """Runs a script as an ordinary user, /proc mounted with some options; what is in $CURFEW may be executed."""
    os.chown(sandbox.runtime, ORDINARY, ORDINARY)
    state = pathlib.Path(tempfile.mkdtemp(prefix="cf-state-"))
    os.chown(state, ORDINARY, ORDINARY)

    def run(options, kernel, script, **more):
        environment = dict(
            sandbox.environment, CURFEW=binary(), ASKER=ASKER, PYTHON=ORDINARY_PYTHON, XDG_STATE_HOME=str(state))
        older = f"{sys.executable} {REFUSING} EINVAL pidfd_get_info" if kernel == "older" else ""
        inner = f"mount -t proc -o {options} proc /proc; cd /; exec {older} {AS_NOBODY} sh -c \"$SCRIPT\""
        return subprocess.run(
            unshared(inner), env=dict(environment, SCRIPT=script), stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=LIMIT, **more)

    yield run
    shutil.rmtree(state, ignore_errors=True)


ASKER = """
import os, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(os.environ["SOCKET"])
lines = s.makefile()
for verb in sys.argv[1:]:
    s.sendall(verb.encode() + b"\\n")
    line = lines.readline().strip()
    print(verb, line.split()[0], *[part for part in line.split() if part.startswith("code=")], flush=True)
"""

HIDDEN = ["hidepid=1", "hidepid=2", "hidepid=4"]
# Before Linux 6.13 nothing tells of a hidden process's parent.
KERNELS = ["this", "older"]
TELLS_PARENTS = tuple(int(part) for part in os.uname().release.split("-")[0].split(".")[:2]) >= (6, 13)

# What is at the end of its line of ancestors is root's, and hidden.
DRIVE = r"""
"$CURFEW" run --name hidden --containment tree -- sh -c "$APP" >/dev/null &
run=$!
until "$CURFEW" status hidden >/dev/null 2>&1; do kill -0 $run; done
"$CURFEW" home hidden --json && "$CURFEW" open hidden && "$CURFEW" status hidden --json && "$CURFEW" quit hidden
wait $run || echo ended $?
"""


@needs_root
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("options", HIDDEN)
def test_a_user_drives_his_app_where_other_users_are_hidden(nobodys, options, kernel):
    result = nobodys(options, kernel, "APP='sleep 300'; export APP\n" + DRIVE)
    assert '"state": "suspended"' in result.stdout, result
    assert '"state": "active"' in result.stdout, result
    assert result.stdout.endswith("ended 143\n"), result


# Makes itself and its parent unseen, and asks.
HIDER = """
import ctypes, os, sys
hide = lambda: ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
hide()
if os.fork(): os.wait(); sys.exit()
hide()
if os.fork(): os.wait(); sys.exit()
os.environ["SOCKET"] = os.environ["CURFEW_SOCKET"]
os.execv(sys.executable, [sys.executable, "-c", os.environ["ASKER"], "home", "quit", "begin name=x"])
"""


@needs_root
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("options", HIDDEN)
def test_a_process_behind_hidden_ones_of_the_app_drives_nothing(nobodys, options, kernel):
    """Two of the app's processes have made themselves unreadable; what they start is the app's still."""
    script = (
        'export HIDER; exec "$CURFEW" run --containment tree -- "$PYTHON" -c "$HIDER"')
    result = nobodys(options, kernel, f"HIDER='{HIDER}'\n" + script)
    # Who can't be told is trusted with nothing.
    begin = "ok" if TELLS_PARENTS and kernel == "this" else "error code=forbidden"
    assert result.stdout.splitlines() == [
        "home error code=forbidden", "quit error code=forbidden", f"begin name=x {begin}"], result


@needs_root
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("options", HIDDEN)
def test_what_is_hidden_is_suspended_and_killed(nobodys, options, kernel):
    """A process of the app that may not be looked at stops with the others, and ends with them."""
    hides = "import ctypes, os, time; ctypes.CDLL(None).prctl(4, 0, 0, 0, 0); print(os.getpid(), flush=True); time.sleep(300)"
    script = f"""
        mkfifo "$XDG_RUNTIME_DIR/ready"
        APP='"$PYTHON" -c "{hides}" >"$XDG_RUNTIME_DIR/ready" & wait'; export APP
        "$CURFEW" run --name hidden --containment tree -- sh -c "$APP" &
        run=$!
        read pid <"$XDG_RUNTIME_DIR/ready"
        "$CURFEW" home hidden
        kill -0 $pid && echo there
        "$CURFEW" quit hidden
        wait $run || echo ended $?
        kill -0 $pid 2>/dev/null || echo gone"""
    result = nobodys(options, kernel, script)
    assert result.stdout.splitlines() == ["there", "ended 137", "gone"], result


# Makes itself unseen, says so on descriptor 3, and tells of SIGTERM.
ASKED = """
import ctypes, signal
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
print("up", file=open(3, "w"), flush=True)
signal.sigwait([signal.SIGTERM])
print("asked", flush=True)
"""


@needs_root
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("options", HIDDEN)
def test_what_is_hidden_is_asked_to_end(nobodys, options, kernel):
    """A hidden process of a running app hears the SIGTERM that asks the tree to end, though its parent lives on."""
    script = """
        mkfifo "$XDG_RUNTIME_DIR/ready"
        APP='trap "" TERM; "$PYTHON" -c "$ASKED" 3>"$XDG_RUNTIME_DIR/ready"; exit 3'; export APP ASKED
        "$CURFEW" run --name hidden --containment tree -- sh -c "$APP" &
        run=$!
        read up <"$XDG_RUNTIME_DIR/ready"
        "$CURFEW" quit hidden
        wait $run || echo ended $?"""
    result = nobodys(options, kernel, f"ASKED='{ASKED}'\n" + script)
    assert result.stdout.splitlines() == ["asked", "ended 3"], result


def others_proc(sandbox, script, kernel="this", **more):
    """In a pid namespace of its own, the outer one's /proc left as it is."""
    older = [sys.executable, REFUSING, "EINVAL", "pidfd_get_info"] if kernel == "older" else []
    environment = dict(sandbox.environment, CURFEW=binary(), ASKER=ASKER, PYTHON=sys.executable)
    return subprocess.run(
        [*older, "unshare", "--pid", "--fork", "sh", "-c", script], env={**environment, **more}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=LIMIT)


TOLD = {
    "cgroup2": r"curfew: run: /proc shows another pid namespace, so nobody drives the app but by signals to its proxy, "
               r"file locks, debuggers can't be seen \(see `curfew doctor`\)\n",
    "cgroup1": r"curfew: run: /proc shows another pid namespace, so nobody drives the app but by signals to its proxy, "
               r"CPU time, file locks, debuggers can't be seen \(see `curfew doctor`\)\n",
    "tree": r"curfew: run: /proc shows another pid namespace, so only the command's process group is held, nobody drives "
            r"the app but by signals to its proxy, CPU time, file locks, debuggers can't be seen \(see `curfew doctor`\)\n",
}


@needs_root
def test_another_namespaces_proc_is_told(sandbox, containment):
    result = others_proc(sandbox, f'"$CURFEW" run --containment {containment} -- sh -c "exit 7"')
    assert result.returncode == 7
    assert re.fullmatch(TOLD[containment], result.stderr), result.stderr


@needs_root
def test_strict_refuses_another_namespaces_proc(sandbox):
    result = others_proc(sandbox, '"$CURFEW" run --strict -- echo ran')
    assert (result.returncode, result.stdout) == (125, "")
    assert "--strict: /proc shows another pid namespace" in result.stderr
    assert "nothing was started" in result.stderr


@needs_root
@pytest.mark.parametrize("kernel", KERNELS)
def test_nobody_drives_by_confusion(sandbox, containment, kernel):
    """From inside and from outside: what can't be told apart is refused, with the reason; the app's own rights stay."""
    script = r"""
        APP='SOCKET="$CURFEW_SOCKET" "$PYTHON" -c "$ASKER" quit home "begin name=x"; echo up >&2; sleep 300'
        "$CURFEW" run --name blind --containment """ + containment + r""" -- sh -c "$APP" 2>"$XDG_RUNTIME_DIR/err" &
        run=$!
        until grep -qx up "$XDG_RUNTIME_DIR/err"; do kill -0 $run; done
        "$CURFEW" quit blind
        kill $run; wait $run; echo ended $?"""
    result = others_proc(sandbox, script, kernel)
    begin = "ok" if TELLS_PARENTS and kernel == "this" else "error code=forbidden"
    assert result.stdout.splitlines() == [
        "quit error code=forbidden", "home error code=forbidden", f"begin name=x {begin}", "ended 143"], result
    assert "without a /proc of its own the supervisor can't tell who asks" in result.stderr


@needs_root
def test_what_is_not_seen_stays_awake(sandbox, containment):
    """Nothing of its input could be waited for: it goes on, and answers."""
    journal = sandbox.scratch / "journal"
    # A name that no other test has: a cgroup is called by it and by a pid, which are the same in each pid namespace.
    words = ["run", "--name", f"unseen-{sandbox.marker}", "--containment", containment, "--sleep-when-idle", "10ms",
             "--journal", journal, "--", "cat"]
    process = subprocess.Popen(
        ["unshare", "--pid", "--fork", "--kill-child", binary(), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env=sandbox.environment)

    def is_kept_awake():
        assert process.poll() is None, process.communicate()
        return journal.exists() and "keptAwake" in journal.read_text()

    try:
        wait_for("it to have been kept awake", is_kept_awake)
        out, said = process.communicate("hello\n", timeout=LIMIT)
        assert (process.returncode, out) == (0, "hello\n"), said
        assert "input that is to wake it can't be seen" in said
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


@needs_root
def test_home_stops_without_a_proc(sandbox, containment):
    """Sent home by a signal, whatever is held is stopped; opened, it runs; ended, nothing of it is left."""
    script = r"""
        "$CURFEW" run --name blind --containment """ + containment + r""" -- "$PYTHON" -uc "$APP" 2>/dev/null &
        run=$!
        read line; kill -TSTP $run; echo home; read line; kill -CONT $run; read line; kill $run; wait $run; echo ended $?"""
    app = ("import os, time\nif os.fork() == 0: pass\nprint('pid', os.getppid() == 0)\n"
           "while True: print(time.monotonic()); time.sleep(0.01)")
    process = subprocess.Popen(
        ["unshare", "--pid", "--fork", "sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env=dict(sandbox.environment, CURFEW=binary(), PYTHON=sys.executable, APP=app))

    def say():
        process.stdin.write(b"\n")
        process.stdin.flush()

    def flows():
        """Whether anything comes before long; all that has come is read away."""
        import select
        import time
        time.sleep(0.3)  # a while
        if select.select([process.stdout], [], [], 0)[0]:
            os.read(process.stdout.fileno(), 1 << 20)
        return bool(select.select([process.stdout], [], [], 0.3)[0])

    try:
        assert process.stdout.readline()
        say()
        wait_for("it to be stopped", lambda: not flows())
        say()
        wait_for("it to run again", flows)
        say()
        out, _ = process.communicate(timeout=LIMIT)
        # The app may have been ended in the midst of a line.
        assert out.decode().endswith("ended 143\n")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


# ---- without any ----------------------------------------------------------------------------------------------------


@pytest.fixture
def cell(tmp_path):
    """A chroot as builds have it, without a /proc: a shell and curfew. Called with a script, it runs it there."""
    if os.geteuid() != 0:
        pytest.skip("needs root: chroot")
    root = tmp_path / "cell"
    for folder in ("bin", "tmp", "dev"):
        (root / folder).mkdir(parents=True)
    shutil.copy(binary(), root / "bin/curfew")
    programs = [shutil.which(name) for name in ("sh", "sleep", "setsid", "env", "kill", "cat")]
    subprocess.run(["sh", "-ec", COPY, "sh", root, *programs], check=True)
    os.mknod(root / "dev/null", stat.S_IFCHR | 0o666, os.makedev(1, 3))

    def run(script, **more):
        return subprocess.run(
            [shutil.which("chroot", path="/usr/sbin:/sbin:/usr/bin"), root, "/bin/sh", "-c", script], capture_output=True, text=True, timeout=LIMIT,
            stdin=subprocess.DEVNULL, env={"PATH": "/bin", "HOME": "/tmp"}, **more)

    return run


# Each program, with the libraries that it is linked to.
COPY = r"""
root=$1; shift
for program; do
    cp "$program" "$root/bin/"
    ldd "$program" | grep -o '/[^ ]*' | while read library; do
        mkdir -p "$root${library%/*}"; cp -n "$library" "$root$library"
    done
done
"""


@pytest.mark.parametrize("command,status,words", [
    ("curfew timeout 10 sh -c 'exit 7'", 7, ""),
    ("curfew timeout .2 sleep 100", 124, ""),
    ("curfew timeout -s KILL .2 sleep 100", 137, "Killed"),
    ("curfew timeout -k .2 .2 sh -c 'trap \"\" TERM; while :; do sleep 1; done'", 137, "Killed"),
    ("curfew timeout .2 sh -c 'sleep 100 & sleep 100 & wait'", 124, ""),
    ("curfew timeout 10 sh -c 'setsid sleep 0.1 & exit 3'", 3, ""),
    ("curfew timeout .2 sh -c 'setsid sleep 3 & sleep 100'", 124, ""),
])
def test_timeout_in_a_build_chroot(cell, command, status, words):
    """GNU's statuses, and nothing said that GNU's doesn't."""
    result = cell(command)
    assert result.returncode == status, result
    assert result.stderr == "" or words and words in result.stderr, result


def test_timeouts_group_ends_in_a_chroot(cell):
    """Whatever is in its group holds the pipe; the pipe ends when the last of it has."""
    result = cell("curfew timeout .2 sh -c 'sleep 1000 & sleep 1000' | cat; echo over")
    assert result.stdout == "over\n", result


KILLED = """
curfew {options} sh -c '{command}' &
proxy=$!
until read supervisor leader </tmp/up; do sleep .05; done 2>/dev/null
{then}
kill -9 $supervisor
echo >/tmp/go
wait $proxy
echo $?
"""


def test_the_keeper_asks_in_a_chroot(cell):
    """The command has the signal, and its time, and is gone before the proxy is."""
    result = cell(KILLED.format(
        options="timeout 60", then="",
        command='trap "echo heard; exit" TERM; echo $PPID $$ >/tmp/up; while :; do sleep .05; done'))
    assert result.stdout == "heard\n125\n", result


def test_the_keeper_kills_in_a_chroot(cell):
    """What doesn't heed the signal. It holds the pipe."""
    result = cell("{ " + KILLED.format(
        options="timeout -k .2 60", then="",
        command='trap "" TERM; echo $PPID $$ >/tmp/up; while :; do sleep .05; done') + "} | cat")
    assert result.stdout == "125\n", result


def test_the_keeper_resumes_in_a_chroot(cell):
    result = cell(KILLED.format(
        options="run --on-supervisor-exit resume --", then="kill -STOP $leader",
        command="echo $PPID $$ >/tmp/up; until read x </tmp/go; do sleep .05; done 2>/dev/null; exit 7"))
    assert result.stdout == "7\n", result


def test_run_in_a_chroot_does_not_wait_for_what_it_cant_hold(cell):
    """Nor says that it has killed what it never had."""
    script = 'setsid sh -c "echo >/tmp/up; exec sleep 8" >/dev/null 2>&1 & until read x </tmp/up; do sleep .05; done 2>/dev/null; exit 5'
    result = cell(f"curfew run -- sh -c '{script}'")
    assert (result.returncode, result.stderr.count("\n"), "killed" in result.stderr) == (5, 1, False), result


def test_run_in_a_chroot_says_what_isnt_held(cell):
    result = cell("curfew run -- sh -c 'sleep 1000 & exit 5'")
    assert result.returncode == 5, result
    assert result.stderr.startswith(
        "curfew: run: there is no /proc, so only the command's process group is held, nobody drives the app"), result
    assert result.stderr.count("\n") == 1, result
    result = cell("curfew run --memory 10M --time-limit .2 -- sleep 1000")
    assert (result.returncode, "memory, CPU time, file locks" in result.stderr) == (124, True), result
    result = cell("curfew run --strict -- sleep 0")
    assert (result.returncode, "--strict: there is no /proc" in result.stderr) == (125, True), result


def test_doctor_says_so(cell, sandbox):
    result = cell("curfew doctor")
    assert re.search(r"^seeing processes +no +there is no /proc +see \d", result.stdout, re.M), result
    told = json.loads(others_proc(sandbox, '"$CURFEW" doctor --json').stdout)
    found = {finding["what"]: finding for finding in told["findings"]}
    assert (found["processes"]["here"], found["processes"]["advice"]) == ("no", ["own-proc"])


@needs_root
def test_doctor_says_who_is_hidden(nobodys):
    result = nobodys("hidepid=2", "this", '"$CURFEW" doctor')
    assert re.search(r"^seeing processes +partly +/proc hides other users' \(hidepid\)", result.stdout, re.M), result
