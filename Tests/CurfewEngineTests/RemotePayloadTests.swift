import CurfewCore
import Testing

@testable import CurfewEngine

@Suite("What is pushed")
struct RemotePayloadTests {
    private func read(_ text: String) -> RemotePayload? { try? RemotePayload(Array(text.utf8)) }

    @Test("Alerts of both kinds, a badge, a sound")
    func alerts() throws {
        let text = try #require(read(#"{"aps":{"alert":"b","badge":3,"sound":"bell"}}"#))
        #expect((text.title, text.body, text.badge, text.sound) == ("", "b", 3, "bell"))
        #expect(!text.isSilent && !text.isContentAvailable)
        let object = try #require(
            read(#"{"aps":{"alert":{"title":"t","body":"b"},"sound":{"name":"s"},"content-available":1}}"#))
        #expect((object.title, object.body, object.sound) == ("t", "b", "s"))
        #expect(!object.isSilent && object.isContentAvailable)
        #expect(read(#"{"aps":{"content-available":1},"x":[1]}"#)?.isSilent == true)
    }

    @Test("A subtitle is a line above the body; of what an app's tables have the key is shown where there is no text")
    func keys() throws {
        let both = try #require(read(#"{"aps":{"alert":{"subtitle":"s","body":"b"}}}"#))
        #expect((both.title, both.body) == ("", "s\nb"))
        let keys = try #require(read(#"{"aps":{"alert":{"title-loc-key":"T","loc-key":"B","loc-args":["x"]}}}"#))
        #expect((keys.title, keys.body) == ("T", "B"))
        let text = try #require(read(#"{"aps":{"alert":{"title":"t","title-loc-key":"T","subtitle-loc-key":"S"}}}"#))
        #expect((text.title, text.body) == ("t", "S"))
    }

    @Test(
        "What isn't a payload",
        arguments: [
            "", "{}", "[]", "{\"aps\":[]}", "{\"aps\":{}}", "{\"aps\":{\"alert\":1}}", "{\"aps\":{\"badge\":-1}}",
            "{\"aps\":{\"badge\":1.5}}", "{\"aps\":{\"content-available\":2}}", "{\"aps\":{\"alert\":\"a\\u0000\"}}",
            "{\"aps\":{\"alert\":\"a\"}",
        ])
    func none(text: String) { #expect(read(text) == nil) }
}
