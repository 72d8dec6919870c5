import CurfewCore
import CurfewLinux
import CurfewWire
import Testing

@testable import CurfewEngine

@Suite("Where a run's report goes")
struct FinalReportTests {
    private final class Host: FinalReportHost {
        let now = Instant(nanoseconds: 9_000_000_000)
        var isTimeHeld = false
        var hasReportFile = false
        private(set) var written: [JSON] = []
        private(set) var kept: [JSON] = []

        func write(_ report: JSON) { if hasReportFile { written.append(report) } }
        func keep(_ report: JSON, of instance: Instance) { kept.append(report) }
    }

    private let manifest = Manifest.sample()
    private let instance: Instance
    private let host = Host()

    init() { instance = Instance.sample(leader: 4321, manifest: manifest) }

    private var report: FinalReport { FinalReport(instance: instance, host: host) }
    private let killed = Ending.sample(kill: .sample(.timeLimit))

    @Test("Of what ended by itself there is one where a file was asked for, and none is kept")
    func ordinary() {
        report.write(.sample())
        #expect(host.written == [])
        host.hasReportFile = true
        report.write(.sample())
        #expect(host.written.count == 1)
        #expect(host.kept == [])
    }

    @Test("A kill's is kept, whether a file was asked for or not, and is the same in both")
    func kill() {
        report.write(killed)
        #expect(host.kept.count == 1)
        #expect(host.kept.first?["reason"] == .string("time-limit"))
        host.hasReportFile = true
        report.write(killed)
        #expect(host.written.count == 1)
        #expect(host.written.first == host.kept.last)
    }

    @Test("It says which app that was, and for how long it ran")
    func whose() {
        report.write(killed)
        #expect(host.kept.first?["app"] == .string("app"))
        #expect(host.kept.first?["pid"] == .integer(4321))
        #expect(host.kept.first?["command"] == .array(instance.commandLine.map { .string($0) }))
        #expect(host.kept.first?["seconds"] == .number(9))
        #expect(host.kept.first?["clock"] == nil)
    }

    @Test("Where time was held it says so")
    func held() {
        host.isTimeHeld = true
        report.write(killed)
        #expect(host.kept.first?["clock"] == .string("manual"))
    }

    @Test("It has the last 50 events")
    func events() {
        for number in 0..<60 { _ = instance.log.append(.statusText("t\(number)"), at: instance.startedAt) }
        report.write(killed)
        guard case .array(let events) = host.kept.first?["events"] else {
            Issue.record("no events in \(host.kept)")
            return
        }
        #expect(events.count == 50)
        #expect(events.last?["text"] == .string("t59"))
    }

    @Test("The limits of a life in background are told of what had one")
    func lifecycle() {
        report.write(killed)
        #expect(host.kept.last?["limits"]?["budgetSeconds"] == .number(600))
        manifest.hasLifecycle = false
        report.write(killed)
        #expect(host.kept.last?["limits"]?["budgetSeconds"] == nil)
    }

    @Test("The proxy was killed: its report is kept, and names whose proxy that was")
    func withoutProxy() {
        host.hasReportFile = true
        report.writeWithoutProxy()
        #expect(host.written == host.kept)
        #expect(host.kept.first?["pid"] == .integer(4321))
        #expect(host.kept.first?["message"] == .string("supervisor-exit: its `curfew run` was killed"))
        manifest.policy.timeout = TimeoutPolicy()
        report.writeWithoutProxy()
        #expect(host.kept.last?["message"] == .string("supervisor-exit: its `curfew timeout` was killed"))
    }
}
