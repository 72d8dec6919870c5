import CurfewScenarioRun
import CurfewWire
import Testing

/// What the app is now, for `#expect`: `#expect(try await app.memory() < 64 << 20)`.
extension App {
    /// The state that it is in.
    public func state() throws -> AppState { AppState(rawValue: try status()["state"] ?? "") ?? .notRunning }

    /// The background time left to it; nil in the foreground, where there is no limit.
    public func remaining() throws -> Swift.Duration? {
        let nanoseconds = try status()["remaining"].flatMap(Seconds.parse) ?? 0
        return nanoseconds == .max ? nil : .nanoseconds(nanoseconds)
    }

    /// What the kernel can't drop of all its processes' memory, in bytes.
    public func memory() throws -> Int { try status()["footprint"].flatMap(Int.init) ?? 0 }

    /// The CPU time that all its processes have used since the launch.
    public func cpu() throws -> Swift.Duration {
        .nanoseconds(try status()["cpu"].flatMap(Seconds.parse) ?? 0)
    }

    /// How many processes it has.
    public func processes() throws -> Int { try status()["processes"].flatMap(Int.init) ?? 0 }

    /// Everything that its supervisor says of it, by the keys of docs/protocol.md; empty when it isn't running.
    ///
    /// Throws an `AppFailure` when the supervisor doesn't answer.
    public func status(sourceLocation: SourceLocation = #_sourceLocation) throws -> [String: String] {
        do throws(StageProblem) {
            let fields = try stage.ask(Message("status")).final.fields
            return Dictionary(fields.map { ($0.key, $0.value) }) { first, _ in first }
        } catch .gone {
            return [:]
        } catch {
            throw failure(error.problem("the app's status"), sourceLocation)
        }
    }

    /// Its main process, at its last launch; nil before one.
    public var pid: Int32? { stage.record.current.flatMap { $0.pid == 0 ? nil : $0.pid } }

    /// What `curfew run` has ended with, 128 + N for signal N; nil while it runs.
    public var exitStatus: Int? { stage.record.current?.end?.status }

    /// Why Curfew has ended it; nil while it runs, and when it has ended by itself.
    public var endReason: String? { stage.record.current?.end?.reason }

    /// What this launch has written; of very much the last.
    public var output: String { stage.record.current?.output.text ?? "" }

    /// All that has happened to it, in all its launches, as `didEnterBackground seq=4`.
    public var events: [String] { stage.record.events.map(\.line) }
}
