import CCurfew
import Glibc

/// A launch that failed: at which step, and why.
public struct SpawnError: Error, Sendable {
    public enum Stage: Int32, Sendable {
        case clone = 1, join, group, terminal, channel, privileges, exec, place, reaper
    }
    public var stage: Stage
    public var errno: Int32

    public var reason: String { String(cString: strerror(errno)) }

    public init(stage: Stage, errno: Int32) {
        self.stage = stage
        self.errno = errno
    }
}

/// The program to start, as the kernel wants it.
public struct SpawnRequest {
    public var arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>
    public var environment: UnsafePointer<UnsafeMutablePointer<CChar>?>
    public var cgroup: Int32 = -1
    public var joining: [Int32] = []
    public var hasOwnProcessGroup = false
    /// Whether its group is in a session of its own, without a terminal; nothing where it has no group of its own.
    public var hasOwnSession = false
    /// The group it joins where it gets none of its own; 0: this process's.
    public var processGroup: Int32 = 0
    public var terminal: Int32 = -1
    public var channel: Int32 = -1
    public var channelNumber: Int32 = -1
    public var signalMask: UInt64 = 0
    /// What the child doesn't ignore although we do: bit n-1 is signal n.
    public var defaultSignals: UInt64 = 0
    /// What it ignores although we don't.
    public var ignoredSignals: UInt64 = 0
    /// What the child gets when this process ends; 0: nothing.
    public var parentDeathSignal: Int32 = 0
    public var setsNoNewPrivileges = false
    public var dropsCapabilities = false
    /// What become its 0, 1 and 2: numbers above those; -1: this process's.
    public var streams: (input: Int32, output: Int32, error: Int32) = (-1, -1, -1)
    /// Where it starts; nil: this process's directory. As long as this is used it has to be there.
    public var directory: UnsafePointer<CChar>?
    /// Nil: this process's.
    public var umask: UInt32?
    /// Those that aren't this process's.
    public var limits: [ResourceLimit] = []
    /// Where its reaper's program is, and its end of the reaper's channel; -1: it has none, and is this process's child.
    public var reaper: (image: Int32, channel: Int32) = (-1, -1)
    /// Above 0: all descriptors that it names have a number below, and no other is copied for the child. Only where
    /// `canCopyDescriptorsInPart`.
    public var tableSize: Int32 = 0
    /// Where the child writes who it is before it executes the program; what is there goes when the launch fails.
    public var note: UnsafeMutableRawPointer?

    public init(
        arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>,
        environment: UnsafePointer<UnsafeMutablePointer<CChar>?>
    ) {
        self.arguments = arguments
        self.environment = environment
    }

    /// Whether the kernel, and the sandbox, has what `tableSize` needs.
    public static var canCopyDescriptorsInPart: Bool { curfew_can_copy_descriptors_in_part() }

    /// As `start`, of a program that has no reaper.
    public func spawn() throws(SpawnError) -> (pid: Int32, pidfd: Descriptor) {
        let started = try start()
        return (started.pid, started.pidfd)
    }

    /// Starts it and returns once it has been executed; `pidfd`: of our child, be that its reaper. Source: clone3(2) with
    /// CLONE_VFORK.
    public func start() throws(SpawnError) -> (pid: Int32, pidfd: Descriptor, reaper: Int32) {
        var result = curfew_spawn_result()
        var stage: Int32 = 0
        let status = withRequest { request in curfew_spawn(&request, &result, &stage) }
        if status < 0 { throw SpawnError(stage: SpawnError.Stage(rawValue: stage) ?? .clone, errno: -status) }
        return (result.pid, Descriptor(result.pidfd), result.reaper)
    }

    private func withRequest(_ body: (inout curfew_spawn_request) -> Int32) -> Int32 {
        joining.withUnsafeBufferPointer { joining in
            var request = curfew_spawn_request()
            request.file = UnsafePointer(arguments[0])
            request.argv = UnsafePointer(arguments)
            request.envp = UnsafePointer(environment)
            request.search_path = searchPath
            request.cgroup_fd = cgroup
            request.join_fds = joining.baseAddress
            request.join_count = joining.count
            request.own_process_group = hasOwnProcessGroup
            request.process_group = processGroup
            request.terminal_fd = terminal
            request.channel_fd = channel
            request.channel_number = channelNumber
            request.signal_mask = signalMask
            request.default_signals = defaultSignals
            request.ignored_signals = ignoredSignals
            request.parent_death_signal = parentDeathSignal
            request.no_new_privs = setsNoNewPrivileges
            request.drop_capabilities = dropsCapabilities
            request.table_size = tableSize
            request.note = note?.assumingMemoryBound(to: curfew_spawn_note.self)
            return withPlace { place in
                request.place = place
                guard reaper.image >= 0 else { return body(&request) }
                var reaper = curfew_spawn_reaper(image: reaper.image, channel: reaper.channel)
                return withUnsafePointer(to: &reaper) {
                    request.reaper = $0
                    return body(&request)
                }
            }
        }
    }

    /// Where the program is looked for: as its own environment says.
    private var searchPath: UnsafePointer<CChar>? {
        var entry = environment
        while let text = entry.pointee {
            if strncmp(text, "PATH=", 5) == 0 { return UnsafePointer(text + 5) }
            entry += 1
        }
        return nil
    }

    /// Nil where it is in this process's place.
    private func withPlace(_ body: (UnsafePointer<curfew_spawn_place>?) -> Int32) -> Int32 {
        let hasOwnStreams = max(streams.input, streams.output, streams.error) >= 0
        let hasOwnSession = hasOwnProcessGroup && hasOwnSession
        if !hasOwnSession, !hasOwnStreams, directory == nil, umask == nil, limits.isEmpty { return body(nil) }
        var place = curfew_spawn_place()
        place.new_session = hasOwnSession
        place.streams = streams
        place.sets_umask = umask != nil
        place.umask = umask ?? 0
        let limits = self.limits.map {
            curfew_spawn_limit(resource: $0.resource, soft: $0.soft, hard: $0.hard)
        }
        return limits.withUnsafeBufferPointer { limits in
            place.limits = limits.baseAddress
            place.limit_count = limits.count
            place.directory = directory
            return body(&place)
        }
    }
}

/// One of a process's resource limits. Source: getrlimit(2).
public struct ResourceLimit: Sendable, Hashable {
    public var resource: Int32
    /// The greatest number is none.
    public var soft: UInt64
    public var hard: UInt64

    public init(resource: Int32, soft: UInt64, hard: UInt64) {
        self.resource = resource
        self.soft = soft
        self.hard = hard
    }

    /// This process's own limit of descriptors.
    public static func ofDescriptors() -> ResourceLimit {
        var limit = rlimit()
        let number = RLIMIT_NOFILE.rawValue
        _ = getrlimit(__rlimit_resource_t(number), &limit)
        return ResourceLimit(resource: Int32(number), soft: UInt64(limit.rlim_cur), hard: UInt64(limit.rlim_max))
    }
}
