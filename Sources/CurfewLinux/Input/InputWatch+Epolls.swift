import CCurfew
import Glibc

/// An epoll isn't waited for: what it waits for is, as it is open in the app. But it holds what was closed there as long as
/// anybody else has that, and then tells the app of input that we can't wait for. Source: epoll(7), "Questions and answers".
extension InputWatch {
    /// To be called while there are descriptors: what it finds out holds for ever.
    public static func prepare() { _ = EpollTarget.devices }

    /// What it waits for is looked at next, in pieces.
    func lookAtEpoll(_ number: Int32) {
        guard let current, !filter.kinds.isDisjoint(with: [.connections, .pipes]) else { return }
        mostSeenOfEpolls = max(mostSeenOfEpolls, current.count)
        guard mostSeenOfEpolls <= mostDescriptorsOfEpolls else {
            let who = current.count > mostDescriptorsOfEpolls ? "it" : "who has started it"
            let why = "\(who) has more than \(mostDescriptorsOfEpolls) descriptors"
            return miss(MissingInput(of: current.pid, "what its epoll waits for", why: why))
        }
        targets = current.targets(ofEpoll: number)
    }

    /// A piece of what the epoll waits for; false where nothing is left of that.
    func lookAtTargets() -> Bool {
        guard let pid = targets?.pid, let piece = targets?.next() else {
            // Who has closed it, or has ended, is as good as one without.
            if let list = targets, list.failure != 0, ![ENOENT, ESRCH, EBADF].contains(list.failure) {
                miss(MissingInput(of: list.pid, "what its epoll waits for", errno: list.failure))
            }
            targets = nil
            return false
        }
        for target in piece where counts(target) { awaited[target] = awaited[target] ?? pid }
        return true
    }

    private func counts(_ target: EpollTarget) -> Bool {
        switch target.kind {
        case .socket: filter.kinds.contains(.connections) && !ownSockets.contains(target.inode)
        case .pipe: filter.kinds.contains(.pipes)
        }
    }

    /// Once all that is open has been seen.
    func missWhatOnlyEpollsHold() {
        for (target, pid) in awaited where !seenOpen.contains(target) {
            let what = target.kind == .socket ? "sockets" : "pipes"
            miss(MissingInput(of: pid, what + " that its epoll waits for", why: "it has them open no more"))
        }
        awaited = [:]
        seenOpen = []
    }
}
