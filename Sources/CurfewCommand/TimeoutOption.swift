/// Every option of `curfew timeout`: those of timeout(1), and what it can do besides.
public enum TimeoutOption: String, CaseIterable, Sendable {
    case foreground
    case killAfter = "kill-after"
    case preserveStatus = "preserve-status"
    case signal
    case verbose
    case help
    case version
    case containment
    case memory
    case profile
    case report
    case timeScale = "time-scale"

    /// The letter that stands for it. Source: coreutils manual, "timeout invocation"; f and p since 9.6.
    var letter: UInt8? {
        switch self {
        case .foreground: UInt8(ascii: "f")
        case .killAfter: UInt8(ascii: "k")
        case .preserveStatus: UInt8(ascii: "p")
        case .signal: UInt8(ascii: "s")
        case .verbose: UInt8(ascii: "v")
        case .help, .version, .containment, .memory, .profile, .report, .timeScale: nil
        }
    }

    /// Sources/curfew/timeout.c knows these too.
    var takesValue: Bool {
        switch self {
        case .killAfter, .signal, .containment, .memory, .profile, .report, .timeScale: true
        case .foreground, .preserveStatus, .verbose, .help, .version: false
        }
    }

    /// Whether timeout(1) has it: then its abbreviations mean what they mean there.
    private var isGNUs: Bool {
        switch self {
        case .foreground, .killAfter, .preserveStatus, .signal, .verbose, .help, .version: true
        case .containment, .memory, .profile, .report, .timeScale: false
        }
    }

    /// The options that an unfinished name can mean.
    static func meant(by name: String) -> [TimeoutOption] {
        if let exact = allCases.first(where: { $0.rawValue == name }) { return [exact] }
        let begun = allCases.filter { $0.rawValue.hasPrefix(name) }
        let known = begun.filter(\.isGNUs)
        return known.isEmpty ? begun : known
    }
}
