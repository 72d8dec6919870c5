import CurfewCore
import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

@Suite("What people are told at a run's end")
struct LastWordsTests {
    private let manifest = Manifest.sample()
    private let options = SupervisorOptions()
    private let kill = KillReport.sample(.timeLimit) {
        $0.limit = .seconds(5)
        $0.elapsed = .seconds(5)
    }

    init() {
        options.caller = "curfew: timeout"
        manifest.policy.terminateSignal = SIGHUP
    }

    private func snapshot(_ pids: Int32..., omitted: Int = 0) throws -> KillSnapshot {
        let own = try #require(ProcessSnapshot(of: getpid()))
        let processes = pids.map { pid in
            var process = own
            process.pid = pid
            process.name = "p\(pid)"
            process.commandLine = ["p\(pid)", "--now"]
            process.state = UInt8(ascii: "T")
            return process
        }
        return KillSnapshot(processes: processes, omitted: omitted, instant: Instant(nanoseconds: 0))
    }

    private func lines(_ ending: Ending, seen: KillSnapshot? = nil) -> [String] {
        LastWords(name: "app", manifest: manifest, options: options).lines(of: ending) { seen }
    }

    // MARK: A kill

    @Test("What ended by itself is told nothing of")
    func ordinary() throws {
        #expect(lines(.sample(leader: .exited(code: 3)), seen: try snapshot(7)) == [])
        #expect(lines(.sample(leader: .signaled(signal: 11, dumpedCore: true))) == [])
    }

    @Test("A kill is told with its reason")
    func killed() {
        #expect(lines(.sample(kill: kill)) == ["curfew: app: killed: \(KillNarration.text(kill))"])
    }

    // MARK: What was left behind

    private func rest(_ seen: KillSnapshot?) -> [String] {
        var ending = Ending.sample()
        ending.restKilledAfter = .milliseconds(400)
        return lines(ending, seen: seen)
    }

    private static let told = "curfew: app: killed what it left behind, which hadn't ended 0.4 s after SIGHUP"

    @Test("What was left behind and killed is told by number and name, three of it")
    func leftBehind() throws {
        #expect(rest(nil) == [Self.told])
        let two = ": 7 \(Quoted.text("p7")), 8 \(Quoted.text("p8"))"
        #expect(rest(try snapshot(7, 8)) == [Self.told + two])
        let three = two + ", 9 \(Quoted.text("p9"))"
        #expect(rest(try snapshot(7, 8, 9)) == [Self.told + three])
        let five = try #require(rest(try snapshot(7, 8, 9, 10, 11)).first)
        #expect(five == Self.told + three + " and 2 more")
    }

    // MARK: curfew timeout

    private func timedOut(
        _ kill: KillReport?, _ leader: ExitOutcome = .exited(code: 0), isExpired: Bool = true
    ) -> Ending {
        var ending = Ending.sample(kill: kill, leader: leader)
        ending.timeout = TimeoutOutcome(isExpired: isExpired, diesOfKill: false, preservesStatus: false)
        ending.restKilledAfter = .seconds(1)
        return ending
    }

    @Test("timeout says no more of its limit than timeout(1), and nothing of what was left behind")
    func timeout() throws { #expect(lines(timedOut(kill), seen: try snapshot(7)) == []) }

    @Test("Another kill of its command is told")
    func otherKill() {
        let kill = KillReport.sample(.memoryLimit)
        #expect(lines(timedOut(kill)) == ["curfew: app: killed: \(KillNarration.text(kill))"])
    }

    @Test("A core that was dumped is told in its words, and nobody else's")
    func core() {
        let dumped = ExitOutcome.signaled(signal: 11, dumpedCore: true)
        let words = "curfew: timeout: the monitored command dumped core"
        #expect(lines(timedOut(nil, dumped, isExpired: false)) == [words])
        #expect(lines(timedOut(nil, .signaled(signal: 11, dumpedCore: false))) == [])
    }

    @Test("Asked to, it tells what was there at its limit, and how many more, but not of what ended before")
    func processes() throws {
        options.tellsProcesses = true
        let seen = try snapshot(7, 8, omitted: 3)
        #expect(
            lines(timedOut(kill), seen: seen) == [
                "curfew: timeout: 7 p7 --now: was stopped", "curfew: timeout: 8 p8 --now: was stopped",
                "curfew: timeout: and 3 more processes",
            ])
        #expect(lines(timedOut(kill), seen: try snapshot(7)) == ["curfew: timeout: 7 p7 --now: was stopped"])
        #expect(lines(timedOut(nil, isExpired: false), seen: seen) == [])
        #expect(lines(timedOut(kill)) == [])
    }
}
