import CCurfew
import CurfewCommand
import CurfewTimeline
import CurfewWire

/// An app that runs: what its supervisor remembers, and what it says of it now.
struct LiveApp {
    let target: AppTarget

    init(_ target: AppTarget) { self.target = target }

    func timeline() throws(TimelineVerb.Failure) -> Timeline {
        try asking { () throws(ControlClient.Failure) in
            var client = try ControlClient(target)
            let events = try client.request(Self.events(isFollowing: false)).items
            let status = AppStatus(try client.request(Self.status))
            let now = curfew_realtime_nanoseconds()
            var recorder = Self.recorder(events, status)
            Self.tell(&recorder, what: status, at: now)
            return Timeline(clock: .calendar, runs: [recorder.finished(at: now, state: status["state"])])
        }
    }

    /// Does what asks its supervisor; what goes wrong is told as of it.
    func asking(
        _ body: () throws(ControlClient.Failure) -> Timeline
    ) throws(TimelineVerb.Failure) -> Timeline {
        do throws(ControlClient.Failure) { return try body() } catch {
            let (line, status) = error.explained(TimelineVerb.name, target)
            throw TimelineVerb.Failure(line: line, status: status)
        }
    }

    static func events(isFollowing: Bool) -> Message {
        Message("events", [Field("id", "1"), Field("follow", isFollowing ? "1" : "0")])
    }

    static let status = Message("status", [Field("id", "2")])

    /// What was told so far.
    static func recorder(_ events: [Message], _ status: AppStatus) -> RunRecorder {
        var recorder = RunRecorder(app: status.name)
        recorder.fact("command", status["command"])
        for event in events {
            if let happening = Happening(event) { recorder.take(happening) }
        }
        if let budget = Seconds.parse(status["budget"]) { recorder.budget(budget) }
        if status["clock"] == "manual" { recorder.hasHeldTime() }
        return recorder
    }

    private static func tell(_ recorder: inout RunRecorder, what status: AppStatus, at now: Int64) {
        if let left = Seconds.parse(status["remaining"]) { recorder.remaining(left, at: now) }
        let measures = measures(status)
        if let bytes = measures.memory { recorder.memory(bytes, at: now) }
        if let limit = measures.memoryLimit { recorder.memoryLimit(limit) }
        if let used = measures.cpu { recorder.cpu(used, at: now) }
    }

    static func measures(_ status: AppStatus) -> Recording.Measures {
        Recording.Measures(
            memory: Int64(status["footprint"]), memoryLimit: Int64(status["memory-limit"]),
            cpu: Seconds.parse(status["cpu"]))
    }
}
