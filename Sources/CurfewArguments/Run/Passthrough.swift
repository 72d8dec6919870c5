import ArgumentParser

/// The words that are another program's command line.
enum Passthrough {
    /// The library captures from the first word it doesn't know, `--` included: an option there is unknown to us.
    static func command(_ captured: [String]) throws -> [String] {
        guard let first = captured.first else { throw ValidationError("no command given") }
        if first == "--" {
            guard captured.count > 1 else { throw ValidationError("no command given") }
            return Array(captured.dropFirst())
        }
        if first == "--help" || first == "-h" { throw CleanExit.helpRequest() }
        if first.hasPrefix("-"), first != "-" { throw ValidationError("unknown option \(first)") }
        return captured
    }
}
