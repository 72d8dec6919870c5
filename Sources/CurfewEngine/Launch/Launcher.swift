import CCurfew
import CurfewLinux
import Glibc

/// What a launcher asks of the machine; a fake one in the tests fails on demand.
protocol LaunchSystem {
    /// False once whoever waits for the program is gone.
    var isAwaited: Bool { get }
    /// Both ends of a control pipe.
    func makeChannel() throws(KernelError) -> (ours: Int32, childs: Int32)
    /// `reaper`: 0 where it has none.
    func spawn(_ request: SpawnRequest) throws(SpawnError) -> (pid: Int32, pidfd: Descriptor, reaper: Int32)
}

/// A program that runs.
struct LaunchedProgram {
    let pid: Int32
    /// Of its own; 0 when it shares one.
    let group: Int32
    /// Its parent, where that isn't this process; 0 when it is.
    let reaper: Int32
    /// None where it has no control pipe.
    let channel: Descriptor
    let childsEnd: Descriptor
}

/// Starts a program with its attributes. What fails is thrown, and has left nothing behind.
struct Launcher {
    /// As it was typed.
    let command: String
    let arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>
    /// Whether what can't be executed is told as timeout(1) does.
    let usesTimeoutsWords: Bool
    let system: any LaunchSystem

    /// Returns once the program has been executed.
    func start(_ attributes: LaunchAttributes, in containment: Containment) throws(LaunchError) -> LaunchedProgram {
        // Whatever has kept us waiting so far: nobody wants it any more.
        if !system.isAwaited { throw LaunchError(125, "killed before \(command) was started") }
        let channel = try makeChannel(attributes)
        let request = attributes.request(arguments, in: containment, channel: channel.childs)
        do throws(SpawnError) {
            var (pid, pidfd, reaper) = try system.spawn(request)
            pidfd.close()
            return LaunchedProgram(
                pid: pid, group: request.hasOwnProcessGroup ? pid : 0, reaper: reaper,
                channel: Descriptor(channel.ours), childsEnd: Descriptor(channel.childs))
        } catch {
            if channel.ours >= 0 { close(channel.ours) }
            if channel.childs >= 0 { close(channel.childs) }
            throw LaunchError(error, command, inTimeoutsWords: usesTimeoutsWords)
        }
    }

    private func makeChannel(_ attributes: LaunchAttributes) throws(LaunchError) -> (ours: Int32, childs: Int32) {
        guard attributes.hasChannel else { return (-1, -1) }
        do throws(KernelError) {
            return try system.makeChannel()
        } catch {
            throw LaunchError(error)
        }
    }
}

/// The real machine.
struct LiveLaunchSystem: LaunchSystem {
    /// Whoever waits.
    let proxy: Int32

    var isAwaited: Bool { getppid() == proxy }

    func makeChannel() throws(KernelError) -> (ours: Int32, childs: Int32) {
        var channel: (Int32, Int32) = (-1, -1)
        let status = withUnsafeMutableBytes(of: &channel) {
            curfew_socketpair($0.baseAddress?.assumingMemoryBound(to: Int32.self))
        }
        if status < 0 { throw KernelError("make", "the control pipe", errno: -status) }
        return channel
    }

    func spawn(_ request: SpawnRequest) throws(SpawnError) -> (pid: Int32, pidfd: Descriptor, reaper: Int32) {
        try request.start()
    }
}
