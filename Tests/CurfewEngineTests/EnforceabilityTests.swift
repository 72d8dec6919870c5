import CurfewCore
import CurfewLinux
import Testing

@testable import CurfewEngine

@Suite("What can't be enforced is said when the app starts")
struct EnforceabilityTests {
    private func problems(
        _ kinds: InputKinds, isForced: Bool = false, view: ProcfsView = .own, areDescriptorsRefused: Bool = true
    ) -> [String] {
        let manifest = Manifest.sample()
        var sleep = SleepPolicy()
        sleep.wakesForInput = true
        sleep.isForced = isForced
        manifest.policy.sleep = sleep
        manifest.inputFilter = InputFilter(kinds: kinds)
        var enforceability = Enforceability(manifest: manifest, containment: .tree, pagingMethod: nil)
        enforceability.view = view
        enforceability.areDescriptorsRefused = areDescriptorsRefused
        return enforceability.problems
    }

    @Test(
        "Where descriptors are refused: what can't be waited for, and what follows",
        arguments: [
            (
                InputKinds.connections, false,
                "--wake-on can't wait for sockets: other processes' descriptors are refused here. An app that has such sleeps "
                    + "by `curfew sleep --stay` and --sleep-when-idle D,force only, and isn't woken by them"
            ),
            (
                [.connections, .timers, .pipes], true,
                "--wake-on can't wait for sockets and timers: other processes' descriptors are refused here. An app that has such "
                    + "isn't woken by them"
            ),
        ] as [(InputKinds, Bool, String)])
    func refused(kinds: InputKinds, isForced: Bool, text: String) {
        #expect(problems(kinds, isForced: isForced) == [text + " (see `curfew doctor`)"])
    }

    @Test("Terminals and pipes are opened anew, and duplicates may be had: nothing is said")
    func nothing() {
        #expect(problems([.terminal, .pipes]) == [])
        #expect(problems([.connections], areDescriptorsRefused: false) == [])
    }

    // Skipped where the first of what is in the way comes before.
    @Test(
        "A session whose share couldn't be raised again isn't lowered, and that is said of an app that has one",
        .enabled(if: SchedulingPriority.canRestoreNice(), "needs CAP_SYS_NICE or RLIMIT_NICE"))
    func session() {
        let manifest = Manifest.sample()
        manifest.policy.yieldsInBackground = true
        var enforceability = Enforceability(manifest: manifest, containment: .tree, pagingMethod: nil)
        enforceability.view = .own
        enforceability.canLowerSessions = { false }
        #expect(enforceability.problems == [])
        enforceability.leadsSession = true
        #expect(enforceability.problems.count == 1)
        #expect(enforceability.problems[0].contains("shares its processors between sessions"))
        enforceability.canLowerSessions = { true }
        #expect(enforceability.problems == [])
    }

    @Test("Without a /proc that shows it the app can't be woken, which is among what it tells")
    func unseen() {
        let problems = problems([.connections], view: .missing)
        #expect(problems.count == 1)
        #expect(problems[0].contains("debuggers, input that is to wake it can't be seen"))
    }
}
