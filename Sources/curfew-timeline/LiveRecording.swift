import CCurfew
import CurfewCommand
import CurfewLinux
import CurfewTimeline
import CurfewWire
import Glibc

/// Follows an app that runs to its end, or until we are told to end, and measures it meanwhile.
struct LiveRecording {
    private let app: LiveApp
    /// Nanoseconds.
    private let interval: Int64

    init(_ app: LiveApp, every interval: Int64) {
        self.app = app
        self.interval = interval
    }

    private static let ending = [SIGINT, SIGTERM, SIGHUP].reduce(UInt64(0)) { $0 | 1 << UInt64($1 - 1) }

    func timeline() throws(TimelineVerb.Failure) -> Timeline {
        // From now on they end the recording, and what was recorded is drawn.
        _ = curfew_set_signal_mask(Self.ending, nil)
        let signals = curfew_signalfd(Self.ending)
        defer { _ = curfew_close(signals) }
        return try app.asking { () throws(ControlClient.Failure) in
            var feed = try ControlClient(app.target)
            var asker = try ControlClient(app.target)
            let events = try feed.request(LiveApp.events(isFollowing: true)).items
            let status = AppStatus(try asker.request(LiveApp.status))
            var recording = Recording(
                LiveApp.recorder(events, status), state: status["state"], every: interval,
                at: curfew_monotonic_nanoseconds())
            take(status, into: &recording)
            let hasEnded = try follow(&recording, &feed, &asker, signals)
            let now = hasEnded ? nil : curfew_realtime_nanoseconds()
            return Timeline(clock: .calendar, runs: [recording.recorder.finished(at: now, state: status["state"])])
        }
    }

    /// True when the app has ended, false when a signal has come.
    private func follow(
        _ recording: inout Recording, _ feed: inout ControlClient, _ asker: inout ControlClient, _ signals: Int32
    ) throws(ControlClient.Failure) -> Bool {
        while true {
            while let message = feed.nextBuffered() {
                if let happening = Happening(message) { recording.take(happening, at: curfew_monotonic_nanoseconds()) }
            }
            var waiting = [feed.descriptor.number, signals].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let count = poll(&waiting, 2, Self.milliseconds(until: recording.due))
            if count == 0 {
                try measure(&recording, &asker)
            } else if count > 0, waiting[1].revents != 0 {
                return false
            } else if count > 0, waiting[0].revents != 0, !feed.readAvailable() {
                return true
            }
        }
    }

    /// What ends meanwhile says so on the other connection.
    private func measure(
        _ recording: inout Recording, _ asker: inout ControlClient
    ) throws(ControlClient.Failure) {
        do throws(ControlClient.Failure) {
            take(AppStatus(try asker.request(LiveApp.status)), into: &recording)
        } catch {
            guard error == .ended else { throw error }
            recording.cannotBeMeasured()
        }
    }

    private func take(_ status: AppStatus, into recording: inout Recording) {
        recording.take(
            LiveApp.measures(status), time: curfew_realtime_nanoseconds(), at: curfew_monotonic_nanoseconds())
    }

    /// Not a moment too early; -1 for what isn't to be waited for.
    private static func milliseconds(until due: Int64?) -> Int32 {
        guard let due else { return -1 }
        return Int32(clamping: (max(0, due - curfew_monotonic_nanoseconds()) + 999_999) / 1_000_000)
    }
}
