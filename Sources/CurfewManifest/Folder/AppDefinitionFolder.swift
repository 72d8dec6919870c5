import CCurfew
import CurfewLinux
import Glibc

/// The manifests of this user, or those of a folder that somebody has named.
public struct AppDefinitionFolder: Sendable {
    public let path: String
    /// Whether somebody has named it. Then it has to be there.
    public let isNamed: Bool
    /// What files said when they were read last; see `Stamp`.
    private var known: [String: (stamp: Stamp, checked: CheckedDefinition)] = [:]

    public init(path: String, isNamed: Bool = false) {
        self.path = path
        self.isNamed = isNamed
    }

    /// `$XDG_CONFIG_HOME/curfew/apps`, by default below `~/.config`; nil where no home is known.
    public static func ofThisUser() -> AppDefinitionFolder? {
        ofThisUser { name in getenv(name).map { String(cString: $0) } }
    }

    static func ofThisUser(environment: (String) -> String?) -> AppDefinitionFolder? {
        XDG.directory("XDG_CONFIG_HOME", below: ".config", environment).map {
            AppDefinitionFolder(path: $0 + "/curfew/apps")
        }
    }

    /// Every NAME.toml, by name; none where the usual directory isn't there. Other files are left alone, hidden ones too.
    ///
    /// Throws where the directory can't be read, or others could write to it; a file with which something is wrong is among the rest.
    public mutating func read() throws(DefinitionProblem) -> [CheckedDefinition] {
        guard var directory = try opened() else { return [] }
        defer { directory.close() }
        var names: [String] = []
        let isRead = Directory.forEachName(in: directory.number) { names.append(String(cString: $0)) }
        guard isRead else { throw DefinitionProblem("can't be listed") }
        let files = names.filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }.sorted()
        let read = files.map { (name: $0, file: file($0, in: directory.number)) }
        known = Dictionary(
            uniqueKeysWithValues: read.compactMap { name, file in
                file.stamp.map { (name, (stamp: $0, checked: file.checked)) }
            })
        return read.map(\.file.checked)
    }

    /// Nil where the usual one isn't there: nobody has to have any manifests.
    private func opened() throws(DefinitionProblem) -> Descriptor? {
        var directory = Descriptor(curfew_open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0))
        if directory.number == -ENOENT, !isNamed { return nil }
        guard directory.isOpen else { throw DefinitionFile.failed(-directory.number) }
        var status = curfew_file_status()
        let result = curfew_fstat(directory.number, &status)
        let problem: DefinitionProblem? =
            result < 0 ? DefinitionFile.failed(-result) : Trust.problem(status, path: path)
        if let problem {
            directory.close()
            throw problem
        }
        return directory
    }

    /// Links are followed, as to a folder of dotfiles: what they lead to has to be as safe.
    private func file(_ name: String, in directory: Int32) -> (stamp: Stamp?, checked: CheckedDefinition) {
        let whole = path + "/" + name
        var descriptor = Descriptor(curfew_open_at(directory, name, O_RDONLY | O_NONBLOCK, 0))
        defer { descriptor.close() }
        var status = curfew_file_status()
        guard descriptor.isOpen, curfew_fstat(descriptor.number, &status) == 0 else {
            return (nil, Self.unusable(whole, DefinitionFile.failed(-min(descriptor.number, -EIO))))
        }
        if let problem = Trust.problem(status, path: whole) { return (nil, Self.unusable(whole, problem)) }
        let stamp = Stamp(status)
        if let stamp, let known = known[name], known.stamp == stamp { return (stamp, known.checked) }
        switch DefinitionFile.read(descriptor.number) {
        case .success(let bytes): return (stamp, ManifestReader.read(bytes, path: whole))
        case .failure(let problem): return (nil, Self.unusable(whole, problem))
        }
    }

    /// It has its name all the same: what it was before doesn't go on to hold.
    private static func unusable(_ path: String, _ problem: DefinitionProblem) -> CheckedDefinition {
        CheckedDefinition(path: path, name: ManifestReader.name(ofFile: path), definition: nil, problems: [problem])
    }
}

/// By what a file is known to be as it was: the library leaks what it parses, and a server reads thousands again and again.
private struct Stamp: Equatable {
    private let inode: UInt64
    private let device: UInt64
    private let size: Int64
    private let seconds: Int64
    private let nanoseconds: UInt32

    /// Nil for a file that was written just now: it may be written again within the same tick of the clock.
    init?(_ status: curfew_file_status) {
        guard time(nil) - Int(status.modified_seconds) > 2 else { return nil }
        inode = status.inode
        device = status.device
        size = status.size
        seconds = status.modified_seconds
        nanoseconds = status.modified_nanoseconds
    }
}
