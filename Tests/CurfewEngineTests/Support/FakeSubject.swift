import CurfewCore
import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

/// An app to look at: a clock, processes and measures as a test sets them.
final class FakeSubject: ReportSubject {
    var now = Instant(nanoseconds: 0) + .seconds(100)
    var leader: Int32 = 7
    let commandLine = ["app", "--of", "seven"]
    /// What each has, in bytes; nil: it is dying, and nothing can be told of it.
    var footprints: [Int32: UInt64?] = [:]
    /// What has left its cgroup.
    var strays: [Int32] = []
    var cpuMicroseconds: UInt64 = 0
    var peakMemory: UInt64?
    var outOfMemoryKills: UInt64 = 0
    /// How many there is time to look at.
    var most = Int.max
    /// How it was looked at, in order.
    private(set) var looks: [String] = []
    private let template: ProcessSnapshot

    init(_ footprints: [Int32: UInt64?] = [:]) throws {
        template = try #require(ProcessSnapshot(of: getpid()))
        self.footprints = footprints
    }

    var processes: [Int32] { footprints.keys.sorted().filter { !strays.contains($0) } }
    var everyone: [Int32] { processes + strays }

    func largestFirst(_ pids: [Int32]) -> [Int32] {
        pids.sorted { (footprints[$0] ?? 0) ?? 0 > (footprints[$1] ?? 0) ?? 0 }
    }

    func look(
        at pids: [Int32], within microseconds: Int64, includingKilled: Bool
    ) -> (processes: [ProcessSnapshot], omitted: Int) {
        looks.append("\(pids) \(microseconds) µs" + (includingKilled ? ", also killed" : ""))
        let seen = pids.prefix(most).map { pid in
            var process = template
            process.pid = pid
            process.footprint = footprints[pid] ?? nil
            process.commandLine = process.footprint == nil ? [] : ["p\(pid)"]
            return process
        }
        return (seen, pids.count - seen.count)
    }
}
