import CurfewCore
import CurfewLinux

/// What one launch gives its program: decided before anything is started, and performed by the child alone, so that
/// nothing of it changes who starts it.
struct LaunchAttributes {
    var environment: UnsafePointer<UnsafeMutablePointer<CChar>?>
    var signals: CommandSignals
    /// A process group of its own; else `sharedGroup`.
    var hasOwnGroup = true
    /// Whether that is in a session of its own.
    var hasOwnSession = false
    /// The group of whoever waits for it; 0: ours.
    var sharedGroup: Int32 = 0
    /// The terminal that it takes; -1: none.
    var terminal: Int32 = -1
    /// Whether it has a control pipe.
    var hasChannel = true
    /// The number that the control pipe has there; -1: none is free, so none is handed down.
    var channelNumber: Int32 = -1
    var dropsCapabilities = false
    var setsNoNewPrivileges = false
    /// What become its 0, 1 and 2; -1: its starter's.
    var streams: (input: Int32, output: Int32, error: Int32) = (-1, -1, -1)
    /// Where it starts; nil: in its starter's directory. As long as this is used it has to be there.
    var directory: UnsafePointer<CChar>?
    /// Nil: its starter's.
    var umask: UInt32?
    /// Those that aren't its starter's.
    var limits: [ResourceLimit] = []
    /// Where its reaper's program is, and that one's end of its channel; -1: it has none.
    var reaper: (image: Int32, channel: Int32) = (-1, -1)
    /// Where it writes who it is, for whoever takes over should its supervisor be killed right now.
    var note: UnsafeMutableRawPointer?

    init(environment: UnsafePointer<UnsafeMutablePointer<CChar>?>, signals: CommandSignals) {
        self.environment = environment
        self.signals = signals
    }

    /// As the kernel wants it. `channel`: the child's end, -1 where there is none.
    func request(
        _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>, in containment: Containment, channel: Int32
    ) -> SpawnRequest {
        var request = SpawnRequest(arguments: arguments, environment: environment)
        request.cgroup = containment.unified?.directory.number ?? -1
        request.joining = containment.joining
        request.hasOwnProcessGroup = hasOwnGroup
        request.hasOwnSession = hasOwnSession
        request.processGroup = hasOwnGroup ? 0 : sharedGroup
        request.terminal = terminal
        request.channel = channelNumber < 0 ? -1 : channel
        request.channelNumber = channelNumber
        request.signalMask = signals.blocked
        request.defaultSignals = signals.defaults
        request.ignoredSignals = signals.ignored
        request.dropsCapabilities = dropsCapabilities
        request.setsNoNewPrivileges = setsNoNewPrivileges
        request.streams = streams
        request.directory = directory
        request.umask = umask
        request.limits = limits
        request.reaper = reaper
        request.note = note
        return request
    }
}
