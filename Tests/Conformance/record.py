"""The record of what GNU timeout answers, timeout.txt: its rows, and how one is run as real processes.

The file's head says how a row is written. Tests/CurfewCommandTests/ConformanceRecord.swift reads the same.
"""

import json
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
PATH = HERE / "timeout.txt"
TELLER = HERE.parent / "Integration/programs/teller.c"
LIMIT = 20.0 * float(os.environ.get("CURFEW_TEST_PATIENCE", "1"))
# Instead of the lines that each program words as it likes.
SOMETHING = "…"


class Answer:
    """How a command line ends: its status, and the lines it writes."""

    def __init__(self, status, out=(), errors=()):
        self.status, self.out, self.errors = str(status), list(out), list(errors)

    def __eq__(self, other):
        def comparable(one):
            return one.status, [SOMETHING] if SOMETHING in (self.out + other.out) and one.out else once(one.out), one.errors

        return comparable(self) == comparable(other)

    def lines(self):
        return [f"= {self.status}", *(f"! {line}" for line in self.errors)]

    def __repr__(self):
        return "\n".join([*(f"> {line}" for line in self.out), *self.lines()])


class Row:
    """One command line, what is sent to it meanwhile, and its answer."""

    def __init__(self, number):
        self.number = number
        self.is_process = False
        self.words = []
        self.since = None
        # "> line" is awaited, "< SIGNAL" is sent to timeout, "<< SIGNAL" to the command.
        self.script = []
        self.answer = None
        # Where Curfew's is another, as docs/timeout.md says.
        self.ours = None

    @property
    def line(self):
        return " ".join(map(written, self.words))

    def answer_of(self, subject):
        """What this one has to answer: curfew's, or GNU's in the words of a program of that name."""
        answer = self.ours if subject != "gnu" and self.ours else self.answer
        if subject != "curfew":
            return answer
        errors = [re.sub(r"^timeout: ", "curfew: timeout: ", line) for line in answer.errors]
        errors = [re.sub(r"^Try 'timeout ", "Try 'curfew timeout ", line) for line in errors]
        return Answer(answer.status, answer.out, errors)

    def text(self):
        lines = [("* " if self.is_process else "") + self.line]
        if self.since:
            lines.append("since " + ".".join(map(str, self.since)))
        awaited = [line[2:] for line in self.script if line.startswith("> ")]
        lines += [*self.script, *(f"> {line}" for line in self.answer.out[len(awaited):]), *self.answer.lines()]
        if self.ours:
            lines += ["curfew:", *(f"> {line}" for line in self.ours.out), *self.ours.lines()]
        return "\n".join(lines)


def once(lines):
    """Without those that were there before: a command that is in its timeout's group is signalled once or twice, the second time
    perhaps after it has said what it heard, and heard the next signal."""
    return list(dict.fromkeys(lines))


# MARK: The file


class Record:
    """The rows, among the lines that aren't, in the file's order."""

    def __init__(self, text):
        self.version = None
        self.parts = []
        number = 1
        for block in text.rstrip("\n").split("\n\n"):
            self.parts.append(self._part(block, number))
            number += block.count("\n") + 2

    @staticmethod
    def read():
        return Record(PATH.read_text())

    @property
    def rows(self):
        return [part for part in self.parts if isinstance(part, Row)]

    def _part(self, block, number):
        if found := re.search(r"^# Recorded from coreutils (\S+)\.$", block, re.M):
            self.version = found[1]
        if block.startswith(("#", "==")):
            return block
        return parse(block, number)

    def text(self):
        return "\n\n".join(part if isinstance(part, str) else part.text() for part in self.parts) + "\n"


def parse(block, number):
    first, *rest = block.split("\n")
    row = Row(number)
    row.is_process = first.startswith("* ")
    row.words = words(first.removeprefix("* "))
    script, answers = [], []
    for line in rest:
        kind, _, value = line.partition(" ")
        if kind == "since":
            row.since = version(value)
        elif kind in ("<", "<<"):
            row.script = list(script := [*script, line])
        elif line == "curfew:":
            answers.append(Answer("?"))
            script = []
        elif kind == ">" and len(answers) < 2:
            script.append(line)
        elif kind == ">":
            answers[-1].out.append(value)
        elif kind == "=" and not answers:
            answers.append(Answer(value, [said[2:] for said in script if said.startswith("> ")]))
        elif kind == "=":
            answers[-1].status = value
        elif kind == "!":
            answers[-1].errors.append(value)
        else:
            raise ValueError(f"{PATH.name}:{number}: what is {line!r}?")
    row.answer, row.ours = answers[0], (answers[1] if len(answers) > 1 else None)
    return row


def words(line):
    """Its words; those in quotes are written as JSON's strings."""
    return [json.loads(word) if word.startswith('"') else word for word in re.findall(r'"(?:[^"\\]|\\.)*"|[^" ]\S*', line)]


def written(word):
    plain = re.fullmatch(r"[^\s\"\\\x00-\x1f\x7f-\xa0]+", word)
    return word if plain else re.sub(r"[\x7f-\xa0]", lambda found: f"\\u{ord(found[0]):04x}", json.dumps(word, ensure_ascii=False))


def version(text):
    return tuple(map(int, text.split(".")))


# MARK: Running


def hear_all_signals():
    """Whoever runs this may ignore some, as nohup does."""
    for number in signal.valid_signals() - {signal.SIGPIPE, signal.SIGXFSZ}:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def gnu_timeout():
    """The path and the version of the machine's GNU timeout, or None."""
    for folder in os.get_exec_path():
        path = shutil.which("timeout", path=folder)
        text = path and subprocess.run([path, "--version"], capture_output=True, text=True).stdout
        if found := re.match(r"timeout \(GNU coreutils\) (\d+)\.(\d+)", text or ""):
            return path, (int(found[1]), int(found[2]))
    return None


class Stage:
    """A directory with what the rows' commands need; each runs in it."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        for name in ("bin", "gnu", "link", "curfew", "work"):
            (self.folder / name).mkdir()
        subprocess.run(["cc", "-O1", "-o", self.folder / "bin/teller", TELLER], check=True)
        work = self.work = self.folder / "work"
        (work / "it's mine").symlink_to(shutil.which("sleep"))
        (work / "plain").write_text("exit 5\n")
        (work / "loop").symlink_to("loop")
        (work / "dangling").symlink_to("nowhere")
        (work / "tool-that-cannot").write_text("")
        for name, text in ("no-interpreter", "#!/no/such/shell\n"), ("bare", "exit 6\n"):
            (work / name).write_text(text)
            (work / name).chmod(0o755)

    def add(self, subject, target):
        """One of `gnu`, `link` and `curfew`, by this executable."""
        (self.folder / subject / ("curfew" if subject == "curfew" else "timeout")).symlink_to(target)

    def environment(self, subject, given=os.environ):
        path = f"{self.folder / subject}:{self.folder / 'bin'}:{given['PATH']}:{self.work}"
        environment = dict(given, PATH=path, LC_ALL="C", TERM="dumb")
        environment.pop("POSIXLY_CORRECT", None)
        return environment

    def run(self, row, subject, environment=None):
        """The answer of that subject, as real processes."""
        at = row.words.index("timeout")
        program = ["curfew", "timeout"] if subject == "curfew" else ["timeout"]
        process = subprocess.Popen(
            [*row.words[:at], *program, *row.words[at + 1:]], cwd=self.work, env=environment or self.environment(subject),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with process:
            try:
                return Run(process).follow(row.script)
            finally:
                process.kill()


class Run:
    """A row under way."""

    def __init__(self, process):
        self.process = process
        self.deadline = time.monotonic() + LIMIT
        self.buffer = b""
        self.out = []
        self.command = None

    def follow(self, script):
        for step in script:
            kind, value = step.split(" ", 1)
            if kind == ">":
                while not self.out or self.out[-1] != value:
                    self.read_line(value)
                continue
            self.wait_at_rest()
            os.kill(self.process.pid if kind == "<" else self.command, number_of(value))
        try:
            out, errors = self.process.communicate(timeout=max(0, self.deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            return Answer(f"none in {LIMIT:g} s", self.out)
        self.out += map(self.plain, os.fsdecode(self.buffer + out).splitlines())
        said = once(self.out) if script else self.out
        return Answer(status_text(self.process.returncode), said, os.fsdecode(errors).splitlines())

    def read_line(self, awaited):
        while b"\n" not in self.buffer:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, self.deadline - time.monotonic()))
            chunk = os.read(self.process.stdout.fileno(), 4096) if ready else b""
            if not chunk:
                raise AssertionError(f"waited for {awaited!r}; seen: {self.out}, {self.buffer}")
            self.buffer += chunk
        line, _, self.buffer = self.buffer.partition(b"\n")
        self.out.append(self.plain(os.fsdecode(line)))

    def plain(self, line):
        """The teller's first line tells its pid, which no two runs share."""
        if found := re.fullmatch(r"up (\d+)", line):
            self.command = int(found[1])
            return "up"
        return line

    def wait_at_rest(self):
        """Until it sleeps, having done what it was told: older GNU ones lose a signal that comes before."""
        while True:
            try:
                state = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[0]
            except (FileNotFoundError, ProcessLookupError):
                return
            if state in "SZ":
                return
            assert time.monotonic() < self.deadline, f"waited for timeout to sleep; it is {state}"
            time.sleep(0.001)


NAMES = {number.value: number.name[3:] for number in signal.Signals}


def number_of(name):
    """Of a signal by its name, without SIG."""
    end, _, distance = name.partition("+")
    return signal.Signals[f"SIG{end}"] + int(distance or 0)


def status_text(code):
    if code >= 0:
        return str(code)
    return NAMES.get(-code) or f"RTMIN+{-code - signal.SIGRTMIN}"
