"""A machine that is like what a test says, for the server that runs on it."""

import os
import shutil

import pytest

# What the machine is like is what its files say: they are others' in namespaces of mounts and of the network.
MACHINE = r"""
for what in cpu memory; do
    [ ! -e /proc/pressure/$what ] || mount --bind "$0/$what" /proc/pressure/$what || exit 77
done
mount --bind "$0/stat" /proc/stat || exit 77
ip link set lo up && ip route add default dev lo || exit 77
exec "$@"
"""


class Machine:
    """What a server finds of the machine it runs on."""

    def __init__(self, sandbox):
        if os.geteuid() != 0:
            pytest.skip("mounts of its own need root")
        if not os.path.exists("/proc/pressure/cpu"):
            pytest.skip("the kernel tells of no pressure")
        if not shutil.which("ip"):
            pytest.skip("a route needs ip")
        self.folder = sandbox.scratch / "machine"
        self.folder.mkdir()
        self.is_like(stall=0, busy=0)
        (self.folder / "memory").write_text("some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n")
        self.wrapper = ["unshare", "--mount", "--net", "--propagation", "private", "sh", "-c", MACHINE, self.folder]

    def is_like(self, *, stall, busy):
        """`stall`: percent of the time somebody waited; `busy`: for how many seconds all processors have worked."""
        for name, text in (("cpu", f"some avg10={stall}.00 avg60=0.00 avg300=0.00 total=0\n"),
                           ("stat", f"cpu  {busy * os.sysconf('SC_CLK_TCK')} 0 0 0 0 0 0 0 0 0\n")):
            # The same file, for that one is mounted.
            with open(self.folder / name, "r+" if (self.folder / name).exists() else "w") as file:
                file.write(text)
                file.truncate()
