import CurfewCore
import CurfewLinux
import Glibc

/// The child's environment: the caller's, with the control channel's variables and sd_notify's set anew.
///
/// `channel`: below 0 when no descriptor is handed down. `stateDirectory`: nil leaves the caller's `CURFEW_STATE_DIR`.
/// Its few strings live until `free`; the caller's are not copied.
struct Environment {
    let pointer: UnsafePointer<UnsafeMutablePointer<CChar>?>
    /// Where they stand.
    private let own: Range<Int>

    static let channelVariable = "CURFEW_FD"
    static let socketVariable = "CURFEW_SOCKET"
    static let notifyVariable = "NOTIFY_SOCKET"
    static let stateVariable = "CURFEW_STATE_DIR"

    init(
        _ inherited: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = environ, channel: Int32, socket: String,
        notify: String, watchdogInterval: Span?, stateDirectory: String? = nil
    ) {
        var count = 0
        while inherited[count] != nil { count += 1 }
        let copy = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: count + 6)
        var used = 0
        for index in 0..<count where !Environment.isOurs(inherited[index]) {
            if stateDirectory != nil, Environment.isStateDirectory(inherited[index]) { continue }
            copy[used] = inherited[index]
            used += 1
        }
        let first = used
        func add(_ variable: String, _ value: String) {
            copy[used] = Environment.entry(variable, value)
            used += 1
        }
        add(Environment.socketVariable, socket)
        add(Environment.notifyVariable, notify)
        if channel >= 0 { add(Environment.channelVariable, decimal(Int(channel))) }
        // Without WATCHDOG_PID it is meant for every process of the app. Source: sd_watchdog_enabled(3).
        if let watchdogInterval { add("WATCHDOG_USEC", decimal(Int(max(1, watchdogInterval.nanoseconds / 1000)))) }
        if let stateDirectory { add(Environment.stateVariable, stateDirectory) }
        copy[used] = nil
        pointer = UnsafePointer(copy)
        own = first..<used
    }

    /// For who starts more than one program.
    func free() {
        for index in own { Glibc.free(pointer[index]) }
        pointer.deallocate()
    }

    private static func entry(_ variable: String, _ value: String) -> UnsafeMutablePointer<CChar>? {
        (variable + "=" + value).withCString { strdup($0) }
    }

    private static func isStateDirectory(_ entry: UnsafeMutablePointer<CChar>?) -> Bool {
        guard let entry else { return false }
        return strncmp(entry, "CURFEW_STATE_DIR=", 17) == 0
    }

    private static func isOurs(_ entry: UnsafeMutablePointer<CChar>?) -> Bool {
        guard let entry else { return false }
        switch UInt8(bitPattern: entry[0]) {
        case UInt8(ascii: "C"):
            return strncmp(entry, "CURFEW_FD=", 10) == 0 || strncmp(entry, "CURFEW_SOCKET=", 14) == 0
        case UInt8(ascii: "N"): return strncmp(entry, "NOTIFY_SOCKET=", 14) == 0
        case UInt8(ascii: "W"):
            return strncmp(entry, "WATCHDOG_USEC=", 14) == 0 || strncmp(entry, "WATCHDOG_PID=", 13) == 0
        default: return false
        }
    }
}
