import CurfewScenario
import Testing

@testable import CurfewScenarioRun

@Suite("Keys of a terminal")
struct KeysTests {
    @Test("Those that are typed are those that are documented")
    func names() { #expect(Keys.names == Vocabulary.keys.sorted()) }

    @Test(
        "Names, control characters, and text",
        arguments: [(["Enter"], [13]), (["C-c"], [3]), (["hi"], [104, 105]), (["Escape", "[A"], [27, 91, 65])]
            as [([String], [UInt8])])
    func bytes(words: [String], bytes: [UInt8]) { #expect(Keys.bytes(words) == bytes) }
}
