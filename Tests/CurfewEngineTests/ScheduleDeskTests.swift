import CurfewCore
import Testing

@testable import CurfewEngine

@Suite("What a server's apps have scheduled, as it is asked")
struct ScheduleDeskTests {
    private let scene = ServeScene()

    private func answer(_ answer: RecordAnswer) -> [String] {
        scene.records?.answer(answer)
        scene.host.recordsAnswered()
        return scene.read()
    }

    private var waiting: [String] {
        (scene.host.desk.schedules["mail"]?.notifications.pending ?? []).map(\.notification.id)
    }

    @Test("It counts, and is answered, once it is kept")
    func kept() {
        scene.launch("mail")
        #expect(scene.ask("notify id=1 app=mail notification=a at=@4000000000 title=A") == [])
        #expect(waiting == [])
        #expect(answer(.done) == ["ok id=1 notification=a due=4000000000.000"])
        #expect(waiting == ["a"])
        #expect(scene.ask("cancel id=2 app=mail notification=a") == [])
        #expect(waiting == ["a"])
        #expect(answer(.done) == ["ok id=2"])
        #expect(waiting == [])
        #expect(scene.records?.noted.suffix(2) == ["keep mail a 0", "drop mail a"])
    }

    @Test("What can't be kept changes nothing")
    func busy() {
        scene.launch("mail")
        scene.ask("notify id=1 app=mail notification=a at=@4000000000 title=A")
        _ = answer(.done)
        scene.ask("notify id=2 app=mail notification=b at=@4000000000 title=B")
        #expect(answer(.busy).first?.hasPrefix("error id=2 code=busy ") == true)
        scene.ask("cancel id=3 app=mail all=1")
        #expect(answer(.busy).first?.hasPrefix("error id=3 code=busy ") == true)
        #expect(waiting == ["a"])
        scene.records?.isFull = true
        #expect(scene.code("notify id=4 app=mail title=C") == "busy")
    }

    @Test("Whoever is pushed out is noted as gone")
    func dropped() {
        scene.launch("mail")
        for number in 0...64 {
            scene.ask("notify id=1 app=mail notification=n\(number) at=@\(4_000_000_000 + number) title=A")
            let told = answer(.done)
            #expect(told.first?.hasSuffix(number < 64 ? ".000" : " dropped=n64") == true, "\(told)")
        }
        #expect(scene.records?.noted.last == "notification mail n64 over")
    }

    @Test("Due, with nothing that shows it, it is told here; what is kept of it goes, and the badge stands")
    func delivered() {
        scene.launch("mail")
        scene.ask("notify id=1 app=mail notification=a at=@5 title=A body=B badge=2")
        _ = answer(.done)
        scene.host.desk.timeCame()
        #expect(scene.told.last?.hasSuffix("notification from mail: A: B") == true)
        #expect(scene.records?.noted.suffix(2) == ["notification mail a over", "badge mail 2"])
        #expect(scene.host.desk.schedules["mail"]?.badge == 2)
        #expect(waiting == [])
    }

    /// A server that finds so many that are due.
    private static func scene(due count: Int) -> ServeScene {
        let records = FakeRecords()
        records.kept.notifications = (0..<count).map { number in
            NotificationRecord(
                app: "mail",
                notification: LocalNotification(
                    id: "n\(number)", rule: CalendarRule(.moment(.seconds(Int64(number)))),
                    content: LocalNotification.Content(title: "A")), passed: 0)
        }
        return ServeScene(records: records)
    }

    @Test("However many are due at once, so many a turn")
    func turns() {
        let scene = Self.scene(due: 40)
        let told = (0..<3).map { _ in
            scene.host.desk.timeCame()
            return scene.told.filter { $0.contains("notification from mail") }.count
        }
        #expect(told == [16, 32, 40])
    }

    @Test("A server that ends delivers nothing more")
    func ending() {
        let scene = Self.scene(due: 1)
        scene.host.end()
        scene.host.desk.timeCame()
        #expect(scene.told.isEmpty)
        #expect(scene.host.desk.schedules["mail"]?.notifications.pending.count == 1)
    }

    @Test("What repeats and is long begun waits for its next moment; that is kept with it")
    func repeated() {
        scene.launch("mail")
        scene.ask("notify id=1 app=mail notification=a at=@60 repeat=60 title=A")
        let passed = scene.records?.noted.last?.split(separator: " ").last.flatMap { Int($0) } ?? 0
        #expect(passed > 29_000_000)
        _ = answer(.done)
        scene.host.desk.timeCame()
        #expect(waiting == ["a"])
    }

    @Test("What manifests say of fetching counts from when they are read, and no more once they don't")
    func intervals() {
        scene.definitions.define("mail")
        scene.definitions.reloaded.fetchIntervals = ["mail": .seconds(3600)]
        scene.ask("reload id=1")
        #expect(scene.host.desk.schedules["mail"]?.fetch.learns == true)
        scene.definitions.reloaded.fetchIntervals = [:]
        scene.ask("reload id=2")
        #expect(scene.host.desk.schedules["mail"] == nil)
    }

    @Test("What an app asks for itself counts once it is kept; its openings are kept from then on")
    func asked() {
        scene.launch("mail")
        scene.ask("fetch-interval id=1 app=mail seconds=7200")
        #expect(scene.host.desk.schedules["mail"] == nil)
        #expect(answer(.done).first?.hasPrefix("ok id=1 due=") == true)
        scene.launch("chat")
        scene.ask("open id=2 app=mail")
        #expect(scene.records?.noted.suffix(2) == ["open mail", "opened mail"])
        scene.ask("fetch-interval id=3 app=mail seconds=never")
        #expect(answer(.busy).first?.hasPrefix("error id=3 code=busy ") == true)
        #expect(scene.host.desk.schedules["mail"]?.fetch.learns == true)
    }

    private func push(_ id: String) {
        scene.ask(#"push id=1 app=mail apns-id=\#(id) payload="{\"aps\":{\"content-available\":1}}""#)
    }

    @Test("What can't be kept may be pushed again; what is kept is one, whatever its result")
    func pushes() {
        scene.launch("mail")
        push("a")
        #expect(answer(.busy).first?.hasPrefix("error id=1 code=busy ") == true)
        push("a")
        #expect(answer(.done) == ["ok id=1 push=2"])
        #expect(scene.records?.noted.last == "push mail 2 delivered")
        push("a")
        #expect(scene.read() == [])
        #expect(scene.records?.noted.last == "push mail 2 delivered")
    }

    @Test("Of silent ones three come at once; a later one takes the place of one that waits")
    func silent() {
        scene.launch("mail")
        for id in ["a", "b", "c", "d", "e"] {
            push(id)
            _ = answer(.done)
        }
        #expect(scene.records?.noted.suffix(2) == ["keep push mail 5", "push mail 4 never"])
        #expect(scene.host.desk.schedules["mail"]?.pushes.kept == 5)
        #expect(scene.host.desk.keptBack["mail"]?.number == 5)
    }

    @Test("What was kept is there again; of too many the soonest")
    func restored() {
        let records = FakeRecords()
        records.kept.notifications = (0..<70).reversed().map { number in
            NotificationRecord(
                app: "mail",
                notification: LocalNotification(
                    id: "n\(number)", rule: CalendarRule(.moment(.seconds(4_000_000_000 + number)))), passed: 0)
        }
        records.kept.badges = ["mail": 3]
        let scene = ServeScene(records: records)
        let schedule = scene.host.desk.schedules["mail"]
        #expect(schedule?.notifications.pending.count == 64)
        #expect(schedule?.notifications.pending.last?.notification.id == "n63")
        #expect(schedule?.badge == 3)
    }
}
