import CurfewCore
import CurfewEngine
import CurfewLinux

/// What the engine asked of the machine and told its host, as lines in one order.
final class Journal {
    private(set) var lines: [String] = []
    private var taken = 0

    func note(_ line: String) { lines.append(line) }

    /// The lines since the last time.
    func take() -> [String] {
        defer { taken = lines.count }
        return Array(lines[taken...])
    }
}

extension AppID {
    static let a = AppID(1)
    static let b = AppID(2)
    static let c = AppID(3)

    /// As a line shows it: `a`, `b`, `c`; `a'` in the slot's next generation.
    var letter: String { String(UnicodeScalar(UInt8(96 + slot))) + String(repeating: "'", count: generation) }
}

extension Policy {
    /// The default profile (600 s budget, 5 s lead, 5 s, 5 s, 20 s, 30 s) with some numbers changed.
    static func with(_ change: (inout Policy) -> Void) -> Policy {
        var policy = Policy(profile: .ios4)
        change(&policy)
        return policy
    }
}

extension EventRecord {
    /// As a line shows it.
    var brief: String {
        switch self {
        case .stateChanged(_, let to): "state \(to)"
        case .delivered(let event, let sequence, _, _): "delivered \(event.name) #\(sequence)"
        case .note(let note): "note \(note)"
        case .woken(let waking): "woken by \(waking.cause)"
        case .stillRunning(let processes): "stillRunning \(processes.map(\.text).joined(separator: "; "))"
        case .expired(let report): "expired \(report.reason.rawValue)"
        case .killing(let report): "killing \(report.reason.rawValue)"
        case .ended: "ended"
        case .channelDropped(let reason): "channelDropped \(reason)"
        case .statusText(let text): "statusText \(text)"
        case .mainProcess(let pid): "mainProcess \(pid)"
        case .notificationIgnored(let reason): "notificationIgnored \(reason)"
        case .settingsLost(let reason): "settingsLost \(reason)"
        case .pagedOut(let result): "pagedOut \(result.swapped)"
        case .pressure(let level, _): "pressure \(level.name)"
        case .signalIgnored(let signal, _): "signalIgnored \(signal)"
        case .supervisorStopped: "supervisorStopped"
        case .hookDropped(let event): "hookDropped \(event)"
        case .notified(let notification, let way): "notified \(notification.id) by \(way)"
        case .joined(let server): "joined \(server)"
        case .parted(let server, let reason): "parted \(server): \(reason)"
        }
    }
}

extension Reply {
    /// As a line shows it.
    var brief: String {
        switch self {
        case .state(let state): "state \(state)"
        case .taskBegun(let task, _): "begun \(task.rawValue)"
        case .taskEnded(let task, let known): "ended \(task.rawValue)\(known ? "" : " unknown")"
        case .accepted: "accepted"
        case .rejected(let rejection): "rejected \(rejection)"
        }
    }
}
