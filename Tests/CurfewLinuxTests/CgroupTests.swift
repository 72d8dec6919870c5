import CCurfew
import Glibc
import Testing

@testable import CurfewLinux

/// How a test's cgroup is called: as Curfew's are, of a supervisor that isn't there.
private let name = "curfew.test.\(nobody)"

// Skipped where no cgroup v2 hierarchy is mounted or this user may make no cgroup in it.
@Suite("A cgroup of version 2", .enabled(if: ScratchCgroup.hasUnified, "no cgroup v2 that this user may write to"))
struct Cgroup2Tests {
    @Test("Made, entered, frozen, thawed, killed, removed")
    func life() throws {
        let scratch = try #require(ScratchCgroup(.unified))
        defer { scratch.remove() }
        var cgroup = try Cgroup2(parent: scratch.path, name: name)
        #expect(cgroup.path == scratch.path + "/" + name)
        #expect(!asked { cgroup.isPopulated() })
        #expect(cgroup.processes() == [])
        let child = try TestChild(shell: TestChild.stay) { $0.cgroup = cgroup.directory.number }
        defer { child.end() }
        #expect(child.line() == "ready")
        #expect(asked { cgroup.isPopulated() })
        #expect(cgroup.processes() == [child.pid])
        #expect(Procfs.unifiedCgroup(of: child.pid)?.hasSuffix("/" + name) == true)

        try cgroup.setFrozen(true)
        #expect(eventually { cgroup.isFrozen() })
        try cgroup.setFrozen(false)
        #expect(eventually { !cgroup.isFrozen() })

        #expect(!asked { cgroup.remove() })
        try cgroup.kill()
        #expect(child.wait() == .killed(signal: SIGKILL, dumpedCore: false))
        #expect(eventually { !cgroup.isPopulated() })
        #expect(asked { cgroup.remove() })
        #expect(scratch.names == [])
        #expect(asked { cgroup.remove() })
    }

    @Test("A frozen one is killed without being thawed")
    func killFrozen() throws {
        let scratch = try #require(ScratchCgroup(.unified))
        defer { scratch.remove() }
        var cgroup = try Cgroup2(parent: scratch.path, name: name)
        let child = try TestChild(shell: TestChild.stay) { $0.cgroup = cgroup.directory.number }
        defer { child.end() }
        #expect(child.line() == "ready")
        try cgroup.setFrozen(true)
        #expect(eventually { cgroup.isFrozen() })
        try cgroup.kill()
        #expect(child.wait() == .killed(signal: SIGKILL, dumpedCore: false))
    }

    @Test("What the app makes below it belongs to it: listed, killed, removed")
    func below() throws {
        let scratch = try #require(ScratchCgroup(.unified))
        defer { scratch.remove() }
        var cgroup = try Cgroup2(parent: scratch.path, name: name)
        #expect(curfew_mkdir_at(AT_FDCWD, cgroup.path + "/a", 0o755) == 0)
        #expect(curfew_mkdir_at(AT_FDCWD, cgroup.path + "/a/b", 0o755) == 0)
        let child = try TestChild(shell: TestChild.stay) { $0.cgroup = cgroup.directory.number }
        defer { child.end() }
        #expect(child.line() == "ready")
        try SmallFile.write("\(child.pid)", to: cgroup.path + "/a/b/cgroup.procs")
        #expect(cgroup.processes() == [child.pid])
        try cgroup.kill()
        #expect(child.wait() == .killed(signal: SIGKILL, dumpedCore: false))
        #expect(eventually { cgroup.remove() })
        #expect(scratch.names == [])
    }

    @Test("CPU time is counted, a file that isn't there is told, a number that isn't there is nil")
    func files() throws {
        let scratch = try #require(ScratchCgroup(.unified))
        defer { scratch.remove() }
        let cgroup = try Cgroup2(parent: scratch.path, name: name)
        let child = try TestChild(["/bin/true"]) { $0.cgroup = cgroup.directory.number }
        defer { child.end() }
        #expect(child.wait() == .exited(code: 0))
        // What it ran last counts once it has left its processor, a moment after its end was told.
        #expect(eventually { (cgroup.cpuMicroseconds ?? 0) > 0 })
        #expect(cgroup.has(file: "cgroup.procs"))
        #expect(!cgroup.has(file: "cgroup.nonsense"))
        #expect(cgroup.number(in: "cgroup.nonsense") == nil)
        do throws(KernelError) {
            try cgroup.write("1", to: "cgroup.nonsense")
            Issue.record("written")
        } catch {
            #expect(error.text == "write 1 to \(cgroup.path)/cgroup.nonsense: No such file or directory")
        }
    }

    @Test("One that somebody holds can't be had; one that nobody holds is swept and made anew")
    func taken() throws {
        let scratch = try #require(ScratchCgroup(.unified))
        defer { scratch.remove() }
        let first = try Cgroup2(parent: scratch.path, name: name)
        do throws(KernelError) {
            _ = try Cgroup2(parent: scratch.path, name: name)
            Issue.record("made twice")
        } catch {
            #expect(error.errno == EAGAIN)
        }
        letGo(first.directory)
        var second = try Cgroup2(parent: scratch.path, name: name)
        #expect(asked { second.remove() })
    }

    @Test("Where none can be made, that is told")
    func unmakeable() {
        do throws(KernelError) {
            _ = try Cgroup2(parent: "/nonexistent", name: "x")
            Issue.record("made")
        } catch {
            #expect(error.text == "make cgroup /nonexistent/x: No such file or directory")
        }
    }
}

@Suite("Cgroups of version 1")
struct Cgroup1Tests {
    // Skipped where no v1 freezer is mounted or this user may make no cgroup in it.
    @Test(
        "The freezer: joined before exec, frozen, thawed, removed",
        .enabled(if: ScratchCgroup.hasFreezer, "no cgroup v1 freezer that this user may write to"))
    func freezer() throws {
        let scratch = try #require(ScratchCgroup(.freezer))
        defer { scratch.remove() }
        var cgroup = try Cgroup1(parent: scratch.path, name: name)
        let child = try TestChild(shell: TestChild.stay) { $0.joining = [cgroup.joining.number] }
        defer {
            try? cgroup.setFrozen(false)
            child.end()
        }
        cgroup.closeJoining()
        #expect(!cgroup.joining.isOpen)
        #expect(child.line() == "ready")
        #expect(cgroup.processes() == [child.pid])
        #expect(!asked { cgroup.isFrozen() })
        try cgroup.setFrozen(true)
        #expect(eventually { cgroup.isFrozen() })
        signal(child.pid, SIGKILL)
        #expect(!asked { cgroup.remove() })
        try cgroup.setFrozen(false)
        #expect(!asked { cgroup.isFrozen() })
        #expect(child.wait() == .killed(signal: SIGKILL, dumpedCore: false))
        #expect(eventually { cgroup.remove() })
        #expect(scratch.names == [])
    }

    // Skipped where no v1 memory controller is mounted or this user may make no cgroup in it.
    @Test(
        "The memory limit: what grows past it is killed by the kernel, and that is told",
        .enabled(if: ScratchCgroup.hasMemory, "no cgroup v1 memory controller that this user may write to"))
    func memory() throws {
        let scratch = try #require(ScratchCgroup(.memory))
        defer { scratch.remove() }
        var cgroup = try Cgroup1(parent: scratch.path, name: name)
        let limit: UInt64 = 16 << 20
        try cgroup.limitMemory(bytes: limit)
        #expect(cgroup.number(in: "memory.limit_in_bytes") == limit)
        var event = Descriptor(try cgroup.armOutOfMemoryEvent())
        defer { event.close() }
        #expect(!isReadable(event.number, within: 0))
        // `tail` keeps all it reads, for there is no line to end. Held to 512 MiB by itself, should the limit not hold.
        let child = try TestChild(shell: "ulimit -v 524288; exec tail /dev/zero") {
            $0.joining = [cgroup.joining.number]
        }
        defer { child.end() }
        #expect(isReadable(event.number))
        #expect(child.wait() == .killed(signal: SIGKILL, dumpedCore: false))
        #expect(try #require(cgroup.number(in: "memory.oom_control", after: "oom_kill ")) >= 1)
        #expect(try #require(cgroup.number(in: "memory.max_usage_in_bytes")) <= limit)
        #expect(eventually { cgroup.remove() })
    }

    // Skipped where no v1 memory controller is mounted or this user may make no cgroup in it.
    @Test(
        "A file that isn't there is told",
        .enabled(if: ScratchCgroup.hasMemory, "no cgroup v1 memory controller that this user may write to"))
    func missingFile() throws {
        let scratch = try #require(ScratchCgroup(.memory))
        defer { scratch.remove() }
        var cgroup = try Cgroup1(parent: scratch.path, name: name)
        #expect(throws: KernelError("write 1 to", cgroup.path + "/nonsense", errno: ENOENT)) {
            try cgroup.write("1", to: "nonsense")
        }
        #expect(cgroup.number(in: "nonsense") == nil)
        #expect(asked { cgroup.remove() })
    }
}

@Suite("What an app is held by")
struct ContainmentTests {
    @Test("A process tree alone: no freezer, no limit, nothing to remove")
    func tree() throws {
        var containment = try Containment.make(.tree, name: name, resources: .memory(1 << 30)) { _, _ in
            Issue.record("a path was told")
        }
        #expect(containment.kind == .tree)
        #expect(containment.description == "process tree (best effort)")
        #expect(!containment.hasFreezer)
        #expect(!containment.enforcesMemory)
        #expect(containment.processes() == nil)
        #expect(containment.joining == [])
        #expect(containment.outOfMemoryKills == 0)
        #expect(containment.peakMemory == nil)
        #expect(containment.footprint == nil)
        let isRemoved = containment.remove()
        #expect(isRemoved)
    }

    // Skipped where no v1 memory controller is mounted or this user may make no cgroup in it.
    @Test(
        "A limit above it that is hit isn't its own, though the kernel tells of it here too",
        .enabled(if: ScratchCgroup.hasMemory, "no cgroup v1 memory controller that this user may write to"))
    func limitAbove() throws {
        let scratch = try #require(ScratchCgroup(.memory))
        defer { scratch.remove() }
        #expect(curfew_write_file_at(AT_FDCWD, scratch.path + "/memory.limit_in_bytes", "16M") >= 0)
        var mounts = CgroupMounts()
        mounts.memory = scratch.path
        var containment = Containment()
        containment.holdMemory(8 << 20, mounts, name: name) { _, _ in }
        let held = try #require(containment.memory)
        let innocent = try TestChild(shell: TestChild.stay) { $0.joining = [held.joining.number] }
        defer { innocent.end() }
        #expect(innocent.line() == "ready")
        var beside = try Cgroup1(parent: scratch.path, name: "beside")
        defer { beside.closeJoining() }
        // `tail` keeps all it reads, for there is no line to end. Held to 512 MiB by itself, should the limit not hold.
        let greedy = try TestChild(shell: "ulimit -v 524288; exec tail /dev/zero") {
            $0.joining = [beside.joining.number]
        }
        defer { greedy.end() }
        #expect(greedy.wait() == .killed(signal: SIGKILL, dumpedCore: false))
        #expect(isReadable(containment.outOfMemoryEvent))
        #expect(containment.outOfMemoryKills == 0)
        // What it held may be let go of later than it: whoever looks at it just then keeps its memory.
        #expect(eventually { (beside.number(in: "memory.usage_in_bytes") ?? .max) < 4 << 20 })
        // Its own, after that, is told as ever.
        let culprit = try TestChild(shell: "ulimit -v 524288; exec tail /dev/zero") {
            $0.joining = [held.joining.number]
        }
        defer { culprit.end() }
        #expect(culprit.wait() == .killed(signal: SIGKILL, dumpedCore: false))
        #expect(containment.outOfMemoryKills > 0)
    }

    // Skipped where no v1 memory controller is mounted or this user may make no cgroup in it.
    @Test(
        "A mark beyond all numbers is never told of, and does no harm",
        .enabled(if: ScratchCgroup.hasMemory, "no cgroup v1 memory controller that this user may write to"))
    func markBeyondAll() throws {
        let scratch = try #require(ScratchCgroup(.memory))
        defer { scratch.remove() }
        var mounts = CgroupMounts()
        mounts.memory = scratch.path
        var containment = Containment()
        containment.holdMemory(nil, mounts, name: name) { _, _ in }
        let held = try #require(containment.memory)
        // What a shell is charged is more than its footprint.
        let child = try TestChild(shell: TestChild.stay) { $0.joining = [held.joining.number] }
        defer { child.end() }
        #expect(child.line() == "ready")
        let isArmed = containment.armMemoryMark(.max, fatal: nil)
        #expect(!isArmed)
    }

    // Skipped where no v1 memory controller is mounted or this user may make no cgroup in it.
    @Test(
        "A mark that was passed since the last look isn't armed, so that it is looked at again",
        .enabled(if: ScratchCgroup.hasMemory, "no cgroup v1 memory controller that this user may write to"))
    func markPassed() throws {
        let scratch = try #require(ScratchCgroup(.memory))
        defer { scratch.remove() }
        var mounts = CgroupMounts()
        mounts.memory = scratch.path
        var containment = Containment()
        containment.holdMemory(64 << 20, mounts, name: name) { _, _ in }
        let held = try #require(containment.memory)
        let child = try TestChild(shell: "x=$(head -c 8388608 /dev/zero | tr '\\0' x); " + TestChild.stay) {
            $0.joining = [held.joining.number]
        }
        defer { child.end() }
        #expect(child.line() == "ready")
        #expect(eventually { containment.footprint ?? 0 > 8 << 20 })
        let isPassedArmed = containment.armMemoryMark(4 << 20, fatal: 64 << 20)
        #expect(!isPassedArmed)
        #expect(containment.memoryMarkEvent < 0)
        let isArmed = containment.armMemoryMark(32 << 20, fatal: 64 << 20)
        #expect(isArmed)
    }

    @Test("A kind asked for by name that can't be had is an error", arguments: [ContainmentKind.cgroup2, .cgroup1])
    func refused(kind: ContainmentKind) {
        #expect(throws: KernelError.self) {
            _ = try Containment.make(kind, name: "no-such-parent-\(getpid())/curfew.x.1") { _, _ in }
        }
    }

    @Test("What is to be had is taken; each path is told before it is made, and all is removed")
    func auto() throws {
        var paths: [String] = []
        var containment = try Containment.make(
            .auto, name: "curfew.auto-\(getpid()).\(nobody)", resources: .memory(64 << 20)
        ) { _, path in
            var status = curfew_file_status()
            #expect(curfew_stat_at(AT_FDCWD, path, false, &status) == -ENOENT)
            paths.append(path)
        }
        containment.closeJoining()
        let isRemoved = containment.remove()
        #expect(isRemoved)
        for path in paths {
            var status = curfew_file_status()
            #expect(curfew_stat_at(AT_FDCWD, path, false, &status) == -ENOENT)
        }
    }
}
