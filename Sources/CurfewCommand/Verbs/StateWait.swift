import CCurfew
import CurfewCore
import CurfewWire

/// Follows an app's events until it is in a state.
struct StateWait {
    let state: LifecycleState
    /// The name of the app where a server holds it: there it can be launched again; nil where its end is its supervisor's.
    let app: String?

    enum Outcome: Equatable {
        case reached
        /// It has ended, and won't be in that state any more.
        case ended
        /// The time is over; what it was in last.
        case timedOut(LifecycleState?)
    }

    /// `deadline`: of CLOCK_MONOTONIC; nil waits as long as it takes.
    func outcome(_ client: inout ControlClient, until deadline: Int64?) throws(ControlClient.Failure) -> Outcome {
        var last: LifecycleState?
        do throws(ControlClient.Failure) {
            if try isThere(already: &client, &last) { return .reached }
            while let message = try client.receive(until: deadline) {
                if try heeds(message, &last) { return .reached }
            }
        } catch .late where last != nil {
            return .timedOut(last)
        } catch .ended {
            // Asked for its events, or for its state, just as it ended.
        }
        if app != nil { throw .ended }
        return state == .notRunning ? .reached : .ended
    }

    /// Events are followed first, so that nothing falls between the state that is told and the next event. Of a server all
    /// are: an app that doesn't run has none.
    private func isThere(
        already client: inout ControlClient, _ last: inout LifecycleState?
    ) throws(ControlClient.Failure) -> Bool {
        let follow = Message("events", [Field("id", "1"), Field("follow", "1")])
        _ = try client.request(follow)
        let answer: ControlClient.Answer
        do throws(ControlClient.Failure) {
            answer = try client.request(Message("status", [Field("id", "2")] + (app.map { [Field("app", $0)] } ?? [])))
        } catch .refused("not-running", _) {
            last = .notRunning
            return state == .notRunning
        }
        for event in answer.items where try heeds(event, &last) { return true }
        last = answer.final["state"].flatMap(LifecycleState.init)
        return last == state
    }

    /// Whether the message says that the state is reached.
    private func heeds(_ message: Message, _ last: inout LifecycleState?) throws(ControlClient.Failure) -> Bool {
        if message.verb == "error" { throw .refusal(message) }
        guard message.verb == "event", app == nil || message["app"] == app else { return false }
        switch message["name"] {
        case "stateDidChange": last = message["to"].flatMap(LifecycleState.init)
        case "didEnd": last = .notRunning
        default: return false
        }
        return last == state
    }
}
