import CurfewLinux
import CurfewWire

/// How a launch ended, as the report of `curfew run` has it.
struct LaunchReport {
    /// The program's; nil where none was started.
    let pid: Int32?
    /// Why Curfew ended it; nil when it ended by itself.
    let reason: String?
    /// The last things that happened, the oldest first.
    let events: [AppEvent]

    /// Nil where there is none: `curfew run` couldn't begin.
    init?(_ path: String) {
        guard let bytes = SmallFile.bytes(of: path), let report = try? JSON.parse(bytes) else { return nil }
        if case .integer(let pid) = report["pid"] { self.pid = Int32(exactly: pid) } else { pid = nil }
        if case .string(let reason) = report["reason"] { self.reason = reason } else { reason = nil }
        guard case .array(let told)? = report["events"] else {
            events = []
            return
        }
        events = told.compactMap { AppEvent(Message("event", json: $0)) }
    }
}
