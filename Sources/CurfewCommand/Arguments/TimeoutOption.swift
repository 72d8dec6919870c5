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

    /// The one that a letter stands for. Source: coreutils manual, "timeout invocation"; f and p since 9.6.
    init?(letter: UInt8) {
        switch letter {
        case UInt8(ascii: "f"): self = .foreground
        case UInt8(ascii: "k"): self = .killAfter
        case UInt8(ascii: "p"): self = .preserveStatus
        case UInt8(ascii: "s"): self = .signal
        case UInt8(ascii: "v"): self = .verbose
        default: return nil
        }
    }

    /// Sources/CCurfew/timeout.c knows these too.
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

    /// The one that a name means, which may be unfinished; nil where that is none, or several.
    static func meant(by name: String) -> TimeoutOption? {
        for option in allCases where option.rawValue == name { return option }
        let begun = begun(by: name)
        return begun.count == 1 ? begun.first : nil
    }

    /// Those that an unfinished name begins: timeout(1)'s own where there are any.
    static func begun(by name: String) -> [TimeoutOption] {
        let begun = allCases.filter { $0.rawValue.hasPrefix(name) }
        let known = begun.filter(\.isGNUs)
        return known.isEmpty ? begun : known
    }
}
