import CCurfew
import CurfewCommand
import CurfewEngine
import CurfewTimeline
import Glibc

/// `curfew timeline [APP|FILE…]`: reads what happened, and draws it.
enum TimelineVerb {
    static let name = "timeline"

    /// Why nothing was drawn: a line for people, and the status.
    struct Failure: Error {
        var line: String
        var status: Int32

        init(_ problem: String, _ status: Int32 = ExitStatus.failure) {
            line = "curfew: \(TimelineVerb.name): \(problem)"
            self.status = status
        }

        /// Of a line that is whole.
        init(line: String, status: Int32) {
            self.line = line
            self.status = status
        }
    }

    static func run(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try TimelineArguments.parse(reader)
        if arguments.output == nil, curfew_is_terminal(1) == 1 {
            throw UsageError(name, "standard output is a terminal; write to a file: -o FILE.svg, .html or .json")
        }
        let found = try sources(arguments.sources)
        if let output = arguments.output, arguments.sources.contains(where: { isSameFile($0, output) }) {
            // A report's name ends as a trace's.
            throw UsageError(name, "-o \(output) is what is drawn, and would be lost; give it another name")
        }
        do throws(Failure) {
            let picture = PictureFile(form: arguments.form)
            var timeline = try read(found, recordedEvery: arguments.interval)
            if let title = arguments.title { timeline.rename(title) }
            try picture.write(timeline, to: arguments.output)
            return ExitStatus.success
        } catch {
            StandardError.print(error.line)
            return error.status
        }
    }

    /// By whatever path.
    private static func isSameFile(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(one, &first) == 0, stat(other, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    /// What is meant by each word; without any, the app that is meant when nothing is.
    private static func sources(_ words: [String]) throws(UsageError) -> [Result<TimelineSource, Failure>] {
        if words.isEmpty { return [try TimelineSource.find(nil)] }
        var sources: [Result<TimelineSource, Failure>] = []
        for word in words { sources.append(try TimelineSource.find(word)) }
        return sources
    }

    /// What happened; with an interval, what happens to the one app up to its end.
    private static func read(
        _ sources: [Result<TimelineSource, Failure>], recordedEvery interval: Int64?
    ) throws(Failure) -> Timeline {
        guard let interval else { return try merged(sources) }
        guard case .app(let target)? = try sources.first?.get() else {
            throw Failure(TimelineArguments.recordIsForOne + "; what is over is drawn without it", ExitStatus.usage)
        }
        return try LiveRecording(LiveApp(target), every: interval).timeline()
    }

    /// All of them below each other, on one clock.
    private static func merged(_ sources: [Result<TimelineSource, Failure>]) throws(Failure) -> Timeline {
        var merged: Timeline?
        for source in sources {
            let timeline = try source.get().timeline()
            guard let first = merged else {
                merged = timeline
                continue
            }
            // Each app's own time begins where its machine's or its own does.
            guard first.clock == .calendar, timeline.clock == .calendar else {
                throw Failure("a journal has a clock of its own, which nothing can be laid beside; draw it by itself")
            }
            merged?.runs += timeline.runs
        }
        return merged ?? Timeline(clock: .calendar, runs: [])
    }
}
