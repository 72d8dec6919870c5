import CurfewCore
import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

@Suite("One app's instance")
struct InstanceTests {
    // Nobody has such numbers.
    private let leader = Int32.max - 10
    private let worker = Int32.max - 11

    private func end(_ pid: Int32, code: UInt8 = 0, cpu: Int64 = 0) -> ChildReport {
        ChildReport(pid: pid, change: .exited(code: code), cpuMicroseconds: cpu)
    }

    /// What it says of these children's ends, of one turn.
    private func ends(_ instance: Instance, _ reports: ChildReport...) -> Instance.Ends {
        for report in reports { instance.reaped(report) }
        #expect(instance.hasEnds != reports.isEmpty)
        defer { #expect(!instance.hasEnds) }
        return instance.takeEnds()
    }

    // MARK: Ends

    @Test("The leader's end is told from others', and its number is nobody's then")
    func leaderEnds() {
        let instance = Instance.sample(leader: leader)
        #expect(ends(instance, end(worker, code: 3)) == Instance.Ends())
        #expect(instance.livingLeader == leader)
        #expect(ends(instance, end(worker), end(leader, code: 7)) == Instance.Ends(leader: .exited(code: 7)))
        #expect(instance.livingLeader == nil)
        #expect(instance.leaderOutcome == .exited(code: 7))
        // It stays what people know the app by.
        #expect(instance.mainPid == leader)
    }

    @Test("An orphan that has the leader's old number isn't the leader")
    func reusedNumber() {
        let instance = Instance.sample(leader: leader)
        _ = ends(instance, end(leader, code: 1))
        #expect(ends(instance, end(leader, code: 2)) == Instance.Ends())
        #expect(instance.leaderOutcome == .exited(code: 1))
    }

    @Test("The main process's end is told with the leader's, whichever comes first")
    func mainEnds() {
        let instance = Instance.sample(leader: leader)
        instance.mainProcess = MainProcess(pid: worker, pidfd: .none)
        #expect(instance.mainPid == worker)
        let killed = ChildReport(pid: worker, change: .killed(signal: 9, dumpedCore: true), cpuMicroseconds: 0)
        let both = Instance.Ends(leader: .exited(code: 0), main: .signaled(signal: 9, dumpedCore: true))
        #expect(ends(instance, killed, end(leader)) == both)
        instance.forgetMainProcess()
        #expect(ends(instance, killed) == Instance.Ends())
    }

    @Test("CPU time of all that was reaped counts, and what was counted once stays so")
    func cpuTime() {
        let child = Sleeper()
        defer { child.end() }
        // Below a child that has none nothing runs.
        let instance = Instance.sample(leader: leader, below: child.pid)
        #expect(instance.cpuMicroseconds == 0)
        _ = ends(instance, end(worker, cpu: 500), end(leader, cpu: 70))
        #expect(instance.cpuMicroseconds == 570)
        _ = ends(instance, end(worker, cpu: -600))
        #expect(instance.cpuMicroseconds == 570)
    }

    // MARK: Stops

    /// Asked until there is one, for the kernel takes a moment.
    private func stopSignal(_ instance: Instance, orLeftIn group: Int32) -> Int32? {
        for _ in 0..<10_000 {
            if let signal = instance.stopSignal(orLeftIn: group) { return signal }
            usleep(1_000)  // a moment, then it is asked again
        }
        return nil
    }

    @Test("The leader's stop is told once, and when it is gone that of what it has left in its group")
    func stops() {
        let (first, left) = (Sleeper(), Sleeper(ownGroup: true))
        defer {
            first.end()
            left.end()
        }
        let instance = Instance.sample(leader: first.pid)
        #expect(instance.stopSignal(orLeftIn: left.pid) == nil)
        _ = kill(first.pid, SIGSTOP)
        #expect(stopSignal(instance, orLeftIn: left.pid) == SIGSTOP)
        #expect(instance.stopSignal(orLeftIn: left.pid) == nil)
        _ = kill(left.pid, SIGSTOP)
        var looks = 0
        while Procfs.stat(left.pid)?.isStopped != true, looks < 10_000 {
            usleep(1_000)  // a moment, then it is asked again
            looks += 1
        }
        #expect(instance.stopSignal(orLeftIn: left.pid) == nil)
        _ = ends(instance, end(first.pid))
        #expect(instance.stopSignal(orLeftIn: left.pid) == SIGSTOP)
        #expect(instance.stopSignal(orLeftIn: left.pid) == nil)
    }

    // MARK: What is told of it

    @Test("Before a kill for time it is looked at; under a timeout what a command left behind isn't")
    func looksBeforeKill() {
        let manifest = Manifest.sample()
        let instance = Instance.sample(leader: leader, manifest: manifest)
        #expect(instance.isLookedAtBeforeKill)
        manifest.policy.timeout = TimeoutPolicy()
        #expect(instance.isLookedAtBeforeKill)
        _ = ends(instance, end(leader))
        #expect(!instance.isLookedAtBeforeKill)
        manifest.policy.timeout = nil
        #expect(instance.isLookedAtBeforeKill)
    }

    @Test("What wakes it is told once it goes on, or before its kill, where that comes instead; and nothing else later")
    func woken() {
        let instance = Instance.sample()
        let note = EventRecord.note(.didWake(by: "a connection to :80", from: "[::1]:9", to: ":80"))
        let kill = EventRecord.killing(.sample(.resumedTooOften))
        #expect(instance.toldNow(kill) == [kill])
        #expect(instance.toldNow(note) == [])
        #expect(instance.waking == Waking(cause: "a connection to :80", from: "[::1]:9", to: ":80", resumedIn: .zero))
        let change = EventRecord.stateChanged(from: .suspended, to: .background)
        #expect(instance.toldNow(change) == [change])
        #expect(instance.toldNow(kill) == [note, kill])
        #expect(instance.waking == nil)
        #expect(instance.toldNow(kill) == [kill])
    }

    // MARK: What it is held to

    @Test("Its policy says who enforces its memory limits, and has none where none was asked for")
    func policy() {
        #expect(Instance.sample().policy.memory == nil)
        let manifest = Manifest.sample()
        manifest.memory.fatal = 10
        manifest.backgroundMemory = .max
        let memory = Instance.sample(manifest: manifest).policy.memory
        #expect(memory?.foreground == MemoryLimits(fatal: 10))
        #expect(memory?.background == MemoryLimits())
        #expect(memory?.isEnforcedByKernel == false)
    }

    // MARK: Its input

    // Skipped where nobody holds them, or so many can't be open.
    @Test(
        "Of very many descriptors none is closed before it goes on; asleep anew, its input is waited for once all are",
        .enabled(if: SocketHolder.hasPython, "needs \(SocketHolder.python) to hold them"),
        .enabled(if: SocketHolder.hasRoom, "needs a limit of 1,300 descriptors"))
    func closesInTurns() throws {
        let holder = try SocketHolder(pairs: 501)
        defer { holder.end() }
        let manifest = Manifest.sample()
        manifest.inputFilter.kinds = .connections
        let instance = Instance.sample(leader: holder.pid, manifest: manifest)
        let kernel = LiveKernel()
        kernel.instances.insert(instance)
        func watch() -> InputWatching {
            var answer = InputWatching.pending
            while answer == .pending { answer = kernel.watchInput(instance.id, afresh: false) }
            return answer
        }
        _ = kernel.suspend(instance.id, includingStopped: false)
        #expect(watch() == .watched(obstacle: nil))
        let count = try #require(instance.inputWatch?.count)
        try #require(count >= 1_002)
        kernel.unwatchInput(instance.id)
        #expect(instance.inputWatch == nil)
        #expect(instance.closingWatches.map(\.count) == [count])
        #expect(kernel.isAtWork)
        #expect(kernel.watchInput(instance.id, afresh: false) == .pending)
        #expect(instance.closingWatches.map(\.count) == [count])
        var turns = 0
        while kernel.isAtWork {
            kernel.goOn()
            turns += 1
        }
        #expect(turns == 3)
        #expect(watch() == .watched(obstacle: nil))
        #expect(instance.inputWatch?.count == count)
    }

    // MARK: Effects for one of several

    @Test("An effect is for the app of its number alone")
    func oneOfTwo() {
        let (first, second) = (Sleeper(), Sleeper())
        let kernel = LiveKernel()
        kernel.instances.insert(.sample(AppID(1), leader: first.pid))
        kernel.instances.insert(.sample(AppID(2), leader: second.pid))
        kernel.signal(AppID(2), SIGTERM, mainProcessOnly: true)
        #expect(second.endingSignal() == SIGTERM)
        kernel.signal(AppID(1), SIGUSR1, mainProcessOnly: true)
        #expect(first.endingSignal() == SIGUSR1)
    }

    @Test("A main process that was named is signalled in its leader's place, and nobody once both are gone")
    func signalsMain() {
        let (first, main) = (Sleeper(), Sleeper())
        let instance = Instance.sample(leader: first.pid)
        instance.mainProcess = MainProcess(pid: main.pid, pidfd: .none)
        instance.signalMainProcess(SIGUSR2)
        #expect(main.endingSignal() == SIGUSR2)
        instance.forgetMainProcess()
        _ = ends(instance, end(first.pid))
        instance.signalMainProcess(SIGUSR1)
        instance.kill()
        // Its number counts as free, so neither came.
        _ = kill(first.pid, SIGTERM)
        #expect(first.endingSignal() == SIGTERM)
    }

    @Test("Of an app that isn't there nothing is done, and nothing is left")
    func missing() {
        let kernel = LiveKernel()
        var told: [Bool] = []
        kernel.allStopped = { told.append($1) }
        let app = AppID(4)
        #expect(kernel.suspend(app, includingStopped: false))
        _ = kernel.resume(app, sending: SIGTERM)
        kernel.signal(app, SIGTERM, mainProcessOnly: false)
        kernel.kill(app)
        #expect(kernel.isGone(app))
        #expect(kernel.survivors(app) == [])
        #expect(kernel.footprint(app, limit: nil) == 0)
        #expect(kernel.limitMemory(of: app, MemoryEnforcement(fatal: nil, mark: nil)) == false)
        #expect(kernel.beginPageOut(app, from: 0) == false)
        #expect(kernel.cpuMicroseconds(of: app) == 0)
        #expect(told == [true, false])
    }
}
