/// Work that an app has asked to be launched for, once, when it suits the machine.
///
/// Source: Apple, `BGAppRefreshTaskRequest` and `BGProcessingTaskRequest`.
public struct TaskRequest: Sendable, Hashable {
    public var id: String
    public var kind: Kind
    /// Not before that; nil: as soon as it suits.
    public var earliest: WallTime?
    public var needsNetwork: Bool
    public var needsPower: Bool

    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Some seconds, to be up to date when the app is opened.
        case refresh
        /// Minutes, while nobody needs the machine.
        case processing

        /// How many may wait. Source: Apple, `BGTaskScheduler.submit(_:)`, `tooManyPendingTaskRequests`.
        public var maximumPending: Int {
            switch self {
            case .refresh: 1
            case .processing: 10
            }
        }

        /// The waking event that its app is told.
        public var event: String { rawValue }

        /// Nil for an event that isn't about a request.
        public init?(event: String) { self.init(rawValue: event) }
    }

    public init(
        id: String, kind: Kind, earliest: WallTime? = nil, needsNetwork: Bool = false, needsPower: Bool = false
    ) {
        self.id = id
        self.kind = kind
        self.earliest = earliest
        self.needsNetwork = needsNetwork
        self.needsPower = needsPower
    }

    /// What it waits for; nil: nothing, it can be launched.
    public func obstacle(at now: WallTime, _ machine: MachineCondition) -> ScheduleObstacle? {
        if let earliest, now < earliest { return .tooEarly(until: earliest) }
        if needsNetwork, !machine.isOnline { return .offline }
        if needsPower, !machine.isOnPower { return .onBattery }
        if kind == .processing, !machine.isIdle { return .machineInUse }
        return machine.obstacle
    }

    /// Why one that runs has to end; nil: it may go on. That processors are short says nothing: it uses them itself.
    ///
    /// Source: Apple, `BGProcessingTask`: ended when the user picks up the device; `requiresExternalPower`: only while it has power.
    public func reasonToEnd(_ machine: MachineCondition) -> ScheduleObstacle? {
        guard kind == .processing else { return nil }
        if needsNetwork, !machine.isOnline { return .offline }
        if needsPower, !machine.isOnPower { return .onBattery }
        if !machine.isIdle { return .machineInUse }
        if machine.isShortOfMemory { return .shortOfMemory }
        return machine.isBatteryLow ? .batteryLow : nil
    }
}
