import CurfewCore
import Testing

@testable import CurfewEngine

@Suite("A server that was off for a week, and 10,000 notifications that have come due meanwhile")
struct ScheduleFloodTests {
    private static let count = 10_000
    private static let apps = 200
    private let records = FakeRecords()
    private let scene: ServeScene
    private let client: ControlClient
    /// When the first was due, in seconds since 1970; one each minute followed it.
    private let start: Int64

    init() {
        start = WallTimer.now.microseconds / 1_000_000 - 7 * 86_400
        records.kept.notifications = Self.kept(since: start)
        records.kept.requests = [
            RequestRecord(app: "feed", request: TaskRequest(id: "r", kind: .refresh), submitted: .seconds(start))
        ]
        scene = ServeScene(records: records)
        client = scene.client()
        for app in ["feed", "late"] { scene.definitions.define(app) }
        scene.host.desk.arm()
    }

    /// Of one app after the other, and in no order, as they are kept.
    private static func kept(since start: Int64) -> [String: [(notification: LocalNotification, passed: Int64)]] {
        var kept: [String: [(notification: LocalNotification, passed: Int64)]] = [:]
        var random = SplitMix64(seed: 1)
        for number in (0..<count).shuffled(using: &random) {
            let notification = LocalNotification(
                id: "n\(number)", rule: CalendarRule(.moment(.seconds(start + 60 * Int64(number)))),
                content: LocalNotification.Content(title: "A"))
            kept["app\(number % apps)", default: []].append((notification: notification, passed: 0))
        }
        return kept
    }

    /// One turn of the loop; what is over by it, as it is noted.
    private func turn() -> [String] {
        let before = records.noted.count
        for each in scene.host.loop.ready(within: 1_000) { scene.host.handle(each) }
        return records.noted[before...].filter { $0.hasSuffix(" over") }
    }

    /// So many turns, or as many as it takes until nothing is due.
    private func turns(_ count: Int) -> [[String]] {
        var turns: [[String]] = []
        while turns.count < count, let due = scene.host.desk.schedules.nextDue, due <= WallTimer.now {
            turns.append(turn())
        }
        return turns
    }

    @Test("So many come in a turn, by time and once each; who asks meanwhile is answered in between")
    func flood() {
        var turns = turns(100)
        turns += turnsWithQuestions()
        turns += turnsWithLateOnes()
        let place = turns.joined().count
        keepLateOnes()
        turns += self.turns(700)
        #expect(turns.allSatisfy { $0.count <= ScheduleDesk.deliveriesPerTurn })
        expectAll(Array(turns.joined()), firstLateOneAt: place)
        #expect(scene.host.desk.schedules.nextDue == nil)
        #expect(scene.state("feed") == .background)
    }

    // MARK: Meanwhile

    /// A client's turn is as long as it really takes: on a busy machine what it asks for, and what it is answered, comes in several.
    private static let mostTurns = 40

    /// Turns until that is so.
    private func turns(until isSo: () -> Bool) -> [[String]] {
        var turns: [[String]] = []
        while !isSo() {
            guard turns.count < Self.mostTurns else {
                Issue.record("it isn't so after \(turns.count) turns")
                break
            }
            turns.append(turn())
        }
        return turns
    }

    private func turnsWithQuestions() -> [[String]] {
        client.send(["status id=1", "schedule id=2 app=app199"])
        let most = waiting
        var answers: [String] = []
        let turns = self.turns {
            answers += client.read()
            return answers.last?.hasPrefix("ok id=2 ") == true
        }
        let listed = answers.count - 2
        #expect(answers.first == "ok id=1 count=0")
        #expect(answers.last == "ok id=2 count=\(listed)")
        #expect((waiting...most).contains(listed))
        return turns
    }

    private var waiting: Int { scene.host.desk.schedules["app199"]?.notifications.pending.count ?? 0 }

    /// Due before all that wait, among them, and after them.
    private func turnsWithLateOnes() -> [[String]] {
        client.send([
            "notify id=3 app=late notification=first at=@5 title=A",
            "notify id=4 app=late notification=between at=@\(start + 60 * 3_000 + 30) title=A",
            "notify id=5 app=late notification=last title=A",
        ])
        return turns { records.noted.count { $0.hasPrefix("keep late ") } == 3 }
    }

    private func keepLateOnes() {
        for _ in 0..<3 { records.answer(.done) }
        scene.host.recordsAnswered()
        let words = client.read().map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
        #expect(
            words == ["ok id=3 notification=first", "ok id=4 notification=between", "ok id=5 notification=last"])
    }

    // MARK: In the end

    private func expectAll(_ over: [String], firstLateOneAt place: Int) {
        var expected = (0..<Self.count).map { "notification app\($0 % Self.apps) n\($0) over" }
        expected.insert("notification late between over", at: 3_001)
        expected.insert("notification late first over", at: place)
        // The request was due when the server began.
        expected += ["request feed r over", "notification late last over"]
        #expect(over.count == expected.count)
        let wrong = zip(over, expected).first { $0 != $1 }.map { "\($0.0), and not \($0.1)" }
        #expect(wrong == nil)
        let told = scene.told.count { $0.hasSuffix(": A") }
        #expect(told == over.count - 1)
    }
}
