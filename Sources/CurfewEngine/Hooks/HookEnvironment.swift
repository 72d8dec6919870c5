import CurfewLinux
import CurfewWire
import Glibc

/// A hook's environment: the caller's, and the event's fields as `CURFEW_EVENT`, `CURFEW_APP`, `CURFEW_INFO_KEY`, …
struct HookEnvironment {
    /// `KEY=VALUE` each. What is inherited is as it is: it needn't be UTF-8.
    private(set) var entries: [ByteString] = []

    /// `inherited`: ended by a NULL.
    init(_ event: Message, inherited: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = environ) {
        var index = 0
        while let entry = inherited[index] {
            index += 1
            if !Self.isOurs(entry) { entries.append(ByteString(cString: entry)) }
        }
        for field in event.fields {
            guard let variable = Self.variable(field.key), !field.value.utf8.contains(0) else { continue }
            entries.append(ByteString("\(variable)=\(field.value)"))
        }
    }

    /// What an app around this one was told isn't this event's.
    private static func isOurs(_ entry: UnsafeMutablePointer<CChar>) -> Bool {
        names.contains { strncmp(entry, $0.variable + "=", $0.variable.utf8.count + 1) == 0 }
            || strncmp(entry, infoPrefix, infoPrefix.utf8.count) == 0
    }

    private static let infoPrefix = "CURFEW_INFO_"
    private static let names: [(key: String, variable: String)] = [
        ("name", "CURFEW_EVENT"), ("app", "CURFEW_APP"), ("pid", "CURFEW_PID"), ("state", "CURFEW_STATE"),
        ("seq", "CURFEW_SEQ"), ("kind", "CURFEW_KIND"), ("seconds", "CURFEW_SECONDS"), ("task", "CURFEW_TASK"),
        ("launched", "CURFEW_LAUNCHED"), ("wake", "CURFEW_WAKE"),
        ("level", "CURFEW_LEVEL"),
    ]

    /// Nil for a field that is nothing to a hook. A key's `-` and `.` become `_`: no shell variable has them.
    private static func variable(_ key: String) -> String? {
        if key.hasPrefix("info.") {
            return infoPrefix + String(key.dropFirst(5).map { $0 == "-" || $0 == "." ? "_" : $0 })
        }
        return names.first { $0.key == key }?.variable
    }
}
