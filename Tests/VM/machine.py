#!/usr/bin/env python3
"""The virtual machine, emulated: boots it once and keeps its state, then runs payloads from that state.

    machine.py boot FOLDER              from disk, kernel and initrd; leaves FOLDER/state and FOLDER/disk.booted
    machine.py run FOLDER TAR SECONDS   unpacks TAR in it, runs `inside`, prints its output, exits with its status;
                                        124 when it takes longer than SECONDS, 125 when the machine dies.
                                        Booted again from inside, it runs `inside` once more.
    machine.py kind                     how it is emulated
"""

import contextlib
import json
import os
import pathlib
import re
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time

MEMORY = "2048"
PROCESSORS = "2"
PAYLOAD_ROOM = 1 << 30
BOOT_LIMIT = 600
ACCELERATIONS = {
    "kvm": ["-accel", "kvm", "-cpu", "host"],
    "tcg": ["-accel", "tcg,thread=multi,tb-size=512", "-cpu", "Nehalem"],
}
# `clearcpuid=cx16`: with QEMU 7.2, kernels whose allocator uses CMPXCHG16B panic now and then. The processor itself
# must have it, for Swift's runtime uses it unasked.
KERNEL_ARGUMENTS = (
    "root=/dev/vda rw console=ttyS0 quiet loglevel=4 audit=0 panic=-1 psi=1 mitigations=off tsc=reliable "
    "clearcpuid=cx16 no_timer_check random.trust_cpu=on systemd.show_status=false systemd.unified_cgroup_hierarchy=1")


def kind():
    """How it is emulated: wholly, which any machine can, or with CURFEW_VM_KIND=kvm by the kernel, where that has a /dev/kvm that is
    good for it: below another hypervisor many of them haven't the processor's instructions."""
    return os.environ.get("CURFEW_VM_KIND", "tcg")


class Machine:
    """A running emulator, its monitor and the line to the guest's service; ended on the way out, whatever happens."""

    def __init__(self, folder, disk, payload, *more):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="curfew-vm-"))
        self.console = self.work / "console"
        self.process = subprocess.Popen(
            # Never outlives us; and whoever works here meanwhile goes first.
            ["setpriv", "--pdeathsig", "KILL", "nice", "-n", "15",
             "qemu-system-x86_64", "-machine", "q35", *ACCELERATIONS[kind()], "-m", MEMORY,
             "-smp", PROCESSORS, "-nodefaults", "-display", "none",
             "-kernel", folder / "kernel", "-initrd", folder / "initrd", "-append", KERNEL_ARGUMENTS,
             "-drive", f"file={disk},if=virtio,format=qcow2,cache=unsafe",
             "-drive", f"file={payload},if=virtio,format=raw,readonly=on",
             "-object", "rng-random,filename=/dev/urandom,id=noise", "-device", "virtio-rng-pci,rng=noise",
             "-serial", f"file:{self.console}",
             "-chardev", f"socket,id=line,path={self.work}/line,server=on,wait=off", "-serial", "chardev:line",
             "-qmp", f"unix:{self.work}/monitor,server=on,wait=off", *more],
            stdin=subprocess.DEVNULL)
        self.line = None

    def __enter__(self):
        try:
            self.monitor = self._connect("monitor").makefile("rw")
            self.monitor.readline()
            self.ask("qmp_capabilities")
            self.line = self._connect("line")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        for path in self.work.iterdir():
            path.unlink()
        self.work.rmdir()

    def _connect(self, name):
        end = time.monotonic() + 20
        while True:
            with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
                end_point = socket.socket(socket.AF_UNIX)
                end_point.connect(str(self.work / name))
                return end_point
            if self.process.poll() is not None or time.monotonic() > end:
                sys.exit(f"the emulator doesn't listen; it ended with {self.process.poll()}")
            time.sleep(0.05)  # a moment

    def ask(self, command, **arguments):
        """What the monitor answers, events left out."""
        print(json.dumps({"execute": command, "arguments": arguments}), file=self.monitor, flush=True)
        while answer := self.monitor.readline():
            answer = json.loads(answer)
            if "error" in answer:
                sys.exit(f"{command}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]
        sys.exit(f"{command}: the emulator has ended")

    def lines(self, seconds):
        """Each line the guest's service says; TimeoutError when that takes longer than `seconds` in all."""
        end = time.monotonic() + seconds
        buffer = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self.line, selectors.EVENT_READ)
            while True:
                if not selector.select(max(0, end - time.monotonic())):
                    raise TimeoutError(buffer.decode(errors="replace"))
                chunk = self.line.recv(65536)
                if not chunk:
                    return
                *whole, buffer = (buffer + chunk).split(b"\n")
                for line in whole:
                    yield line.decode(errors="replace").rstrip("\r")

    def begin(self):
        """Has the guest's service begin; its clock stood still while the state was kept."""
        self.line.sendall(f"now {int(time.time())}\n".encode())

    def last_words(self):
        return "\n".join(self.console.read_text(errors="replace").splitlines()[-30:])


def boot(folder):
    """Boots to where the service waits, and keeps disk and memory as they are then."""
    disk, state = folder / "disk.booted", folder / "state"
    subprocess.run(
        ["qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b", folder / "disk", disk], check=True)
    with tempfile.NamedTemporaryFile() as payload:
        payload.truncate(PAYLOAD_ROOM)
        with Machine(folder, disk, payload.name, "-no-reboot") as machine:
            try:
                if "curfew-vm: ready" not in machine.lines(BOOT_LIMIT):
                    sys.exit(f"the machine died while it booted:\n{machine.last_words()}")
            except TimeoutError:
                sys.exit(f"the machine hasn't booted in {BOOT_LIMIT} s:\n{machine.last_words()}")
            machine.ask("stop")
            machine.ask("migrate", uri=f"exec:cat >'{state}.new'")
            while (status := machine.ask("query-migrate")["status"]) != "completed":
                if status == "failed":
                    sys.exit("the machine's state couldn't be kept")
                time.sleep(0.1)  # a moment
    os.rename(f"{state}.new", state)


def run(folder, payload, seconds):
    """Runs a payload; the status to exit with."""
    with open(payload, "r+b") as file:
        if file.seek(0, os.SEEK_END) > PAYLOAD_ROOM:
            sys.exit(f"the payload is larger than {PAYLOAD_ROOM >> 20} MiB")
        file.truncate(PAYLOAD_ROOM)
    with tempfile.TemporaryDirectory(prefix="curfew-vm-") as work:
        disk = f"{work}/disk"
        subprocess.run(
            ["qemu-img", "create", "-q", "-f", "qcow2", "-F", "qcow2", "-b", folder / "disk.booted", disk], check=True)
        with Machine(folder, disk, payload, "-incoming", f"exec:cat '{folder}/state'") as machine:
            while machine.ask("query-status")["status"] == "inmigrate":
                time.sleep(0.05)  # a moment
            machine.ask("cont")
            machine.begin()
            is_booting = False
            try:
                for line in machine.lines(seconds):
                    if end := re.fullmatch(r"curfew-vm: end (\d+)", line):
                        return int(end[1])
                    # A panic may have come amid a line.
                    if line.endswith("curfew-vm: ready"):
                        if not is_booting:
                            # It panicked.
                            break
                        is_booting = False
                        machine.begin()
                    elif line == "curfew-vm: reboot":
                        is_booting = True
                    elif line != "curfew-vm: start":
                        print(line, flush=True)
            except TimeoutError as passed:
                print(f"{passed}\ntest-vm: not over in {seconds:.0f} s", flush=True)
                return 124
            print(f"test-vm: the machine died:\n{machine.last_words()}", flush=True)
            return 125


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    match sys.argv[1:]:
        case ["boot", folder]:
            boot(pathlib.Path(folder))
        case ["run", folder, payload, seconds]:
            sys.exit(run(pathlib.Path(folder), payload, float(seconds)))
        case ["kind"]:
            print(kind())
        case _:
            sys.exit(__doc__)
