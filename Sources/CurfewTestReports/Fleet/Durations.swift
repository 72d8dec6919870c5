import CurfewWire

/// How long scenarios took, for shards of alike length: the file of `--durations` and `--write-durations`.
///
/// A line each: SECONDS, FILE, NAME and each VALUE of its matrix, with tabs between, where `\\`, `\t`, `\n` and `\r` are escaped; blank
/// lines and those that begin with `#` say nothing. Files of shards are joined by appending them: of two lines for a scenario the later counts.
public struct Durations: Sendable, Hashable {
    private static let heading = "# curfew test: seconds, file, name, values; with tabs between\n"
    /// A day: what is said to take longer is taken for a mistake.
    private static let longest: Int64 = 86_400_000_000_000

    private var times: [ScenarioKey: Int64] = [:]

    public init() {}

    /// Reads a file; a line that can't be read is passed over, and told of.
    public static func read(_ text: String) -> (durations: Durations, problems: [FileProblem]) {
        var durations = Durations()
        var problems: [FileProblem] = []
        // By bytes: a carriage return and a line feed are one character.
        for (index, line) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            do throws(FileProblem) {
                try durations.take(String(Substring(line)), number: index + 1)
            } catch {
                problems.append(error)
            }
        }
        return (durations, problems)
    }

    private mutating func take(_ line: String, number: Int) throws(FileProblem) {
        let line = line.hasSuffix("\r") ? line.dropLast() : line[...]
        if line.hasPrefix("#") || line.allSatisfy({ $0 == " " }) { return }
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(Durations.unescaped)
        guard fields.count >= 3 else {
            throw FileProblem(line: number, "SECONDS, FILE and NAME should stand here, with tabs between")
        }
        guard let time = Seconds.parse(fields[0]), (0...Durations.longest).contains(time) else {
            throw FileProblem(line: number, "\"\(fields[0])\" is no number of seconds from 0 to a day")
        }
        times[ScenarioKey(file: fields[1], name: fields[2], values: Array(fields[3...]))] = time
    }

    /// In nanoseconds; nil for what isn't known.
    subscript(id: ScenarioID) -> Int64? { times[ScenarioKey(id)] }

    /// The lower one of two in the middle, in nanoseconds; nil where nothing is known.
    var median: Int64? {
        let sorted = times.values.sorted()
        return sorted.isEmpty ? nil : sorted[(sorted.count - 1) / 2]
    }

    /// Notes how long these took: the mean of a scenario's rounds. What was skipped, or couldn't be run, says nothing.
    public mutating func note(_ results: [ScenarioResult]) {
        var sums: [ScenarioKey: (time: Int64, count: Int64)] = [:]
        for result in results {
            switch result.outcome {
            case .skipped, .broken: continue
            case .passed, .failed:
                let sum = sums[ScenarioKey(result.id)] ?? (0, 0)
                sums[ScenarioKey(result.id)] = (sum.time + min(result.nanoseconds, Durations.longest), sum.count + 1)
            }
        }
        for (key, sum) in sums { times[key] = sum.time / sum.count }
    }

    /// The file, its lines by name.
    public var text: String {
        times.sorted { $0.key < $1.key }.reduce(into: Durations.heading) { text, entry in
            let fields = [entry.key.file, entry.key.name] + entry.key.values
            text +=
                ([Seconds.text(nanoseconds: entry.value)] + fields.map(Durations.escaped)).joined(separator: "\t")
                + "\n"
        }
    }

    private static let escapes: [(character: Unicode.Scalar, letter: Unicode.Scalar)] = [
        ("\\", "\\"), ("\t", "t"), ("\n", "n"), ("\r", "r"),
    ]

    private static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if let escape = escapes.first(where: { $0.character == scalar }) {
                result.append("\\")
                result.append(escape.letter)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// A backslash before anything else stands for itself.
    private static func unescaped(_ text: Substring) -> String {
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars
        while let scalar = rest.popFirst() {
            if scalar == "\\", let escape = escapes.first(where: { $0.letter == rest.first }) {
                rest.removeFirst()
                result.append(escape.character)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }
}
