import CCurfew
import Glibc

/// Which file is waited for, and what of it.
struct InputIdentity: Sendable, Hashable {
    enum Part: Sendable, Hashable {
        case socket, reading, writing, both, terminal, master
        /// By process and number: timers have no identity of their own.
        case timer
    }

    var device: UInt64
    var inode: UInt64
    var part: Part
}

/// Input that was there when an app fell asleep, and how much.
public struct UnreadInput: Sendable, Hashable {
    let identity: InputIdentity
    /// In units of its own; told of the same file, the same count is nothing new.
    public let count: Int
    /// Whether nothing more could come, or it had failed.
    let hasEnded: Bool
    let measure: InputMeasure
    /// One of those who have it open, the number there, and where its link leads.
    let pid: Int32
    let number: Int32
    let link: String

    public var device: UInt64 { identity.device }
    public var inode: UInt64 { identity.inode }

    /// Whether there is as much of it as there was. For an app that runs: a short while after it was woken it has read
    /// what it reads.
    ///
    /// What is asked of this before the app is stopped anew, and given to the next watch only if it is so, can't be
    /// mistaken for the like that comes in the moment of the stop. False where that can't be told.
    public var isStillThere: Bool {
        guard Procfs.link(of: number, in: pid) == link else { return false }
        var process = Descriptor(curfew_pidfd_open(pid))
        defer { process.close() }
        var duplicate = Descriptor(curfew_pidfd_getfd(process.number, number))
        if !duplicate.isOpen { duplicate = reopened }
        guard duplicate.isOpen else { return false }
        defer { duplicate.close() }
        let ready = Readiness.now(duplicate.number)
        return !ready.isDisjoint(with: Readiness.coming.union(.ended)) && measure.count(of: duplicate.number) == count
            && hasEnded == !ready.isDisjoint(with: .ended)
    }
}

extension UnreadInput {
    /// Where duplicates are refused: a pipe, or a terminal.
    private var reopened: Descriptor {
        guard measure == .bytes, identity.part != .socket, identity.part != .master else { return .none }
        let opened = Procfs.withPath(pid, "/fd/") { path in
            Procfs.appendNumber(number, to: path)
            return Descriptor(curfew_open_at(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0))
        }
        return opened ?? .none
    }
}

extension Procfs {
    /// Where a descriptor's link leads; nil if there is none by this number.
    static func link(of number: Int32, in pid: Int32) -> String? {
        withPath(pid, "/fd/") { path in
            appendNumber(number, to: path)
            return withUnsafeTemporaryAllocation(byteCount: SmallFile.bufferSize, alignment: 1) { room in
                let length = curfew_read_link_at(AT_FDCWD, path, room.baseAddress, room.count)
                guard length > 0 else { return nil }
                return String(decoding: room[..<Int(length)], as: UTF8.self)
            }
        }
    }
}

extension UnreadInput {
    func isSame(as other: UnreadInput) -> Bool {
        identity == other.identity && count == other.count && hasEnded == other.hasEnded
    }

    /// Whether such events, on its descriptor, tell of no more than this.
    func isAll(of events: Readiness, on descriptor: Int32) -> Bool {
        !events.contains(.writable) && hasEnded == !events.isDisjoint(with: .ended)
            && measure.count(of: descriptor) == count
    }
}
