import CCurfew
import CurfewLinux
import CurfewScenario
import Glibc

/// Where a scenario is played: its folders, its environment, and which curfew.
public struct StagePlace: Sendable {
    /// The executable.
    public var curfew: String
    /// Of the scenario's file; what it names is found from there.
    public var directory: String
    /// The scenario's own, gone with it: sockets, and what the app is to find after it was reclaimed.
    public var folder: String
    /// Where what came of it is kept; nil where nobody asked.
    public var artifacts: String?

    public init(curfew: String, directory: String, folder: String, artifacts: String? = nil) {
        self.curfew = curfew
        self.directory = directory
        self.folder = folder
        self.artifacts = artifacts
    }

    /// What the app is called.
    static let name = "app"

    var runtimeDirectory: String { folder + "/run" }
    var socket: String { "\(runtimeDirectory)/curfew/\(Self.name).sock" }
    var stateDirectory: String { folder + "/state" }

    /// The folders that must be there.
    public var folders: [String] { [folder, runtimeDirectory, stateDirectory] }

    /// `launch`: the first is 1. Of an option given twice the last counts: ours, or nobody would find the app, or what it saves.
    func words(_ command: AppCommand, launch: Int) -> [String] {
        var words = [curfew, "run"] + command.options + ["--name", Self.name, "--state-dir", stateDirectory]
        if command.isTimeHeld { words.append("--manual-clock") }
        words += ["--report", report(launch: launch)]
        if let artifacts { words += ["--journal", "\(artifacts)/journal\(Self.fileEnd(launch: launch))"] }
        return words + ["--"] + command.command
    }

    func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : directory + "/" + path }

    /// Nothing of a Curfew that we are in: the app has a supervisor of its own.
    package static func environment(_ own: [String]) -> [String] {
        var all: [String] = []
        let names = own.map { $0.prefix { $0 != "=" } } + ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            let name = text.prefix { $0 != "=" }
            if !name.hasPrefix("CURFEW_"), !names.contains(name) { all.append(text) }
            next += 1
        }
        return all + own
    }

    /// What its statements can name without `set`.
    public var variables: [String: String] { [Vocabulary.stateDirectory: stateDirectory] }

    var appEnvironment: [String] { Self.environment(own + ["TERM=xterm-256color"]) }

    var helperEnvironment: [String] { Self.environment(own) }

    private var own: [String] {
        [
            "XDG_RUNTIME_DIR=\(runtimeDirectory)", "\(Vocabulary.stateDirectory)=\(stateDirectory)",
            Self.reportsVariable(folder: folder),
        ]
    }

    /// Reports of kills are the scenario's own: the user's hundred are of what was killed in earnest.
    static func reportsVariable(folder: String) -> String { "XDG_STATE_HOME=\(folder)/killed" }

    // MARK: Artifacts

    /// What the names of a later launch's files end with.
    private static func fileEnd(launch: Int) -> String { launch > 1 ? "-\(launch)" : "" }

    /// Of how that launch ended; kept where artifacts are.
    func report(launch: Int) -> String { "\(artifacts ?? folder)/report\(Self.fileEnd(launch: launch)).json" }

    /// Of an app that ran when the scenario was over: it would tell of nothing but that we ended it; or of an earlier run, which isn't
    /// to be taken for this one's where that writes none.
    func dropReport(launch: Int) {
        unlink(report(launch: launch))
    }

    /// The journals of the launches that came to something, in their order, and where the picture of each belongs.
    public static func journals(in artifacts: String) -> [(journal: String, picture: String)] {
        var found: [(journal: String, picture: String)] = []
        var launch = 1
        var status = stat()
        while case let journal = "\(artifacts)/journal\(fileEnd(launch: launch))", stat(journal, &status) == 0 {
            // Where nothing was started it has its first line only.
            if status.st_size > 32 { found.append((journal, "\(artifacts)/timeline\(fileEnd(launch: launch)).svg")) }
            launch += 1
        }
        return found
    }

    /// More of the app's output, for the artifacts. What stood in the way, in words.
    func keep(_ bytes: ArraySlice<UInt8>) -> String? {
        guard let artifacts else { return nil }
        let path = artifacts + "/output.txt"
        let number = curfew_open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        guard number >= 0 else { return "can't write \(path): \(String(cString: strerror(-number)))" }
        let file = OwnedDescriptor(number)
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { curfew_write(file.number, $0.baseAddress, $0.count) }
            if count == -EINTR { continue }
            if count < 0 { return "can't write \(path): \(String(cString: strerror(Int32(-count))))" }
            rest = rest.dropFirst(Int(count))
        }
        return nil
    }
}
