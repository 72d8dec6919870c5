import CurfewLinux
import Glibc

/// The child's environment: the caller's, with the control channel's two variables set.
///
/// `channel`: below 0 when no descriptor is handed down. Its few strings live as long as the process; the caller's are not copied.
struct Environment {
    let pointer: UnsafePointer<UnsafeMutablePointer<CChar>?>

    static let channelVariable = "CURFEW_FD"
    static let socketVariable = "CURFEW_SOCKET"

    init(channel: Int32, socket: String) {
        var count = 0
        let inherited = environ
        while inherited[count] != nil { count += 1 }
        let copy = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: count + 3)
        var used = 0
        for index in 0..<count where !Environment.isOurs(inherited[index]) {
            copy[used] = inherited[index]
            used += 1
        }
        copy[used] = Environment.entry(Environment.socketVariable, socket)
        copy[used + 1] = channel < 0 ? nil : Environment.entry(Environment.channelVariable, decimal(Int(channel)))
        copy[used + 2] = nil
        pointer = UnsafePointer(copy)
    }

    private static func entry(_ variable: String, _ value: String) -> UnsafeMutablePointer<CChar>? {
        (variable + "=" + value).withCString { strdup($0) }
    }

    private static func isOurs(_ entry: UnsafeMutablePointer<CChar>?) -> Bool {
        guard let entry, strncmp(entry, "CURFEW_", 7) == 0 else { return false }
        return strncmp(entry, "CURFEW_FD=", 10) == 0 || strncmp(entry, "CURFEW_SOCKET=", 14) == 0
    }
}
