import CurfewCore
import CurfewLinux

/// Looks at the machine's memory, or isn't told of it any more: whoever watches the machine. One in the tests writes it down.
protocol StallHost: AnyObject {
    /// In bytes.
    var availableMemory: UInt64 { get }
    func feed(_ input: Input)
    /// Nothing more comes of the watch.
    func endStallWatch()
}

/// What follows when the kernel tells that processes have waited for memory.
struct StallNews {
    let host: any StallHost

    /// `events`: epoll's.
    func told(_ events: UInt32) {
        // An error stays for good, and would wake us for ever: from now on memory is looked at while an app runs only.
        guard events & ~Pressure.interest == 0 else { return host.endStallWatch() }
        host.feed(.machine(.availableMemoryMeasured(host.availableMemory, isStalling: true)))
    }
}
