/// What a file of results in JUnit's form holds, as `curfew test` writes it.
///
/// Only what all of these know is there: the schemas of Jenkins' xUnit plugin, where a case has no `file`, and GitLab, which shows
/// `classname` as the suite.
/// Source: jenkinsci/xunit-plugin, junit-10.xsd; docs.gitlab.com, "Unit test reports".
public struct JUnitDocument: Sendable, Hashable {
    public var suites: [Suite]

    public init(_ suites: [Suite] = []) { self.suites = suites }

    /// The scenarios of one file, whose path is the name.
    public struct Suite: Sendable, Hashable {
        public var name: String
        /// When the run began, as `2026-11-22T21:45:00`; whoever began it knows.
        public var timestamp: String
        public var cases: [Case]

        public init(name: String, timestamp: String, _ cases: [Case] = []) {
            self.name = name
            self.timestamp = timestamp
            self.cases = cases
        }
    }

    /// One scenario.
    public struct Case: Sendable, Hashable {
        public var className: String
        public var name: String
        /// How long it took. Only the milliseconds are written.
        public var nanoseconds: Int64
        public var outcome: Outcome
        /// The last output, empty for none.
        public var output: String

        public init(className: String, name: String, nanoseconds: Int64, _ outcome: Outcome, output: String = "") {
            self.className = className
            self.name = name
            self.nanoseconds = nanoseconds
            self.outcome = outcome
            self.output = output
        }
    }

    public enum Outcome: Sendable, Hashable {
        case passed
        case failed(message: String, text: String)
        /// JUnit's `error`: it couldn't be run.
        case broken(message: String, text: String)
        case skipped(String)
    }
}

extension JUnitDocument {
    /// The numbers of a suite, or of all.
    struct Counts {
        var tests = 0
        var failures = 0
        var errors = 0
        var skipped = 0
        var nanoseconds: Int64 = 0

        init(_ cases: some Sequence<Case>) {
            for one in cases {
                tests += 1
                switch one.outcome {
                case .passed: break
                case .failed: failures += 1
                case .broken: errors += 1
                case .skipped: skipped += 1
                }
                let (sum, overflows) = nanoseconds.addingReportingOverflow(one.nanoseconds)
                nanoseconds = overflows ? .max - 1 : sum
            }
        }
    }
}
