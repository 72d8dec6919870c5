import CCurfew
import Glibc

/// Each thing tried once, or the middle of three times where it is measured.
extension Doctor {
    // MARK: The tree

    static func holding(_ patient: DoctorPatient, _ held: Containment, madeIn made: Int64) -> DoctorFinding {
        let isSeen = patient.tree.processes() == [patient.pid]
        if held.kind == .tree {
            let (problem, advice) = whyNoCgroup()
            return DoctorFinding(.containment, isSeen ? .partly : .no, "process tree; \(problem)", advice: [advice])
        }
        return DoctorFinding(.containment, isSeen ? .yes : .no, held.description, .measured(made))
    }

    private static func whyNoCgroup() -> (problem: String, advice: DoctorAdvice) {
        do throws(KernelError) {
            let name = Cgroup2.prefix + "doctor." + decimal(Int(getpid()))
            var cgroup = try Containment.make(.cgroup2, name: name) { _, _ in }
            _ = cgroup.remove()
            return ("no cgroup", .delegation)
        } catch {
            let advice: DoctorAdvice = error.errno == EROFS ? .writableCgroups : .delegation
            return ("no cgroup: \(error.reason)", advice)
        }
    }

    /// Whose processes /proc shows.
    static func processes() -> DoctorFinding {
        switch ProcfsView.current {
        case .own where Procfs.stat(1) == nil:
            DoctorFinding(.processes, .partly, "/proc hides other users' (hidepid)")
        case .own: DoctorFinding(.processes, .yes, "/proc shows all")
        case .anothers:
            DoctorFinding(.processes, .no, "/proc shows another pid namespace", advice: [.ownProc])
        case .missing: DoctorFinding(.processes, .no, "there is no /proc", advice: [.ownProc])
        }
    }

    static func suspension(_ patient: DoctorPatient) -> DoctorFinding {
        let tree = patient.tree
        var isStopped = true
        let time = measured {
            isStopped = isStopped && stop(tree)
        } undo: {
            tree.resume()
        }
        guard isStopped else { return DoctorFinding(.suspension, .no, "SIGSTOP didn't stop a program in time") }
        guard tree.containment.hasFreezer, freezes(tree) else {
            return DoctorFinding(
                .suspension, .partly,
                Procfs.isOurs ? "SIGSTOP, walked until none runs" : "SIGSTOP to its process group", .measured(time),
                advice: [.delegation])
        }
        let freezer = tree.containment.unified == nil ? "v1 freezer" : "v2 freezer"
        guard Procfs.isOurs else { return DoctorFinding(.suspension, .yes, freezer, .measured(time)) }
        return DoctorFinding(.suspension, .yes, "\(freezer) and SIGSTOP", .measured(time))
    }

    /// A busy machine takes longer than `suspend` itself waits.
    private static func stop(_ tree: ProcessTree) -> Bool {
        tree.suspend(includingStopped: false)
            || ShortWait.until { tree.confirmSuspension() }
    }

    private static func freezes(_ tree: ProcessTree) -> Bool {
        defer { try? tree.containment.setFrozen(false) }
        guard (try? tree.containment.setFrozen(true)) != nil else { return false }
        return tree.containment.waitUntilFrozen(microseconds: 25_000)
    }

    /// The last one: nothing can be tried on it afterwards.
    static func kill(_ patient: inout DoctorPatient) -> DoctorFinding {
        let start = curfew_monotonic_nanoseconds()
        patient.tree.kill()
        guard patient.hasEnded() else { return DoctorFinding(.kill, .no, "SIGKILL didn't end a program in time") }
        let time = curfew_monotonic_nanoseconds() - start
        let held = patient.tree.containment
        if held.unified?.has(file: "cgroup.kill") == true {
            return DoctorFinding(.kill, .yes, "cgroup.kill", .measured(time))
        }
        if held.hasFreezer { return DoctorFinding(.kill, .yes, "SIGKILL to each, frozen meanwhile", .measured(time)) }
        let toWhom = Procfs.isOurs ? "SIGKILL to the group and each, repeated" : "SIGKILL to its process group"
        return DoctorFinding(.kill, .partly, toWhom, .measured(time), advice: [.delegation])
    }

    // MARK: Memory

    static func memoryLimit(_ held: Containment) -> DoctorFinding {
        guard held.enforcesMemory || Procfs.isOurs else {
            return DoctorFinding(.memoryLimit, .no, "no /proc to measure by", advice: [.ownProc, .delegation])
        }
        guard held.enforcesMemory else {
            // More than the worst of hundreds of runs of programs that took all they could, in small and huge pages,
            // private, shared and in memfds, dumpable and not, on idle and busy machines: 56 MiB, of huge pages.
            return DoctorFinding(
                .memoryLimit, .partly, "sampled, more often near the limit", .overshoot(64 << 20),
                advice: [held.kind == .tree ? .delegation : .controllers])
        }
        let file = held.memory == nil ? "memory.max" : "v1 memory.limit_in_bytes"
        return DoctorFinding(.memoryLimit, .yes, "\(file), held by the kernel", .overshoot(0))
    }

    static func memoryPressure() -> DoctorFinding {
        do throws(KernelError) {
            var pressure = try Pressure.watchMemory().descriptor
            pressure.close()
            return DoctorFinding(.memoryPressure, .yes, "a PSI trigger", .atMost(2_000_000_000))
        } catch {
            return DoctorFinding(
                .memoryPressure, .no, "no PSI trigger: \(error.reason)",
                advice: [.pressureInformation])
        }
    }

    static func pageOut(_ patient: DoctorPatient) -> DoctorFinding {
        let hasSwap = (SystemMemory.read()?.swapTotal ?? 0) > 0
        _ = stop(patient.tree)
        defer { patient.tree.resume() }
        let start = curfew_monotonic_nanoseconds()
        guard let method = pageOutMethod(patient) else {
            let missing: DoctorAdvice = patient.tree.containment.kind == .tree ? .delegation : .controllers
            let advice = [missing, .pageOutRight] + (hasSwap ? [] : [.swap])
            let problem = "not allowed" + (hasSwap ? "" : ", and there is no swap")
            return DoctorFinding(.pageOut, .no, problem, advice: advice)
        }
        let time = curfew_monotonic_nanoseconds() - start
        guard hasSwap else {
            return DoctorFinding(.pageOut, .no, "\(method.mechanism), but there is no swap", advice: [.swap])
        }
        guard Paging.residency(of: [patient.pid]).swapped > 0 else {
            return DoctorFinding(.pageOut, .no, "\(method.mechanism) has moved nothing to swap", advice: [.swap])
        }
        return DoctorFinding(.pageOut, .yes, method.mechanism, .measured(time))
    }

    /// The first that the kernel takes; nil if none.
    private static func pageOutMethod(_ patient: DoctorPatient) -> PageOutMethod? {
        let held = patient.tree.containment
        if let unified = held.unified, unified.has(file: "memory.reclaim") {
            // Barred with the memory limit, as it is while an app runs.
            try? unified.write("max", to: "memory.swap.max")
            if (try? Paging.reclaim(memoryToReclaim, from: unified.directory)) != nil { return .memoryReclaim }
        }
        // First, though `curfew run` takes it last: so small a program's pages can all be on a processor's own list, and those
        // process_madvise leaves alone.
        if let memory = held.memory, (try? Paging.forceEmpty(memory.directory)) != nil { return .forceEmpty }
        return (try? Paging.pageOut([patient.pid])) == nil ? nil : .processMadvise
    }

    private static let memoryToReclaim: UInt64 = 64 << 20

    // MARK: CPU

    static func cpuLimit(_ held: Containment) -> DoctorFinding {
        if held.unified?.cpuMicroseconds != nil { return DoctorFinding(.cpuLimit, .yes, "measured by cpu.stat") }
        guard Procfs.isOurs else {
            return DoctorFinding(.cpuLimit, .no, "no /proc to measure by", advice: [.ownProc, .delegation])
        }
        return DoctorFinding(
            .cpuLimit, .partly, "by /proc, less children nobody waits for", advice: [.delegation])
    }

    static func cpuThrottling(_ held: Containment) -> DoctorFinding {
        if held.kind == .tree { return DoctorFinding(.cpuThrottling, .no, "no cgroup", advice: [.delegation]) }
        guard held.controlsCPU else {
            return DoctorFinding(.cpuThrottling, .no, "no cpu controller", advice: [.controllers])
        }
        do throws(KernelError) {
            if let cpu = held.cpu {
                try cpu.write("50000", to: "cpu.cfs_quota_us")
                try cpu.write("-1", to: "cpu.cfs_quota_us")
                return DoctorFinding(.cpuThrottling, .yes, "v1 cpu.cfs_quota_us and cpu.shares", throttlingPeriod)
            }
            try held.unified?.write("50000 100000", to: "cpu.max")
            try held.unified?.write("max 100000", to: "cpu.max")
            return DoctorFinding(.cpuThrottling, .yes, "cpu.max and cpu.weight", throttlingPeriod)
        } catch {
            return DoctorFinding(.cpuThrottling, .no, "a quota is refused: \(error.reason)", advice: [.controllers])
        }
    }

    /// A quota is for each 100 ms.
    private static let throttlingPeriod = DoctorFinding.Latency.atMost(100_000_000)

    static func priority(_ patient: DoctorPatient) -> DoctorFinding {
        var priority = SchedulingPriority()
        let before = (nice: nice(patient.pid), io: curfew_get_io_priority(patient.pid))
        priority.lower([patient.pid])
        let low = (nice: nice(patient.pid), io: curfew_get_io_priority(patient.pid))
        priority.restore([patient.pid])
        let after = (nice: nice(patient.pid), io: curfew_get_io_priority(patient.pid))
        guard low.io != before.io, after == before else {
            return DoctorFinding(.priority, .no, "neither nice nor I/O class can be undone", advice: [.niceLimit])
        }
        if low.nice != before.nice {
            guard SchedulingPriority.canLowerSessions() else {
                let by = "nice, which counts only within a session here (autogroup), and I/O class idle"
                return DoctorFinding(.priority, .partly, by, advice: [.controllers])
            }
            return DoctorFinding(.priority, .yes, "nice, and I/O class idle")
        }
        return DoctorFinding(.priority, .partly, "I/O class idle; nice can't be undone", advice: [.niceLimit])
    }

    private static func nice(_ pid: Int32) -> Int32? {
        var nice: Int32 = 0
        return curfew_get_nice(pid, &nice) == 0 ? nice : nil
    }

    // MARK: The rest

    /// The lock that the program has on what it inherited.
    static func locks(_ patient: DoctorPatient) -> DoctorFinding {
        let isSeen = Procfs.withPath(patient.pid, "/fdinfo/") { path in
            Procfs.appendNumber(DoctorPatient.lockedDescriptor, to: path)
            return SmallFile.withContents(of: String(cString: path)) { text in
                String(decoding: text, as: UTF8.self).contains("lock:")
            }
        }
        return switch isSeen {
        case true?: DoctorFinding(.locks, .yes, "fdinfo of each descriptor")
        case false?: DoctorFinding(.locks, .no, "fdinfo shows no locks")
        case nil: DoctorFinding(.locks, .no, "fdinfo can't be read", advice: Procfs.isOurs ? [] : [.ownProc])
        }
    }

    /// A duplicate of the channel that the program has inherited.
    static func input(_ patient: DoctorPatient) -> DoctorFinding {
        guard Procfs.isOurs else {
            return DoctorFinding(.input, .no, "no /proc to find descriptors by", advice: [.ownProc])
        }
        let start = curfew_monotonic_nanoseconds()
        var process = Descriptor(curfew_pidfd_open(patient.pid))
        defer { process.close() }
        guard process.isOpen else {
            return DoctorFinding(.input, .no, "pidfd_open: " + String(cString: strerror(-process.number)))
        }
        var duplicate = Descriptor(curfew_pidfd_getfd(process.number, DoctorPatient.lockedDescriptor))
        defer { duplicate.close() }
        guard duplicate.isOpen else {
            return DoctorFinding(
                .input, .partly, "terminals and pipes; pidfd_getfd is refused", advice: [.descriptorRight])
        }
        let time = curfew_monotonic_nanoseconds() - start
        return DoctorFinding(.input, .yes, "pidfd_getfd, then epoll", .measured(time))
    }

    /// How late this process wakes when a limit is reached.
    static func timeLimit() -> DoctorFinding {
        var timer = Descriptor(curfew_timerfd())
        defer { timer.close() }
        var lateness: [Int64] = []
        for _ in 0..<3 {
            let deadline = curfew_monotonic_nanoseconds() + 3_000_000
            var entry = pollfd(fd: timer.number, events: Int16(POLLIN), revents: 0)
            guard curfew_timerfd_set(timer.number, deadline) == 0, poll(&entry, 1, ShortWait.milliseconds) == 1 else {
                return DoctorFinding(.timeLimit, .no, "a timer didn't fire in time")
            }
            lateness.append(curfew_monotonic_nanoseconds() - deadline)
        }
        return DoctorFinding(.timeLimit, .yes, "timerfd, then kill", .measured(lateness.sorted()[1]))
    }

    /// What follows from how it is held.
    static func limits(of held: Containment) -> [DoctorFinding] {
        if held.kind == .tree {
            return [
                otherUsers(held),
                DoctorFinding(.forkComet, .partly, "killed in the end; a stop may miss it", advice: [.delegation]),
                DoctorFinding(.bothHalvesKilled, .no, "nobody is left to end the app", advice: [.delegation]),
            ]
        }
        return [
            otherUsers(held),
            DoctorFinding(.forkComet, .yes, "born in the cgroup, frozen with it"),
            leavingCgroup(held),
            DoctorFinding(.bothHalvesKilled, .partly, "the next curfew run ends the app"),
        ]
    }

    /// Moving a process takes the right to write to `cgroup.procs` of what is above both cgroups.
    /// Source: Documentation/admin-guide/cgroup-v2.rst, "Delegation Containment".
    private static func leavingCgroup(_ held: Containment) -> DoctorFinding {
        let path = held.unified?.path ?? held.freezer?.path ?? ""
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        guard access(parent + "/cgroup.procs", W_OK) == 0 else {
            return DoctorFinding(.leavingCgroup, .yes, "it may not write to the one above")
        }
        return DoctorFinding(
            .leavingCgroup, .no, "a program of this user may move itself", advice: [.anotherUser])
    }

    /// Programs that become another user, as sudo does.
    private static func otherUsers(_ held: Containment) -> DoctorFinding {
        if held.unified?.has(file: "cgroup.kill") == true {
            return DoctorFinding(.otherUsers, .yes, "cgroup.kill and freezer ask no uid")
        }
        // A null signal to init, which is root's: only asks whether one could be sent. Source: kill(2).
        if curfew_kill(1, 0) == 0 { return DoctorFinding(.otherUsers, .yes, "signals to any user's processes") }
        return DoctorFinding(.otherUsers, .no, "no signals to other users' processes", advice: [.signalRight])
    }

    // MARK: Measuring

    /// The middle of three, in nanoseconds.
    private static func measured(_ body: () -> Void, undo: () -> Void) -> Int64 {
        var times: [Int64] = []
        for _ in 0..<3 {
            let start = curfew_monotonic_nanoseconds()
            body()
            times.append(curfew_monotonic_nanoseconds() - start)
            undo()
        }
        return times.sorted()[1]
    }
}

extension PageOutMethod {
    /// The kernel's word for it.
    fileprivate var mechanism: String {
        switch self {
        case .memoryReclaim: "memory.reclaim"
        case .forceEmpty: "v1 memory.force_empty"
        case .processMadvise: "process_madvise"
        }
    }
}
