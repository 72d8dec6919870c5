import CurfewCore
import Testing

@testable import CurfewScenario

@Suite("The table of definitions")
struct ReferenceTests {
    private static let all = StatementDefinition.statements + StatementDefinition.conditions

    @Test("Each example is read without a complaint", arguments: all)
    func examples(definition: StatementDefinition) {
        var text = definition.example
        let lines = text.split(separator: "\n")
        if definition.kind != .heading {
            if !lines.contains(where: { $0 == "launch" }) {
                text = definition.kind == .declaration ? text + "\nlaunch" : "launch\n" + text
            }
            if !lines.contains(where: { $0.hasPrefix("app ") }) { text = "app -- ./program\n" + text }
        }
        #expect(problems(text) == [], "\(definition.name)")
        #expect(definition.example.contains(definition.name))
    }

    @Test("Each has its words in order", arguments: all)
    func words(definition: StatementDefinition) {
        #expect(definition.abstract.hasSuffix("."), "\(definition.name)")
        #expect(definition.abstract.dropLast().allSatisfy { $0 != "." }, "\(definition.name)")
        #expect(definition.discussion.hasSuffix("."), "\(definition.name)")
        #expect(definition.synopsis.contains(definition.name), "\(definition.name)")
        #expect((definition.kind == .condition) == (StatementDefinition.condition(named: definition.name) != nil))
    }

    @Test("Names are there once")
    func names() {
        #expect(Set(StatementDefinition.statements.map(\.name)).count == StatementDefinition.statements.count)
        #expect(Set(StatementDefinition.conditions.map(\.name)).count == StatementDefinition.conditions.count)
    }

    @Test("A statement that is read has the table's name and knows whether it acts on the app")
    func kinds() {
        let kinds = Self.all.filter { $0.kind != .heading }.flatMap { definition in
            statements("app -- ./p\nlaunch\n" + definition.example)
        }
        let names = Set(kinds.map(\.name))
        #expect(names == Set(StatementDefinition.statements.filter { $0.kind != .heading }.map(\.name)))
        #expect(Statement.Kind.home.actsOnApp)
        #expect(Statement.Kind.kind("do true")?.actsOnApp == false)
        #expect(Statement.Kind.kind("expect pid same")?.actsOnApp == false)
    }

    @Test("The words of the rules are those of the core")
    func vocabulary() {
        #expect(Set(Vocabulary.states) == Set(LifecycleState.allCases.map(\.rawValue)))
        #expect(Vocabulary.states.count == LifecycleState.allCases.count)
        #expect(Vocabulary.lifecycleEvents == LifecycleEvent.allCases.map(\.rawValue))
        #expect(Vocabulary.killReasons == KillReason.allCases.map(\.rawValue))
        #expect(Set(Vocabulary.reclaimingReasons).isSubset(of: Vocabulary.killReasons))
        #expect(Vocabulary.warningLevels == MemoryWarningLevel.allCases.map(\.rawValue))
        #expect(Vocabulary.maximumPairs == Info.maximumCount)
        #expect(Vocabulary.maximumEventNameBytes == Event.maximumNameBytes)
    }

    @Test(
        "A name of an event is one for the core, too",
        arguments: [
            "a", "a1", "1a", "", "_a", "a_b-c.d", "é", "a b", String(repeating: "a", count: 64),
            String(repeating: "a", count: 65),
        ])
    func eventNames(name: String) {
        #expect(Vocabulary.isEventName(name) == Event.isWord(name))
    }
}

extension Statement.Kind {
    static func kind(_ line: String) -> Statement.Kind? { statements("app -- ./p\nlaunch\n" + line).last }
}
