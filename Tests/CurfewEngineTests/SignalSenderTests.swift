import Glibc
import Testing

@testable import CurfewEngine

@Suite("Who has sent a signal")
struct SignalSenderTests {
    @Test("The kernel vouches for its own signals, and for the pid of kill and tgkill")
    func vouched() {
        #expect(SignalSender(code: Int32(SI_KERNEL), pid: 0) == .kernel)
        #expect(SignalSender(code: Int32(SI_USER), pid: 7) == .process(7))
        #expect(SignalSender(code: Int32(SI_TKILL), pid: 7) == .process(7))
    }

    @Test("What a sender writes itself says nothing, nor do a lost siginfo, a timer or a descriptor's owner")
    func unknown() {
        for code in [Int32(SI_QUEUE), Int32(SI_TIMER), Int32(SI_MESGQ), Int32(SI_ASYNCIO), Int32(SI_SIGIO), 1] {
            #expect(SignalSender(code: code, pid: 7) == .unknown)
        }
        #expect(SignalSender(code: Int32(SI_USER), pid: 0) == .unknown)
    }
}
