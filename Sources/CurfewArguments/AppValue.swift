import ArgumentParser

/// An app as people name it; what it may be is checked where it is looked up.
struct AppValue: ExpressibleByArgument {
    let text: String

    init?(argument: String) { text = argument }

    /// The names of those that run.
    static var defaultCompletionKind: CompletionKind {
        .shellCommand("curfew ps 2>/dev/null | awk 'NR > 1 { print $1 }'")
    }
}
