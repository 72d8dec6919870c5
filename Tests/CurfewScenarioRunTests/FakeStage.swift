import CurfewScenarioRun
import CurfewWire

/// An app and helpers that aren't there: they do what a test says, in virtual time.
final class FakeStage: Stage {
    var now: Int64 = 1_000_000_000
    var record = AppRecord()

    /// What is answered to a request; `ok` where nothing is said.
    var answers: [String: (FakeStage) -> Answer] = [:]
    /// What comes by itself, and when.
    private var coming: [(at: Int64, what: (FakeStage) -> Void)] = []
    var helpers: [String: HelperEnd] = [:]
    var files: [String: String] = [:]
    /// Why its input takes nothing.
    var inputProblem: StageProblem?
    /// Whether the app goes on without its supervisor, as one that hangs in the kernel.
    var survivesSupervisor = false
    /// Everything that was asked of it, as lines.
    private(set) var log: [String] = []
    private var lastEvent = 0
    private var lastPid: Int32 = 100

    struct Answer {
        var items: [Message] = []
        var fields: [Field] = []
        /// The code and the words of a refusal.
        var refusal: (code: String, message: String)?

        static let ok = Answer()
    }

    var state = "active"

    private var hasPlayed = false

    /// For the next scenario: what a test has prepared for the first stays.
    func restart() {
        if hasPlayed {
            record = AppRecord()
            log = []
        }
        hasPlayed = true
    }

    // MARK: What a test says

    func after(_ seconds: Double, _ what: @escaping (FakeStage) -> Void) {
        coming.append((now + Int64(seconds * 1e9), what))
        coming.sort { $0.at < $1.at }
    }

    func tell(_ name: String, _ fields: [(String, String)] = []) {
        lastEvent += 1
        record.events.append(AppEvent(number: lastEvent, name: name, fields: fields.map { Field($0.0, $0.1) }))
    }

    func deliver(_ event: String, _ fields: [(String, String)] = []) {
        tell("didDeliver", [("event", event)] + fields)
    }

    func write(_ text: String) { record.changeCurrent { $0.output.append(Array(text.utf8)) } }

    func end(_ status: Int, _ reason: String? = nil) {
        record.changeCurrent { $0.end = AppRecord.End(status: status, reason: reason) }
    }

    // MARK: Stage

    func launch(_ app: AppCommand) throws(StageProblem) {
        log.append("launch " + (app.options + ["--"] + app.command).joined(separator: " "))
        lastPid += 1
        var launch = AppRecord.Launch()
        launch.pid = lastPid
        record.launches.append(launch)
        state = "active"
        _ = answers["launch"]?(self)
    }

    func ask(_ message: Message) throws(StageProblem) -> (items: [Message], final: Message) {
        let words = [message.verb] + message.fields.map { "\($0.key)=\($0.value)" }
        if message.verb != "status", message.verb != "tasks" { log.append(words.joined(separator: " ")) }
        guard record.isRunning else { throw .gone }
        if let answer = answers[message.verb]?(self) {
            if let refusal = answer.refusal { throw .refused(code: refusal.code, message: refusal.message) }
            return (answer.items, Message("ok", answer.fields))
        }
        return ([], Message("ok", [Field("state", state), Field("cpu", "0"), Field("processes", "1")]))
    }

    func wait(until deadline: Int64) throws(StageProblem) -> Bool {
        guard let next = coming.first, next.at <= deadline else {
            now = max(now, deadline == .max ? now + 3_600_000_000_000 : deadline)
            return false
        }
        coming.removeFirst()
        now = max(now, next.at)
        next.what(self)
        return true
    }

    func write(_ bytes: [UInt8]) throws(StageProblem) {
        guard record.isRunning else { throw .gone }
        if let inputProblem { throw inputProblem }
        log.append("write \(String(decoding: bytes, as: UTF8.self))")
    }

    func killSupervisor() throws(StageProblem) {
        guard record.isRunning else { throw .gone }
        log.append("kill supervisor")
        if !survivesSupervisor { end(125) }
    }

    func run(_ command: [String], until deadline: Int64) throws(StageProblem) -> HelperEnd? {
        log.append("do " + command.joined(separator: " "))
        if let end = helpers[command[0]] { return end }
        throw .broken("can't run \(command[0]): No such file or directory")
    }

    func begin(_ command: [String]) throws(StageProblem) { log.append("beside " + command.joined(separator: " ")) }

    func contents(of path: String) throws(StageProblem) -> String? { files[path] }
    func exists(_ path: String) -> Bool { files[path] != nil }
}
