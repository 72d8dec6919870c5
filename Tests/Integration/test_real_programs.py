"""Real programs, as people run them: sent home amid their work, opened, and left to outstay their budget."""

import fcntl
import filecmp
import hashlib
import json
import os
import re
import select
import shutil
import socket
import struct
import subprocess
import termios

import pytest

from conftest import LIMIT, is_alive, thread_letters, wait_for
from programs.helpers import tree


def needs(*programs):
    missing = [program for program in programs if not shutil.which(program)]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)}: not installed; `make deps` does that")


def whole_tree(running):
    leader = running.status()["pid"]
    return [leader, *tree(leader)]


def able_to_run(pids):
    """Those with a thread that isn't stopped, as pid: letters.

    D and Z never show T: a parent in vfork is held by the kernel until its child, which is stopped, goes on.
    """
    letters = {pid: thread_letters(pid) for pid in pids}
    return {pid: seen for pid, seen in letters.items() if set(seen) - set("TDZX")}


def send_home(sandbox, running):
    """Home, which for a plain app is a stop of every thread at once; the processes that were stopped."""
    result = sandbox.curfew("home", running.name)
    assert (result.returncode, result.stderr) == (0, "")
    assert running.status()["state"] == "suspended"
    return stopped_tree(sandbox, running)


def stopped_tree(sandbox, running):
    """The processes of an app that is suspended; all of them are stopped."""
    pids = whole_tree(running)
    if events(sandbox, running, "stillRunning"):
        # The kernel hadn't stopped all of them in 200 ms, for want of a processor.
        wait_for("the rest to be stopped", lambda: not able_to_run(pids))
    assert not able_to_run(pids)
    return pids


def open_again(sandbox, running):
    result = sandbox.curfew("open", running.name)
    assert (result.returncode, result.stderr) == (0, "")


def events(sandbox, running, name):
    """Those of that name so far."""
    result = sandbox.curfew("events", running.name, "--json")
    return [event for event in map(json.loads, result.stdout.splitlines()) if event["name"] == name]


def state_changes(sandbox, running):
    return [event["to"] for event in events(sandbox, running, "stateDidChange")]


def newest_report(sandbox, running):
    result = sandbox.curfew("report", running.name, "--json")
    assert (result.returncode, result.stderr) == (0, "")
    return json.loads(result.stdout)


def type_in(running, text):
    running.process.stdin.write(text.encode())
    running.process.stdin.flush()


class Redis:
    """A client in redis's inline protocol: a line of words out, a line of an answer back."""

    def __init__(self, path, limit=LIMIT):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(limit)
        self.socket.connect(str(path))
        self.answers = self.socket.makefile("rb")

    def send(self, *lines):
        self.socket.sendall("".join(f"{line}\r\n" for line in lines).encode())

    def answer(self):
        line = self.answers.readline().decode().strip()
        return self.answers.readline().decode().strip() if line.startswith("$") else line

    def ask(self, line):
        self.send(line)
        return self.answer()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.answers.close()
        self.socket.close()


def start_redis(sandbox, *settings, options=()):
    """redis-server under curfew, answering; (the app, its socket)."""
    path = sandbox.runtime / "redis.sock"
    running = sandbox.start(
        "redis-server", "--port", "0", "--unixsocket", path, "--dir", sandbox.scratch, "--daemonize", "no", *settings,
        options=options)

    def answers():
        try:
            with Redis(path) as client:
                return client.ask("PING") == "+PONG"
        except OSError:
            return False

    wait_for("redis-server to answer", answers)
    return running, path


@pytest.fixture
def redis(sandbox):
    # Its last fsync takes as long as the disk does.
    return start_redis(sandbox, "--appendonly", "yes", options=["--terminate-limit", "1m"])


def hangs(path):
    with Redis(path, limit=0.5) as client:
        client.send("PING")
        with pytest.raises(TimeoutError):
            client.answers.readline()
    return True


@needs("redis-server")
def test_redis_at_home_is_stopped_in_every_thread(sandbox, redis):
    running, path = redis
    [pid] = send_home(sandbox, running)
    letters = thread_letters(pid)
    assert letters == ["T"] * len(letters) and len(letters) >= 4, "its background I/O threads too"
    before = running.status()["cpu"]
    assert hangs(path)
    assert running.status()["cpu"] == before, "a client's request costs a suspended server nothing"


@needs("redis-server")
def test_redis_opened_answers_and_has_lost_nothing(sandbox, redis):
    running, path = redis
    with Redis(path) as old, Redis(path) as new:
        for number in range(100):
            assert old.ask(f"SET before:{number} {number}") == "+OK"
        send_home(sandbox, running)
        # On a connection that was there, and on one that the kernel takes while the server is stopped.
        old.send(*("INCR counter" for _ in range(100)))
        with Redis(path) as late:
            late.send("SET during yes")
            open_again(sandbox, running)
            assert late.answer() == "+OK"
        assert [old.answer() for _ in range(100)] == [f":{number}" for number in range(1, 101)]
        assert [new.ask(f"GET before:{number}") for number in range(100)] == [str(number) for number in range(100)]
        assert new.ask("GET during") == "yes"


@needs("redis-server")
def test_redis_survives_being_sent_home_many_times(sandbox, redis):
    running, path = redis
    with Redis(path) as client:
        for number in range(1, 21):
            send_home(sandbox, running)
            client.send("INCR counter")
            open_again(sandbox, running)
            assert client.answer() == f":{number}"


@needs("redis-server")
def test_redis_quit_saves_and_says_bye(sandbox, redis):
    running, path = redis
    assert sandbox.curfew("quit", running.name).returncode == 0
    status, output, errors = running.finish()
    assert (status, errors) == (0, "")
    assert "ready to exit, bye bye" in output


def fill(path, mebibytes):
    """Values of 1 MiB each; how many redis took before it hung up."""
    with Redis(path) as client:
        for number in range(mebibytes):
            try:
                if client.ask(f"SETRANGE value:{number} {(1 << 20) - 1} x") != f":{1 << 20}":
                    return number
            except OSError:
                return number
    return mebibytes


@needs("redis-server")
def test_redis_filled_past_its_memory_limit_is_killed_and_named(sandbox, containment):
    running, path = start_redis(
        sandbox, "--save", "", options=[f"--containment={containment}", "--memory", "100M"])
    taken = fill(path, 400)
    # Sampled, on a busy machine, it can get some way past it before it is looked at again.
    assert 50 <= taken <= (399 if containment == "tree" else 100), "it took what fits"
    status, _, errors = running.finish()
    assert status == 137
    assert re.fullmatch(
        rf"curfew: {running.name}: killed: memory-limit \(jetsam 7\): "
        r"its footprint reached [\d.]+ MiB; the limit is 100 MiB\n", errors), errors
    report = newest_report(sandbox, running)
    assert (report["reason"], report["exitCategory"]) == ("memory-limit", "memoryResourceLimitExit")
    assert report["command"][0] == "redis-server"
    # None where the kernel was quicker, and the warning before wasn't looked at.
    assert {process["name"] for process in report["processes"]} <= {"redis-server"}
    assert "redis-server" in sandbox.curfew("report", running.name).stdout


@needs("redis-server")
def test_redis_below_its_memory_limit_is_warned_of_and_lives(sandbox, containment):
    running, path = start_redis(
        sandbox, "--save", "", options=[f"--containment={containment}", "--memory", "100M"])
    assert fill(path, 40) == 40
    assert events(sandbox, running, "memoryWarning") == []
    assert fill(path, 88) == 88
    [warning] = running.wait_told("a memory warning", lambda: events(sandbox, running, "memoryWarning"))
    assert warning["level"] == "warning"
    with Redis(path) as client:
        assert client.ask("STRLEN value:87") == f":{1 << 20}", "it is only told"
    assert sandbox.curfew("quit", running.name).returncode == 0
    assert running.finish()[0] == 0


BACKUP = """
echo up
curfew task run "nightly copy" -- {copy}
echo "rsync: $?"
read -r line
echo "read $line"
"""


@pytest.fixture
def backup(sandbox):
    """A way to start the script that copies 4 MiB, in the sandbox's scratch directory."""
    source = sandbox.scratch / "from"
    source.mkdir()
    (source / "film").write_bytes(os.urandom(4 << 20))

    def start(copy, *options):
        running = sandbox.start(
            "bash", "-c", BACKUP.format(copy=copy), options=options, cwd=sandbox.scratch, stdin=subprocess.PIPE)
        running.expect("up")
        running.wait_told("the task to begin", lambda: running.status()["openTasks"] == 1)
        return running

    return start


@needs("bash", "rsync")
def test_rsync_under_task_run_is_finished_at_home_then_suspended(sandbox, backup):
    gate = sandbox.scratch / "gate"
    os.mkfifo(gate)
    running = backup("sh -c 'read x <gate; exec rsync -a from/ to/'", "--manual-clock", "--budget", "60s")
    assert sandbox.curfew("home", running.name).returncode == 0
    status = running.status()
    assert status["state"] == "background"
    assert [task["name"] for task in status["tasks"]] == ["nightly copy"]
    assert able_to_run(whole_tree(running)), "it runs on its budget"
    sandbox.curfew("advance", running.name, "10s", check=True)

    gate.write_text("\n")
    running.wait_state("suspended")
    assert filecmp.cmp(sandbox.scratch / "from/film", sandbox.scratch / "to/film", shallow=False)
    status = running.status()
    assert status["tasks"] == [] and status["remaining"] == 50
    stopped_tree(sandbox, running)

    open_again(sandbox, running)
    assert running.read_line() == "rsync: 0"
    assert state_changes(sandbox, running) == ["active", "background", "suspended", "active"]
    running.process.stdin.write(b"more\n")
    running.process.stdin.close()
    running.process.stdin = None
    assert running.finish() == (0, "read more\n", "")


@needs("bash", "rsync")
def test_rsync_that_would_overrun_hears_sigterm_and_the_script_is_suspended(sandbox, backup):
    # Time stands still while rsync ends, however long that takes it.
    running = backup("rsync -a --bwlimit=64 from/ to/", "--manual-clock", "--budget", "10m")
    wait_for("the copy to begin", (sandbox.scratch / "to").exists)
    assert sandbox.curfew("home", running.name).returncode == 0
    sandbox.curfew("advance", running.name, "10m", check=True)
    running.wait_state("suspended")
    assert not (sandbox.scratch / "to/film").exists()
    open_again(sandbox, running)
    assert running.read_line() == "rsync: 20", "what rsync says for a signal it took"
    running.process.stdin.close()
    running.process.stdin = None
    assert running.finish()[0] == 0


@pytest.fixture
def project(sandbox):
    """A project of a dozen C files that take a moment each, every compiler under a shell of make's."""
    for file in range(12):
        (sandbox.scratch / f"f{file}.c").write_text("".join(
            f"int f{file}_{n}(int x)\n"
            f"{{ int s = 0; for (int i = 0; i < x; i++) s += i * s % {n + 7} ^ s << 1; return s; }}\n"
            for n in range(100)))
    (sandbox.scratch / "main.c").write_text("int main(void) { return 0; }\n")
    objects = " ".join(f"f{file}.o" for file in range(12))
    (sandbox.scratch / "Makefile").write_text(
        f"program: main.o {objects}\n\t@gcc -o $@ $^\n"
        "%.o: %.c\n\t@sh -c 'gcc -O2 -c $< && echo $@'\n")
    return sandbox.scratch


@needs("make", "gcc")
def test_make_with_compilers_is_suspended_as_a_whole_and_finishes(sandbox, project, containment):
    running = sandbox.start("make", "-j4", options=[f"--containment={containment}"], cwd=project)
    made = [running.read_line()]
    wait_for("compilers at work", lambda: len(whole_tree(running)) >= 8)

    pids = send_home(sandbox, running)
    assert len(pids) >= 5
    before = running.status()["cpu"], sorted(path.name for path in project.glob("*.o"))
    assert set(whole_tree(running)) == set(pids), "nothing is born or ends"
    assert (running.status()["cpu"], sorted(path.name for path in project.glob("*.o"))) == before

    open_again(sandbox, running)
    status, output, errors = running.finish(limit=3 * LIMIT)
    assert (status, errors) == (0, "")
    assert sorted(made + output.split()) == sorted(["main.o", *(f"f{file}.o" for file in range(12))])
    assert subprocess.run([project / "program"], timeout=LIMIT).returncode == 0


@needs("make", "gcc")
def test_make_sent_home_again_and_again_finishes(sandbox, project):
    running = sandbox.start("make", "-j4", cwd=project)
    for _ in range(5):
        running.read_line()
        send_home(sandbox, running)
        open_again(sandbox, running)
    assert running.finish(limit=3 * LIMIT)[::2] == (0, "")
    assert (project / "program").exists()


@needs("make", "gcc")
def test_make_within_its_memory_limit_is_untouched_when_sent_home_in_the_middle(sandbox, project, containment):
    running = sandbox.start("make", "-j4", options=[f"--containment={containment}", "--memory", "1G"], cwd=project)
    running.read_line()
    wait_for("compilers at work", lambda: len(whole_tree(running)) >= 8)
    pids = send_home(sandbox, running)
    assert len(pids) >= 5
    open_again(sandbox, running)
    assert running.finish(limit=3 * LIMIT)[::2] == (0, "")
    assert subprocess.run([project / "program"], timeout=LIMIT).returncode == 0
    assert json.loads(sandbox.curfew("report", "--json").stdout) == []


@needs("make", "gcc")
def test_make_past_its_memory_limit_is_killed_with_every_compiler(sandbox, project, containment):
    """With a table in each file a compiler takes some 50 MiB: one would pass, four don't."""
    table = f"table[] = {{{','.join(map(str, range(200_000)))}}};\n"
    for source in project.glob("f*.c"):
        source.write_text(source.read_text() + f"int {source.stem}_{table}")
    running = sandbox.start(
        "make", "-j4", options=[f"--containment={containment}", "--memory", "80M"], cwd=project)
    status, _, errors = running.finish(limit=3 * LIMIT)
    assert status == 137
    # v1 kills one compiler by itself, and make may have said so before it is killed as well.
    assert re.search(
        rf"^curfew: {running.name}: killed: memory-limit \(jetsam 7\): "
        r"its footprint reached [\d.]+ MiB; the limit is 80 MiB\n\Z", errors, re.M), errors
    assert sandbox.processes() == [], "make, shells and compilers are gone when curfew is"
    assert not (project / "program").exists()
    processes = newest_report(sandbox, running)["processes"]
    # The largest first, where the kernel wasn't quicker.
    if containment == "tree":
        assert processes[0]["name"] == "cc1"


FFMPEG = "ffmpeg -nostdin -loglevel quiet -f lavfi -i testsrc -f null -"
OVERRUNNING = [
    pytest.param("sha256sum /dev/zero", "--budget=0.6s", id="sha256sum", marks=needs("sha256sum")),
    pytest.param(FFMPEG, "--budget=0.6s", id="ffmpeg", marks=needs("ffmpeg")),
    # Ten minutes, by the default profile.
    pytest.param(FFMPEG, "--time-scale=1000", id="ffmpeg-scaled", marks=needs("ffmpeg")),
]


@pytest.mark.parametrize("job, option", OVERRUNNING)
def test_a_busy_job_that_outstays_its_budget_is_killed_with_its_tree(sandbox, job, option, containment):
    report = sandbox.scratch / "report.json"
    running = sandbox.shell(
        f"curfew task begin 'work on'; setsid {job} & {job} & wait",
        options=[option, "--cpu-limit-action=log", "--expiration-lead", "0.2s", f"--containment={containment}",
                 "--report", report])
    assert running.read_line() == "1", "the task's number"
    program = job.split()[0]
    pids = wait_for(f"two of {program}", lambda: working(running, program, 2))

    assert sandbox.curfew("home", running.name).returncode == 0
    status, _, errors = running.finish()
    assert status == 124
    assert not [pid for pid in pids if is_alive(pid)]
    assert re.fullmatch(
        rf'curfew: {running.name}: killed: background-task-timeout \(0x2182bad2\): task 1 "work on" .*0\.6 s was over\n', errors)
    written = json.loads(report.read_text())
    assert (written["reason"], written["status"]) == ("background-task-timeout", 124)
    assert [task["name"] for task in written["tasks"]] == ["work on"]


def working(running, program, count):
    """The processes of the tree, once `count` of them are `program`."""
    pids = whole_tree(running)
    return pids if [name_of(pid) for pid in pids].count(program) == count else None


def name_of(pid):
    try:
        with open(f"/proc/{pid}/comm") as file:
            return file.read().strip()
    except OSError:
        return None


@needs("ffmpeg")
def test_ffmpeg_is_stopped_in_every_thread_and_encodes_on(sandbox):
    # Into a pipe: it isn't at its end before that is read.
    film = sandbox.scratch / "film"
    os.mkfifo(film)
    with open(os.open(film, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as reader:
        running = sandbox.start(
            "ffmpeg", "-nostdin", "-y", "-loglevel", "error", "-progress", "pipe:1", "-f", "lavfi",
            "-i", "testsrc=duration=12:size=640x480:rate=25", "-c:v", "mpeg4", "-f", "matroska", film)
        assert read_some(reader)
        [pid] = send_home(sandbox, running)
        letters = thread_letters(pid)
        assert letters == ["T"] * len(letters) and len(letters) > 2
        open_again(sandbox, running)
        while read_some(reader):
            pass
    status, output, errors = running.finish(limit=3 * LIMIT)
    assert (status, errors) == (0, "")
    assert output.rstrip().endswith("progress=end")
    assert re.findall(r"^frame=(\d+)$", output, re.M)[-1] == "300", "no frame is lost"


THREADS = """
import threading
counts, turn = [0] * 8, threading.Barrier(9)
def work(index):
    turn.wait()
    while counts[index] < 200_000: counts[index] += 1
threads = [threading.Thread(target=work, args=(index,)) for index in range(8)]
for thread in threads: thread.start()
turn.wait()
print("up", flush=True)
for thread in threads: thread.join()
input()
print(sum(counts))
"""


@needs("python3")
def test_python_threads_are_all_stopped_and_all_resumed(sandbox):
    running = sandbox.start("python3", "-c", THREADS, stdin=subprocess.PIPE)
    running.expect("up")
    pids = send_home(sandbox, running)
    assert set(sum((thread_letters(pid) for pid in pids), [])) == {"T"}
    open_again(sandbox, running)
    running.process.stdin.write(b"\n")
    running.process.stdin.close()
    running.process.stdin = None
    assert running.finish() == (0, f"{8 * 200_000}\n", "")


GROW = 'held = []\nwhile True: held.append(b"x" * 1_000_000)'
GROWING = [
    pytest.param(["python3", "-c", GROW], id="leader"),
    pytest.param(["sh", "-c", f"python3 -c '{GROW}'; echo 'went on'; exec sleep 60"], id="child"),
]


@needs("python3")
@pytest.mark.parametrize("command", GROWING)
def test_python_past_the_memory_limit_takes_its_tree_along(sandbox, command, containment):
    report = sandbox.scratch / "report.json"
    running = sandbox.start(
        *command, options=["--memory", "80M", f"--containment={containment}", "--report", report])
    status, output, errors = running.finish()
    # v1 kills the child by itself; on a busy machine its parent can come that far before it is killed as well.
    assert (status, output in ("", "went on\n")) == (137, True), output
    assert re.search(rf"^curfew: {running.name}: killed: memory-limit \(jetsam 7\): .*80 MiB\n\Z", errors, re.M), errors
    assert json.loads(report.read_text())["reason"] == "memory-limit"


ARRAYS = """
held = []
for number in range(1, 9):
    held.append(bytearray(b"x" * (32 << 20)))
    print(number, flush=True)
"""


@needs("python3")
def test_python_with_arrays_that_fit_gets_to_its_end(sandbox, containment):
    running = sandbox.start(
        "python3", "-c", ARRAYS, options=[f"--containment={containment}", "--memory", "400M"])
    assert running.finish() == (0, "1\n2\n3\n4\n5\n6\n7\n8\n", "")


@needs("python3")
def test_python_with_an_array_too_many_is_killed_before_it_has_them_all(sandbox, containment):
    running = sandbox.start(
        "python3", "-c", ARRAYS, options=[f"--containment={containment}", "--memory", "150M"])
    status, output, errors = running.finish()
    assert (status, "the limit is 150 MiB" in errors) == (137, True), errors
    # Sampled, one more or two can have been had; a cgroup lets none through.
    assert int(output.split()[-1]) in ((2, 3, 4, 5, 6) if containment == "tree" else (2, 3, 4))
    assert {process["name"] for process in newest_report(sandbox, running)["processes"]} <= {"python3"}


class SQLite:
    """An sqlite3 under curfew that does on its standard input what it is told."""

    def __init__(self, sandbox, *options):
        self.sandbox = sandbox
        self.database = sandbox.scratch / "data.db"
        self.running = sandbox.start("sqlite3", "-bail", self.database, options=options, stdin=subprocess.PIPE)
        self.do("CREATE TABLE notes(text);")

    def do(self, statements):
        """Done when it has said so."""
        type_in(self.running, statements + "\n.print done\n")
        self.running.expect("done")

    def home(self):
        result = self.sandbox.curfew("home", self.running.name)
        assert (result.returncode, result.stderr) == (0, "")
        return self.running.status()["state"]

    def commits(self):
        """Opened, it does what was begun, and ends."""
        open_again(self.sandbox, self.running)
        self.do("COMMIT;")
        self.ends_well()

    def ends_well(self):
        type_in(self.running, "SELECT count(*) FROM notes;\n.exit\n")
        status, output, errors = self.running.finish()
        assert (status, output.split()[-1:], errors) == (0, ["1"], "")


WRITE_LOCK = "BEGIN IMMEDIATE; INSERT INTO notes VALUES ('half done');"


@needs("sqlite3")
def test_sqlite_in_a_write_transaction_is_reported_by_its_database(sandbox, containment):
    sqlite = SQLite(sandbox, f"--containment={containment}", "--locks=report")
    sqlite.do(WRITE_LOCK)
    assert sqlite.home() == "suspended"
    [event] = sqlite.running.wait_told("its locks", lambda: events(sandbox, sqlite.running, "suspendedWithLockedFiles"))
    pid = sqlite.running.status()["pid"]
    assert f"{sqlite.database} (POSIX, pid {pid})" in event["locks"]
    assert sqlite.running.status()["locks"] == event["locks"]
    sqlite.commits()


@needs("sqlite3")
def test_sqlite_in_a_write_transaction_is_killed_when_asked(sandbox, containment):
    sqlite = SQLite(sandbox, f"--containment={containment}", "--locks=kill")
    sqlite.do(WRITE_LOCK)
    sandbox.curfew("home", sqlite.running.name)
    status, _, errors = sqlite.running.finish()
    assert status == 137
    assert errors.startswith(f"curfew: {sqlite.running.name}: killed: suspended-with-locked-file (0xdead10cc): ")
    assert str(sqlite.database) in errors
    report = newest_report(sandbox, sqlite.running)
    assert (report["code"], report["exitCategory"]) == ("0xdead10cc", "suspendedWithLockedFileExit")
    assert str(sqlite.database) in [lock["path"] for lock in report["locks"] if lock["access"] == "write"]
    # What was half done is rolled back by the next who looks.
    result = subprocess.run(
        ["sqlite3", sqlite.database, "SELECT count(*) FROM notes; PRAGMA integrity_check;"], capture_output=True,
        text=True, timeout=LIMIT)
    assert (result.returncode, result.stdout.split()) == (0, ["0", "ok"])


@needs("sqlite3")
def test_sqlite_in_wal_mode_is_innocent_between_transactions(sandbox, containment):
    """It holds read locks on its -shm file all the time."""
    sqlite = SQLite(sandbox, f"--containment={containment}", "--locks=kill")
    sqlite.do("PRAGMA journal_mode = WAL; INSERT INTO notes VALUES ('done'); SELECT * FROM notes;")
    inode = sqlite.database.with_name("data.db-shm").stat().st_ino
    with open("/proc/locks") as file:
        assert f":{inode} " in file.read(), "a lock that is none of a writer's"
    assert sqlite.home() == "suspended"
    assert events(sandbox, sqlite.running, "suspendedWithLockedFiles") == []
    open_again(sandbox, sqlite.running)
    sqlite.ends_well()


@needs("sqlite3")
def test_sqlite_in_a_write_transaction_may_commit_before_it_is_suspended(sandbox, containment):
    sqlite = SQLite(sandbox, f"--containment={containment}", "--locks=defer", "--lock-wait=10m")
    sqlite.do(WRITE_LOCK)
    assert sqlite.home() == "background"
    # Nothing is read back: suspended once it lets go, it may say nothing more.
    type_in(sqlite.running, "COMMIT;\n")
    sqlite.running.wait_state("suspended")
    assert events(sandbox, sqlite.running, "suspendedWithLockedFiles") == []
    result = subprocess.run(
        ["sqlite3", sqlite.database, "SELECT count(*) FROM notes;"], capture_output=True, text=True, timeout=LIMIT)
    assert (result.returncode, result.stdout.split()) == (0, ["1"]), "it is committed, and nobody else is kept out"
    open_again(sandbox, sqlite.running)
    sqlite.ends_well()


@needs("sqlite3")
def test_sqlite_suspended_in_a_transaction_commits_it_whole(sandbox):
    database = sandbox.scratch / "data.db"
    running = sandbox.start("sqlite3", database, stdin=subprocess.PIPE)
    type_in(running, """
        CREATE TABLE numbers(n INTEGER PRIMARY KEY, text TEXT);
        PRAGMA cache_size = 10; BEGIN;
        WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 400000)
            INSERT INTO numbers SELECT n, hex(n * 7919) FROM r;
    """)
    wait_for("pages of the transaction on the disk", lambda: database.exists() and database.stat().st_size > 500_000)
    send_home(sandbox, running)
    assert database.with_name("data.db-journal").exists(), "the transaction is under way"
    size = database.stat().st_size
    assert running.status()["state"] == "suspended" and database.stat().st_size == size
    open_again(sandbox, running)
    # Not before: it is in the middle however long it took to be sent home.
    type_in(running, "COMMIT; SELECT count(*), sum(n) FROM numbers; PRAGMA integrity_check;\n")
    status, output, _ = running.finish(limit=3 * LIMIT)
    assert (status, output.split()) == (0, [f"400000|{400000 * 400001 // 2}", "ok"])


@needs("tar", "gzip")
def test_a_tar_pipeline_suspended_in_the_middle_loses_no_byte(sandbox):
    source, target = sandbox.scratch / "source", sandbox.scratch / "target"
    for folder in range(8):
        (source / str(folder)).mkdir(parents=True)
        for file in range(8):
            (source / str(folder) / f"{file}.bin").write_bytes(os.urandom(512 << 10))
    target.mkdir()
    # What it is to pack it is told: it is in the middle until it has heard of the second half.
    running = sandbox.shell(
        f"tar -C '{source}' -c -T - | gzip -6 | gzip -d | tar -C '{target}' -x", stdin=subprocess.PIPE)
    type_in(running, "".join(f"{folder}\n" for folder in range(4)))
    wait_for("the first files", lambda: len(list(target.glob("*/*.bin"))) >= 2)
    pids = send_home(sandbox, running)
    assert programs_of(pids) == ["gzip", "gzip", "tar", "tar"]
    there = list(target.glob("*/*.bin"))
    assert running.status()["state"] == "suspended" and list(target.glob("*/*.bin")) == there
    open_again(sandbox, running)
    type_in(running, "".join(f"{folder}\n" for folder in range(4, 8)))
    assert running.finish(limit=3 * LIMIT) == (0, "", "")
    comparison = subprocess.run(["diff", "-r", source, target], capture_output=True, text=True, timeout=3 * LIMIT)
    assert (comparison.returncode, comparison.stdout) == (0, "")


def test_a_pipeline_of_four_suspended_in_the_middle_gives_the_same_sum(sandbox):
    # `tee` shows how far it has come, in a pipe: before that is read it comes no further, and isn't at its end.
    shown = sandbox.scratch / "shown"
    os.mkfifo(shown)
    letters = str.maketrans("0123456789", "abcdefghij")
    expected = "".join(f"{n}\n" for n in range(1, 3_000_001)).translate(letters).encode()
    seen = bytearray()
    # Opened for both, it waits for nobody.
    with open(os.open(shown, os.O_RDWR), "rb", buffering=0) as reader:
        running = sandbox.shell(f"seq 3000000 | tr 0-9 a-j | tee '{shown}' | sha256sum")
        seen += read_some(reader)
        four = ["seq", "sha256sum", "tee", "tr"]
        wait_for("all four", lambda: programs_of(whole_tree(running)) == four)
        for _ in range(3):
            seen += read_some(reader)
            pids = send_home(sandbox, running)
            assert programs_of(pids) == four
            size = waiting(reader)
            assert running.status()["state"] == "suspended" and waiting(reader) == size
            open_again(sandbox, running)
        while len(seen) < len(expected):
            seen += read_some(reader)
    status, output, errors = running.finish(limit=3 * LIMIT)
    digest = hashlib.sha256(expected).hexdigest()
    assert (status, output.split()[0], errors) == (0, digest, "")
    assert hashlib.sha256(seen).hexdigest() == digest


def programs_of(pids):
    return sorted(name for name in map(name_of, pids) if name not in ("sh", None))


def read_some(pipe):
    assert select.select([pipe], [], [], LIMIT)[0], f"nothing has come for {LIMIT} s"
    return pipe.read(65536)


def waiting(pipe):
    """How many bytes can be read."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0]
