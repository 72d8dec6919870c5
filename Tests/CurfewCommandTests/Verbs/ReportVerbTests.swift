import CurfewEngine
import CurfewWire
import Glibc
import Testing

@testable import CurfewCommand

@Suite("Showing reports")
struct ReportVerbTests {
    private let scratch: Scratch
    private let store: ReportStore

    init() throws {
        scratch = try Scratch()
        store = ReportStore(path: scratch.path)
    }

    private func report(_ words: String..., in store: ReportStore?) throws -> VerbOutcome {
        try VerbOutcome.of("report", words) { reader throws(UsageError) in try ReportVerb.run(reader, store: store) }
    }

    private func write(_ app: String, pid: Int32 = 7) throws -> String {
        try store.write(.object([("app", .string(app)), ("reason", .string("memory-limit"))]), app: app, pid: pid)
    }

    @Test("Where there are none the list says so, and one that is asked for isn't there")
    func none() throws {
        #expect(
            try report(in: store)
                == VerbOutcome(status: 0, output: ["no reports: each kill leaves one in \(store.path)"]))
        #expect(try report("--json", in: store) == VerbOutcome(status: 0, output: ["[]"]))
        #expect(
            try report("last", in: store)
                == VerbOutcome(status: 1, complaints: ["curfew: report: there are no reports in \(store.path)"]))
    }

    @Test("Without a home there is no place for them")
    func homeless() throws { #expect(try report(in: nil).status == 1) }

    @Test("One that isn't among them is told of otherwise")
    func unknown() throws {
        _ = try write("mail")
        let outcome = try report("web", in: store)
        #expect(outcome.status == 1)
        #expect(outcome.complaints.first?.contains("there is no report of \"web\"") == true)
    }

    @Test("The one that is meant is shown, as it is for programs")
    func shown() throws {
        _ = try write("mail")
        _ = try write("web")
        let outcome = try report("web", "--json", in: store)
        #expect(outcome.status == 0)
        #expect(outcome.output == ["{", #"  "app": "web","#, #"  "reason": "memory-limit""#, "}"])
    }

    @Test("What could be several is none, and they are named")
    func several() throws {
        let ids = try [write("mail", pid: 7), write("mail", pid: 8)]
        do {
            _ = try report("ma", in: store)
            Issue.record("one is shown")
        } catch let error as UsageError {
            for id in ids { #expect(error.problem.contains(id)) }
        }
    }

    @Test("A damaged one is in the list, but can't be shown")
    func damaged() throws {
        let id = try write("mail")
        try scratch.write(id + ".json", "{")
        let outcome = try report(in: store)
        #expect(outcome.status == 0)
        #expect(outcome.output.last?.contains("(damaged)") == true)
        let shown = try report(id, in: store)
        #expect(shown.status == 1)
        #expect(shown.complaints.first?.hasPrefix("curfew: report: \(store.path)/\(id).json: ") == true)
    }
}
