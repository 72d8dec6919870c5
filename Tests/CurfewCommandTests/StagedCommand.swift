import CurfewCore
import Glibc

/// What a recorded row's command does, as far as its timeout can tell.
final class StagedCommand {
    private(set) var output: [String] = []
    /// How it has ended; nil while it runs.
    private(set) var outcome: ExitOutcome?
    /// After how long it exits by itself.
    private(set) var lasts = Span.infinite
    private var exitCode: UInt8 = 0
    /// Signals that it tells of, and the status that it exits with then.
    private var tells: [Int32: UInt8?] = [:]
    private let blocked: Set<Int32>

    /// Nil for a command that only a real process can be.
    init?(_ words: [String], blocked: Set<Int32>) {
        self.blocked = blocked
        switch words.first {
        case "true": exits(0)
        case "echo":
            output = [words.dropFirst().joined(separator: " ")]
            exits(0)
        case "sleep", "./it's mine": exits(0, after: .seconds(Int64(words[1]) ?? 0))
        case "teller":
            output = ["up"]
            for word in words.dropFirst() { tell(word) }
            exits(3, after: .seconds(40))
        case "sh" where words.count > 2: run(script: words[2], Array(words.dropFirst(3)))
        default: return nil
        }
    }

    private func run(script: String, _ operands: [String]) {
        let words = script.split { $0 == " " || $0 == ";" }.map(String.init)
        switch words[0] {
        case "exit": exits(UInt8(words[1]) ?? 0)
        case "sleep": exits(UInt8(words[3]) ?? 0, after: .milliseconds(10))
        case "kill": outcome = .signaled(signal: TimeoutTrial.signal(String(words[1].dropFirst())), dumpedCore: false)
        default:
            output = [operands.joined(separator: "-")]
            exits(0)
        }
    }

    /// A word of the teller's: `TERM`, or `7:TERM`.
    private func tell(_ word: String) {
        let parts = word.split(separator: ":")
        tells[TimeoutTrial.signal(String(parts[parts.count - 1]))] = .some(parts.count > 1 ? UInt8(parts[0]) : nil)
    }

    private func exits(_ code: UInt8, after span: Span = .zero) {
        exitCode = code
        lasts = span
    }

    /// By itself.
    func exit() { if outcome == nil { outcome = .exited(code: exitCode) } }

    func get(_ signal: Int32) {
        guard outcome == nil, signal > 0 else { return }
        if let code = tells[signal] {
            output.append(TimeoutTrial.name(signal))
            if let code { outcome = .exited(code: code) }
        } else if signal == SIGKILL || !blocked.contains(signal) && Self.ends(signal) {
            outcome = .signaled(signal: signal, dumpedCore: false)
        }
    }

    /// Source: signal(7), "Standard signals".
    private static func ends(_ signal: Int32) -> Bool {
        ![SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU].contains(signal)
    }
}
