import Glibc

/// The users of this machine, as /etc/passwd names them.
///
/// Read here and not asked for by getpwuid(3), which a static executable can call only through the shared libraries it
/// was built against. Users of a directory service aren't in it.
public enum PasswordFile {
    public static let path = "/etc/passwd"

    /// The home directory of a user, an absolute path; nil for an unknown one. Source: passwd(5).
    public static func home(of user: UInt32, in path: String = path) -> String? {
        guard let bytes = SmallFile.bytes(of: path) else { return nil }
        for line in bytes.split(separator: 10) {
            let fields = line.split(separator: 58, omittingEmptySubsequences: false)
            guard fields.count >= 6, UInt32(String(decoding: fields[2], as: UTF8.self)) == user else { continue }
            return fields[5].first == 47 ? String(decoding: fields[5], as: UTF8.self) : nil
        }
        return nil
    }
}
