/// What came of one scenario, with one set of its matrix's values.
public struct ScenarioResult: Sendable, Hashable {
    public var id: ScenarioID
    public var outcome: Outcome
    /// How long it took, in real time.
    public var seconds: Double
    /// The folder with its journal, report, output and picture; nil when nobody asked for artifacts.
    public var artifacts: String?
    /// The last ones, oldest first.
    public var advances: [ScenarioAdvance]

    public init(
        _ id: ScenarioID, _ outcome: Outcome, seconds: Double, artifacts: String? = nil,
        advances: [ScenarioAdvance] = []
    ) {
        self.id = id
        self.outcome = outcome
        self.seconds = seconds
        self.artifacts = artifacts
        self.advances = advances
    }

    /// Of one that couldn't be begun at all, and why.
    public init(unplayed id: ScenarioID, _ why: String) {
        let failure = Failure(
            line: id.line, column: 1, statement: "", expected: "the scenario to be played", seen: why)
        self.init(id, .broken(failure), seconds: 0)
    }

    public enum Outcome: Sendable, Hashable {
        case passed
        /// The program did something else than the scenario says.
        case failed(Failure)
        /// `skip unless`, and why.
        case skipped(String)
        /// It couldn't be run: a syntax error, no such command, no room.
        case broken(Failure)
    }

    /// Why it failed, or couldn't be run.
    public var failure: Failure? {
        switch outcome {
        case .passed, .skipped: nil
        case .failed(let failure), .broken(let failure): failure
        }
    }
}

/// Which scenario: its file, its name there, and the values of its matrix.
public struct ScenarioID: Sendable, Hashable {
    public var file: String
    public var name: String
    public var line: Int
    /// `NAME=VALUE`, in the order of the file.
    public var values: [String]
    /// Of `--repeat`, from 1; 0 when it isn't repeated.
    public var round: Int

    public init(file: String, name: String, line: Int, values: [String] = [], round: Int = 0) {
        self.file = file
        self.name = name
        self.line = line
        self.values = values
        self.round = round
    }
}

/// Why a scenario failed, or couldn't be run.
public struct Failure: Sendable, Hashable {
    public var line: Int
    public var column: Int
    /// The statement, as it stands in the file.
    public var statement: String
    /// The lines around it, its own included, each with its number.
    public var neighbours: [Line]
    /// `the app to be suspended`.
    public var expected: String
    /// `it is background, with 1 task open`.
    public var seen: String
    /// The last events, oldest first, as `curfew events` prints them.
    public var events: [String]
    /// The last lines of output, oldest first, printable.
    public var output: [String]
    /// The timeline's file.
    public var picture: String?

    public struct Line: Sendable, Hashable {
        public var number: Int
        public var text: String
        public init(_ number: Int, _ text: String) {
            self.number = number
            self.text = text
        }
    }

    public init(
        line: Int, column: Int, statement: String, neighbours: [Line] = [], expected: String, seen: String,
        events: [String] = [], output: [String] = [], picture: String? = nil
    ) {
        self.line = line
        self.column = column
        self.statement = statement
        self.neighbours = neighbours
        self.expected = expected
        self.seen = seen
        self.events = events
        self.output = output
        self.picture = picture
    }
}
