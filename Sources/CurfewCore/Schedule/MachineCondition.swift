/// What a machine is like for work that can wait, as far as it is known; what isn't known is no obstacle.
public struct MachineCondition: Sendable, Hashable {
    public var isOnline: Bool
    /// False while it runs on a battery.
    public var isOnPower: Bool
    public var isBatteryLow: Bool
    /// Nobody uses it, as far as can be told.
    public var isIdle: Bool
    public var isShortOfCPU: Bool
    public var isShortOfMemory: Bool

    public init(
        isOnline: Bool = true, isOnPower: Bool = true, isBatteryLow: Bool = false, isIdle: Bool = true,
        isShortOfCPU: Bool = false, isShortOfMemory: Bool = false
    ) {
        self.isOnline = isOnline
        self.isOnPower = isOnPower
        self.isBatteryLow = isBatteryLow
        self.isIdle = isIdle
        self.isShortOfCPU = isShortOfCPU
        self.isShortOfMemory = isShortOfMemory
    }

    /// What keeps any work waiting.
    public var obstacle: ScheduleObstacle? {
        if isShortOfMemory { return .shortOfMemory }
        if isShortOfCPU { return .shortOfCPU }
        return isBatteryLow ? .batteryLow : nil
    }
}

/// Why what is scheduled waits.
public enum ScheduleObstacle: Sendable, Hashable {
    case tooEarly(until: WallTime)
    case offline, onBattery, batteryLow, machineInUse, shortOfCPU, shortOfMemory
    /// Its app is in front, and sees for itself.
    case appInFront
    /// What it is can't be launched just now.
    case cantBeLaunched
    /// Its app works on another.
    case otherRuns
    /// It was removed from the task list, and nobody has opened it since.
    case appRemoved

    /// On the wire.
    public var word: String {
        switch self {
        case .tooEarly: "too-early"
        case .offline: "offline"
        case .onBattery: "on-battery"
        case .batteryLow: "battery-low"
        case .machineInUse: "machine-in-use"
        case .shortOfCPU: "short-of-cpu"
        case .shortOfMemory: "short-of-memory"
        case .appInFront: "app-in-front"
        case .cantBeLaunched: "cant-be-launched"
        case .otherRuns: "other-runs"
        case .appRemoved: "app-removed"
        }
    }
}
