import Testing

@testable import CurfewLinux

@Suite("Naming what isn't stopped, or gone")
struct PendingProcessTests {
    @Test("By name, pid, state and where it waits")
    func text() {
        let letter = { (letter: Unicode.Scalar) in UInt8(ascii: letter) }
        #expect(
            PendingProcess(pid: 7, name: "rsync", state: letter("D"), waitChannel: "nfs_wait_bit").text
                == "rsync (pid 7, uninterruptible, in nfs_wait_bit)")
        #expect(
            PendingProcess(pid: 8, name: "a b", state: letter("R"), waitChannel: nil).text == "a b (pid 8, state R)")
    }

    private func process(_ pid: Int32) -> PendingProcess {
        PendingProcess(pid: pid, name: "sh", state: UInt8(ascii: "R"), waitChannel: nil)
    }

    @Test("Of very many one more is found than is named")
    func first() {
        let found = PendingProcess.first(of: Array(1...1000)) { process($0) }
        #expect(found.map(\.pid) == Array(1...17))
        #expect(PendingProcess.text(of: found).hasSuffix("; sh (pid 16, state R); and more"))
    }

    @Test("Those of which there is nothing to tell are passed over")
    func passedOver() {
        let found = PendingProcess.first(of: Array(1...30)) { $0 % 10 == 0 ? process($0) : nil }
        #expect(found.map(\.pid) == [10, 20, 30])
    }

    @Test("No more are looked at than one turn takes: a thousand that have done as they were told hold nobody up")
    func oneTurn() {
        var looks = 0
        let found = PendingProcess.first(of: Array(1...1000), for: Turn(fewest: 5, microseconds: 0)) { pid in
            looks += 1
            return pid == 2 ? process(pid) : nil
        }
        #expect(found.map(\.pid) == [2])
        #expect(looks == 5)
    }
}
