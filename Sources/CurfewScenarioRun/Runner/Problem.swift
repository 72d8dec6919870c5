import CurfewScenario

/// Why a statement didn't go through.
package enum Problem: Error {
    /// The program did something else than the scenario says.
    case failed(expected: String, seen: String)
    /// It couldn't be done at all; `seen` says why.
    case broken(expected: String, seen: String)
    /// A variable without a value, or a value that is none.
    case bad(Diagnostic)
    /// `skip unless` said so.
    case skipped(String)
}

extension StageProblem {
    /// Where `expected` was to be done.
    package func problem(_ expected: String) -> Problem {
        switch self {
        case .gone: .failed(expected: expected, seen: "the app isn't running")
        case .refused("forbidden", let message):
            .broken(
                expected: expected,
                seen: "\(message); an app can't drive apps: run `curfew test` outside of `curfew run`")
        case .refused(let code, let message): .failed(expected: expected, seen: "refused (\(code)): \(message)")
        case .broken(let why): .broken(expected: expected, seen: why)
        }
    }
}
