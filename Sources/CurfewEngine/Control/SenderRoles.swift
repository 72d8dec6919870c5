import CCurfew
import CurfewLinux
import Glibc

/// What the last few senders of messages may do.
///
/// Each is held by a pidfd: as long as it lives nobody else can have its pid, so that a message from that pid is its own.
struct SenderRoles {
    private struct Sender {
        let pid: Int32
        let uid: uid_t
        var role: ControlSession.Role
        var pidfd: Descriptor

        var isAlive: Bool { curfew_pidfd_send_signal(pidfd.number, 0) != -ESRCH }
    }

    /// More are found out anew each time: each costs a descriptor.
    static let maximum = 4

    /// False where descriptors are scarce.
    var keepsSenders = true
    private var senders: [Sender] = []

    /// `hold`: opens a pidfd of it; `find`: what it may do, asked while it is held.
    mutating func role(
        of sender: curfew_sender, hold: () -> Int32, find: () -> ControlSession.Role
    ) -> ControlSession.Role {
        if let index = senders.firstIndex(where: { $0.pid == sender.pid }) {
            if senders[index].uid == sender.uid, senders[index].isAlive { return senders[index].role }
            forget(index)
        }
        var found = Sender(pid: sender.pid, uid: sender.uid, role: .stranger, pidfd: Descriptor(hold()))
        let role = find()
        guard found.pidfd.isOpen else { return curfew_kill(sender.pid, 0) == -ESRCH ? .stranger : role }
        // Of whoever has ended since the pid may have been another's when it was looked at.
        guard found.isAlive else {
            found.pidfd.close()
            return .stranger
        }
        guard keepsSenders else {
            found.pidfd.close()
            return role
        }
        found.role = role
        if senders.count == Self.maximum { forget(0) }
        senders.append(found)
        return role
    }

    private mutating func forget(_ index: Int) {
        var sender = senders.remove(at: index)
        sender.pidfd.close()
    }
}
