import CurfewScenarioRun
import CurfewWire
import Glibc

@testable import CurfewTesting

/// An app that isn't there: it does what it is asked to, in virtual time, and notes what that was.
final class StubStage: AppStage {
    var now: Int64 = 0
    var record = AppRecord()
    var status = [Field("state", "active"), Field("remaining", "inf"), Field("cpu", "1.500"), Field("processes", "2")]
    /// The codes and words of what is refused, by the verb.
    var refusals: [String: (code: String, message: String)] = [:]
    /// Of its last launch.
    var picture: String?
    /// Called at each wait.
    var whileWaiting: (StubStage) -> Void = { _ in }
    /// Everything that was asked of it but for its status, as lines.
    private(set) var log: [String] = []
    private(set) var isClosed = false

    func tell(_ name: String, _ fields: KeyValuePairs<String, String> = [:]) {
        let fields = fields.map { Field($0.key, $0.value) }
        record.events.append(AppEvent(number: record.events.count + 1, name: name, fields: fields))
    }

    func write(_ text: String) { record.changeCurrent { $0.output.append(Array(text.utf8)) } }

    func end(_ status: Int, _ reason: String? = nil) {
        record.changeCurrent { $0.end = AppRecord.End(status: status, reason: reason) }
    }

    // MARK: Stage

    func launch(_ app: AppCommand) throws(StageProblem) {
        log.append(
            "launch " + (app.options + ["--"] + app.command).joined(separator: " ")
                + (app.hasTerminal ? " (terminal)" : ""))
        var launch = AppRecord.Launch()
        launch.pid = 100 + Int32(record.launches.count)
        record.launches.append(launch)
    }

    func ask(_ message: Message) throws(StageProblem) -> (items: [Message], final: Message) {
        let line = ([message.verb] + message.fields.map { "\($0.key)=\($0.value)" }).joined(separator: " ")
        if message.verb != "status", message.verb != "tasks", line != "advance seconds=0" { log.append(line) }
        guard record.isRunning else { throw .gone }
        if let refusal = refusals[message.verb] { throw .refused(code: refusal.code, message: refusal.message) }
        if message.verb == "quit" { end(0) }
        if message.verb == "sleep" { status[0] = Field("state", "suspended") }
        if message.verb == "reclaim" { end(137, "memory-pressure") }
        return ([], Message("ok", status))
    }

    func wait(until deadline: Int64) throws(StageProblem) -> Bool {
        now = max(now, deadline)
        whileWaiting(self)
        return false
    }

    func write(_ bytes: [UInt8]) throws(StageProblem) { log.append("write \(String(decoding: bytes, as: UTF8.self))") }

    func killSupervisor() throws(StageProblem) {
        log.append("kill supervisor")
        end(125)
    }

    func run(_ command: [String], until deadline: Int64) throws(StageProblem) -> HelperEnd? {
        log.append("run " + command.joined(separator: " "))
        return HelperEnd(status: command == ["false"] ? 1 : 0, output: [])
    }

    func begin(_ command: [String]) throws(StageProblem) { log.append("begin " + command.joined(separator: " ")) }
    func contents(of path: String) throws(StageProblem) -> String? { nil }
    func exists(_ path: String) -> Bool { false }

    // MARK: AppStage

    func idle(until descriptor: Int32) {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&waiting, 1, -1)
    }

    func close() { isClosed = true }
    func drawPictures() -> String? { picture }
}
