"""A redis-server that is put to sleep, alone or among idle processes, and who asks it."""

import contextlib
import json
import random
import shutil
import socket

from processes import BenchError, Conversation, Process, all_pids, descendants, executable, state, wait_until

PROGRAM = "redis-server"
# Started first, in the same tree; the server is their parent.
AMONG = 'i=0; while [ $((i += 1)) -lt "$0" ]; do sleep 1000 & done; exec "$@"'


def is_here():
    return shutil.which(PROGRAM) is not None


def free_port():
    """One that nobody has, below those that the kernel gives to clients."""
    for _ in range(100):
        port = random.randrange(20000, 30000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise BenchError("no free port between 20000 and 30000")


def command(bench, port, processes=1):
    """redis-server, of so many processes."""
    alone = [PROGRAM, "--port", port, "--bind", "127.0.0.1", "--protected-mode", "no", "--save", "", "--dir", bench.directory, "--maxclients", 4000]
    return alone if processes == 1 else ["sh", "-c", AMONG, processes, *alone]


def answers(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1) as client:
        client.settimeout(1)
        client.sendall(b"PING\r\n")
        return client.recv(7) == b"+PONG\r\n"
    return False


def wait_for_answer(process, port):
    try:
        wait_until(lambda: answers(port) or process.popen.poll() is not None, 10, f"an answer at port {port}")
    except BenchError as error:
        raise process.failure(str(error)) from None
    if process.popen.poll() is not None:
        raise process.failure(f"ended with status {process.popen.returncode}")


@contextlib.contextmanager
def client(bench, port, connections=1):
    """programs/ping.c, which holds so many connections."""
    with Conversation(bench, [bench.program("ping"), port, connections]) as talk:
        talk.read_line()
        yield talk


def ask(talk, how):
    """How long the answer took, µs; None for none within 2 s."""
    (microseconds,) = talk.ask(how)
    return None if microseconds < 0 else microseconds


class Asleep:
    """A redis-server under `curfew run` that connections wake."""

    def __init__(self, bench, name, port):
        self.bench, self.name, self.port = bench, name, port
        self.pids, self.supervisors = [], []

    def status(self):
        return json.loads(self.bench.check([self.bench.curfew, "status", self.name, "--json"], 10))

    def sleep(self):
        """Returns once it is known to be asleep."""
        told = json.loads(self.bench.check([self.bench.curfew, "sleep", self.name, "--json"], 20))
        status = self.status()
        if told["state"] != "suspended" or status.get("asleep") != "true":
            raise BenchError(f"curfew sleep {self.name} has answered {told['state']}, and then it was {status['state']}, "
                             f"woken by {status.get('wokenBy', 'nothing')}")
        states = {state(pid) for pid in self.pids}
        if states != {"T"}:
            raise BenchError(f"{self.name} is asleep with processes in states {sorted(states)}, not all T")

    def rest(self):
        """What `sleep` takes for itself, of one that stays awake: a figure of it is taken at the same pace."""
        self.bench.check([self.bench.curfew, "status", self.name, "--json"], 10)
        if self.status()["state"] != "active":
            raise BenchError(f"{self.name} isn't active")


@contextlib.contextmanager
def under_curfew(bench, *options, processes=1):
    name, port, before = bench.fresh(""), free_port(), set(all_pids())
    run = bench.curfew_run("--name", name, "--wake-on", "connections", *options)
    with Process(bench, [*run, *command(bench, port, processes)]) as process:
        wait_for_answer(process, port)
        app = Asleep(bench, name, port)
        leader = app.status()["pid"]
        app.pids = [leader, *descendants(leader)]
        if len(app.pids) != processes:
            raise BenchError(f"{name} has {len(app.pids)} processes, not {processes}")
        # All with its executable, whether descendants of the first or not.
        started = [pid for pid in set(all_pids()) - before if bench.started(pid)]
        app.supervisors = [pid for pid in started if executable(pid) == bench.curfew]
        yield app
