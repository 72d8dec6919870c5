import CCurfew
import CurfewLinux
import Glibc

/// Low numbers for what a launch hands down: a child that needs only those is spared a copy of its supervisor's descriptors,
/// which a supervisor of thousands of apps has thousands of.
final class LaunchSlots {
    private let numbers: [Int32]
    private var used = 0
    /// What holds them while no launch is under way.
    private let nothing: Int32

    /// More than a program's streams, its channel, its reaper's and its cgroups of version 1 take.
    private static let count = 12

    /// Nil where there is nothing to be spared, or no descriptor left.
    init?() {
        guard SpawnRequest.canCopyDescriptorsInPart else { return nil }
        var opened: [Int32] = []
        while opened.count <= Self.count {
            let number = curfew_open_at(AT_FDCWD, "/dev/null", O_RDWR, 0)
            guard number >= 0 else { break }
            opened.append(number)
        }
        guard opened.count > Self.count else {
            for number in opened { close(number) }
            return nil
        }
        nothing = opened.removeFirst()
        numbers = opened
    }

    deinit { for number in numbers + [nothing] { close(number) } }

    /// The same request, with low numbers of its own; as it is where those don't suffice. `clear` has to follow.
    func placed(_ request: SpawnRequest) -> SpawnRequest {
        var placed = request
        guard
            let input = take(request.streams.input), let output = take(request.streams.output),
            let error = request.streams.error == request.streams.output ? output : take(request.streams.error),
            let channel = take(request.channel), let terminal = take(request.terminal)
        else { return request }
        if request.reaper.channel >= 0 {
            guard let image = take(request.reaper.image), let channel = take(request.reaper.channel) else {
                return request
            }
            placed.reaper = (image, channel)
        }
        placed.joining = request.joining.compactMap { take($0) }
        guard placed.joining.count == request.joining.count else { return request }
        placed.streams = (input, output, error)
        placed.channel = channel
        placed.terminal = terminal
        placed.tableSize = 1 + (numbers.max() ?? 0)
        return placed
    }

    /// Nil where none is left; -1 stays what it is.
    private func take(_ number: Int32) -> Int32? {
        if number < 0 { return number }
        guard used < numbers.count, curfew_duplicate(number, numbers[used]) >= 0 else { return nil }
        used += 1
        return numbers[used - 1]
    }

    /// Nothing of a launch is held any more.
    func clear() {
        for number in numbers[..<used] { _ = curfew_duplicate(nothing, number) }
        used = 0
    }
}

/// The real machine, for whoever holds very many descriptors.
struct SlottedLaunchSystem: LaunchSystem {
    let base: any LaunchSystem
    /// Nil: nothing is spared.
    let slots: LaunchSlots?

    var isAwaited: Bool { base.isAwaited }

    func makeChannel() throws(KernelError) -> (ours: Int32, childs: Int32) { try base.makeChannel() }

    func spawn(_ request: SpawnRequest) throws(SpawnError) -> (pid: Int32, pidfd: Descriptor, reaper: Int32) {
        defer { slots?.clear() }
        return try base.spawn(slots?.placed(request) ?? request)
    }
}
