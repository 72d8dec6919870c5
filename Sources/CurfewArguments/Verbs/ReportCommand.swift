import ArgumentParser
import CurfewEngine

/// `curfew report`.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Show why apps were killed.",
        usage: "curfew report [options] [ID|APP|last]",
        discussion: """
            Each kill leaves a report in $XDG_STATE_HOME/curfew/reports (~/.local/state/curfew/reports where that isn't \
            set): the \(ReportStore.maximumCount) newest of the last \(ReportStore.maximumAge / 86_400) days. Without \
            an operand they are listed, the newest first, each with its ID; with one, all of that report is shown.

            Examples:
              curfew report backup               the newest of this app
              curfew report last --json | jq -r '.tasks[].name'

            Exit status:
               0  shown, also when there are none to list
               1  there is no such report, or it can't be read
              64  wrong usage
            """)

    @Argument(
        help: ArgumentHelp(
            "A report's ID or the beginning of one, an app's name for its newest, or last for the newest of all.",
            valueName: "ID|APP|last"))
    var report: ReportValue?

    @Flag(help: "Print JSON: the report as it was written, or an array with an object for each.")
    var json = false
}

extension ReportCommand: ManualNotes {
    static let manualNotes = """
        Files:
          $XDG_STATE_HOME/curfew/reports/ID.json  a report
        """
}
