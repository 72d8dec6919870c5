import CCurfew
import Glibc
import Testing

@testable import CurfewLinux

@Suite("Who in a tree works")
struct TreeWorkTests {
    /// Does what it is told, a line of shell each, and says so.
    private static let obedient = "while read line <&8; do eval \"$line\"; echo done >&8; done"

    private func tell(_ child: TestChild, _ line: String) {
        child.say(line)
        #expect(child.line() == "done")
    }

    @Test("Of two the one is named that has worked, with how much it was, and the one that has written")
    func most() throws {
        let (worker, writer) = (try TestChild(shell: Self.obedient), try TestChild(shell: Self.obedient))
        defer {
            worker.end()
            writer.end()
        }
        let pids = [worker.pid, writer.pid]
        for child in [worker, writer] { tell(child, ":") }
        let before = ProcessTree.work(of: pids)
        // Some tenths of a second, in ticks of 10 ms.
        tell(worker, "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done")
        tell(writer, "printf %05000d 0 >/dev/null")
        let most = ProcessTree.work(of: pids).most(since: before)
        #expect(most.busiest?.process == "sh (\(worker.pid))")
        #expect((most.busiest?.nanoseconds ?? 0) >= 10_000_000)
        #expect(most.writer?.process == "sh (\(writer.pid))")
        #expect((5_000..<6_000).contains(most.writer?.bytes ?? 0))
        #expect(most.newcomer == nil)
    }

    @Test("What it did before is nobody's work, and who does nothing isn't named")
    func idle() throws {
        let child = try TestChild(shell: Self.obedient)
        defer { child.end() }
        tell(child, "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; printf %05000d 0 >/dev/null")
        #expect(eventually { state(child.pid) == "S" })
        let before = ProcessTree.work(of: [child.pid])
        let most = ProcessTree.work(of: [child.pid]).most(since: before)
        #expect(most.busiest == nil && most.writer == nil && most.newcomer == nil)
    }

    @Test("Who is born is named; who has gone isn't")
    func newcomer() throws {
        let (child, newcomer) = (try TestChild(shell: TestChild.stay), try TestChild(shell: TestChild.stay))
        defer {
            child.end()
            newcomer.end()
        }
        for each in [child, newcomer] { #expect(each.line() == "ready") }
        let (before, after) = (ProcessTree.work(of: [child.pid]), ProcessTree.work(of: [child.pid, newcomer.pid]))
        #expect(after.most(since: before).newcomer == "sh (\(newcomer.pid))")
        #expect(before.most(since: after).newcomer == nil)
    }
}
