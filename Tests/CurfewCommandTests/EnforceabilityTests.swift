import CurfewCore
import CurfewLinux
import Testing

@testable import CurfewCommand
@testable import CurfewEngine

@Suite("What a start says of what can't be enforced")
struct EnforceabilityTests {
    /// What is said; where nothing is started, why, with the status.
    private enum Start: Equatable {
        case silent
        case told(String)
        case refused(Int32, String)
    }

    /// Where nothing but the duplicates can be in the way. `areRefused`: as by Yama, or without a debugger's rights.
    private func start(_ words: [String], areRefused: Bool = true) throws -> Start {
        let plan = try Argv.withReader("run", words + ["--", "true"]) { reader throws(UsageError) in
            try RunArguments.parse(reader)
        }
        let enforceability = Enforceability(
            manifest: plan.manifest, containment: .tree, pagingMethod: nil, view: .own,
            areDescriptorsRefused: areRefused)
        do throws(LaunchError) {
            return try enforceability.warning(isStrict: plan.options.isStrict).map { .told($0) } ?? .silent
        } catch {
            return .refused(error.status, error.problem)
        }
    }

    private static func warning(_ what: String, isForced: Bool = false) -> String {
        let sleeps =
            isForced ? "" : " sleeps by `curfew sleep --stay` and --sleep-when-idle D,force only, and"
        return
            "--wake-on can't wait for \(what): other processes' descriptors are refused here. An app that has such\(sleeps)"
            + " isn't woken by them (see `curfew doctor`)"
    }

    @Test("Descriptors that are refused are told of where sockets or timers are to wake it")
    func told() throws {
        #expect(try start(["--wake-on", "connections"]) == .told(Self.warning("sockets")))
        #expect(try start(["--wake-on", "terminal,timers"]) == .told(Self.warning("timers")))
        #expect(try start(["--sleep-when-idle", "1min"]) == .told(Self.warning("sockets")))
        let forced = Self.warning("sockets", isForced: true)
        #expect(try start(["--sleep-when-idle", "1min,force"]) == .told(forced))
    }

    @Test("--strict: nothing is started then, and it ends with 125")
    func strict() throws {
        for (words, what) in [
            (["--wake-on", "connections"], "sockets"), (["--sleep-when-idle", "1min"], "sockets"),
        ] {
            let refusal = Start.refused(125, "--strict: \(Self.warning(what)); nothing was started")
            #expect(try start(["--strict"] + words) == refusal)
        }
    }

    @Test(
        "Nothing is said where they aren't refused, or what is to wake it can be opened anew, or nothing is to",
        arguments: [[], ["--strict"]])
    func silent(strict: [String]) throws {
        #expect(try start(strict + ["--wake-on", "all"], areRefused: false) == .silent)
        #expect(try start(strict + ["--wake-on", "terminal,pipes"]) == .silent)
        #expect(try start(strict + ["--wake-on", "none"]) == .silent)
        #expect(try start(strict) == .silent)
    }
}
