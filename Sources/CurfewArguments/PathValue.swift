import ArgumentParser

/// The path of a file.
struct PathValue: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        text = argument
    }

    static var defaultCompletionKind: CompletionKind { .file() }
}
