import CCurfew
import CurfewCore
import CurfewWire
import Glibc

/// What whoever has started the server is told of it.
extension ServeHost {
    func findManager() {
        // Signs of life are expected of the process that was started, and given by the one that could hang.
        manager = ServiceManager(
            environment: { name in getenv(name).map { String(cString: $0) } }, pids: [proxy, getpid()]
        ) { [unowned self] in tellManager(at: $0, $1) }
    }

    /// False where it has to be tried again.
    private func tellManager(at socket: String, _ text: String) -> Bool {
        let result = curfew_notify_send(socket, text)
        if result == -EAGAIN { return false }
        defer { managerHears = result >= 0 }
        if result < 0, managerHears {
            let first = text.prefix { $0 != "\n" }
            complain("can't tell \(first) by NOTIFY_SOCKET: \(String(cString: strerror(-result)))")
        }
        return true
    }

    var statusText: String {
        let count = apps.runningCount
        if isEnding { return "ending; \(Self.counted(count))" }
        let front = engine.core.foregroundApps.map { nameInFront($0) }
        return Self.counted(count) + (front.isEmpty ? "" : ", \(front.joined(separator: " and ")) in front")
    }

    private static func counted(_ count: Int) -> String {
        switch count {
        case 0: "no app runs"
        case 1: "1 app runs"
        default: "\(count) apps run"
        }
    }

    func tellManagerOfEnd() {
        let limits = apps.running.compactMap { engine.core.app($0)?.policy.terminateLimit }
        let longest = limits.max() ?? .zero
        let limit = longest.isInfinite ? longest : longest + Self.endingMargin
        manager?.stopping(status: statusText, within: limit, at: kernel.now)
    }

    /// What comes after the apps' own limits: SIGKILL, what a disk takes, and that everything is gone.
    private static var endingMargin: Span { .seconds(30) }

    /// Read again while it serves.
    func rereadDefinitions() -> ReloadedDefinitions {
        manager?.reloading(at: kernel.now)
        defer { manager?.reloaded(at: kernel.now) }
        return reloadDefinitions()
    }
}
