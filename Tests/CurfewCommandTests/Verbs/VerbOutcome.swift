import CCurfew
import Glibc

@testable import CurfewCommand

/// What a verb came to that was run in this process.
struct VerbOutcome: Equatable {
    var status: Int32?
    /// On standard output, a line each.
    var output: [String] = []
    /// The same on standard error.
    var complaints: [String] = []

    /// `words`: behind the verb.
    static func of(
        _ verb: String, _ words: [String], _ body: (ArgumentReader) throws(UsageError) -> Int32
    ) throws -> VerbOutcome {
        try of { try Argv.withReader(verb, words, body) }
    }

    static func of(_ body: () throws -> Int32) rethrows -> VerbOutcome {
        var outcome = VerbOutcome()
        outcome.complaints = try Written.to(2) {
            outcome.output = try Written.to(1) { outcome.status = try body() }
        }
        return outcome
    }
}

/// What is written to standard output or standard error meanwhile, a line each. No more than a pipe takes.
enum Written {
    static func to(_ descriptor: Int32, _ body: () throws -> Void) rethrows -> [String] {
        var pipe: [Int32] = [-1, -1]
        _ = pipe.withUnsafeMutableBufferPointer { curfew_pipe($0.baseAddress) }
        let usual = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        dup2(pipe[1], descriptor)
        close(pipe[1])
        defer { close(pipe[0]) }
        do {
            defer {
                dup2(usual, descriptor)
                close(usual)
            }
            try body()
        }
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        let count = read(pipe[0], &bytes, bytes.count)
        return String(decoding: bytes[..<max(0, count)], as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
