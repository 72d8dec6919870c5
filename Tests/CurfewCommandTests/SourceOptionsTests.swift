import CurfewEngine
import Testing

@testable import CurfewCommand

@Suite("--source and --source-apps")
struct SourceOptionsTests {
    private static func plans(_ words: String...) throws -> [SourcePlan] { try plans(words) }

    private static func plans(_ words: [String]) throws -> [SourcePlan] {
        let owner = OwnedArguments(words)
        return try withExtendedLifetime(owner) { try ServeArguments.parse(owner.reader(verb: "serve")).plan.sources }
    }

    @Test("Without one there is none")
    func none() throws {
        #expect(try Self.plans() == [])
        #expect(try Self.plans("--source-apps", "mail") == [])
    }

    @Test("Each has a name of its own, and all apps")
    func names() throws {
        #expect(
            try Self.plans("--source", "a.sh 1", "--source", "a.sh 2") == [
                SourcePlan(name: "a", command: "a.sh 1"), SourcePlan(name: "a-2", command: "a.sh 2"),
            ])
    }

    @Test("The apps are those of the source before them, or of each that has none")
    func apps() throws {
        let plans = try Self.plans(
            "--source-apps=mail", "--source", "a", "--source", "b", "--source-apps", "x,y", "--source-apps", "z")
        #expect(plans.map(\.apps) == [["mail"], ["x", "y", "z"]])
        #expect(try Self.plans("--source", "a", "--source", "b", "--source-apps", "x").map(\.apps) == [nil, ["x"]])
    }

    @Test("What is no list of names is refused", arguments: ["", ",", "a,", "a b", "a,,b", "1", "../x", "a,-b"])
    func noNames(text: String) {
        #expect(throws: UsageError.self) { try Self.plans("--source", "a", "--source-apps", text) }
    }

    @Test("What is no command is refused, and one too many", arguments: ["", " ", "\n\t"])
    func noCommand(text: String) throws {
        #expect(throws: UsageError.self) { try Self.plans("--source", text) }
        let words = (0..<SourcePlan.maximum).flatMap { _ in ["--source", "a"] }
        #expect(try Self.plans(words).count == SourcePlan.maximum)
        #expect(throws: UsageError.self) { try Self.plans(words + ["--source", "a"]) }
    }
}
