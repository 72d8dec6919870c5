/// What `curfew timeline` is asked for.
package struct TimelineArguments {
    /// The apps and files to draw, as typed; none: the app that is meant when nothing is.
    package private(set) var sources: [String] = []
    /// The file to write; nil: an SVG to standard output.
    package private(set) var output: String?
    package private(set) var form = PictureForm.svg
    /// What is drawn is called so in the picture; nil: as it calls itself.
    package private(set) var title: String?
    /// How often an app that runs is measured until it ends, nanoseconds; nil: it is drawn as it is now.
    package private(set) var interval: Int64?

    package static func parse(_ reader: ArgumentReader) throws(UsageError) -> TimelineArguments {
        var reader = reader
        var arguments = TimelineArguments()
        while let token = try reader.next() {
            switch token {
            case .option("--output"), .option("-o"): try arguments.readOutput(&reader)
            case .option("--title"): arguments.title = try reader.value("what to call it in the picture")
            case .option("--record"): arguments.interval = try readInterval(&reader)
            case .option(let option): throw reader.unknown(option)
            case .operand(let operand): arguments.sources.append(operand)
            }
        }
        if arguments.interval != nil, arguments.sources.count > 1 { throw reader.error(recordIsForOne) }
        return arguments
    }

    package static let recordIsForOne = "--record is for one app that runs"

    private static func readInterval(_ reader: inout ArgumentReader) throws(UsageError) -> Int64 {
        let text = try reader.value(RecordInterval.accepted)
        guard let interval = RecordInterval.parse(text) else { throw reader.bad(text, RecordInterval.accepted) }
        return interval
    }

    private mutating func readOutput(_ reader: inout ArgumentReader) throws(UsageError) {
        let path = try reader.value(PictureForm.accepted)
        guard let form = PictureForm(path: path) else { throw reader.bad(path, PictureForm.accepted) }
        output = path
        self.form = form
    }
}

/// How often an app that is recorded is measured.
package enum RecordInterval {
    package static let accepted = "a time from 10ms on, such as 1s"

    /// Nanoseconds; nil for what is no such time.
    package static func parse(_ text: String) -> Int64? {
        DurationArgument.parse(text).flatMap { $0 >= 10_000_000 && $0 < .max ? $0 : nil }
    }
}

/// What a picture is written as, told by its file's suffix.
package enum PictureForm: String, CaseIterable {
    case svg, html, json

    package static let accepted = "the path of a file that ends in .svg, .html or .json"

    package init?(path: String) {
        guard let form = Self.allCases.first(where: { path.hasSuffix("." + $0.rawValue) }),
            path.utf8.count > form.rawValue.utf8.count + 1
        else { return nil }
        self = form
    }
}
