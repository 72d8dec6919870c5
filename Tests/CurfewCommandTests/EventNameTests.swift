import CurfewCore
import Testing

@testable import CurfewCommand

@Suite("Names of events on the command line")
struct EventNameTests {
    @Test("The lifecycle's are heard, and never posted", arguments: LifecycleEvent.allCases)
    func lifecycle(event: LifecycleEvent) throws {
        #expect(try EventName.heard(event.rawValue) == event.rawValue)
        #expect(throws: BadValue.self) { try EventName.posted(event.rawValue) }
    }

    @Test(
        "Others are both", arguments: ["a", "fetch", "settingsDidChange", "a.b-c_9", String(repeating: "x", count: 64)])
    func others(name: String) throws {
        #expect(try EventName.heard(name) == name)
        #expect(try EventName.posted(name) == name)
    }

    @Test(
        "What is no word is neither",
        arguments: ["", " ", "9", "-a", ".a", "_a", "a b", "a=b", "é", "a\n", String(repeating: "x", count: 65)])
    func neither(name: String) {
        #expect(throws: BadValue.self) { try EventName.heard(name) }
        #expect(throws: BadValue.self) { try EventName.posted(name) }
    }

    @Test(
        "A slip is asked about by those who listen, and accepted of those who post",
        arguments: [
            ("didBecomActive", "didBecomeActive"), ("DidBecomeActive", "didBecomeActive"),
            ("DIDBECOMEACTIVE", "didBecomeActive"), ("willenterforeground", "willEnterForeground"),
            ("backgroundtaskwillexpire", "backgroundTaskWillExpire"), ("settingsdidchange", "settingsDidChange"),
        ])
    func slips(name: String, meant: String) throws {
        #expect(throws: BadValue("there is no event \"\(name)\"; did you mean \(meant)?")) {
            try EventName.heard(name)
        }
        #expect(try EventName.posted(name) == name)
    }
}
