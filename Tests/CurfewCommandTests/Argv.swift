import CurfewCommand
import Glibc

/// An argv of C strings, as the fast path reads it; freed with this value.
final class Argv {
    let pointer: ArgumentReader.Arguments
    let count: Int

    init(_ words: [String]) {
        count = words.count
        pointer = .allocate(capacity: count + 1)
        for (index, word) in words.enumerated() { pointer[index] = strdup(word) }
        pointer[count] = nil
    }

    deinit {
        for index in 0..<count { free(pointer[index]) }
        pointer.deallocate()
    }

    /// A reader of what follows the verb, which may be two words.
    func reader(_ verb: String) -> ArgumentReader {
        ArgumentReader(verb: verb, pointer, count: count, from: 1 + verb.split(separator: " ").count)
    }

    /// `curfew VERB words…`, and its reader.
    static func withReader<Result>(
        _ verb: String, _ words: [String], _ body: (ArgumentReader) throws(UsageError) -> Result
    ) throws(UsageError) -> Result {
        let argv = Argv(["curfew"] + verb.split(separator: " ").map(String.init) + words)
        defer { withExtendedLifetime(argv) {} }
        return try body(argv.reader(verb))
    }
}
