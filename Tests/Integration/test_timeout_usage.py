"""The command line of GNU timeout: each row a behaviour, held against GNU's own, `curfew timeout`, and a link to curfew that
is called `timeout`. Messages are GNU's word for word, each program by its own name.

A row of a later version than GNU coreutils 9.1 says which; ours is held to the newest.
"""

import os
import shutil
import subprocess

import pytest

from conftest import LIMIT, binary, wait_for
from programs.helpers import remove_programs
from programs.timeouts import SLEEP, run_out_for_a_survivor, subject  # noqa: F401

EXIT_7 = ["sh", "-c", "exit 7"]
# Short, for there are many: the command may not even be under way yet, which must not matter.
SHORT = ".01"
VERBOSE_TERM = "timeout: sending signal TERM to command 'sleep'\n"


@pytest.fixture(scope="module", autouse=True)
def programs():
    yield
    remove_programs()


def rows(*table):
    """Rows of arguments and what is expected, named by the arguments."""
    return pytest.mark.parametrize(
        "arguments, expected", table, ids=[" ".join(map(repr, row[0])).replace("'", "") for row in table])


class TestHelp:
    def test_help(self, subject):
        """GNU's text or ours, it goes to standard output and names every option and status."""
        status, out, err = subject.run("--help")
        assert (status, err) == (0, "")
        for word in (
            "DURATION COMMAND [ARG", "--foreground", "-k, --kill-after=DURATION", "--preserve-status", "-s, --signal=SIGNAL",
            "-v, --verbose",
            "--help", "--version", "124", "125", "126", "127", "137",
        ):
            assert word in out

    @pytest.mark.parametrize("option", ["--help", "--version"])
    def test_copied_alone(self, subject, option):
        """The executable is enough: nothing has to be beside it."""
        alone = subject.sandbox.scratch / "alone"
        alone.mkdir()
        source = binary() if subject.name == "curfew" else os.path.realpath(subject.sandbox.scratch / subject.name / "timeout")
        program = alone / ("curfew" if subject.name == "curfew" else "timeout")
        shutil.copy(source, program)
        words = [program, *subject.words[1:], option]
        result = subprocess.run(words, capture_output=True, text=True, env=subject.environment, timeout=LIMIT)
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout.startswith("Usage: " if option == "--help" else "timeout (")

    def test_version(self, subject):
        status, out, err = subject.run("--version")
        assert (status, err) == (0, "")
        assert out.startswith("timeout (GNU coreutils) " if subject.is_gnu else "timeout (Curfew) ")

    @rows(
        (["--help", "--nope"], 0),
        (["--version", "-k", "x"], 0),
        (["-v", "--foreground", "--help"], 0),
        (["--hel"], 0),
        (["--vers"], 0),
    )
    def test_the_first_word_that_decides(self, subject, arguments, expected):
        """`--help` is obeyed when it is met: what follows isn't looked at."""
        status, out, err = subject.run(*arguments)
        assert (status, err) == (expected, "")
        assert out

    @pytest.mark.parametrize("option", ["--help", "--version"])
    def test_output_that_cannot_be_written(self, subject, option):
        with open("/dev/full", "w") as full:
            status, _, err = subject.run(option, stdout=full)
        assert status == 125
        assert err.endswith(": No space left on device\n")

    def test_a_full_disk_is_the_commands_business(self, subject):
        with open("/dev/full", "w") as full:
            assert subject.run("9", *EXIT_7, stdout=full, stderr=full)[0] == 7

    def test_name_by_which_it_was_called(self, subject):
        """Messages begin with the program's name as it was called, a path if that was one."""
        if subject.name == "curfew":
            return
        path = str(subject.sandbox.scratch / subject.name / "timeout")
        subject.words = [path]
        assert subject.run("x", "true") == (
            125, "", f"{path}: invalid time interval 'x'\nTry '{path} --help' for more information.\n")


class TestOptions:
    @rows(
        ([], None),
        (["5"], None),
        (["--"], None),
        (["-k", "1"], None),
        (["-k", "1", "5"], None),
        (["--nope", "5", "true"], "unrecognized option '--nope'"),
        (["--nope=1", "5", "true"], "unrecognized option '--nope=1'"),
        (["---help"], "unrecognized option '---help'"),
        (["-x", "5", "true"], "invalid option -- 'x'"),
        (["-vx", "5", "true"], "invalid option -- 'x'"),
        (["-help"], "invalid option -- 'h'"),
        (["-1", "true"], "invalid option -- '1'"),
        (["-k"], "option requires an argument -- 'k'"),
        (["-vk"], "option requires an argument -- 'k'"),
        (["-s"], "option requires an argument -- 's'"),
        (["--signal"], "option '--signal' requires an argument"),
        (["--kill-after"], "option '--kill-after' requires an argument"),
        (["--kill"], "option '--kill-after' requires an argument"),
        (["--foreground=1", "5", "true"], "option '--foreground' doesn't allow an argument"),
        (["--preserve-status=", "5", "true"], "option '--preserve-status' doesn't allow an argument"),
        (["--verbose=1", "5", "true"], "option '--verbose' doesn't allow an argument"),
        (["--help=1"], "option '--help' doesn't allow an argument"),
        (["--version=1"], "option '--version' doesn't allow an argument"),
        (["--ver", "5", "true"], "option '--ver' is ambiguous; possibilities: '--verbose' '--version'"),
        (["--v", "5", "true"], "option '--v' is ambiguous; possibilities: '--verbose' '--version'"),
        (["--nope", "--help"], "unrecognized option '--nope'"),
        (["-k", "x", "--help"], "invalid time interval 'x'"),
        (["-s", "x", "--help"], "'x': invalid signal"),
        (["-s9v", "5", "true"], "'9v': invalid signal"),
    )
    def test_refused(self, subject, arguments, expected):
        """A wrong command line is told of on standard error, with status 125."""
        assert subject.run(*arguments) == subject.refuses(expected)

    @rows(
        (["--", SHORT, *SLEEP], (124, "")),
        (["--foreground", "-s", "KILL", SHORT, *SLEEP], (137, "")),
        (["--fore", "-s", "KILL", SHORT, *SLEEP], (137, "")),
        (["--f", "-s", "KILL", SHORT, *SLEEP], (137, "")),
        (["--preserve-status", SHORT, *SLEEP], (143, "")),
        (["--pres", SHORT, *SLEEP], (143, "")),
        (["--p", SHORT, *SLEEP], (143, "")),
        (["--signal=KILL", SHORT, *SLEEP], (-9, "")),
        (["--signal", "KILL", SHORT, *SLEEP], (-9, "")),
        (["--sig=KILL", SHORT, *SLEEP], (-9, "")),
        (["--s", "KILL", SHORT, *SLEEP], (-9, "")),
        (["-s", "KILL", SHORT, *SLEEP], (-9, "")),
        (["-sKILL", SHORT, *SLEEP], (-9, "")),
        (["-s9", SHORT, *SLEEP], (-9, "")),
        (["-s", "INT", "-s", "KILL", SHORT, *SLEEP], (-9, "")),
        (["-v", SHORT, *SLEEP], (124, VERBOSE_TERM)),
        (["--verbose", SHORT, *SLEEP], (124, VERBOSE_TERM)),
        (["--verb", SHORT, *SLEEP], (124, VERBOSE_TERM)),
        (["-vk1", SHORT, *SLEEP], (124, VERBOSE_TERM)),
        (["-vsTERM", SHORT, *SLEEP], (124, VERBOSE_TERM)),
        (["-v", "-k", "9", "--kill-after=8", "--kill", "7", SHORT, *SLEEP], (124, VERBOSE_TERM)),
        (["-vs9", SHORT, *SLEEP], (-9, "timeout: sending signal KILL to command 'sleep'\n")),
    )
    def test_taken(self, subject, arguments, expected):
        """Long options may be abbreviated, short ones clustered, and the last of a kind counts."""
        status, err = expected
        assert subject.run(*arguments) == (status, "", subject.says(err))

    def test_verbose_twice(self, subject):
        """Nothing more with GNU's; ours then tells what there was."""
        status, out, err = subject.run("-vv", SHORT, *SLEEP)
        assert (status, out, err[:len(subject.says(VERBOSE_TERM))]) == (124, "", subject.says(VERBOSE_TERM))
        assert (err == VERBOSE_TERM) == (subject.name == "gnu"), err

    @pytest.mark.parametrize("arguments, status", [
        (["-f", "-s", "KILL"], 137), (["-p"], 143), (["-fp"], 143), (["-fvpsKILL"], 137), (["-pk9"], 143),
    ])
    def test_short_forms_of_posix(self, subject, arguments, status):
        """-f and -p are --foreground and --preserve-status. Source: POSIX.1-2024; coreutils NEWS, 9.6."""
        subject.needs((9, 6))
        assert subject.run(*arguments, SHORT, *SLEEP)[0] == status

    @rows(
        (["9", "echo", "-s", "--nope", "--help"], "-s --nope --help\n"),
        (["-v", "9", "echo", "-k"], "-k\n"),
        (["9", "echo", "--", "-v"], "-- -v\n"),
        (["--", "9", "echo", "--"], "--\n"),
        (["9", "sh", "-c", "echo \"$0-$1\"", "", "a  b"], "-a  b\n"),
    )
    def test_words_of_the_command(self, subject, arguments, expected):
        """From COMMAND on, every word is the command's."""
        assert subject.run(*arguments) == (0, expected, "")

    def test_double_dash_after_the_duration(self, subject):
        """There it is the command's name."""
        assert subject.run("9", "--", "true") == (
            127, "", subject.says("timeout: failed to run command '--': No such file or directory\n"))


class TestDuration:
    @pytest.mark.parametrize("duration", [
        ".02", "0.02", "0.02s", "+.02", " .02", "\t.02", "\n.02", "\v\f\r.02", "2e-2", "2E-2", "2e-2s", ".2e-1", "00.02",
        "0.0005m", "0.00001h", "0.0000003d", "0x1p-6", "0X1P-6", "0x.05", "0x.05p0s", "1e-300", "0.0000000001",
    ])
    def test_runs_out(self, subject, duration):
        """Fractions, exponents, hexadecimal, suffixes, a plus and leading space; however little it is, it isn't none."""
        assert subject.run(duration, *SLEEP) == (124, "", "")

    @pytest.mark.parametrize("duration", [".01", "1e-2s", " +.01", "0x1p-7", "0.0002m", "1e-300"])
    def test_runs_out_for_the_kill(self, subject, duration):
        assert subject.run("-s0", "-k", duration, duration, *SLEEP) == (-9, "", "")

    @pytest.mark.parametrize("duration", ["1e-400", "1e-5000", "0x1p-1100"])
    def test_below_what_a_number_can_be(self, subject, duration):
        """It runs out at once. Source: coreutils NEWS, 9.7; older ones take it for none."""
        subject.needs((9, 7))
        assert subject.run(duration, *SLEEP) == (124, "", "")

    @pytest.mark.parametrize("duration", [
        "9", "9s", "9m", "9h", "9d", "9.", "9.s", ".9h", "1e1", "1E1", "1e+1", "0x10", "0x10s", "0xd", "0xfd", "0x1p4",
        "inf", "INF", "Inf", "+inf", " inf", "infinity", "INFINITY", "Infinity", "infs", "infm", "infinityd",
        "1e400", "1e400d", "9999999999999999999d", "9" * 40, "1" + "0" * 400, "9223372036854775807", "18446744073709551616",
        "106751991167301d", "1e308d",
    ])
    def test_is_long(self, subject, duration):
        """Suffixes, hexadecimal and infinity; however much it is, it is taken for very long."""
        assert subject.run(duration, *EXIT_7) == (7, "", "")

    @pytest.mark.parametrize("duration", ["9", "9d", "0x10", "inf", "1e400", "9999999999999999999d"])
    def test_is_long_for_the_kill(self, subject, duration):
        assert subject.run("-k", duration, SHORT, *SLEEP) == (124, "", "")

    @pytest.mark.parametrize("duration", [
        "0", "0s", "0m", "0h", "0d", "0.0", ".0", "0.", "00", "+0", "0e9", "0x0", "0x0p1", "-0", "-0.0s", "-0d", " -0",
    ])
    def test_zero_is_none(self, subject, duration):
        """0 is no limit, and with -k no kill."""
        assert subject.run("--", duration, "sh", "-c", "sleep .01; exit 7") == (7, "", "")
        assert run_out_for_a_survivor(subject, "-k", duration) == 124

    @pytest.mark.parametrize("duration, shown", [(text, text) for text in (
        "", " ", "x", "s", "m", ".", "+", "5x", "5S", "5M", "5ss", "5sm", "1,5", "1.5.5", "1_0", "e1", "1e", "1e+", "0x", "0xg",
        "nan", "NAN", "nans", "nan(1)", "infx", "infss", "in", "++5", "5+5", "five", "~5", "5D",
    )] + [
        ("it's", "it\\'s"), ("a\\b", "a\\\\b"), ("x\ty", "x\\ty"), ("x\n", "x\\n"), ("\x01", "\\001"),
        ("\u00e9", "\\303\\251"), ("\u00a05", "\\302\\2405"),
    ])
    def test_invalid(self, subject, duration, shown):
        """As the limit and for -k; what isn't plain ASCII is shown as C would write it."""
        refused = subject.refuses(f"invalid time interval '{shown}'")
        assert subject.run(duration, "true") == refused
        assert subject.run("-k", duration, "5", "true") == refused

    @pytest.mark.parametrize("duration", ["-1", "-0.1", "-1s", "-inf", "-1e400", "-1e-300", "-", "--5", "- 5", "+-5"])
    def test_negative(self, subject, duration):
        refused = subject.refuses(f"invalid time interval '{duration}'")
        assert subject.run("--", duration, "true") == refused
        assert subject.run("-k", duration, "5", "true") == refused

    @pytest.mark.parametrize("duration", [" -1e-10000", " -1e-400s", "-0x1p-9999"])
    def test_negative_below_what_a_number_can_be(self, subject, duration):
        """A minus counts, however little stands behind it. Source: coreutils 9.10, observed; older ones take it for none."""
        subject.needs((9, 10))
        refused = subject.refuses(f"invalid time interval '{duration}'")
        assert subject.run("--", duration, "true") == refused
        assert subject.run("-k", duration, "5", "true") == refused

    @pytest.mark.parametrize("duration", [
        "5ms", "5us", "5sec", "5min", "5hr", "5w", "1h30m", "1h 30m", "5 s", "5 ", "inf ",
    ])
    def test_as_systemd_writes_it(self, subject, duration):
        """GNU refuses systemd's time spans, which ours understands too. Source: systemd.time(7)."""
        expected = subject.refuses(f"invalid time interval '{duration}'") if subject.is_gnu else (0, "", "")
        assert subject.run("-k", duration, "9", "true") == expected

    def test_is_looked_at_before_the_command(self, subject):
        assert subject.run("x", "no-such-program") == subject.refuses("invalid time interval 'x'")


class TestSignalNames:
    @pytest.mark.parametrize("name, number", [
        ("TERM", 15), ("SIGTERM", 15), ("term", 15), ("sigterm", 15), ("SigTerm", 15), ("15", 15), ("015", 15), ("SIG15", 15),
        ("HUP", 1), ("1", 1), ("INT", 2), ("QUIT", 3), ("ILL", 4), ("TRAP", 5), ("ABRT", 6), ("IOT", 6), ("BUS", 7),
        ("FPE", 8), ("USR1", 10), ("SEGV", 11), ("USR2", 12), ("PIPE", 13), ("STKFLT", 16), ("XCPU", 24), ("XFSZ", 25),
        ("VTALRM", 26), ("PROF", 27), ("POLL", 29), ("IO", 29), ("PWR", 30), ("SYS", 31),
        ("RTMIN", 34), ("rtmin", 34), ("SIGRTMIN", 34), ("RTMIN+1", 35), ("SIGRTMIN+1", 35), ("RTMIN+30", 64), ("RTMAX", 64),
        ("RTMAX-1", 63), ("RTMAX-30", 34), ("34", 34), ("50", 50), ("64", 64),
        ("143", 15), ("271", 15), ("130", 2), ("258", 2),
    ])
    def test_names_and_numbers(self, subject, name, number):
        """A name in either case, with SIG or without, a number, or the status that a shell shows for it."""
        assert subject.run("--preserve-status", "-s", name, SHORT, *SLEEP) == (128 + number, "", "")

    @pytest.mark.parametrize("name", ["KILL", "9", "kill", "SIGKILL", "137", "265"])
    def test_kill(self, subject, name):
        """Its own group includes itself."""
        assert subject.run("-s", name, SHORT, *SLEEP) == (-9, "", "")

    @pytest.mark.parametrize("name", ["0", "EXIT", "exit", "SIGEXIT", "128", "256", "00"])
    def test_signal_zero(self, subject, name):
        """Nothing is sent, and -k counts all the same."""
        assert subject.run("-s", name, "-k", SHORT, SHORT, *SLEEP) == (-9, "", "")
        assert run_out_for_a_survivor(subject, "-s", name, first=None) == 124

    @pytest.mark.parametrize("name, shown", [(name, name) for name in (
        "", "x", "TERMX", "SIG", "SIGSIGTERM", "SIGNAL", " TERM", "TERM ", "-TERM", "+15", "-1", "-15", "0x9", "9 ", " 9", "9v", "9.0",
        "65", "127", "255", "9999999999999", "RTMIN+31", "RTMAX-31", "RTMIN-1", "RTMAX+1", "RTMIN+", "UNUSED",
    )] + [("a\nb", "a\\nb"), ("it's", "it\\'s"), ("\u00e9", "\\303\\251")])
    def test_invalid(self, subject, name, shown):
        assert subject.run("-s", name, "5", "true") == subject.refuses(f"'{shown}': invalid signal")

    @pytest.mark.parametrize("name, shown", [
        ("15", "TERM"), ("sigint", "INT"), ("143", "TERM"), ("IOT", "ABRT"), ("IO", "POLL"), ("RTMIN", "RTMIN"),
        ("RTMIN+1", "RTMIN+1"), ("36", "RTMIN+2"), ("RTMIN+15", "RTMIN+15"), ("50", "RTMAX-14"), ("63", "RTMAX-1"),
        ("64", "RTMAX"),
    ])
    def test_verbose(self, subject, name, shown):
        """-v calls it by one name, however it was written."""
        assert subject.run("-v", "-s", name, SHORT, *SLEEP) == (
            124, "", subject.says(f"timeout: sending signal {shown} to command 'sleep'\n"))

    def test_verbose_zero(self, subject):
        """Signal 0 is shown as its number. Source: coreutils NEWS, 9.10; older ones show EXIT."""
        subject.needs((9, 10))
        assert subject.run("-vs0", "-k", SHORT, SHORT, *SLEEP) == (-9, "", subject.says(
            "timeout: sending signal 0 to command 'sleep'\ntimeout: sending signal KILL to command 'sleep'\n"))

    @pytest.mark.parametrize("name", ["32", "33"])
    def test_without_a_name(self, subject, name):
        """Numbers that have no name are signals too. Source: coreutils NEWS, 9.5."""
        subject.needs((9, 5))
        assert subject.run("-s", name, "9", *EXIT_7) == (7, "", "")


class TestCommandThatCannotBeRun:
    @pytest.mark.parametrize("command, status, why", [
        ("no-such-program", 127, "No such file or directory"),
        ("./no-such-program", 127, "No such file or directory"),
        ("", 127, "No such file or directory"),
        ("/", 126, "Permission denied"),
        (".", 126, "Permission denied"),
        ("./plain", 126, "Permission denied"),
        ("./plain/below", 126, "Not a directory"),
        ("./loop", 126, "Too many levels of symbolic links"),
        ("./dangling", 127, "No such file or directory"),
        ("./no-interpreter", 127, "No such file or directory"),
        ("n" * 300, 126, "File name too long"),
        ("tool-that-cannot", 126, "Permission denied"),
    ])
    def test_refused(self, subject, command, status, why):
        """127 where there is no such file, 126 otherwise, and why."""
        scratch = subject.sandbox.scratch
        (scratch / "plain").write_text("exit 5\n")
        (scratch / "loop").symlink_to("loop")
        (scratch / "dangling").symlink_to("nowhere")
        script(scratch / "no-interpreter", "#!/no/such/shell\n")
        (scratch / "tool-that-cannot").write_text("")
        subject.environment["PATH"] += f":{scratch}"
        for options in ([], ["--foreground"], ["-k1"], ["--preserve-status", "-v"]):
            assert subject.run(*options, "5", command) == (
                status, "", subject.says(f"timeout: failed to run command '{command}': {why}\n"))

    @pytest.mark.parametrize("command, shown", [
        ("it's", "it\\'s"), ("new\nline", "new\\nline"), ("n\u00e9", "n\\303\\251"), ("a b", "a b"), ('say "x"', 'say "x"'),
    ])
    def test_its_name_is_quoted(self, subject, command, shown):
        assert subject.run("5", command) == (
            127, "", subject.says(f"timeout: failed to run command '{shown}': No such file or directory\n"))

    @pytest.mark.parametrize("command, shown", [
        ("it's", "it's"), ("new\nline", "new\\nline"), ("n\u00e9", "n\u00e9"), ("a\u2019b", "a\\\u2019b"), ("\u0085", "\\302\\205"),
    ])
    def test_its_name_is_quoted_in_a_locale_of_utf8(self, subject, command, shown):
        """There GNU's has other quotes, and what can be printed stands as it is."""
        subject.environment["LC_ALL"] = "C.UTF-8"
        says = subject.says(f"timeout: failed to run command \u2018{shown}\u2019: No such file or directory\n")
        assert subject.run("5", command) == (127, "", says)

    def test_a_script_without_a_shell(self, subject):
        """As execvp has it, what the kernel can't execute is a script of sh's."""
        script(subject.sandbox.scratch / "bare", "exit 6\n")
        assert subject.run("5", "./bare") == (6, "", "")

    def test_passed_over_in_the_path(self, subject):
        """A file that can't be executed doesn't hide one that can, later in PATH."""
        scratch = subject.sandbox.scratch
        for name in ("first", "second"):
            (scratch / name).mkdir()
        (scratch / "first/tool").write_text("")
        script(scratch / "second/tool", "#!/bin/sh\nexit 6\n")
        subject.environment["PATH"] += f":{scratch}/first:{scratch}/second"
        assert subject.run("5", "tool") == (6, "", "")

    def test_without_a_path(self, subject):
        """Where PATH isn't set, the system's own is looked through."""
        subject.words[0] = str(wait_for("its path", lambda: which(subject)))
        del subject.environment["PATH"]
        assert subject.run("5", "sh", "-c", "exit 6") == (6, "", "")


def which(subject):
    for folder in subject.environment["PATH"].split(":"):
        if os.access(path := os.path.join(folder, subject.words[0]), os.X_OK):
            return path
    return None


def script(path, text):
    path.write_text(text)
    path.chmod(0o755)
