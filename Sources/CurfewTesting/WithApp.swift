import CurfewScenarioRun
import Glibc
import Testing

/// Runs a test of what a program does when it is sent home, expires, is reclaimed and comes back.
///
///     @Test func itComesBack() async throws {
///         try await withApp("./editor", "draft.txt") { app in
///             try await app.launch()
///             try await app.home()
///             try await app.awaitState(.suspended)
///             try await app.reclaim()
///             try await app.open()
///             try await app.awaitEvent("didFinishLaunching", ["restored": "true"])
///         }
///     }
///
/// The first statement that fails ends `body`, and is recorded as an issue where it stands, with what was expected,
/// what was seen, and the last events and output. Any other error is passed on. Afterwards the app and its helpers, with
/// everything that they have started, are ended, whatever they do about it, and its folder is removed; also when the tests
/// are killed.
///
/// - Parameters:
///   - command: run without a shell.
///   - options: of `curfew run`; `--name`, `--state-dir`, `--report`, `--journal` and `--manual-clock` are given by this function itself.
///   - directory: where the app and its helpers run; where the tests do unless given.
///   - timeScale: lets time run for the app, so many times as fast, from 0.001 to 1000000; it stands still without.
///   - hasTerminal: whether it runs in one, of 80 by 24, for `App.key`.
///   - patience: how long what is awaited may take, in real time.
///   - artifacts: a folder for its journal, report, output and picture, which is made; nil keeps nothing.
///   - curfew: the executable; else the one that the environment's `CURFEW` names, else the one on PATH.
/// - Throws: what `body` throws, but for an `AppFailure`.
public func withApp(
    _ command: String..., options: [String] = [], directory: String? = nil, timeScale: Double? = nil,
    hasTerminal: Bool = false, patience: Swift.Duration = .seconds(10), artifacts: String? = nil,
    curfew: String? = nil, isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: (App) async throws -> Void
) async throws {
    let setting = App.Setting(
        command: command, options: options, timeScale: timeScale, hasTerminal: hasTerminal, patience: patience)
    let folder: AppFolder
    let app: App
    do throws(StageProblem) {
        let curfew = try CurfewExecutable.find(curfew)
        folder = try AppFolder()
        let place = StagePlace(
            curfew: curfew, directory: directory ?? ".", folder: folder.path, artifacts: artifacts)
        try AppFolder.make(place.folders + [artifacts].compactMap(\.self))
        app = try App(setting, on: LiveStage(place))
    } catch {
        Issue.record("can't make an app: \(error.words)", sourceLocation: sourceLocation)
        return
    }
    defer { folder.remove() }
    try await play(app, body)
}

/// Plays `body`, and records which statement has failed.
func play(_ app: App, isolation: isolated (any Actor)? = #isolation, _ body: (App) async throws -> Void) async throws {
    do {
        try await body(app)
    } catch let failure as AppFailure {
        let picture = await app.close().map { "\n\npicture   \($0)" } ?? ""
        Issue.record(Comment(rawValue: failure.description + picture), sourceLocation: failure.sourceLocation)
        return
    } catch {
        await app.close()
        throw error
    }
    await app.close()
}

extension StageProblem {
    var words: String {
        switch self {
        case .gone: "it isn't running"
        case .refused(let code, let message): "refused (\(code)): \(message)"
        case .broken(let why): why
        }
    }
}
