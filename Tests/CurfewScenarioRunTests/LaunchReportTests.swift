import CurfewLinux
import CurfewWire
import Glibc
import Testing

@testable import CurfewScenarioRun

@Suite("How a launch ended, from its report")
struct LaunchReportTests {
    private func read(_ text: String?) throws -> LaunchReport? {
        let folder = try #require(mkdtemp(strdup("/tmp/curfew-launch-report.XXXXXX")).map { String(cString: $0) })
        defer {
            unlink(folder + "/report.json")
            rmdir(folder)
        }
        if let text {
            let file = try #require(fopen(folder + "/report.json", "w"))
            fputs(text, file)
            fclose(file)
        }
        return LaunchReport(folder + "/report.json")
    }

    @Test("What happened, for whoever came too late to hear of it")
    func events() throws {
        let report = try #require(
            try read(
                #"""
                {"pid": 71, "reason": null, "events": [
                  {"time": 1.5, "name": "stateDidChange", "number": 1, "from": "notRunning", "to": "active"},
                  {"time": 1.6, "name": "didDeliver", "number": 2, "event": "push", "seq": 4, "infoLeftOut": 1,
                   "info": {"id": "7"}},
                  {"name": "no number"},
                  {"time": 1.7, "name": "timeoutExtended", "number": 3, "seconds": 5.001}
                ]}
                """#))
        #expect(report.pid == 71)
        #expect(report.reason == nil)
        #expect(report.events.map(\.number) == [1, 2, 3])
        #expect(report.events[0].matches("stateDidChange", [("from", "notRunning"), ("to", "active")]))
        #expect(report.events[1].matches("push", [("seq", "4"), ("info-left-out", "1"), ("id", "7")]))
        #expect(report.events[2].matches("timeoutExtended", [("seconds", "5.001")]))
    }

    @Test("One of a kill whose app's end is all that is known")
    func killed() throws {
        let report = try #require(try read(#"{"pid": 71, "reason": "supervisor-exit"}"#))
        #expect(report.reason == "supervisor-exit")
        #expect(report.events == [])
    }

    @Test("A pipe in its place is waited for by nobody")
    func pipe() throws {
        let folder = try #require(mkdtemp(strdup("/tmp/curfew-launch-report.XXXXXX")).map { String(cString: $0) })
        defer {
            unlink(folder + "/report.json")
            rmdir(folder)
        }
        #expect(mkfifo(folder + "/report.json", 0o600) == 0)
        #expect(LaunchReport(folder + "/report.json") == nil)
    }

    @Test("None, or one that was cut off", arguments: [nil, "", #"{"pid": 7"#])
    func missing(text: String?) throws {
        #expect(try read(text) == nil)
    }
}
