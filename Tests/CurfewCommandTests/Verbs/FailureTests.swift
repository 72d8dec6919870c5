import CurfewCore
import Glibc
import Testing

@testable import CurfewCommand

@Suite("Why a supervisor couldn't be asked, or refused")
struct FailureTests {
    /// Every code that a refusal can have, besides the core's own.
    private static let codes: [(String, Int32)] = [
        ("unsupported", 69), ("no-app", 69), ("not-running", 69),
        ("invalid", 1), ("forbidden", 1), ("unknown", 1), ("malformed", 1), ("failed", 1), ("PayloadTooLarge", 1),
        ("unknown-push", 1),
        ("busy", 75), ("too-many-requests", 75), ("unknown-request", 75), ("app-removed", 75),
        ("", 75), ("what-is-new", 75),
    ]

    @Test("A refusal has 69 where there is nobody, 1 where it is for good, and else 75", arguments: codes)
    func refusals(code: String, status: Int32) {
        #expect(ControlClient.Failure.refused(code: code, message: "no").refusalStatus == status)
    }

    private static let ofTheCore: [Rejection: Int32] = [
        .notRunning: 69, .keepAliveUnsupported: 69, .keepAliveTooShort: 1, .noBackgroundMode: 1,
        .expired: 75, .terminating: 75, .suspended: 75, .notSuspended: 75, .tooManyTasks: 75, .tooManyChanges: 75,
        .tooManyEvents: 75, .traced: 75, .interrupted: 75, .exitsOnSuspend: 75, .holdsTask: 75, .owesAnswer: 75,
        .inputUnwatched: 75, .neverSuspended: 75,
    ]

    @Test("So has each that the core rejects", arguments: ofTheCore.map { ($0.key, $0.value) })
    func rejections(rejection: Rejection, status: Int32) {
        #expect(
            ControlClient.Failure.refused(code: rejection.rawValue, message: rejection.message).refusalStatus == status)
    }

    @Test("All that the core rejects by stand here")
    func completeness() { #expect(Set(Self.ofTheCore.keys) == Set(Rejection.allCases)) }

    @Test("What isn't a refusal is a supervisor that can't be had")
    func others() {
        for failure: ControlClient.Failure in [
            .ended, .late, .unavailable(errno: ENOENT), .untrusted(uid: 7), .broken("x"),
        ] {
            #expect(failure.refusalStatus == 69)
        }
    }

    private static let lines: [(ControlClient.Failure, String, Int32)] = [
        (.unavailable(errno: ENOENT), "no app called mail is running; `curfew ps` lists those that are", 69),
        (.unavailable(errno: ECONNREFUSED), "no app called mail is running; `curfew ps` lists those that are", 69),
        (.unavailable(errno: EACCES), "can't reach mail at /run/mail.sock: Permission denied", 69),
        (
            .untrusted(uid: 1001),
            "/run/mail.sock can't be trusted: user 1001 listens there, and not you or root; nothing was asked", 69
        ),
        (.ended, "mail ended before it answered", 69),
        (.late, "mail: its supervisor didn't answer in 10 s", 69),
        (.broken("it is odd"), "mail: it is odd", 69),
        (.refused(code: "suspended", message: "it is stopped"), "mail: refused (suspended): it is stopped", 75),
        (.refused(code: "forbidden", message: "not you"), "mail: refused (forbidden): not you", 1),
        (.refused(code: "no-app", message: "who?"), "mail: refused (no-app): who?", 69),
    ]

    @Test("Each is told in one line, with what it was about", arguments: lines)
    func explained(failure: ControlClient.Failure, line: String, status: Int32) {
        let told = failure.explained("home", .named("mail", path: "/run/mail.sock"))
        #expect(told.line == "curfew: home: " + line)
        #expect(told.status == status)
    }

    @Test("Only where nobody listens nobody is there")
    func absence() {
        #expect(ControlClient.Failure.unavailable(errno: ENOENT).isAbsence)
        #expect(ControlClient.Failure.unavailable(errno: ECONNREFUSED).isAbsence)
        #expect(!ControlClient.Failure.unavailable(errno: EACCES).isAbsence)
        #expect(!ControlClient.Failure.ended.isAbsence)
    }
}
