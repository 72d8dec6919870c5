import CurfewCore
import Testing

/// Which names may be posted, and what an event asks of the app.
@Suite("Event names")
struct EventNameTests {
    @Test(
        "Letters, digits, -, _ and . after a letter",
        arguments: ["a", "Z", "fetch", "push-2", "a.b_c-9", "settingsDidChange"])
    func word(_ name: String) {
        #expect(Event.canBePosted(name))
    }

    @Test(
        "Nothing else",
        arguments: ["", "9a", "-a", ".a", "_a", "a b", "a=b", "a\"", "a\n", "é", "aé", "a/b", "a:b", "a@"])
    func noWord(_ name: String) {
        #expect(!Event.isWord(name))
        #expect(!Event.canBePosted(name))
    }

    @Test("64 bytes, and no more")
    func length() {
        #expect(Event.canBePosted(String(repeating: "a", count: 64)))
        #expect(!Event.canBePosted(String(repeating: "a", count: 65)))
    }

    @Test("None of the lifecycle's names", arguments: LifecycleEvent.allCases)
    func lifecycle(_ event: LifecycleEvent) {
        #expect(Event.isWord(event.rawValue))
        #expect(!Event.canBePosted(event.rawValue))
    }

    @Test("Names are those of the wire")
    func names() {
        #expect(Event.lifecycle(.didEnterBackground).name == "didEnterBackground")
        #expect(Event.change("locale").name == "locale")
        #expect(Event.wake("fetch").name == "fetch")
    }

    @Test("Why an app dies that leaves an event unacknowledged")
    func watchdogs() {
        #expect(Event.lifecycle(.didFinishLaunching).watchdog == .launchWatchdog)
        #expect(Event.lifecycle(.didEnterBackground).watchdog == .sceneUpdateWatchdog)
        #expect(Event.lifecycle(.willTerminate).watchdog == .processExitWatchdog)
        #expect(Event.wake("fetch").watchdog == .backgroundFetchTimeout)
        #expect(Event.change("locale").watchdog == nil)
        #expect(!Event.lifecycle(.didBecomeActive).needsAcknowledgement)
    }

    @Test("A late waking event has iOS's code for a background fetch, and a time's status")
    func codes() {
        #expect(KillReason.backgroundFetchTimeout.code == "0x2182bad4")
        #expect(KillReason.backgroundFetchTimeout.exitStatus == 124)
        #expect(KillReason.watchdog.code == "0x8badf00d")
        #expect(KillReason.watchdog.exitStatus == 124)
    }
}
