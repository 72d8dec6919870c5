import CCurfew
import CurfewCore
import CurfewLinux
import Glibc

/// The processes that hold background tasks: each is held by a descriptor, for its end releases them.
struct TaskOwners {
    private struct Owner {
        let id: OwnerID
        let app: AppID
        let pid: Int32
        var pidfd: Descriptor
    }

    enum Problem: Error {
        case invalid
        /// `most`: how many there can be, in words.
        case tooMany(most: String)

        var code: String {
            switch self {
            case .invalid: "invalid"
            case .tooMany: "too-many-owners"
            }
        }

        var message: String {
            switch self {
            case .invalid: "the owner is `leader` or the pid of a process of the app that lives"
            case .tooMany(let most):
                "as many processes hold background tasks as can be watched, \(most); `owner=leader` is free"
            }
        }
    }

    /// The leader's tasks go with the app, so it needs no watching.
    static let leader = OwnerID(0)
    /// Besides the leaders.
    static let maximum = 256
    /// Of one app, where others share them.
    static let maximumOfOne = 64

    private let loop: EventLoop
    private let maximum: Int
    private let maximumOfApp: Int
    private var owners: [Owner] = []
    private var lastOwner = 0

    init(loop: EventLoop, maximum: Int = maximum, maximumOfApp: Int = maximum) {
        self.loop = loop
        self.maximum = maximum
        self.maximumOfApp = maximumOfApp
    }

    /// The number by which the core knows a process of the app, which is watched from now on.
    ///
    /// `allows`: whether a descriptor may be kept; `isOfApp`: asked once it is held, for whoever has got the pid of one that
    /// is gone isn't of the app; `hasTasks`: of those that have none some are forgotten if there is no room.
    mutating func watch(
        _ pid: Int32, of app: AppID, allows: (Descriptor) -> Bool, isOfApp: (Int32) -> Bool, hasTasks: (OwnerID) -> Bool
    ) throws(Problem) -> OwnerID {
        if let known = owners.first(where: { $0.pid == pid && $0.app == app }) { return known.id }
        // Nobody can be watched there, and the leader needn't be.
        if pid > 0, ProcessTree.arePidfdsRefused, curfew_kill(pid, 0) != -ESRCH, isOfApp(pid) { return Self.leader }
        var pidfd = try hold(pid, of: app, allows: allows, hasTasks: hasTasks)
        guard isOfApp(pid) else {
            pidfd.close()
            throw .invalid
        }
        lastOwner += 1
        owners.append(Owner(id: OwnerID(lastOwner), app: app, pid: pid, pidfd: pidfd))
        loop.add(pidfd, EventLoop.Kind.owner.token(lastOwner))
        return OwnerID(lastOwner)
    }

    private mutating func hold(
        _ pid: Int32, of app: AppID, allows: (Descriptor) -> Bool, hasTasks: (OwnerID) -> Bool
    ) throws(Problem) -> Descriptor {
        if let pidfd = try hasRoom(for: app) ? Self.open(pid, allows: allows) : nil { return pidfd }
        forgetIdle(hasTasks: hasTasks)
        if let pidfd = try hasRoom(for: app) ? Self.open(pid, allows: allows) : nil { return pidfd }
        let most = maximumOfApp < maximum ? "\(maximumOfApp) of one app at most" : "\(Self.maximum) at most"
        throw .tooMany(most: most)
    }

    private func hasRoom(for app: AppID) -> Bool {
        owners.count < maximum && owners.reduce(0) { $0 + ($1.app == app ? 1 : 0) } < maximumOfApp
    }

    /// Nil when there is no descriptor, or no memory, left for it.
    private static func open(_ pid: Int32, allows: (Descriptor) -> Bool) throws(Problem) -> Descriptor? {
        var pidfd = Descriptor(curfew_pidfd_open(pid))
        if [-EMFILE, -ENFILE, -ENOMEM].contains(pidfd.number) { return nil }
        guard pidfd.isOpen else { throw .invalid }
        if allows(pidfd) { return pidfd }
        pidfd.close()
        return nil
    }

    /// Those whose tasks have all ended; they are watched anew when they begin another.
    private mutating func forgetIdle(hasTasks: (OwnerID) -> Bool) {
        for var owner in owners where !hasTasks(owner.id) { owner.pidfd.close() }
        owners.removeAll { !hasTasks($0.id) }
    }

    /// None of the app's is watched any more.
    mutating func forget(_ app: AppID) {
        for var owner in owners where owner.app == app { owner.pidfd.close() }
        owners.removeAll { $0.app == app }
    }

    /// It has ended; the app whose tasks it held. Nil for one that isn't watched any more.
    mutating func exited(_ id: OwnerID) -> AppID? {
        guard let index = owners.firstIndex(where: { $0.id == id }) else { return nil }
        var owner = owners.remove(at: index)
        owner.pidfd.close()
        return owner.app
    }
}
