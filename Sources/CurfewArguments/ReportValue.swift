import ArgumentParser

/// A report as people name it; what it may be is checked where it is looked up.
struct ReportValue: ExpressibleByArgument {
    let text: String

    init?(argument: String) { text = argument }

    /// The ids of those there are, behind a date and a time.
    static var defaultCompletionKind: CompletionKind {
        .shellCommand("curfew report 2>/dev/null | awk 'NR > 1 { print $5 }'")
    }
}
