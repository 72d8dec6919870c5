import CurfewEngine
import Testing

@testable import CurfewCommand

@Suite("An app's log, read")
struct LogReaderTests {
    /// A log of these: marks, and lines of output.
    private struct Log {
        var bytes: [UInt8] = []

        mutating func add(_ mark: LogMark) { bytes += mark.line(at: Int64(bytes.count)) }
        mutating func add(_ text: String) { bytes += Array(text.utf8) }
    }

    private static let first = LogMark(.began(pid: 7), run: 1, seconds: 1_000)
    private static let second = LogMark(.began(pid: 8), run: 2, seconds: 2_000)

    private static var sample: [UInt8] {
        var log = Log()
        log.add(first)
        log.add("one\ntwo\n")
        log.add(second)
        log.add("three\nhalf")
        return log.bytes
    }

    private func text(_ pieces: [LogReader.Piece], _ selection: LogSelection = LogSelection()) -> String {
        var bytes: [UInt8] = []
        for case .output(let output, let mark) in pieces where selection.takes(behind: mark) { bytes += output }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func pieces(_ bytes: [UInt8], by count: Int = .max) -> [LogReader.Piece] {
        var reader = LogReader()
        var pieces: [LogReader.Piece] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            pieces += reader.take(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return pieces + reader.flush()
    }

    @Test("Output and marks are told apart, however they come", arguments: [1, 3, 17, Int.max])
    func apart(by count: Int) {
        let pieces = pieces(Self.sample, by: count)
        #expect(text(pieces) == "one\ntwo\nthree\nhalf")
        #expect(pieces.contains(.mark(Self.first)))
        #expect(pieces.contains(.mark(Self.second)))
        #expect(pieces.last == .output(Array("half".utf8), Self.second))
    }

    @Test("Of one run")
    func run() {
        let pieces = pieces(Self.sample)
        #expect(text(pieces, LogSelection(run: 1)) == "one\ntwo\n")
        #expect(text(pieces, LogSelection(run: 2)) == "three\nhalf")
        #expect(text(pieces, LogSelection(run: 3)) == "")
    }

    @Test("Since a moment: all that can have been written then")
    func since() {
        let pieces = pieces(Self.sample)
        #expect(text(pieces, LogSelection(since: 1_059)) == "one\ntwo\nthree\nhalf")
        #expect(text(pieces, LogSelection(since: 1_060)) == "three\nhalf")
        #expect(text(pieces, LogSelection(since: 2_060)) == "")
        #expect(text(pieces, LogSelection(run: 1, since: 1_000)) == "one\ntwo\n")
    }

    @Test("A line that only looks like a mark is the app's")
    func forged() {
        var log = Log()
        log.add(Self.first)
        log.add(String(decoding: Self.second.line(at: 5), as: UTF8.self))
        #expect(
            text(pieces(log.bytes), LogSelection(run: 1)) == String(decoding: Self.second.line(at: 5), as: UTF8.self))
    }

    @Test("Nor is what stands within a line, as behind a long one")
    func within() {
        var log = Log()
        log.add(String(repeating: "x", count: 300))
        log.add(Self.first)
        log.add("end\n")
        for count in [1, 100, 300, Int.max] {
            #expect(text(pieces(log.bytes, by: count)).hasSuffix("end\n"), "\(count)")
        }
        #expect(!pieces(log.bytes, by: 300).contains(.mark(Self.first)))
    }

    @Test("In the next file positions begin anew, and the run goes on")
    func files() {
        var reader = LogReader()
        _ = reader.take(Self.sample)
        _ = reader.flush()
        #expect(reader.position == Int64(Self.sample.count))
        reader.beginFile()
        #expect(reader.take(Array("more\n".utf8)) == [.output(Array("more\n".utf8), Self.second)])
        #expect(reader.position == 5)
    }

    @Test("What can be asked for")
    func arguments() throws {
        func problem(_ words: String...) -> String? {
            do throws(UsageError) {
                try Argv.withReader("log", words) { reader throws(UsageError) in _ = try LogArguments.parse(reader) }
                return nil
            } catch {
                return error.line
            }
        }
        #expect(problem("mail", "-f", "--since", "10m", "--run=3", "--json") == nil)
        #expect(problem("mail", "--since=2026-11-24T12:09:34Z") == nil)
        #expect(problem("mail", "--run", "0") == "curfew: log: --run: \"0\" isn't \(LogRunNumber.accepted)")
        #expect(problem("mail", "--since", "soon") == "curfew: log: --since: \"soon\" isn't \(LogMoment.accepted)")
        #expect(problem() == "curfew: log: an app is needed, by its name; `curfew apps` lists those that have run")
        #expect(problem("7") == "curfew: log: \"7\" isn't an app's name; it is \(AppName.accepted)")
    }

    @Test("A moment, or how long ago")
    func moments() {
        #expect(LogMoment.parse("10m", now: 1_000) == 400)
        #expect(LogMoment.parse("inf", now: 1_000) == 0)
        #expect(LogMoment.parse("1970-01-01T00:10:00Z", now: 1_000) == 600)
        #expect(LogMoment.parse("yesterday", now: 1_000) == nil)
    }

    @Test("As JSON, each line by itself")
    func json() {
        #expect(LogVerb.json(Array("a \"b\"\n".utf8), Self.first).text == #"{"run":1,"time":1000,"text":"a \"b\""}"#)
        #expect(LogVerb.json(Array("x".utf8), nil).text == #"{"text":"x"}"#)
    }
}
