/// The names an app can have: they are file names, for sockets and cgroups are called by them.
public enum AppName {
    public static let maximumBytes = 64
    public static let accepted = "1 to 64 letters, digits, or . _ + @ - (not first a . or -, and not digits alone)"

    public static func isValid(_ name: String) -> Bool {
        let bytes = name.utf8
        guard let first = bytes.first, bytes.count <= maximumBytes, first != 46, first != 45 else { return false }
        return bytes.allSatisfy(isAllowed) && !bytes.allSatisfy { (48...57).contains($0) }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, 46, 95, 43, 64, 45: true
        default: false
        }
    }

    /// A valid name made of a command's basename; what a name can't have becomes `_`.
    public static func fromCommand(_ command: String) -> String {
        var command = command
        return command.withUTF8 { fromCommand(bytes: $0) }
    }

    /// Most basenames are names as they stand; those are taken without a detour, for every launch passes here.
    private static func fromCommand(bytes command: UnsafeBufferPointer<UInt8>) -> String {
        var start = command.count
        while start > 0, command[start - 1] != 47 { start -= 1 }
        let base = UnsafeBufferPointer(rebasing: command[start...])
        let name = String(decoding: base, as: UTF8.self)
        return base.count <= maximumBytes - 12 && isValid(name) ? name : repaired(base)
    }

    private static func repaired(_ base: UnsafeBufferPointer<UInt8>) -> String {
        var bytes = base.prefix(maximumBytes - 12).map { isAllowed($0) ? $0 : 95 }
        if bytes.first == 46 || bytes.first == 45 { bytes[0] = 95 }
        if bytes.allSatisfy({ (48...57).contains($0) }) { bytes.insert(95, at: 0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
