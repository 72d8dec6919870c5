/// All that is known of the app of a scenario: its launches, what it has written, and what happened to it.
public struct AppRecord: Sendable {
    public struct Launch: Sendable {
        /// The program's; 0 until it is known.
        public var pid: Int32 = 0
        public var output = OutputLog()
        public var end: End?

        public init() {}
    }

    /// How a launch ended.
    public struct End: Sendable, Hashable {
        /// As a shell tells it: 128 + N for signal N.
        public var status: Int
        /// Why Curfew ended it; nil when it ended by itself.
        public var reason: String?

        public init(status: Int, reason: String?) {
            self.status = status
            self.reason = reason
        }
    }

    public var launches: [Launch] = []
    /// Of all launches, oldest first.
    public var events: [AppEvent] = []
    /// Events count from here on: since the last statement that acts on the app.
    public private(set) var firstOfInterest = 0

    public init() {}

    public var current: Launch? { launches.last }
    public var isRunning: Bool { launches.last.map { $0.end == nil } ?? false }
    public var recent: ArraySlice<AppEvent> { events[firstOfInterest...] }

    /// A statement acts on the app now.
    public mutating func act() { firstOfInterest = events.count }

    public mutating func changeCurrent(_ change: (inout Launch) -> Void) {
        guard !launches.isEmpty else { return }
        change(&launches[launches.count - 1])
    }
}
