import CCurfew
import CurfewLinux
import Glibc

/// A helper: a program beside the app, what it writes, and how it ended.
final class LiveHelper {
    let process: ChildProcess
    private(set) var output = OutputLog()
    private var pipe: OwnedDescriptor?

    init(_ command: [String], _ place: StagePlace) throws(ChildProcess.Problem) {
        let ends = try Streams.pipes()
        process = try ChildProcess(
            command, environment: place.helperEnvironment,
            ChildProcess.Place(streams: ends.child, directory: place.directory))
        // Its input ends at once.
        pipe = ends.ours.output
    }

    var hasEnded: Bool { process.hasEnded() }
    var status: Int? { process.status }
    var isOver: Bool { process.status != nil && pipe == nil }
    var descriptors: [OwnedDescriptor?] { [pipe, process.status == nil ? process.pidfd : nil] }

    func takeIn(_ ready: Set<Int32>) -> Bool {
        var hasCome = false
        if let pipe, ready.contains(pipe.number) { hasCome = read(pipe) }
        if process.status == nil, ready.contains(process.pidfd.number) { hasCome = process.hasEnded() || hasCome }
        return hasCome
    }

    private func read(_ descriptor: OwnedDescriptor) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 1 << 14)
        let count = bytes.withUnsafeMutableBytes { curfew_read(descriptor.number, $0.baseAddress, $0.count) }
        if count == -EINTR || count == -EAGAIN { return false }
        if count <= 0 {
            pipe = nil
            return false
        }
        output.append(bytes[..<Int(count)])
        return true
    }

    /// What it has left in its pipe; what its own children write later doesn't matter.
    func drain() {
        for _ in 0..<64 {
            guard let pipe, read(pipe) else { return }
        }
    }
}
