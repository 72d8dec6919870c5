import GRDB
import Glibc
import Testing

@testable import CurfewStore

@Suite("How much is kept")
struct PruneTests {
    private let folder = Folder()

    @Test("The last thousand runs of an app")
    func runs() throws {
        defer { folder.remove() }
        let writer = try folder.writer()
        defer { writer.close() }
        let runs =
            (1...1010).map { StoreChange.runBegan(.sample("a", $0)) } + (1...5).map { .runBegan(.sample("b", $0)) }
        let changes = [.appLaunched(.sample("a"), toFront: true), .appLaunched(.sample("b"), toFront: true)] + runs
        _ = writer.perform(changes.map { StoreWriter.Job(ticket: nil, request: .change($0)) })
        #expect(writer.history("a", limit: 2000).count == 1010)
        #expect(writer.do(.pruneRuns) == .kept)
        #expect(writer.history("a", limit: 2000).map(\.number) == Array((11...1010).reversed()))
        #expect(writer.history("b").count == 5)
        #expect(writer.history(limit: 3).map(\.number) == [1010, 1009, 1008])
    }

    @Test("A hundred thousand runs of all apps, the latest")
    func allRuns() throws {
        defer { folder.remove() }
        let writer = try folder.writer()
        defer { writer.close() }
        for number in 0..<101 { writer.note(.appLaunched(.sample("app\(number)", launches: 1000), toFront: true)) }
        let other = try DatabaseQueue(path: folder.files.database)
        defer { try? other.close() }
        try other.inDatabase {
            try $0.execute(
                sql: """
                    WITH RECURSIVE turn (t) AS (SELECT 0 UNION ALL SELECT t + 1 FROM turn WHERE t < 100999)
                    INSERT INTO run (app, number, began, was_in_front, pid)
                        SELECT 'app' || (t % 101), t / 101 + 1, t, 0, 1 FROM turn
                    """)
        }
        #expect(writer.do(.pruneRuns) == .kept)
        let left = try other.inDatabase {
            try Int.fetchAll($0, sql: "SELECT count(*) FROM run UNION ALL SELECT min(began) FROM run")
        }
        #expect(left == [100_000, 1000])
    }

    @Test("The latest 256 of the removed commands that have no manifest; of the others all")
    func removedCommands() throws {
        defer { folder.remove() }
        let writer = try folder.writer()
        var changes: [StoreChange] = []
        for number in 0..<300 {
            changes.append(.appLaunched(.sample("bare\(number)"), toFront: true))
            changes.append(.runBegan(.sample("bare\(number)")))
            if number < 260 { changes.append(.appRemoved("bare\(number)")) }
        }
        for source in [StoredApp.Source.manifest, .desktop] {
            changes.append(.appLaunched(.sample(source.rawValue, source: source), toFront: true))
            changes.append(.appRemoved(source.rawValue))
        }
        changes.append(.pruneRuns)
        _ = writer.perform(changes.map { StoreWriter.Job(ticket: nil, request: .change($0)) })
        let expected = ["desktop", "manifest"] + (4..<300).reversed().map { "bare\($0)" }
        #expect(writer.names == expected)
        #expect(writer.history("bare3") == [])
        #expect(writer.do(.runBegan(.sample("bare3", 2))) == .unknown)
        writer.close()
        let next = try folder.writer()
        #expect(next.names == expected)
        #expect(next.history(limit: 1000).count == 296)
        next.close()
    }

    /// Something of each kind that can be kept of it.
    private func scheduled(of app: String) -> [StoreChange] {
        [
            .notificationKept(.sample(app, "n")), .badgeSet(app, 2),
            .fetchSet(StoredFetch(app: app, interval: 0, last: 5, fruitless: 1)),
            .opened(StoredOpening(app: app, time: 5, shown: "2096-07-01T08:00:00")),
            .pushKept(StoredPush(app: app, number: 1, received: 1, apnsID: nil, isSilent: true, payload: "{}")),
            .requestKept(
                StoredRequest(
                    key: StoredRequest.Key(app: app, id: "r"), kind: "refresh", earliest: nil, needsNetwork: false,
                    submitted: 1)),
        ]
    }

    /// Whose anything of each kind is.
    private func scheduling(_ server: StoredServer) -> [[String]] {
        [
            Array(server.notifications.keys), Array(server.badges.keys), server.fetches.map(\.app),
            server.openings.map(\.app), server.pushes.map(\.app), server.requests.map(\.key.app),
        ]
    }

    @Test(
        "What a command had scheduled goes with it, whether it was written before or not", arguments: [true, false])
    func forgotten(isWritten: Bool) throws {
        defer { folder.remove() }
        var writer = try folder.writer()
        let removed = (0...StoreBounds.removedCommands).map { "bare\($0)" }
        let kept = removed.flatMap { [StoreChange.appLaunched(.sample($0), toFront: true), .appRemoved($0)] }
        let changes = kept + scheduled(of: "bare0") + scheduled(of: "bare1")
        if isWritten {
            #expect(writer.do(.together(changes)) == .kept)
            writer.close()
            writer = try folder.writer()
            let before = scheduling(writer.load())
            #expect(before.allSatisfy { $0.sorted() == ["bare0", "bare1"] })
            #expect(writer.do(.pruneRuns) == .kept)
        } else {
            #expect(writer.do(.together(changes + [.pruneRuns])) == .kept)
        }
        #expect(!writer.names.contains("bare0"))
        let inMemory = scheduling(writer.load())
        // Of pushes and openings that have come since it was opened only the database knows.
        let expected = ["bare1"]
        #expect(inMemory.allSatisfy { $0 == expected || !isWritten && $0.isEmpty })
        writer.close()
        writer = try folder.writer()
        let afterwards = scheduling(writer.load())
        #expect(afterwards.allSatisfy { $0 == expected })
        // One of that name which is launched later has nothing of it.
        #expect(writer.do(.appLaunched(.sample("bare0"), toFront: true)) == .kept)
        let again = scheduling(writer.load())
        #expect(again.allSatisfy { $0 == expected })
        writer.close()
    }

    @Test("A database that is lost is written again without what was forgotten")
    func forgottenTwice() throws {
        defer { folder.remove() }
        var writer = try folder.writer()
        let removed = (0...StoreBounds.removedCommands).map { "bare\($0)" }
        let kept = removed.flatMap { [StoreChange.appLaunched(.sample($0), toFront: true), .appRemoved($0)] }
        #expect(writer.do(.together(kept + scheduled(of: "bare0"))) == .kept)
        #expect(writer.do(.pruneRuns) == .kept)
        for name in folder.names where name != "server.sqlite.lock" { unlink(folder.directory + "/" + name) }
        #expect(writer.do(.appLaunched(.sample("new"), toFront: true)) == .kept)
        writer.close()
        writer = try folder.writer()
        defer { writer.close() }
        #expect(writer.names.contains("bare1"))
        #expect(scheduling(writer.load()) == Array(repeating: [], count: 6))
    }

    @Test("Openings of the 28 days before an app's latest, the oldest first")
    func openings() throws {
        defer { folder.remove() }
        var writer = try folder.writer()
        let day: Int64 = 86_400_000_000
        for (app, number) in [("a", 0), ("b", 1), ("a", 1), ("a", 28), ("a", 29)] as [(String, Int64)] {
            writer.note(.opened(StoredOpening(app: app, time: number * day, shown: "2096-07-01T08:00:00")))
        }
        writer.close()
        writer = try folder.writer()
        defer { writer.close() }
        let kept = writer.load().openings
        #expect(kept.map { "\($0.app)\($0.time / day)" } == ["a1", "b1", "a28", "a29"])
    }

    @Test("The last 64 pushes of an app, each as it was delivered")
    func pushes() throws {
        defer { folder.remove() }
        var writer = try folder.writer()
        for number in 1...70 {
            writer.note(
                .pushKept(
                    StoredPush(
                        app: number % 35 == 0 ? "b" : "a", number: number, received: 1, apnsID: "\(number)",
                        isSilent: true, payload: "p\(number)")))
        }
        writer.note(.pushDelivered(app: "a", number: 69, at: 7))
        #expect(writer.ask(.push(app: "a", number: 4)) == [.push(nil)])
        writer.close()
        writer = try folder.writer()
        defer { writer.close() }
        let kept = writer.load().pushes
        #expect(kept.map(\.number) == Array(5...70))
        #expect(kept[64].delivered == 7)
        #expect(kept[64].payload == "")
        let found = writer.ask(.push(app: "a", number: 69), .push(app: "a", number: 70))
        guard case .push(let push) = found[0] else { return _ = Issue.record("no answer: \(found)") }
        #expect(push?.payload == "p69")
        #expect(found[1] == .push(nil))
    }
}
