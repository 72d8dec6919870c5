"""Groups of our own in the hierarchies that this process is in, for the peers that the kernel itself is."""

import contextlib
import pathlib
import time

from harness import note
from processes import read_text


def own_directories():
    """(version, controllers, our group's directory) of each hierarchy that is mounted."""
    paths = {}
    for line in read_text("/proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        paths[controllers] = "" if path == "/" else path
    for line in read_text("/proc/self/mountinfo").splitlines():
        head, _, tail = line.partition(" - ")
        mount, (kind, _, options) = head.split()[4], tail.split()[:3]
        if kind == "cgroup2" and "" in paths:
            here = pathlib.Path(mount + paths[""])
            yield 2, read_text(here / "cgroup.subtree_control").split(), here
        if kind == "cgroup":
            for controllers, path in paths.items():
                if controllers and set(controllers.split(",")) <= set(options.split(",")):
                    yield 1, controllers.split(","), pathlib.Path(mount + path)


@contextlib.contextmanager
def own_group(bench, parents, prepare=lambda group: None):
    """A group in the first of `parents` that lets us make and prepare one, else None; removed in the end."""
    for parent in parents:
        group = parent / bench.fresh("-group")
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            prepare(group)
        except OSError:
            remove(group)
            continue
        try:
            yield group
        finally:
            remove(group)
        return
    yield None


def remove(group):
    for order, file in (("THAWED", "freezer.state"), ("0", "cgroup.freeze")):
        with contextlib.suppress(OSError):
            if (group / file).exists():
                (group / file).write_text(order)
    for _ in range(100):
        try:
            return group.rmdir()
        except OSError:
            time.sleep(0.02)
    note(f"the cgroup {group} could not be removed")
