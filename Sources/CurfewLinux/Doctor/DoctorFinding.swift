/// What this machine and this user can have of one thing that Curfew enforces.
public struct DoctorFinding: Sendable, Hashable {
    /// The stable words for scripts.
    public enum Subject: String, Sendable, Hashable, CaseIterable {
        case containment
        /// Whether /proc tells of each.
        case processes
        case suspension
        case kill
        case timeLimit = "time-limit"
        case memoryLimit = "memory-limit"
        case memoryPressure = "memory-pressure"
        case pageOut = "page-out"
        case cpuLimit = "cpu-limit"
        case cpuThrottling = "cpu-throttling"
        case priority
        case locks
        /// Waking a stopped app for what comes to its own descriptors.
        case input
        case otherUsers = "other-users"
        case forkComet = "fork-comet"
        case leavingCgroup = "leaving-cgroup"
        case bothHalvesKilled = "both-halves-killed"
    }

    /// Whether it can be had; partly: with less certainty, or less of it, than elsewhere.
    public enum Answer: String, Sendable, Hashable { case yes, partly, no }

    /// What it costs to wait for it, or to have it late.
    public enum Latency: Sendable, Hashable {
        /// Just now, here, in nanoseconds.
        case measured(Int64)
        /// Known, not tried here, in nanoseconds.
        case atMost(Int64)
        /// How far past a limit a program gets before it is stopped, in bytes.
        case overshoot(UInt64)
    }

    public var subject: Subject
    public var answer: Answer
    /// What does it, or what stands in its way; for people.
    public var mechanism: String
    public var latency: Latency?
    /// What would make more of it.
    public var advice: [DoctorAdvice]

    public init(
        _ subject: Subject, _ answer: Answer, _ mechanism: String, _ latency: Latency? = nil,
        advice: [DoctorAdvice] = []
    ) {
        self.subject = subject
        self.answer = answer
        self.mechanism = mechanism
        self.latency = latency
        self.advice = advice
    }
}

/// What a user, or who administers the machine, can do to have more enforced.
public enum DoctorAdvice: String, Sendable, Hashable, CaseIterable {
    /// To be given a cgroup.
    case delegation
    /// A container whose cgroups can be written to.
    case writableCgroups = "writable-cgroups"
    /// The memory and cpu controllers of cgroup v2.
    case controllers
    case swap
    case niceLimit = "nice-limit"
    case pageOutRight = "page-out-right"
    case pressureInformation = "pressure-information"
    case signalRight = "signal-right"
    /// A /proc of our own pid namespace.
    case ownProc = "own-proc"
    /// To have duplicates of other processes' descriptors.
    case descriptorRight = "descriptor-right"
    case anotherUser = "another-user"
}
