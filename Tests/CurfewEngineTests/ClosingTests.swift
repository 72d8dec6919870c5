import CurfewCore
import Glibc
import Testing

@testable import CurfewEngine

@Suite("The last things of a run")
struct ClosingTests {
    /// Writes down what is done.
    private final class Host: ClosingHost {
        var ending: Ending? = .sample()
        var isAbandoned = false
        var proxyGroup: Int32?
        /// How many turns more what was sent takes.
        var turns = 0
        private(set) var lines: [String] = []

        var isAtWork: Bool { turns > 0 }

        func goOn() {
            turns -= 1
            lines.append("go on")
        }

        func removeSocket() { lines.append("socket") }
        func giveTerminalBack() { lines.append("terminal") }
        func tell(_ ending: Ending) { lines.append("tell \(ending.status)") }
        func tellWithoutProxy() { lines.append("tell without proxy") }
        func closeChannel() { lines.append("channel") }
        func finishHooks() { lines.append("hooks") }
        func finishSweep() { lines.append("sweep") }
    }

    private let host = Host()

    private func exit(_ ending: Ending?) -> Closing.Exit {
        host.ending = ending
        return Closing(host: host).finish()
    }

    private func signaled(_ signal: Int32) -> Ending { .sample(leader: .signaled(signal: signal, dumpedCore: false)) }

    @Test("The terminal is the shell's before anything is told; hooks are waited for once the channel is closed")
    func order() {
        #expect(exit(.sample(leader: .exited(code: 3))) == Closing.Exit(code: 3))
        let told = "tell \(Ending.Status.exit(3))"
        #expect(host.lines == ["socket", "terminal", told, "channel", "hooks", "sweep"])
    }

    @Test("What was sent to all is sent to all before that")
    func atWork() {
        host.turns = 2
        _ = exit(.sample())
        #expect(Array(host.lines.prefix(4)) == ["socket", "terminal", "go on", "go on"])
        #expect(host.turns == 0)
    }

    @Test("Abandoned, it tells that its proxy was killed, and nothing else")
    func abandoned() {
        host.isAbandoned = true
        #expect(exit(.sample()) == Closing.Exit(code: 125))
        #expect(host.lines == ["socket", "tell without proxy"])
    }

    @Test("Without an ending nothing is told of one")
    func noEnding() {
        #expect(exit(nil) == Closing.Exit(code: 125))
        #expect(host.lines == ["socket", "terminal", "channel", "hooks", "sweep"])
    }

    @Test("The proxy dies of the signal that the leader died of, in its group alone")
    func signal() {
        host.proxyGroup = 55
        #expect(exit(signaled(SIGSEGV)) == Closing.Exit(code: 0, proxySignal: SIGSEGV))
    }

    @Test("By SIGKILL the group that it leads dies with it, where the app is in that")
    func killed() {
        #expect(exit(signaled(SIGKILL)) == Closing.Exit(code: 0, proxySignal: SIGKILL))
        host.proxyGroup = 55
        #expect(exit(signaled(SIGKILL)) == Closing.Exit(code: 0, proxySignal: SIGKILL, killedGroup: 55))
    }
}
