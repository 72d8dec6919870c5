/// What `curfew timeline` is asked for.
package struct TimelineArguments {
    /// The apps and files to draw, as typed; none: the app that is meant when nothing is.
    package private(set) var sources: [String] = []
    /// The file to write; nil: an SVG to standard output.
    package private(set) var output: String?
    package private(set) var form = PictureForm.svg

    package static func parse(_ reader: ArgumentReader) throws(UsageError) -> TimelineArguments {
        var reader = reader
        var arguments = TimelineArguments()
        while let token = try reader.next() {
            switch token {
            case .option("--output"), .option("-o"): try arguments.readOutput(&reader)
            case .option(let option): throw reader.unknown(option)
            case .operand(let operand): arguments.sources.append(operand)
            }
        }
        return arguments
    }

    private mutating func readOutput(_ reader: inout ArgumentReader) throws(UsageError) {
        let path = try reader.value(PictureForm.accepted)
        guard let form = PictureForm(path: path) else { throw reader.bad(path, PictureForm.accepted) }
        output = path
        self.form = form
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
