import CCurfew
import CurfewLinux
import Glibc

/// The desktop entries that are installed, by their IDs.
public struct DesktopEntries: Sendable {
    /// Those before go before those behind.
    let directories: [String]
    private let locale: String
    /// Where programs are found.
    private let path: String

    /// `directories`: what `applications` is in, absolute; `locale`: as setlocale(3) has it; `path`: as PATH is.
    public init(directories: [String], locale: String, path: String) {
        self.directories = directories
        self.locale = locale
        self.path = path
    }

    /// This user's. Source: XDG Base Directory Specification 0.8.
    public static func ofThisUser() -> DesktopEntries {
        DesktopEntries { name in getenv(name).map { String(cString: $0) } }
    }

    init(environment: (String) -> String?) {
        func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        let home = XDG.directory("XDG_DATA_HOME", below: ".local/share", environment)
        let others = value("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share"
        let directories = (home.map { [$0] } ?? []) + others.split(separator: ":").map(String.init)
        self.init(
            directories: directories.filter { $0.utf8.first == 47 },
            locale: value("LC_ALL") ?? value("LC_MESSAGES") ?? value("LANG") ?? "C",
            path: value("PATH") ?? "/usr/local/bin:/usr/bin:/bin")
    }

    /// What the entry of this ID says, with or without `.desktop` behind; nil where there is none.
    ///
    /// An entry that is hidden hides those behind it.
    public func definition(id: String) -> CheckedDefinition? {
        let id = id.hasSuffix(Self.suffix) ? String(id.dropLast(Self.suffix.count)) : id
        guard !id.isEmpty, !id.contains("/") else { return nil }
        for directory in directories {
            guard let found = file(id[...], in: directory + "/applications") else { continue }
            return check(found, id: id)
        }
        return nil
    }

    /// What the file says, wherever it is.
    public func check(_ path: String) -> CheckedDefinition {
        let base = path.split(separator: "/").last.map(String.init) ?? path
        return check(path, id: base.hasSuffix(Self.suffix) ? String(base.dropLast(Self.suffix.count)) : base)
    }

    private static let suffix = ".desktop"

    private func check(_ path: String, id: String) -> CheckedDefinition {
        switch DefinitionFile.read(path) {
        case .success(let bytes):
            DesktopReader(locale: locale) { isInstalled($0) }.read(bytes, path: path, id: id)
        case .failure(let problem): CheckedDefinition(path: path, error: problem.text)
        }
    }

    /// A file is found by its path below `applications`, in which each / became a -.
    ///
    /// Source: Desktop Entry Specification 1.5, "Desktop File ID".
    private func file(_ id: Substring, in directory: String) -> String? {
        let whole = "\(directory)/\(id)\(Self.suffix)"
        if Self.isRegular(whole) { return whole }
        for dash in id.indices where id[dash] == "-" {
            let folder = "\(directory)/\(id[..<dash])"
            guard dash > id.startIndex, id[..<dash] != ".", id[..<dash] != "..", Self.isDirectory(folder) else {
                continue
            }
            if let found = file(id[id.index(after: dash)...], in: folder) { return found }
        }
        return nil
    }

    private static func isRegular(_ path: String) -> Bool { mode(path).map { $0 & S_IFMT == S_IFREG } ?? false }

    private static func isDirectory(_ path: String) -> Bool { mode(path).map { $0 & S_IFMT == S_IFDIR } ?? false }

    private static func mode(_ path: String) -> UInt32? {
        var status = curfew_file_status()
        return curfew_stat_at(AT_FDCWD, path, true, &status) == 0 ? status.mode : nil
    }

    private func isInstalled(_ program: String) -> Bool {
        if program.contains("/") { return Self.isRegular(program) && access(program, X_OK) == 0 }
        return path.split(separator: ":").contains { folder in
            Self.isRegular("\(folder)/\(program)") && access("\(folder)/\(program)", X_OK) == 0
        }
    }
}
