import CCurfew
import CurfewCore
import CurfewLinux

extension Instance: ReportSubject {
    var now: Instant { Instant(nanoseconds: curfew_monotonic_nanoseconds()) }
    var leader: Int32 { tree.leader }
    var commandLine: [String] { manifest.commandLine }
    var processes: [Int32] { tree.processes() }
    var everyone: [Int32] { tree.everyone() }
    var peakMemory: UInt64? { tree.containment.peakMemory }
    var outOfMemoryKills: UInt64 { tree.containment.outOfMemoryKills }

    func largestFirst(_ pids: [Int32]) -> [Int32] { ProcessSnapshot.largestFirst(pids) }

    func look(
        at pids: [Int32], within microseconds: Int64, includingKilled: Bool
    ) -> (processes: [ProcessSnapshot], omitted: Int) {
        ProcessSnapshot.take(of: pids, within: microseconds, includingKilled: includingKilled)
    }
}
