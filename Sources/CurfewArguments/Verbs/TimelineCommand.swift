import ArgumentParser
import CurfewCommand

/// `curfew timeline`.
struct TimelineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline",
        abstract: "Draw a run as a picture.",
        usage: "curfew timeline [options] [APP|FILE…]",
        discussion: """
            States are bands, events marks, background tasks bars; below them the budget that is left, memory and CPU time, as \
            far as they are known, and the end and why. Several are drawn below each other.

            An APP is drawn as far as its supervisor remembers: the last 256 events. A FILE is a report, a journal of \
            `curfew run --journal FILE`, or what `curfew events --json` printed. What has no slash in it is an app that \
            runs, else a file, else a report as `curfew report` names it, such as last.

            Examples:
              curfew timeline last -o why.svg
              curfew timeline life.journal -o life.html
              curfew timeline web db -o both.json
              curfew timeline web --record 1s -o web.svg

            Exit status:
               0  drawn
               1  a file can't be read or written, or isn't one of those; a line says why
              64  wrong usage
              69  no such app is running
            """)

    @Argument(
        help: ArgumentHelp(
            "An app's name or pid, or a file (default: the app this runs in, else the only one).", valueName: "APP|FILE"
        ))
    var sources: [TimelineSourceValue] = []

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            """
            Write to this file: a picture (.svg), a page to zoom in (.html), or what Perfetto and chrome://tracing open \
            (.json). Without it, an SVG goes to standard output.
            """, valueName: "FILE"))
    var output: PicturePathValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "What to call it in the picture (default: the app's name, or the file's); further ones have a number behind.",
            valueName: "TEXT"))
    var title: String?

    @Option(
        help: ArgumentHelp(
            "Follow the app to its end, or to ^C, and measure its memory and CPU time so often while it isn't suspended.",
            valueName: "D"))
    var record: RecordIntervalValue?

    mutating func validate() throws {
        if record != nil, sources.count > 1 { throw ValidationError(TimelineArguments.recordIsForOne) }
    }
}
