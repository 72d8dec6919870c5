import Glibc
import Testing

@testable import CurfewStore

@Suite("A server that is killed", .timeLimit(.minutes(5)))
struct KillTests {
    /// A line of `store-worker keep`: what was answered, of that turn of an app.
    private struct Promise {
        var what: String
        var app: String
        var number: Int

        init?(_ line: String) {
            let words = line.split(separator: " ")
            guard words.count == 3, let number = Int(words[2]) else { return nil }
            (what, app, self.number) = (String(words[0]), String(words[1]), number)
        }

        /// What a later turn has put in its place counts as well.
        func isKept(by server: StoredServer, _ writer: StoreWriter) -> Bool {
            let time = Int64(number)
            let push = server.pushes.first { $0.app == app && $0.number == number }
            let notifications = server.notifications[app] ?? []
            let requests = server.requests.filter { $0.key.app == app }
            switch what {
            case "launched": return server.apps.contains { $0.name == app && $0.launches >= number }
            case "began": return writer.history(app, limit: 10_000).contains { $0.number == number }
            case "ended":
                return writer.history(app, limit: 10_000).contains { $0.number == number && $0.end?.reason == "exited" }
            case "scheduled": return notifications.contains { $0.key.id == "series" && $0.passed >= time }
            case "submitted": return requests.contains { $0.key.id == "stays" && $0.submitted >= time }
            case "passed": return !notifications.contains { $0.key.id == "once" && $0.passed <= time }
            case "done": return !requests.contains { $0.key.id == "once" && $0.submitted <= time }
            case "badged": return server.badges[app] ?? 0 >= number
            case "pushed": return push != nil
            case "delivered": return push?.delivered != nil
            case "fetched": return server.fetches.contains { $0.app == app && $0.interval ?? 0 >= time }
            case "opened": return server.openings.contains { $0.app == app && $0.time == time }
            default: return false
            }
        }
    }

    @Test("Thirty times, at any instant: what was answered is there, and the database is sound")
    func kills() throws {
        let folder = Folder()
        defer { folder.remove() }
        var random = SplitMix64(seed: 14)
        var promises: [Promise] = []
        for round in 1...30 {
            let worker = try #require(Child.worker("keep", folder.directory))
            for _ in 0..<random.below(40) {
                guard let line = worker.line() else { break }
                promises.append(try #require(Promise(line), "\(line)"))
            }
            worker.kill()
            promises += worker.lines().compactMap(Promise.init)
            let status = worker.wait()
            #expect(status & 0x7f == SIGKILL, "round \(round)")
            let writer = try folder.writer()
            #expect(writer.takeNews() == [], "round \(round)")
            let server = writer.load()
            for promise in promises.suffix(400) {
                #expect(promise.isKept(by: server, writer), "round \(round): \(promise)")
            }
            writer.close()
        }
        let what = Dictionary(grouping: promises, by: \.what).mapValues(\.count)
        #expect(what.count == 12 && what.values.allSatisfy { $0 > 10 }, "\(what)")
    }

    /// Each of these calls in turn with CURFEW_TEST_EVERY_CALL (`make kills`), else one of so many, from one at random.
    private static let stride = getenv("CURFEW_TEST_EVERY_CALL") == nil ? 7 : 1
    /// By which SQLite and the store change a file system.
    private static let calls = ["pwrite64", "fdatasync", "fsync", "ftruncate", "unlink", "mkdirat"]

    /// A call's number counts for each of the worker's threads: what opens a database is met before what commits, so it is
    /// an old one's life in which commits are.
    @Test(
        "At a call that writes, from a server's start to its end: what was answered is there, and the next one goes on",
        .enabled(if: Child.canTrace, "no process can be traced here"), arguments: Child.Fate.allCases, [false, true])
    func atCalls(fate: Child.Fate, hasPast: Bool) throws {
        var count = 0
        for call in Self.calls {
            var number = Int.random(in: 1...Self.stride)
            var folder = Folder()
            defer { folder.remove() }
            var promises = hasPast ? try past(in: folder) : []
            while try meets(fate, at: call, number, in: folder, &promises) {
                count += 1
                number += Self.stride
                if hasPast { continue }
                folder.remove()
                (folder, promises) = (Folder(), [])
            }
        }
        #expect(count >= 3, "so often was it met")
    }

    private func past(in folder: Folder) throws -> [Promise] {
        let worker = try #require(Child.worker("live", folder.directory))
        defer { worker.wait() }
        return worker.lines().compactMap(Promise.init)
    }

    /// False where the worker makes fewer such calls. `promises`: all that were made of this folder's.
    private func meets(
        _ fate: Child.Fate, at call: String, _ number: Int, in folder: Folder, _ promises: inout [Promise]
    ) throws -> Bool {
        let worker = try #require(
            Child.worker(meeting: fate, at: call, number, trace: folder.trace, "live", folder.directory))
        let lines = worker.lines()
        // Whoever couldn't read what there was begins to count anew, and may keep that in its place.
        if fate != .killed { promises = [] }
        promises += lines.compactMap(Promise.init)
        let status = worker.wait()
        // Whatever fails, it goes on to its end.
        if fate != .killed { #expect(status == 0 && lines.last == "closed", "\(call) \(number): \(status) \(lines)") }
        let writer = try folder.writer()
        #expect(writer.takeNews() == [], "\(call) \(number)")
        let server = writer.load()
        for promise in promises { #expect(promise.isKept(by: server, writer), "\(call) \(number): \(promise)") }
        #expect(writer.do(.appLaunched(.sample("next"), toFront: true)) == .kept, "\(call) \(number)")
        writer.close()
        let told = String(decoding: readFile(folder.trace), as: UTF8.self)
        return told.contains("(INJECTED)") || told.contains("killed by SIGKILL")
    }
}
