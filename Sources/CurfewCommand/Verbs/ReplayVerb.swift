import CCurfew
import CurfewEngine
import CurfewLinux
import Glibc

/// `curfew replay FILE`: a journal's inputs through the core once more, each with what follows from it.
///
/// Status 0 when that is what the journal holds, 1 when it isn't.
enum ReplayVerb {
    static func run(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader)
        let path = arguments.operands[0]
        var lines = FileLines(path)
        guard lines.isOpen else {
            return fail("\(path): \(String(cString: strerror(lines.error)))")
        }
        var replay = JournalReplay()
        do throws(JournalReplay.Unreadable) {
            while let line = lines.next() {
                let printed = try replay.take(line)
                if !printed.isEmpty { Output.print(lines: printed) }
            }
        } catch {
            return fail("\(path), line \(error.line): \(error.problem)")
        }
        return verdict(path, lines, &replay)
    }

    private static func verdict(_ path: String, _ lines: FileLines, _ replay: inout JournalReplay) -> Int32 {
        if lines.error != 0 { return fail("\(path): \(String(cString: strerror(lines.error)))") }
        guard replay.hasHeader else { return fail("\(path): \(JournalReplay.isNoJournal)") }
        // Its recorder was killed in the middle of a line, or between two: what is whole has been compared.
        let isWhole = replay.isAtEnd && !lines.hasHalfLine
        // After a difference nothing can be said of what should have followed.
        if !isWhole, replay.difference == nil { StandardError.print("curfew: replay: \(path) is cut off at its end") }
        if isWhole { replay.finish() }
        guard let difference = replay.difference else { return ExitStatus.success }
        return fail(
            "\(path), line \(difference.line): this differs from what was recorded",
            "  recorded  \(difference.recorded ?? "nothing")", "  replayed  \(difference.replayed ?? "nothing")")
    }

    private static func fail(_ problem: String, _ details: String...) -> Int32 {
        StandardError.print(lines: ["curfew: replay: \(problem)"] + details)
        return ExitStatus.failure
    }
}
