import CCurfew
import Glibc
import Testing

@testable import CurfewLinux

/// How a test's cgroup is called: as Curfew's are, of a supervisor that isn't there.
private let name = "curfew.test.\(nobody)"

/// What a start finds there.
private func found(in parent: String, keeping own: String = "", limit: Int = 16) -> StaleSweep {
    var sweep = StaleSweep()
    sweep.add(parent: parent, keeping: own, limit: limit)
    return sweep
}

private func sweep(_ parent: String, keeping own: String = "", limit: Int = 16) {
    var sweep = found(in: parent, keeping: own, limit: limit)
    sweep.finish()
    #expect(sweep.nextTurn == nil)
}

/// One start may be too few: on a busy machine the killed need longer than one sweep waits.
private func isSweptSometime(_ scratch: ScratchCgroup) -> Bool {
    eventually {
        sweep(scratch.path)
        return scratch.names.isEmpty
    }
}

// Skipped where no cgroup v2 hierarchy is mounted or this user may make no cgroup in it.
@Suite(
    "Sweeping what dead supervisors left",
    .enabled(if: ScratchCgroup.hasUnified, "no cgroup v2 that this user may write to"))
struct StaleSweepTests {
    /// A cgroup whose supervisor has died: nobody holds its lock.
    private func orphan(_ scratch: ScratchCgroup, _ name: String) throws {
        letGo(try Cgroup2(parent: scratch.path, name: name).directory)
    }

    /// One with a process in it.
    private func populatedOrphan(_ scratch: ScratchCgroup, isFrozen: Bool = false) throws -> TestChild {
        var cgroup = try Cgroup2(parent: scratch.path, name: name)
        let child = try TestChild(shell: TestChild.stay) { $0.cgroup = cgroup.directory.number }
        #expect(child.line() == "ready")
        if isFrozen {
            try cgroup.setFrozen(true)
            #expect(eventually { cgroup.isFrozen() })
        }
        letGo(cgroup.directory)
        return child
    }

    private static let killed = ChildReport.Change.killed(signal: SIGKILL, dumpedCore: false)

    // MARK: Who is swept

    @Test("One that is held stays, with what runs in it; the empty one that nobody holds goes")
    func heldStays() throws {
        let scratch = try #require(ScratchCgroup(.unified))
        defer { scratch.remove() }
        let held = try Cgroup2(parent: scratch.path, name: "curfew.held.\(nobody)")
        let child = try TestChild(shell: TestChild.stay) { $0.cgroup = held.directory.number }
        defer { child.end() }
        #expect(child.line() == "ready")
        try orphan(scratch, "curfew.left.\(nobody)")
        sweep(scratch.path)
        #expect(scratch.names == ["curfew.held.\(nobody)"])
        #expect(held.processes() == [child.pid])
    }

    @Test("What runs in one that nobody holds is killed, frozen or not", arguments: [false, true])
    func populated(isFrozen: Bool) throws {
        let scratch = try #require(ScratchCgroup(.unified))
        defer { scratch.remove() }
        let child = try populatedOrphan(scratch, isFrozen: isFrozen)
        defer { child.end() }
        #expect(isSweptSometime(scratch))
        #expect(child.wait() == Self.killed)
    }

    @Test("Our own stays, and so does what isn't called as ours are")
    func othersNames() throws {
        let scratch = try #require(ScratchCgroup(.unified))
        defer { scratch.remove() }
        let stay = ["curfew.service", "curfew.x", "curfew.x.y", "curfew..", "curfew.1", "system.slice", "x.curfew.a.1"]
        for name in stay { #expect(curfew_mkdir_at(AT_FDCWD, scratch.path + "/" + name, 0o755) == 0) }
        try orphan(scratch, "curfew.own.1\(nobody % 10)")
        try orphan(scratch, "curfew.a.b.c.\(nobody)")
        let own = "curfew.own.1\(nobody % 10)"
        sweep(scratch.path, keeping: own)
        #expect(Set(scratch.names) == Set(stay + [own]))
    }

    @Test("A start sweeps no more than some")
    func bounded() throws {
        let scratch = try #require(ScratchCgroup(.unified))
        defer { scratch.remove() }
        for number in 0..<5 { try orphan(scratch, "curfew.n\(number).\(nobody)") }
        sweep(scratch.path, limit: 2)
        #expect(scratch.names.count == 3)
        sweep(scratch.path)
        #expect(scratch.names == [])
    }

    @Test("One of our own that couldn't be removed goes in a later turn, whatever is left in it")
    func ofOurOwn() throws {
        let scratch = try #require(ScratchCgroup(.unified))
        defer { scratch.remove() }
        let child = try populatedOrphan(scratch)
        defer { child.end() }
        var sweep = StaleSweep()
        sweep.add(own: scratch.path + "/" + name)
        sweep.add(own: scratch.path + "/gone")
        #expect(sweep.nextTurn == 0)
        #expect(
            eventually {
                sweep.finish()
                if scratch.names.isEmpty { return true }
                sweep.add(own: scratch.path + "/" + name)
                return false
            })
        #expect(child.wait() == Self.killed)
        #expect(sweep.nextTurn == nil)
    }

    @Test("A parent that isn't there is no trouble, and where nothing is stale no turn is needed")
    func nothing() throws {
        let scratch = try #require(ScratchCgroup(.unified))
        defer { scratch.remove() }
        var sweep = found(in: "/nonexistent")
        sweep.add(parent: scratch.path, keeping: "")
        #expect(sweep.nextTurn == nil)
        sweep.goOn()
        sweep.finish()
        #expect(sweep.nextTurn == nil)
    }

    @Test("One found is spared when a supervisor has its number by the time of its turn")
    func numberReused() throws {
        let scratch = try #require(ScratchCgroup(.unified))
        defer { scratch.remove() }
        let child = try TestChild(
            shell: "echo ready >&8; read line <&8; printf curfew-sup >/proc/self/comm; echo named >&8; read line <&8")
        defer { child.end() }
        #expect(child.line() == "ready")
        let name = "curfew.test.\(child.pid)"
        try orphan(scratch, name)
        var early = found(in: scratch.path)
        #expect(early.nextTurn != nil)
        child.say("go on")
        #expect(child.line() == "named")
        early.goOn()
        #expect(early.nextTurn == nil)
        #expect(found(in: scratch.path).nextTurn == nil)
        #expect(scratch.names == [name])
    }

    // MARK: In turns

    @Test("A turn has an end, and the next comes at once")
    func turns() throws {
        let scratch = try #require(ScratchCgroup(.unified))
        defer { scratch.remove() }
        for number in 0..<4 { try orphan(scratch, "curfew.n\(number).\(nobody)") }
        var sweep = found(in: scratch.path)
        for left in [3, 2, 1] {
            sweep.goOn(for: Turn(fewest: 1, microseconds: 0))
            #expect(scratch.names.count == left)
            #expect(try #require(sweep.nextTurn) <= curfew_monotonic_nanoseconds())
        }
        sweep.goOn(for: Turn(fewest: 1, microseconds: 0))
        #expect(scratch.names == [])
        #expect(sweep.nextTurn == nil)
    }

    @Test("What runs in one lives on for a moment, in which a keeper can take it; it is spared then")
    func leftToKeeper() throws {
        let scratch = try #require(ScratchCgroup(.unified))
        defer { scratch.remove() }
        let child = try populatedOrphan(scratch)
        defer { child.end() }
        var sweep = found(in: scratch.path)
        let begun = curfew_monotonic_nanoseconds()
        sweep.goOn()
        #expect(try #require(sweep.nextTurn) >= begun + 20_000_000)
        let keeper = Descriptor(curfew_open_at(AT_FDCWD, scratch.path + "/" + name, O_RDONLY | O_DIRECTORY, 0))
        defer { letGo(keeper) }
        #expect(curfew_flock(keeper.number, false) >= 0)
        sweep.goOn()
        #expect(sweep.nextTurn == nil)
        child.say("end")
        #expect(child.wait() == .exited(code: 0))
        #expect(scratch.names == [name])
    }

    @Test("Of two sweeps that wait for the same one, the first kills what is in it, and the second passes it over")
    func twoSweeps() throws {
        let scratch = try #require(ScratchCgroup(.unified))
        defer { scratch.remove() }
        let child = try populatedOrphan(scratch)
        defer { child.end() }
        var (first, second) = (found(in: scratch.path), found(in: scratch.path))
        first.goOn()
        second.goOn()
        #expect(first.nextTurn != nil)
        #expect(second.nextTurn != nil)
        first.goOn()
        // Locked, or gone.
        second.goOn()
        #expect(second.nextTurn == nil)
        #expect(child.wait() == Self.killed)
        first.finish()
        #expect(isSweptSometime(scratch))
    }
}

// Skipped where no v1 freezer is mounted or this user may make no cgroup in it.
@Suite(
    "Sweeping what dead supervisors left in a v1 freezer",
    .enabled(if: ScratchCgroup.hasFreezer, "no cgroup v1 freezer that this user may write to"))
struct LegacyStaleSweepTests {
    @Test("What runs in one that nobody holds is killed, frozen or not", arguments: [false, true])
    func populated(isFrozen: Bool) throws {
        let scratch = try #require(ScratchCgroup(.freezer))
        defer { scratch.remove() }
        var cgroup = try Cgroup1(parent: scratch.path, name: name)
        let child = try TestChild(shell: TestChild.stay) { $0.joining = [cgroup.joining.number] }
        defer {
            CgroupDirectory.resume(cgroup.path)
            child.end()
        }
        cgroup.closeJoining()
        #expect(child.line() == "ready")
        if isFrozen {
            try cgroup.setFrozen(true)
            #expect(eventually { cgroup.isFrozen() })
        }
        letGo(cgroup.directory)
        #expect(isSweptSometime(scratch))
        #expect(child.wait() == .killed(signal: SIGKILL, dumpedCore: false))
    }

    private func isLocked(_ path: String) -> Bool {
        var directory = Descriptor(curfew_open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0))
        defer { directory.close() }
        return directory.isOpen && curfew_flock(directory.number, false) < 0
    }

    @Test(
        "What nothing ends is given up after some rounds, each a turn, and swept once that works; locked all the while or not",
        arguments: [true, false])
    func givenUp(holdsLock: Bool) throws {
        let scratch = try #require(ScratchCgroup(.freezer))
        defer { scratch.remove() }
        var cgroup = try Cgroup1(parent: scratch.path, name: name)
        let child = try TestChild(shell: TestChild.stay) { $0.joining = [cgroup.joining.number] }
        // What is frozen by the cgroup above it doesn't end, and can't be thawed.
        func setAbove(_ state: String) {
            #expect(curfew_write_file_at(AT_FDCWD, scratch.path + "/freezer.state", state) >= 0)
        }
        defer {
            setAbove("THAWED")
            child.end()
        }
        cgroup.closeJoining()
        #expect(child.line() == "ready")
        setAbove("FROZEN")
        #expect(eventually { cgroup.isFrozen() })
        letGo(cgroup.directory)
        var sweep = found(in: scratch.path)
        sweep.holdsLock = holdsLock
        var (turns, locked) = (0, 0)
        while sweep.nextTurn != nil, turns < 100 {
            sweep.goOn()
            turns += 1
            if isLocked(scratch.path + "/" + name) { locked += 1 }
        }
        // In the first it is left to a keeper, after the last it is given up.
        #expect(turns == 51)
        #expect(locked == (holdsLock ? 49 : 0))
        #expect(scratch.names == [name])
        setAbove("THAWED")
        #expect(isSweptSometime(scratch))
        #expect(child.wait() == .killed(signal: SIGKILL, dumpedCore: false))
    }
}
