import CurfewLinux
import Glibc
import Testing

@testable import CurfewCore
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

    @Test("Of what waits to be kept an app has a quarter, and is told so; others go on")
    func ownPlaces() throws {
        let app = try #require(scene.launch("mail"))
        let (first, second) = (scene.pipe(of: app), scene.pipe(of: app))
        for number in 0..<16 { scene.ask("notify id=1 notification=n\(number) at=@4000000000 title=A", by: first) }
        #expect(
            scene.ask("notify id=2 notification=more at=@4000000000 title=A", by: second) == [
                "error id=2 code=busy message=\"16 requests of mail wait to be kept, as many as may of one app; "
                    + "ask again once one is answered\""
            ])
        #expect(scene.ask("notify id=3 app=mail notification=other at=@4000000000 title=A") == [])
        _ = answer(.done)
        #expect(scene.ask("notify id=4 notification=more at=@4000000000 title=A", by: second) == [])
        #expect(scene.records?.noted.last == "keep mail more 0")
    }

    @Test(
        "One that falls due while another of its id is being kept leaves what is kept of that one alone",
        arguments: [true, false])
    func replaced(isKept: Bool) {
        scene.launch("mail")
        scene.ask("notify id=1 app=mail notification=a at=@4000000000 title=A")
        _ = answer(.done)
        scene.ask("notify id=2 app=mail notification=a at=@4000000001 title=B")
        let old = LocalNotification(id: "a", rule: CalendarRule(.moment(.seconds(4_000_000_000))))
        scene.host.noteDelivery(Schedules.Due(app: "mail", notification: old, passed: nil), badge: nil)
        #expect(scene.records?.noted.last == "keep mail a 0")
        _ = answer(isKept ? .done : .busy)
        #expect(scene.records?.noted.last == (isKept ? "keep mail a 0" : "notification mail a over"))
    }

    @Test("To cancel all cancels what is being kept, too")
    func cancelAll() {
        scene.launch("mail")
        scene.ask("notify id=1 app=mail notification=a at=@4000000000 title=A")
        scene.ask("cancel id=2 app=mail all=1")
        #expect(scene.records?.noted.last == "drop mail a")
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
        records.kept.notifications["mail"] = (0..<count).map { number in
            let notification = LocalNotification(
                id: "n\(number)", rule: CalendarRule(.moment(.seconds(Int64(number)))),
                content: LocalNotification.Content(title: "A"))
            return (notification, 0)
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

    @Test("However many fetch, after the clock was set so many are planned anew in a turn, and then comes what is due")
    func plans() {
        let records = FakeRecords()
        records.kept.fetches = (0..<40).map { number in
            FetchRecord(app: "app\(number)", asked: .seconds(3600), lastFetch: nil, fruitless: 0)
        }
        let scene = ServeScene(records: records)
        let desk = scene.host.desk
        // So far it is only known what they go by.
        #expect(desk.schedules.nextDue == nil)
        desk.schedules.forgetPlans()
        let planned = (0..<4).map { _ in
            desk.timeCame()
            return desk.schedules.names.count { desk.schedules[$0]?.fetch.due != nil }
        }
        #expect(planned == [16, 32, 40, 40])
        // None can be launched.
        let obstacles = desk.schedules.names.compactMap { desk.schedules[$0]?.fetch.obstacle }
        #expect(obstacles == Array(repeating: .cantBeLaunched, count: ScheduleDesk.deliveriesPerTurn))
    }

    @Test("In another zone so many that go by its clocks are planned anew in a turn; then comes what is due there")
    func zone() throws {
        let records = FakeRecords()
        for app in 0..<40 {
            records.kept.notifications["app\(app)"] = try (0..<8).map { number in
                let start = try #require(CivilTime(year: 2001, month: 1, day: 1 + number))
                return (LocalNotification(id: "n\(number)", rule: CalendarRule(.civil(start, .local), .daily)), 40_000)
            }
        }
        let scene = ServeScene(records: records)
        let desk = scene.host.desk
        let before = desk.schedules.names.map { desk.schedules[$0]?.notifications.nextDue }
        scene.zones.local = -3600
        let asked = scene.zones.questions
        desk.zoneChanged()
        let each = scene.zones.questions - asked
        let questions = (0..<19).map { _ in
            let asked = scene.zones.questions
            desk.timeCame()
            return scene.zones.questions - asked
        }
        #expect(scene.zones.readings == 1)
        #expect(questions.allSatisfy { $0 == each })
        #expect(!desk.schedules.hasUnplanned)
        let moved = desk.schedules.names.map { desk.schedules[$0]?.notifications.nextDue }
        #expect(moved == before.map { $0.map { $0 + Span.seconds(3 * 3600) } })
    }

    @Test("Who asks what an app has scheduled hears it by the new zone, whoever's turn it is")
    func zoneAsked() throws {
        let records = FakeRecords()
        for app in 0..<40 {
            let start = try #require(CivilTime(year: 2096, month: 1, day: 1))
            let notification = LocalNotification(id: "n", rule: CalendarRule(.civil(start, .local)))
            records.kept.notifications["app\(app)"] = [(notification, 0)]
        }
        let scene = ServeScene(records: records)
        scene.zones.local = 0
        scene.host.desk.schedules.zoneChanged()
        let due = (0..<40).map { app in
            scene.ask("schedule id=1 app=app\(app)").first { $0.contains(#"shown="2096-01-01 00:00:00 +00:00""#) }
                != nil
        }
        #expect(due == Array(repeating: true, count: 40))
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

    private func push(_ id: String) { scene.ask(pushing(id, number: 1)) }

    private func pushing(_ id: String, number: Int) -> String {
        #"push id=\#(number) app=mail apns-id=\#(id) payload="{\"aps\":{\"content-available\":1}}""#
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

    @Test("One that comes again while the first of its id is being kept is answered as that one is")
    func repeatedPush() {
        scene.launch("mail")
        let other = scene.client()
        push("a")
        #expect(scene.ask(pushing("a", number: 2), by: other) == [])
        #expect(answer(.busy).first?.hasPrefix("error id=1 code=busy ") == true)
        #expect(other.read().map { $0.hasPrefix("error id=2 code=busy ") } == [true])
        #expect(scene.ask(pushing("a", number: 3), by: other) == [])
        push("a")
        // Whose app gets so much meanwhile that the id is none of its latest.
        for number in 0..<AppSchedule.knownPushes {
            _ = scene.host.desk.schedules.change("mail") { $0.isNew(push: "n\(number)") }
        }
        push("a")
        #expect(answer(.done) == ["ok id=1 ignored=known-apns-id", "ok id=1 ignored=known-apns-id"])
        #expect(other.read() == ["ok id=3 push=2"])
        #expect(scene.records?.noted.filter { $0.hasPrefix("keep push ") } == ["keep push mail 1", "keep push mail 2"])
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

    @Test("A server that ends takes a push and leaves it to the next one")
    func pushedAtTheEnd() {
        scene.launch("mail")
        push("a")
        scene.host.end()
        #expect(answer(.done).contains("ok id=1 push=1"))
        #expect(scene.records?.noted.contains("push mail 1 delivered") == false)
    }

    @Test("A silent push whose app can't be launched isn't delivered, and people are told")
    func unlaunchable() {
        scene.launch("mail")
        scene.end("mail")
        push("a")
        scene.programs.error = SpawnError(stage: .exec, errno: ENOENT)
        _ = answer(.done)
        #expect(scene.told.last?.contains("can't be told of push 1, of which the next start tells it: ") == true)
        #expect(scene.records?.noted.contains("push mail 1 delivered") == false)
    }

    @Test("Of silent pushes that a server has left the latest waits, unless it was delivered; the others never come")
    func restoredPushes() {
        func record(_ number: Int, delivered: WallTime? = nil) -> PushRecord {
            PushRecord(
                app: "mail", number: number, received: .seconds(5), apnsID: nil, isSilent: true, delivered: delivered,
                payload: "{}")
        }
        let records = FakeRecords()
        records.kept.pushes = [record(1), record(2)]
        #expect(ServeScene(records: records).host.desk.keptBack["mail"]?.number == 2)
        #expect(records.noted == ["push mail 1 never"])
        let later = FakeRecords()
        later.kept.pushes = [record(1), record(2, delivered: .seconds(6))]
        #expect(ServeScene(records: later).host.desk.keptBack.isEmpty)
        #expect(later.noted == ["push mail 1 never"])
    }

    // MARK: Refresh and processing requests

    private func submit(_ words: String, _ scene: ServeScene? = nil) {
        let scene = scene ?? self.scene
        scene.ask("submit id=1 app=photos \(words)")
        scene.records?.answer(.done)
        scene.host.recordsAnswered()
        let told = scene.read()
        #expect(told.last?.hasPrefix("ok id=1 request=") == true, "\(told)")
        scene.host.desk.timeCame()
    }

    /// Of each that waits or runs: its id, and why it waits.
    private func listed(_ scene: ServeScene? = nil) -> [String] {
        (scene ?? self.scene).ask("schedule id=9 app=photos").dropLast().map { line in
            let fields = line.split(separator: " ").filter { $0.hasPrefix("request=") || $0.hasPrefix("waits=") }
            return fields.map { $0.drop { $0 != "=" }.dropFirst() }.joined(separator: " ")
        }
    }

    /// Ended once, so that it is known and doesn't run.
    private func knowPhotos() {
        scene.launch("photos")
        scene.end("photos")
    }

    @Test("A request launches its app into background once it is kept, once, and is over with it")
    func request() {
        knowPhotos()
        scene.ask("submit id=1 app=photos kind=processing request=index")
        scene.host.desk.timeCame()
        #expect(scene.state("photos") == nil)
        #expect(answer(.done) == ["ok id=1 request=index"])
        scene.host.desk.timeCame()
        #expect(scene.state("photos") == .background)
        #expect(scene.records?.noted.contains("keep processing photos index") == true)
        #expect(scene.records?.noted.contains("request photos index over") == true)
        #expect(listed() == ["index runs"])
        scene.end("photos")
        scene.pass(ScheduleDesk.workPause)
        scene.host.desk.timeCame()
        #expect(scene.state("photos") == nil)
        #expect(listed() == [])
        #expect(scene.host.desk.nextWorkLook == nil)
    }

    @Test("What can't be kept, or is one too many, changes nothing")
    func refused() {
        knowPhotos()
        scene.ask("submit id=1 app=photos kind=refresh request=a in=3600")
        #expect(answer(.busy).first?.hasPrefix("error id=1 code=busy ") == true)
        #expect(listed() == [])
        submit("kind=refresh request=a in=3600")
        #expect(scene.code("submit id=2 app=photos kind=refresh request=b") == "too-many-requests")
        submit("kind=refresh request=a in=7200")
        for number in 1...10 { submit("kind=processing request=p\(number) in=3600") }
        #expect(scene.code("submit id=2 app=photos kind=processing request=p11") == "too-many-requests")
        submit("kind=processing request=p3 in=7200")
        #expect(listed().count == 11)
    }

    @Test("Two that are kept at once: the one too many is refused then, and nothing is left of it")
    func race() {
        knowPhotos()
        scene.ask("submit id=1 app=photos kind=refresh request=a in=60")
        scene.ask("submit id=2 app=photos kind=refresh request=b in=60")
        #expect(answer(.done) == ["ok id=1 request=a"])
        #expect(answer(.done).first?.hasPrefix("error id=2 code=too-many-requests ") == true)
        #expect(scene.records?.noted.last == "request photos b over")
        #expect(listed() == ["a too-early"])
    }

    @Test("One that is launched for while another is kept in its place leaves that one's row, unless it can't be kept")
    func replacedMeanwhile() {
        knowPhotos()
        submit("kind=processing request=index in=3600")
        scene.ask("submit id=1 app=photos kind=processing request=index in=7200")
        scene.ask("run-request id=2 app=photos request=index")
        #expect(scene.records?.noted.contains("request photos index over") == false)
        #expect(answer(.done) == ["ok id=1 request=index", "ok id=2 state=background"])
        #expect(listed() == ["index runs", "index too-early"])
        #expect(scene.records?.noted.contains("request photos index over") == false)
        scene.ask("submit id=3 app=photos kind=processing request=index in=9000")
        scene.end("photos")
        scene.pass(ScheduleDesk.workPause)
        scene.ask("run-request id=4 app=photos request=index")
        #expect(answer(.busy).first?.hasPrefix("error id=3 code=busy ") == true)
        #expect(scene.records?.noted.last == "request photos index over")
    }

    @Test("Cancelled, one or all, they wait no more")
    func cancelled() {
        knowPhotos()
        for id in ["a", "b", "c"] { submit("kind=processing request=\(id) in=60") }
        scene.ask("cancel id=2 app=photos request=b")
        #expect(answer(.done) == ["ok id=2"])
        scene.ask("cancel id=3 app=photos request=b")
        #expect(answer(.done) == ["ok id=3 ignored=unknown-request"])
        #expect(listed() == ["a too-early", "c too-early"])
        scene.ask("cancel id=4 app=photos all=requests")
        #expect(answer(.done) == ["ok id=4"])
        #expect(scene.records?.noted.last == "drop requests photos a,c")
        #expect(listed() == [])
        #expect(scene.host.desk.schedules["photos"] == nil)
    }

    @Test(
        "What isn't one is refused",
        arguments: [
            "request=a", "kind=fetch request=a", "kind=refresh", #"kind=refresh request="""#,
            #"kind=refresh request="a b""#,
            "kind=refresh request=a earliest=soon", "kind=refresh request=a in=-1",
            "kind=refresh request=a in=1 earliest=08:00", "kind=refresh request=a needs-network=yes",
            "kind=processing request=a needs-power=2",
        ])
    func invalid(words: String) {
        knowPhotos()
        #expect(scene.code("submit id=1 app=photos \(words)") == "invalid")
        #expect(scene.host.desk.schedules["photos"] == nil)
    }

    @Test("Processing waits for an idle machine, and for what it needs; a refresh doesn't")
    func obstacles() {
        knowPhotos()
        scene.reading.cpuStall = 50
        scene.reading.isOnline = false
        scene.reading.isOnPower = false
        submit("kind=processing request=index")
        submit("kind=processing request=upload needs-network=1")
        submit("kind=processing request=encode needs-power=1")
        #expect(listed() == ["index machine-in-use", "upload offline", "encode on-battery"])
        #expect(scene.state("photos") == nil)
        submit("kind=refresh request=news")
        #expect(scene.state("photos") == .background)
        #expect(scene.records?.noted.contains("request photos news over") == true)
    }

    @Test("In front it waits, and so it does while another of the app's runs; a removed app isn't launched")
    func inTheWay() {
        scene.launch("photos")
        submit("kind=processing request=a")
        #expect(listed() == ["a app-in-front"])
        scene.end("photos")
        submit("kind=processing request=b")
        #expect(listed() == ["a runs", "b other-runs"] || listed() == ["a runs", "b"])
        scene.end("photos")
        scene.ask("remove id=5 app=photos")
        _ = answer(.done)
        scene.pass(ScheduleDesk.workPause)
        scene.host.desk.timeCame()
        #expect(listed() == ["b app-removed"])
        #expect(scene.state("photos") == nil)
    }

    @Test("Who asks what waits is told before when it doesn't come, where that was said")
    func earliest() {
        knowPhotos()
        submit("kind=processing request=index earliest=@4000000000")
        scene.reading.isOnline = false
        submit("kind=processing request=upload needs-network=1")
        let lines = scene.ask("schedule id=9 app=photos")
        let said = lines.filter { $0.contains(" earliest=4000000000.000") }
        #expect(said.map { $0.contains(" request=index ") } == [true])
        #expect(lines.count { $0.contains(" request=upload ") } == 1)
    }

    @Test("An app without the mode for it is refused, and one that can't be launched is tried again")
    func modes() {
        let definition = scene.definitions.define("photos")
        definition.plan.manifest.policy.backgroundModes = BackgroundModes([.fetch])
        #expect(scene.code("submit id=1 app=photos kind=processing request=a") == "no-background-mode")
        scene.programs.error = SpawnError(stage: .exec, errno: 2)
        submit("kind=refresh request=a")
        #expect(listed() == ["a cant-be-launched"])
        scene.programs.error = nil
        #expect(scene.ask("run-request id=2 app=photos request=a") == ["ok id=2 state=background"])
        #expect(listed() == ["a runs"])
    }

    @Test("Ended when others need the processors; what it uses itself is no reason")
    func machineNeeded() {
        knowPhotos()
        submit("kind=processing request=index")
        guard let app = scene.host.app(called: "photos") else { return _ = Issue.record("it doesn't run") }
        let granted = scene.host.app(app)?.graceRemaining(at: scene.host.engine.now)
        #expect(granted == .seconds(600))
        func pass(busy: Int64, own: UInt64) {
            scene.reading.cpuStall = 90
            scene.reading.processorTime = busy
            scene.kernel[app].cpuMicroseconds = own
            scene.pass(ScheduleDesk.workPause)
        }
        func left() -> Span { scene.host.app(app)?.graceRemaining(at: scene.host.engine.now) ?? .zero }
        pass(busy: 0, own: 0)
        pass(busy: 20_000_000, own: 19_000_000)
        #expect(left() == .seconds(590))
        pass(busy: 24_000_000, own: 20_000_000)
        #expect(left() == Profile.ios4.expirationLead)
        scene.pass(Profile.ios4.expirationLead)
        #expect(scene.state("photos") == .suspended)
        scene.pass(ScheduleDesk.workPause)
        #expect(listed() == [])
    }

    @Test(
        "Said to be done, its work is over at once, and another of its requests has its turn; other events say nothing of it"
    )
    func workDone() throws {
        knowPhotos()
        submit("kind=processing request=a")
        submit("kind=processing request=b")
        let app = try #require(scene.host.app(called: "photos"))
        scene.host.completed(.wake("fetch"), .newData, by: app)
        #expect(scene.host.desk.works["photos"]?.request.id == "a")
        scene.host.completed(.wake("processing"), .failed, by: app)
        #expect(scene.host.desk.works.isEmpty)
        #expect(scene.host.desk.nextWorkLook == nil)
        scene.host.desk.timeCame()
        #expect(listed() == ["b runs"])
        #expect(scene.programs.started == 2)
        scene.host.completed(.wake("processing"), .newData, by: app)
        scene.host.desk.timeCame()
        #expect(listed() == [])
    }

    @Test("Where nobody can tell who uses them, processors that are short are needed")
    func unknownUse() {
        knowPhotos()
        submit("kind=processing request=index needs-power=1")
        guard let app = scene.host.app(called: "photos") else { return _ = Issue.record("it doesn't run") }
        scene.pass(ScheduleDesk.workPause)
        #expect(scene.host.app(app)?.graceRemaining(at: scene.host.engine.now) == .seconds(595))
        scene.reading.cpuStall = 90
        scene.pass(ScheduleDesk.workPause)
        #expect(scene.host.app(app)?.graceRemaining(at: scene.host.engine.now) == Profile.ios4.expirationLead)
    }

    @Test("Tried by hand: whatever is in the way, and only of what waits or runs")
    func tried() {
        knowPhotos()
        scene.reading.cpuStall = 90
        submit("kind=processing request=index in=3600")
        #expect(scene.code("run-request id=2 app=photos request=other") == "unknown-request")
        #expect(scene.code("expire-request id=2 app=photos request=index") == "unknown-request")
        #expect(scene.code("run-request id=2 app=photos") == "invalid")
        #expect(scene.ask("run-request id=2 app=photos request=index") == ["ok id=2 state=background"])
        #expect(scene.code("run-request id=2 app=photos request=index") == "unknown-request")
        submit("kind=processing request=more in=3600")
        #expect(scene.code("run-request id=2 app=photos request=more") == "busy")
        #expect(scene.code("expire-request id=3 app=photos request=more") == "unknown-request")
        #expect(scene.ask("expire-request id=3 app=photos request=index") == ["ok id=3"])
        scene.pass(Profile.ios4.expirationLead)
        #expect(scene.state("photos") == .suspended)
        #expect(scene.code("expire-request id=3 app=photos request=index") == "unknown-request")
    }

    @Test("Those that were kept are there again, and come when they are due")
    func restoredRequests() {
        let records = FakeRecords()
        records.kept.requests = [
            RequestRecord(app: "photos", request: TaskRequest(id: "a", kind: .refresh), submitted: .seconds(1)),
            RequestRecord(app: "photos", request: TaskRequest(id: "b", kind: .refresh), submitted: .seconds(2)),
            RequestRecord(
                app: "photos",
                request: TaskRequest(id: "c", kind: .processing, earliest: .seconds(4_000_000_000), needsPower: true),
                submitted: .seconds(3)),
        ]
        let scene = ServeScene(records: records)
        #expect(scene.records?.noted == ["request photos b over"])
        scene.definitions.define("photos")
        #expect(listed(scene) == ["a", "c too-early"])
        scene.host.desk.timeCame()
        #expect(scene.state("photos") == .background)
        #expect(listed(scene) == ["a runs", "c too-early"])
    }

    @Test("What was kept is there again; of too many the soonest")
    func restored() {
        let records = FakeRecords()
        records.kept.notifications["mail"] = (0..<70).reversed().map { number in
            let rule = CalendarRule(.moment(.seconds(4_000_000_000 + Int64(number))))
            return (LocalNotification(id: "n\(number)", rule: rule), 0)
        }
        records.kept.badges = ["mail": 3]
        let scene = ServeScene(records: records)
        let schedule = scene.host.desk.schedules["mail"]
        #expect(schedule?.notifications.pending.count == 64)
        #expect(schedule?.notifications.pending.last?.notification.id == "n63")
        #expect(schedule?.badge == 3)
    }
}
