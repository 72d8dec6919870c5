import CurfewLinux
import Glibc
import Testing

@testable import CurfewCommand

@Suite("Pushing a remote notification")
struct PushTests {
    private let runtime: ScriptedRuntime
    private let scratch: Scratch

    init() throws {
        runtime = try ScriptedRuntime()
        scratch = try Scratch()
        try scratch.write("payload.json", #"{"aps":{}}"#)
    }

    private func push(_ words: String...) throws -> VerbOutcome {
        try VerbOutcome.of("push", words) { reader throws(UsageError) in
            try PushVerb.run(reader, in: runtime.directory)
        }
    }

    private var payload: String { scratch.path + "/payload.json" }

    @Test("The server that may know the app is told where its payload was left, and nothing stays there")
    func pushed() throws {
        try runtime.server("home", ["ok id=1 push=3"])
        let outcome = try push("mail", payload, "--apns-id", "x", "--json")
        #expect(outcome == VerbOutcome(status: 0, output: ["{", #"  "push": 3"#, "}"]))
        let order = "\(getpid()).order"
        #expect(runtime.asked(server: "home") == ["push id=1 apns-id=x order=\(order) app=mail"])
        #expect(access(runtime.directory.serverFolder.path + "/" + order, F_OK) == -1)
    }

    @Test("One that came before is told of, and has no number")
    func ignored() throws {
        try runtime.server("home", ["ok id=1 ignored=duplicate"])
        let outcome = try push("mail", payload, "--json")
        #expect(outcome.status == 0)
        #expect(outcome.output == ["{}"])
        #expect(outcome.complaints == ["curfew: push: that apns-id came before; nothing is delivered"])
    }

    @Test("An id has 1 to 64 bytes, or nobody is asked", arguments: ["", String(repeating: "x", count: 65)])
    func id(id: String) throws {
        #expect(throws: UsageError.self) { try push("mail", payload, "--apns-id", id) }
        try runtime.server("home", ["ok id=1 push=1"])
        #expect(try push("mail", payload, "--apns-id", String(repeating: "x", count: 64)).status == 0)
    }

    @Test("A payload that can't be read isn't pushed")
    func unreadable() throws {
        try runtime.server("home", ["ok id=1 push=1"])
        #expect(try push("mail", scratch.path + "/nothing").status == 1)
        #expect(runtime.asked(server: "home").isEmpty)
    }

    @Test("Nor is it where it can't be left for the server")
    func noFolder() throws {
        try runtime.server("home", ["ok id=1 push=1"])
        chmod(runtime.directory.serverFolder.path, 0o777)
        let outcome = try push("mail", payload)
        #expect(outcome.status == 69)
        #expect(outcome.complaints.first?.hasPrefix("curfew: push: mail: the payload can't be left for it: ") == true)
        #expect(runtime.asked(server: "home").isEmpty)
    }

    @Test("Of what is longer than any payload no more is read than tells that")
    func long() throws {
        try scratch.write("long", String(repeating: "x", count: 200_000))
        let read = try PushVerb.read(scratch.path + "/long").count
        #expect(read > 65_536)
        #expect(read <= 65_536 + 4_096)
        #expect(try PushVerb.read(payload) == Array(#"{"aps":{}}"#.utf8))
    }
}
