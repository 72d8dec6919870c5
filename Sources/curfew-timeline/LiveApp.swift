import CCurfew
import CurfewCommand
import CurfewTimeline
import CurfewWire

/// An app that runs: what its supervisor remembers, and what it says of it now.
struct LiveApp {
    private let target: AppTarget

    init(_ target: AppTarget) { self.target = target }

    func timeline() throws(TimelineVerb.Failure) -> Timeline {
        do throws(ControlClient.Failure) {
            var client = try ControlClient(path: target.path)
            let events = try client.request(Message("events", [Field("id", "1"), Field("follow", "0")])).items
            let status = AppStatus(try client.request(Message("status", [Field("id", "2")])))
            return Timeline(clock: .calendar, runs: [run(events, status, at: curfew_realtime_nanoseconds())])
        } catch {
            let (line, status) = error.explained(TimelineVerb.name, target)
            throw TimelineVerb.Failure(line: line, status: status)
        }
    }

    private func run(_ events: [Message], _ status: AppStatus, at now: Int64) -> AppRun {
        func seconds(_ key: String) -> Int64? { Seconds.parse(status[key]) }
        var recorder = RunRecorder(app: status.name)
        recorder.fact("command", status["command"])
        for event in events {
            if let happening = Happening(event) { recorder.take(happening) }
        }
        if let budget = seconds("budget") { recorder.budget(budget) }
        if let left = seconds("remaining") { recorder.remaining(left, at: now) }
        if status["clock"] == "manual" { recorder.hasHeldTime() }
        if let bytes = Int64(status["footprint"]) { recorder.memory(bytes, at: now) }
        if let limit = Int64(status["memory-limit"]) { recorder.memoryLimit(limit, at: now) }
        if let used = seconds("cpu") { recorder.cpu(used, at: now) }
        return recorder.finished(at: now, state: status["state"])
    }
}
