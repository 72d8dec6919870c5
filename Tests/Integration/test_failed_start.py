"""A start that fails, at whichever stage, leaves nothing: no cgroup of any hierarchy, no socket, no process."""

import os
import resource

import pytest

from conftest import cgroup2_directory, every_cgroup

# What has a cgroup made in each hierarchy there is.
LIMITS = ["--memory", "100M", "--background-cpu", "50%", "--cpu-limit-action", "throttle", "--background-priority", "low"]


def left(name):
    cgroups = [path for path in every_cgroup() if path.name.startswith(f"curfew.{name}.")]
    own = cgroup2_directory()
    return cgroups + ([own / "curfew.supervisor"] if own and (own / "curfew.supervisor").exists() else [])


def fails(sandbox, *arguments, status, **options):
    name = "f" + sandbox.marker[:8]
    result = sandbox.curfew("run", "--name", name, *arguments, **options)
    assert (result.returncode, result.stderr[:12]) == (status, "curfew: run:"), result.stderr
    assert not left(name), "cgroups left"
    assert not sandbox.sockets()
    assert not sandbox.processes()


STAGES = {
    "not found": (["--", "no-such-command"], 127),
    "a directory": (["--", "/"], 126),
    "not executable": (["--", "/etc/passwd"], 126),
    "settings": (["--settings", "/no/such/file", "--", "true"], 125),
    "state directory": (["--state-dir", "/etc/passwd", "--", "true"], 125),
    "report": (["--report", "/no/such/file", "--", "true"], 125),
    "strict": (["--strict", "--memory", "1000T", "--", "true"], 125),
}


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_of_a_start(sandbox, containment, stage):
    arguments, status = STAGES[stage]
    fails(sandbox, "--containment", containment, *LIMITS, *arguments, status=status)


def test_a_name_that_is_taken(sandbox, containment):
    running = sandbox.shell("sleep 300 & echo up; wait")
    running.expect("up")
    before = set(every_cgroup())
    result = sandbox.curfew("run", "--name", running.name, "--containment", containment, *LIMITS, "--", "true")
    assert result.returncode == 64
    assert not {path for path in set(every_cgroup()) - before if path.name.startswith(f"curfew.{running.name}.")}


@pytest.mark.parametrize("limits", [[], LIMITS], ids=["plain", "limits"])
def test_each_want_of_a_descriptor(sandbox, containment, limits):
    """From the first that is made to the last: it fails and leaves nothing, or it works."""
    name = "f" + sandbox.marker[:8]
    worked = []
    for count in range(3, 24):
        result = sandbox.curfew(
            "run", "--name", name, "--containment", containment, *limits, "--", "sh", "-c", "exit 7",
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count)))
        assert result.returncode in (7, 125), result
        assert not left(name), f"cgroups left with {count} descriptors: {result.stderr}"
        assert not sandbox.sockets(), f"sockets left with {count} descriptors: {result.stderr}"
        worked.append(result.returncode == 7)
    assert worked == sorted(worked), "what works with few works with more"
    assert worked[-1]
    assert os.listdir(sandbox.runtime / "curfew") == []
