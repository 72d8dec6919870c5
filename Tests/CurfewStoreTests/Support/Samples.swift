import CurfewLinux

@testable import CurfewStore

extension StoredApp {
    static func sample(_ name: String, launches: Int = 1, source: Source = .bare) -> StoredApp {
        StoredApp(
            name: name, source: source, command: ["/bin/sleep", "a b", "\"'\u{1F41F}\n"], options: ["--budget", "10m"],
            directory: "/tmp", launches: launches, restartPause: 4_000_000, restartDue: nil, restoredEnds: 1)
    }
}

extension StoredRun {
    static func sample(_ app: String, _ number: Int = 1, began: Int64? = nil) -> StoredRun {
        StoredRun(app: app, number: number, began: began ?? Int64(number) * 10, pid: 100 + number, wasInFront: true)
    }
}

extension StoredNotification {
    /// By its clocks where `passed` is odd.
    static func sample(_ app: String, _ id: String, passed: Int64 = 0) -> StoredNotification {
        let isCivil = passed % 2 == 1
        return StoredNotification(
            key: Key(app: app, id: id), moment: isCivil ? nil : 1_800_000_000_000_000 + passed,
            civil: isCivil ? "2096-07-01T08:00:00" : nil, zone: isCivil ? "Europe/Berlin" : nil,
            repetition: isCivil ? "daily" : nil, passed: passed,
            content: Content(
                title: "a \"title\"\n", body: "\u{1F41F}", action: isCivil ? "Open" : nil, badge: isCivil ? 3 : nil,
                sound: isCivil ? nil : "bell", info: isCivil ? [] : [Pair("a", ""), Pair("b", "c d")]
            ).text)
    }
}

extension StoredRun.End {
    static let sample = StoredRun.End(
        ended: 77, reason: "memory-limit", status: nil, signal: 9, cpu: 1_500_000, peak: 1 << 33)
}

extension StoreWriter {
    /// Asks for all of it at once; the answers, in order.
    func ask(_ requests: StoreRequest...) -> [StoreResult] {
        perform(requests.enumerated().map { Job(ticket: StoreTicket(number: UInt64($0.offset)), request: $0.element) })
            .map(\.result)
    }

    func `do`(_ change: StoreChange) -> StoreResult { ask(.change(change))[0] }

    /// Nobody waits for it.
    func note(_ change: StoreChange) { _ = perform([Job(ticket: nil, request: .change(change))]) }

    func load() -> StoredServer {
        guard case .loaded(let server) = ask(.load)[0] else { preconditionFailure("load loads") }
        return server
    }

    /// The names in the list, the most recent first.
    var names: [String] { load().apps.map(\.name) }

    func history(_ app: String? = nil, limit: Int = 100) -> [StoredRun] {
        guard case .history(let runs) = ask(.history(app: app, limit: limit))[0] else { return [] }
        return runs
    }
}
