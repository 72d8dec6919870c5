import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// Runs the commands of `--exec-on` outside the app, one after the other, in a process of its own.
final class HookRunner {
    private let hooks: [EventHook]
    private var descriptor: Descriptor

    /// Forks it; to be called before this process becomes a subreaper. Nil when there is nothing to run.
    static func start(_ hooks: [EventHook], callersMask: UInt64) throws(LaunchError) -> HookRunner? {
        if hooks.isEmpty { return nil }
        do throws(OutsideProcess.Problem) {
            let descriptor = try OutsideProcess(name: HookProcess.name).start {
                HookProcess(hooks, socket: $0, callersMask: callersMask).serve()
            }
            return HookRunner(hooks, descriptor)
        } catch {
            throw LaunchError(125, "--exec-on: \(error.text)")
        }
    }

    /// `descriptor`: of packets; whoever runs the hooks has the other end.
    init(_ hooks: [EventHook], _ descriptor: Descriptor) {
        self.hooks = hooks
        self.descriptor = descriptor
    }

    /// Hands over the event; false when so many wait already that this one is dropped.
    func run(_ event: Message) -> Bool {
        let name = event["name"]
        var isTaken = true
        for (index, hook) in hooks.enumerated() where hook.event == name {
            var bytes: [UInt8] = []
            Message("hook", [Field("hook", String(index))] + event.fields).encodeWhole(into: &bytes)
            if send(descriptor.number, bytes, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) < 0 { isTaken = false }
        }
        return isTaken
    }

    /// Returns once all that was handed over has run, or its time is up.
    func finish() {
        _ = shutdown(descriptor.number, Int32(SHUT_WR))
        var end = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        _ = poll(&end, 1, Int32(HookProcess.lastSeconds + 2) * 1000)
        descriptor.close()
    }
}
