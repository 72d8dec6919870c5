import CurfewCore
import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

@Suite("An app at the moment before it was killed")
struct KillSnapshotTests {
    private func process(_ pid: Int32, _ footprint: UInt64?, _ commandLine: [String] = ["hog"]) throws
        -> ProcessSnapshot
    {
        var process = try #require(ProcessSnapshot(of: getpid()))
        process.pid = pid
        process.footprint = footprint
        process.commandLine = commandLine
        return process
    }

    private func snapshot(_ processes: [ProcessSnapshot], at milliseconds: Int64, omitted: Int = 0) -> KillSnapshot {
        KillSnapshot(
            processes: processes, omitted: omitted, instant: Instant(nanoseconds: 0) + .milliseconds(milliseconds))
    }

    @Test("What is dying is told as it was seen at the warning")
    func dying() throws {
        let earlier = snapshot([try process(7, 100), try process(8, 5)], at: 0)
        let now = snapshot([try process(7, nil, []), try process(8, 6)], at: 1000)
        let told = now.completed(by: earlier, includesGone: false)
        #expect(told.processes.map(\.footprint) == [100, 6])
        #expect(told.processes[0].commandLine == ["hog"])
    }

    @Test("What is gone is told after a kill for memory only, and only where all others could be looked at")
    func gone() throws {
        let earlier = snapshot([try process(7, 100)], at: 0)
        func told(omitted: Int = 0, includesGone: Bool) throws -> [Int32] {
            let now = snapshot([try process(8, 6)], at: 1, omitted: omitted)
            return now.completed(by: earlier, includesGone: includesGone).processes.map(\.pid)
        }
        #expect(try told(includesGone: true) == [8, 7])
        #expect(try told(includesGone: false) == [8])
        #expect(try told(omitted: 1, includesGone: true) == [8])
    }

    @Test("A lone one that nobody has seen had what the cgroup held and the others haven't")
    func attributed() throws {
        let now = snapshot([try process(7, nil, []), try process(8, 30, ["sh"])], at: 0)
        let told = now.attributing(peak: 100, leader: 7, command: ["hog", "1"]).processes
        #expect(told.map(\.footprint) == [70, 30])
        #expect(told.map(\.commandLine) == [["hog", "1"], ["sh"]])
        let child = now.attributing(peak: 100, leader: 8, command: ["other"]).processes
        #expect(child.map(\.commandLine) == [[], ["sh"]])
    }

    @Test("Of several, or where not all were looked at, or without a peak, nothing is claimed")
    func notAttributed() throws {
        let two = snapshot([try process(7, nil, []), try process(8, nil, [])], at: 0)
        #expect(two.attributing(peak: 100, leader: 7, command: ["a"]).processes.map(\.footprint) == [nil, nil])
        let omitting = snapshot([try process(7, nil, [])], at: 0, omitted: 1)
        #expect(omitting.attributing(peak: 100, leader: 7, command: ["a"]).processes[0].footprint == nil)
        let one = snapshot([try process(7, nil, [])], at: 0)
        #expect(one.attributing(peak: nil, leader: 7, command: ["a"]).processes[0].footprint == nil)
    }

    @Test("What was attributed stays, and its command line is the one that was seen")
    func attributedAndSeen() throws {
        let earlier = snapshot([try process(7, 40, ["hog"])], at: 0)
        let now = snapshot([try process(7, nil, [])], at: 1)
        let told = now.attributing(peak: 100, leader: 1, command: []).completed(by: earlier, includesGone: true)
        #expect(told.processes.map(\.footprint) == [100])
        #expect(told.processes[0].commandLine == ["hog"])
    }

    @Test("What was seen more than a second ago stands for what is dying, not for what is gone")
    func stale() throws {
        let earlier = snapshot([try process(7, 100), try process(9, 1)], at: 0)
        let now = snapshot([try process(7, nil)], at: 1001)
        #expect(now.completed(by: earlier, includesGone: true).processes.map(\.footprint) == [100])
        #expect(now.completed(by: nil, includesGone: true).processes.count == 1)
    }

    @Test("Where nothing is left, what was seen last is told, whenever that was")
    func nothingLeft() throws {
        let earlier = snapshot([try process(7, 100), try process(9, 1)], at: 0)
        let nothing = snapshot([], at: 60_000)
        #expect(nothing.completed(by: earlier, includesGone: true).processes.map(\.pid) == [7, 9])
        #expect(nothing.completed(by: earlier, includesGone: false).processes.isEmpty)
        #expect(snapshot([], at: 60_000, omitted: 2).completed(by: earlier, includesGone: true).processes.isEmpty)
    }
}
