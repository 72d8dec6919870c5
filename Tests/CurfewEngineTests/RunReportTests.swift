import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc
import Testing

@testable import CurfewEngine

@Suite("The report of a run")
struct RunReportTests {
    private func report(
        _ ending: Ending, command: [String] = ["make", "-j8"], started: Bool = true, cpu: UInt64 = 1_500_000,
        peak: UInt64? = 1 << 20, snapshot: KillSnapshot? = nil, isTimeHeld: Bool = false
    ) throws -> JSON {
        let now = Instant(nanoseconds: curfew_monotonic_nanoseconds())
        var report = RunReport(
            name: "make", leader: 4321, command: command, containment: "cgroup2 + memory.max",
            policy: Policy(profile: .ios4), startedAt: started ? now - .milliseconds(2_500) : nil, endedAt: now,
            measures: RunMeasures(cpuMicroseconds: cpu, peakMemory: peak), snapshot: snapshot, events: [],
            ending: ending)
        report.isTimeHeld = isTimeHeld
        var bytes: [UInt8] = []
        report.json.write(into: &bytes, indent: 2)
        return try JSON.parse(bytes)
    }

    private func keys(_ json: JSON?) -> [String] {
        guard case .object(let members) = json else { return [] }
        return members.map(\.key)
    }

    @Test("A run that ended by itself")
    func ordinary() throws {
        let json = try report(.sample(leader: .exited(code: 3)))
        #expect(
            keys(json) == [
                "version", "app", "command", "pid", "containment", "reason", "code", "message", "status", "leader",
                "restKilledAfterSeconds",
                "state", "limit", "tasks", "started", "ended", "seconds", "cpuSeconds", "peakMemoryBytes",
                "exitCategory", "visibility", "limits", "events",
            ])
        #expect(json["version"] == .integer(1))
        #expect(json["app"] == .string("make"))
        #expect(json["command"] == .array([.string("make"), .string("-j8")]))
        #expect(json["pid"] == .integer(4321))
        #expect(json["containment"] == .string("cgroup2 + memory.max"))
        for key in ["reason", "code", "message", "limit"] { #expect(json[key] == .null) }
        #expect(json["status"] == .integer(3))
        #expect(json["leader"] == .object([("exited", .integer(3))]))
        #expect(json["state"] == .string("active"))
        #expect(json["tasks"] == .array([]))
        #expect(json["seconds"] == .number(2.5))
        #expect(json["cpuSeconds"] == .number(1.5))
        #expect(json["peakMemoryBytes"] == .integer(1_048_576))
    }

    @Test("It says where its time was held, and else nothing of clocks")
    func heldTime() throws {
        #expect(try report(.sample(), isTimeHeld: true)["clock"] == .string("manual"))
        #expect(try report(.sample())["clock"] == nil)
    }

    @Test("Started and ended are the wall clock's")
    func clock() throws {
        let json = try report(.sample())
        guard case .number(let started) = json["started"], case .number(let ended) = json["ended"] else {
            Issue.record("no times in \(json)")
            return
        }
        let now = Double(curfew_realtime_nanoseconds()) / 1e9
        #expect(abs(now - ended) < 60)
        #expect(abs(ended - started - 2.5) < 0.01)
    }

    @Test("A run whose budget was over: limit, elapsed, tasks")
    func budget() throws {
        let kill = KillReport.sample(.backgroundTaskTimeout) {
            $0.limit = .seconds(30)
            $0.tasks = [.sample(3, "up \"load\"\n", seconds: 35)]
        }
        let json = try report(.sample(kill: kill, leader: .signaled(signal: 9, dumpedCore: false), state: .background))
        #expect(json["reason"] == .string("background-task-timeout"))
        #expect(json["code"] == .string("0x2182bad2"))
        #expect(json["message"] == .string(KillNarration.text(kill)))
        #expect(json["status"] == .integer(124))
        #expect(json["leader"] == .object([("signal", .integer(9)), ("dumpedCore", .bool(false))]))
        #expect(json["state"] == .string("background"))
        #expect(json["limit"] == .object([("seconds", .number(30))]))
        #expect(
            json["tasks"]
                == .array([
                    .object([("task", .integer(3)), ("name", .string("up \"load\"\n")), ("ageSeconds", .number(35))])
                ]))
    }

    @Test("A watchdog's kill names the event")
    func watchdog() throws {
        let kill = KillReport.sample(.sceneUpdateWatchdog) {
            $0.limit = .seconds(5)
            $0.elapsed = .milliseconds(5_001)
            $0.event = .lifecycle(.didEnterBackground)
        }
        #expect(
            try report(.sample(kill: kill))["limit"]
                == .object([
                    ("seconds", .number(5)), ("elapsedSeconds", .number(5.001)),
                    ("event", .string("didEnterBackground")),
                ]))
    }

    @Test("A memory limit and what was measured, as large as they come")
    func memory() throws {
        let kill = KillReport.sample(.memoryLimit) {
            $0.memoryLimit = 200 << 20
            $0.footprint = .max
        }
        let json = try report(.sample(kill: kill), peak: .max)
        #expect(
            json["limit"] == .object([("memoryBytes", .integer(209_715_200)), ("footprintBytes", .integer(.max))]))
        #expect(json["peakMemoryBytes"] == .integer(.max))
        #expect(json["status"] == .integer(137))
        #expect(json["code"] == .string("jetsam 7"))
    }

    @Test("A signal that nobody here sent is 128 and its number; our SIGTERM is 143")
    func signals() throws {
        let core = try report(.sample(leader: .signaled(signal: 11, dumpedCore: true)))
        #expect(core["status"] == .integer(139))
        #expect(core["leader"]?["dumpedCore"] == .bool(true))
        let terminated = try report(.sample(leader: .signaled(signal: 15, dumpedCore: false), terminateSignal: 15))
        #expect(terminated["status"] == .integer(143))
        #expect(terminated["reason"] == .null)
    }

    @Test("What nobody knows is null")
    func unknown() throws {
        let json = try report(.sample(leader: nil), started: false, peak: nil)
        for key in ["leader", "started", "seconds", "peakMemoryBytes"] { #expect(json[key] == .null, "\(key)") }
        #expect(json["status"] == .integer(125))
    }

    @Test("Every reason has its word, code and status", arguments: KillReason.allCases)
    func reasons(reason: KillReason) throws {
        let json = try report(.sample(kill: .sample(reason)))
        #expect(json["reason"] == .string(reason.rawValue))
        #expect(json["code"] == reason.code.map { .string($0) } ?? .null)
        #expect(json["status"] == .integer(Int64(reason.exitStatus)))
        #expect(json["limit"] == .null)
    }

    @Test("The locks that it is killed for are their process's, had nobody time to look")
    func locks() throws {
        let kill = KillReport.sample(.suspendedWithLockedFile) {
            $0.locks = [FileLock(path: "/db", kind: "POSIX", isWrite: true, pid: getpid(), isWaitedFor: false)]
        }
        let own = try #require(ProcessSnapshot(of: getpid()))
        let others = try #require(ProcessSnapshot(of: getppid()))
        let snapshot = KillSnapshot(processes: [own, others], omitted: 0, instant: Instant(nanoseconds: 0))
        let json = try report(.sample(kill: kill), snapshot: snapshot)
        guard case .array(let processes) = json["processes"] else {
            Issue.record("no processes in \(json)")
            return
        }
        #expect(processes.first?["locks"] == json["locks"])
        #expect(processes.last?["locks"] == .array([]))
        #expect(json["locks"] != .array([]))
    }

    @Test("A command with any text in it stays readable")
    func command() throws {
        let words = ["sh", "-c", "echo \"a\" \\ \u{1} é 🙂\n\t", ""]
        #expect(try report(.sample(), command: words)["command"] == .array(words.map { .string($0) }))
    }
}
