import CurfewCommand
import CurfewCore
import CurfewEngine
import CurfewLinux
import CurfewTimeline
import Glibc

/// Where a run's events come from: an app that runs, or a file.
enum TimelineSource {
    typealias Failure = TimelineVerb.Failure

    case app(AppTarget)
    case file(String)

    /// What has no slash in it is an app that runs, else a file, else a report as `curfew report` names it.
    ///
    /// Throws where several could be meant.
    static func find(_ word: String?) throws(UsageError) -> Result<TimelineSource, Failure> {
        let lookup = AppLookup(verb: TimelineVerb.name)
        guard let word else {
            let target = try lookup.target(of: nil)
            return target.map { .success(.app($0)) }
                ?? .failure(Failure("no app is running; `curfew run` starts one", ExitStatus.unavailable))
        }
        if word.utf8.contains(47) { return .success(.file(word)) }
        if AppName.isValid(word) || Int32(word) != nil, let target = try lookup.target(of: word), isThere(target) {
            return .success(.app(target))
        }
        if !word.isEmpty, access(word, F_OK) == 0 || errno != ENOENT { return .success(.file(word)) }
        return try report(word)
    }

    /// Whether somebody listens, whatever he answers.
    private static func isThere(_ target: AppTarget) -> Bool {
        do throws(ControlClient.Failure) {
            _ = try ControlClient(target)
            return true
        } catch {
            return error != .unavailable(errno: ENOENT) && error != .unavailable(errno: ECONNREFUSED)
        }
    }

    private static func report(_ word: String) throws(UsageError) -> Result<TimelineSource, Failure> {
        let entries = (try? ReportStore.ofThisUser()?.list()) ?? []
        switch ReportLookup.find(word, among: entries) {
        case .found(let entry): return .success(.file(entry.path))
        case .several(let ids):
            throw UsageError(
                TimelineVerb.name, "\"\(word)\" could mean \(ReportLookup.listed(ids)); say more of the one you mean")
        case .none:
            let problem = "no app called \(word) is running, and there is no file and no report of that name"
            return .failure(
                Failure("\(problem); `curfew ps` lists apps, `curfew report` reports", ExitStatus.unavailable))
        }
    }

    /// What happened up to now.
    func timeline() throws(Failure) -> Timeline {
        switch self {
        case .app(let target): try LiveApp(target).timeline()
        case .file(let path): try Self.read(path)
        }
    }

    // MARK: Files

    /// A longer one would fill the memory.
    private static let maximumBytes = 1 << 30

    private static func read(_ path: String) throws(Failure) -> Timeline {
        let bytes = try contents(path)
        let codes = KillReason.allCases.compactMap { reason in reason.code.map { (reason.rawValue, $0) } }
        let file = TimelineFile(name: name(path), codes: Dictionary(uniqueKeysWithValues: codes))
        do throws(Unreadable) { return try file.timeline(bytes) } catch {
            throw Failure("\(path)\(error.line.map { ", line \($0)" } ?? ""): \(error.problem)")
        }
    }

    /// The file's own without its suffix, for what doesn't say whose it is.
    private static func name(_ path: String) -> String {
        let base = path.split(separator: "/").last.map(String.init) ?? path
        guard let point = base.lastIndex(of: "."), point > base.startIndex else { return base }
        return String(base[..<point])
    }

    private static func contents(_ path: String) throws(Failure) -> [UInt8] {
        var lines = FileReader(path)
        guard let bytes = lines.all(atMost: maximumBytes) else {
            throw Failure("\(path): \(String(cString: strerror(lines.error)))")
        }
        return bytes
    }
}
