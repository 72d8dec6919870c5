import Testing

@testable import CurfewStore

@Suite("What a notification shows, as it is kept")
struct NotificationContentTests {
    private static let contents = [
        StoredNotification.Content(title: "", body: "", action: nil, badge: nil, sound: nil, info: []),
        StoredNotification.Content(
            title: "a \"title\"\n", body: "\u{1F41F}\0", action: "Open", badge: 3, sound: "bell",
            info: [StoredNotification.Pair("a", ""), StoredNotification.Pair("b", "c d")]),
    ]

    @Test("What was written is read", arguments: contents)
    func read(content: StoredNotification.Content) { #expect(StoredNotification.Content(content.text) == content) }

    @Test("It is text for people, too")
    func text() {
        #expect(Self.contents[0].text == #"{"title":"","body":"","info":[]}"#)
        #expect(
            Self.contents[1].text
                == #"{"title":"a \"title\"\n","body":"🐟\u0000","action":"Open","badge":3,"sound":"bell","info":[["a",""],["b","c d"]]}"#
        )
    }

    @Test(
        "What no server has written is none",
        arguments: [
            "", "[]", "{", #"{"title":"a"}"#, #"{"title":1,"body":"","info":[]}"#,
            #"{"title":"","body":"","info":[["a"]]}"#, #"{"title":"","body":"","info":[["a",1]]}"#,
        ])
    func unreadable(text: String) { #expect(StoredNotification.Content(text) == nil) }
}
