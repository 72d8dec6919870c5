import CurfewCore
import Glibc
import Testing

@testable import CurfewEngine

@Suite("The signals a command is started with")
struct CommandSignalsTests {
    private static func bits(_ signals: Int32...) -> UInt64 { signals.reduce(0) { $0 | 1 << UInt64($1 - 1) } }

    private static func timeout(_ signal: Int32, mask: UInt64 = 0, ignoredChild: Bool = false) -> CommandSignals {
        CommandSignals(
            callersMask: mask, callerIgnoredChild: ignoredChild, timeout: TimeoutPolicy(signal: signal))
    }

    @Test("Under run they are as the caller had them")
    func run() {
        let mask = Self.bits(SIGCHLD, SIGALRM, SIGUSR1, 64)
        let signals = CommandSignals(callersMask: mask, callerIgnoredChild: false, timeout: nil)
        #expect(signals.blocked == mask)
        #expect(signals.defaults == 0)
        #expect(signals.ignored == 0)
    }

    @Test("A SIGCHLD that the caller ignores is ignored again: neither half of Curfew may")
    func ignoredChild() {
        #expect(CommandSignals(callersMask: 0, callerIgnoredChild: true, timeout: nil).ignored == Self.bits(SIGCHLD))
        #expect(Self.timeout(SIGTERM, ignoredChild: true).ignored == 0)
    }

    @Test("A job of the terminal's neither ignores nor blocks what stops those that read it, or change it, from behind")
    func job() {
        let mask = Self.bits(SIGUSR1, SIGTTIN)
        let signals = CommandSignals(callersMask: mask, callerIgnoredChild: true, timeout: nil).ofJob
        #expect(signals.defaults == Self.bits(SIGTTIN, SIGTTOU))
        #expect(signals.blocked == Self.bits(SIGUSR1))
        #expect(signals.ignored == Self.bits(SIGCHLD))
    }

    @Test("timeout unblocks what it waits by, and nothing else")
    func unblocked() {
        #expect(Self.timeout(SIGTERM, mask: Self.bits(SIGCHLD, SIGALRM, SIGUSR1, 64)).blocked == Self.bits(SIGUSR1, 64))
        #expect(Self.timeout(SIGTERM, mask: Self.bits(SIGTERM)).blocks(SIGTERM))
        #expect(!Self.timeout(SIGTERM).blocks(SIGTERM))
    }

    @Test("What timeout works by isn't ignored, whatever the caller had; HUP, INT and QUIT stay so")
    func defaults() {
        let signals = Self.timeout(SIGTERM)
        for signal in [SIGALRM, SIGTERM, SIGCHLD, SIGTTIN, SIGTTOU] { #expect(signals.resets(signal)) }
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGUSR1] { #expect(!signals.resets(signal)) }
    }

    @Test("Nor is the signal of the limit; what can't be ignored isn't asked of the kernel, and 0 is none")
    func limitSignal() {
        #expect(Self.timeout(SIGHUP).resets(SIGHUP))
        #expect(Self.timeout(64).resets(64))
        #expect(Self.timeout(SIGKILL).defaults == Self.timeout(SIGTERM).defaults)
        #expect(Self.timeout(SIGSTOP).defaults == Self.timeout(SIGTERM).defaults)
        #expect(Self.timeout(0).defaults == Self.timeout(SIGTERM).defaults)
    }
}
