import Glibc
import Testing

@testable import CurfewStore

@Suite("A server that is killed", .timeLimit(.minutes(5)))
struct KillTests {
    /// A line of `store-worker keep`.
    private struct Promise {
        var what: Substring
        var app: String
        var number: Int

        init?(_ line: String) {
            let words = line.split(separator: " ")
            guard words.count == 3, let number = Int(words[2]) else { return nil }
            (what, app, self.number) = (words[0], String(words[1]), number)
        }

        func isKept(by keeper: StoreKeeper) -> Bool {
            switch what {
            case "launched": keeper.load().apps.contains { $0.name == app && $0.launches >= number }
            case "began": keeper.history(app, limit: 10_000).contains { $0.number == number }
            default: keeper.history(app, limit: 10_000).contains { $0.number == number && $0.end?.reason == "exited" }
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
            let keeper = try folder.keeper()
            #expect(keeper.takeNews() == [], "round \(round)")
            for promise in promises.suffix(200) {
                #expect(promise.isKept(by: keeper), "round \(round): \(promise)")
            }
            keeper.close()
        }
        #expect(promises.count > 100)
    }
}
