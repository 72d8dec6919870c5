import CurfewWire

/// The files of shards made one: `curfew test --join-junit OUT IN…`.
public enum JUnitJoin {
    /// Why files can't be joined.
    public enum Problem: Error, Sendable, Hashable {
        /// This one can't be read.
        case unreadable(file: String, FileProblem)
        /// Both hold the result of this scenario: a file was given twice, or shards were cut otherwise.
        case twice(first: String, second: String, scenario: String)

        /// One line for people, without a line feed.
        public var text: String {
            switch self {
            case .unreadable(let file, let problem): problem.text(in: file)
            case .twice(let first, let second, let scenario):
                "\(Printable.text(first)) and \(Printable.text(second)) both hold \(Printable.text(scenario)); "
                    + "give each shard's file once, and all shards the same N and the same --durations"
            }
        }
    }

    /// All files' suites by name, those of the same name made one, with the earliest time that they began.
    ///
    /// Cases keep their order, files theirs; counts and times are sums. The outcome doesn't depend on the files' order but for that.
    public static func join(_ files: [(name: String, bytes: [UInt8])]) throws(Problem) -> JUnitDocument {
        var suites: [String: JUnitDocument.Suite] = [:]
        var owners: [Key: Int] = [:]
        for (number, file) in files.enumerated() {
            for suite in try read(file).suites {
                try own(suite, by: number, of: files.map(\.name), &owners)
                suites[suite.name] = joined(suites[suite.name], suite)
            }
        }
        return JUnitDocument(suites.values.sorted { $0.name < $1.name })
    }

    private struct Key: Hashable {
        var suite: String
        var className: String
        var name: String
    }

    private static func read(_ file: (name: String, bytes: [UInt8])) throws(Problem) -> JUnitDocument {
        do throws(FileProblem) {
            return try JUnitDocument.read(file.bytes)
        } catch {
            throw .unreadable(file: file.name, error)
        }
    }

    /// A run may have a scenario twice; two runs that should be parts of one can't. Each of them may have been interrupted.
    private static func own(
        _ suite: JUnitDocument.Suite, by file: Int, of names: [String], _ owners: inout [Key: Int]
    ) throws(Problem) {
        if suite.name == JUnitDocument.Suite.ofTheRun { return }
        for one in suite.cases {
            let key = Key(suite: suite.name, className: one.className, name: one.name)
            if let owner = owners[key], owner != file {
                throw .twice(first: names[owner], second: names[file], scenario: "\(suite.name): \(one.name)")
            }
            owners[key] = file
        }
    }

    private static func joined(_ first: JUnitDocument.Suite?, _ second: JUnitDocument.Suite) -> JUnitDocument.Suite {
        guard var suite = first else { return second }
        suite.cases += second.cases
        suite.timestamp = min(suite.timestamp, second.timestamp)
        return suite
    }
}
