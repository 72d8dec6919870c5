import CurfewLinux
import CurfewWire
import Glibc
import Testing

@testable import CurfewCore
@testable import CurfewEngine

@Suite("Notifications that are due, and a desktop")
struct ScheduleDeliveryTests {
    private let scene = ServeScene()
    private let desktop: FakeDesktop

    init() { desktop = FakeDesktop(of: scene.host) }

    private func deliver(
        _ id: String = "a", of app: String = "mail", title: String = "A", body: String = "", action: String? = nil,
        sound: String? = nil, badge: Int? = nil
    ) {
        let content = LocalNotification.Content(title: title, body: body, action: action, badge: badge, sound: sound)
        let notification = LocalNotification(id: id, rule: CalendarRule(.moment(.seconds(5))), content: content)
        scene.host.desk.deliver(Schedules.Due(app: app, notification: notification, passed: nil))
    }

    private func deliver(_ count: Int, of app: String = "mail", action: String? = nil) {
        for _ in 0..<count { deliver(of: app, action: action) }
    }

    private func becomes(_ answers: DesktopAnswer...) {
        for answer in answers { desktop.answer(answer) }
        _ = scene.read()
    }

    /// How each was told of, as who follows the app hears of it.
    private func ways(of app: String = "mail") -> [String] {
        scene.ask("events id=9 app=\(app)").filter { $0.contains("name=didNotify ") }.compactMap { line in
            line.split(separator: " ").first { $0.hasPrefix("by=") }.map { String($0.dropFirst(3)) }
        }
    }

    /// Without who says so.
    private var told: [String] { scene.told.map { String($0.dropFirst(scene.host.options.caller.count + 2)) } }

    /// Launched, and aware of what it is told.
    private func launchAware(_ app: String = "mail") -> ControlClient? {
        scene.launch(app)
        guard let program = scene.programs.pipes.last else { return nil }
        _ = scene.ask("hello version=1", by: program)
        _ = scene.ask("ack seq=1", by: program)
        return program
    }

    private func names(_ lines: [String]) -> [String] {
        lines.flatMap { $0.split(separator: " ") }.filter { $0.hasPrefix("name=") }.map { String($0.dropFirst(5)) }
    }

    // MARK: Shown

    @Test("What is due is shown with its text, its button and its sound, and stands in no log")
    func shown() {
        scene.launch("mail")
        deliver(title: "A", body: "B", action: "Open", sound: "bell")
        #expect(
            desktop.shown() == [
                DesktopNotice(number: 1, app: "mail", title: "A", body: "B", action: "Open", sound: "bell")
            ])
        #expect(ways() == ["desktop"])
        #expect(told.isEmpty)
    }

    @Test("What has a badge and no text isn't shown")
    func badge() {
        scene.launch("mail")
        deliver(title: "", badge: 3)
        #expect(desktop.shown().isEmpty)
        #expect(ways() == ["badge"])
        #expect(scene.records?.noted.last == "badge mail 3")
    }

    @Test("It is shown where the session is by now")
    func session() {
        scene.ask("reload id=1 environment.DISPLAY=:7")
        deliver()
        #expect(desktop.read().first?["environment.DISPLAY"] == ":7")
    }

    // MARK: In front

    @Test("An aware app that is in front is told, and nothing is shown")
    func inFront() throws {
        let program = try #require(launchAware())
        _ = program.read()
        deliver(badge: 2)
        let told = try #require(program.read().last)
        #expect(told.hasPrefix("event name=didReceiveLocalNotification "))
        #expect(told.contains(" info.notification=a info.notification.title=A info.notification.badge=2"))
        #expect(desktop.shown().isEmpty)
        #expect(ways() == ["app"])
    }

    @Test("In background it isn't, and is told nothing of what is shown")
    func behind() throws {
        let program = try #require(launchAware())
        scene.launch("music")
        _ = program.read()
        deliver()
        #expect(desktop.shown().count == 1)
        #expect(!names(program.read()).contains("didReceiveLocalNotification"))
    }

    // MARK: Pressed

    @Test("Its button brings its app to the front, which hears of it before it is active")
    func pressed() throws {
        let program = try #require(launchAware())
        scene.launch("music")
        _ = program.read()
        deliver(action: "Open")
        becomes(.chosen(1))
        #expect(scene.front == ["mail"])
        let names = names(program.read())
        let told = try #require(names.firstIndex(of: "didReceiveLocalNotification"))
        let active = try #require(names.firstIndex(of: "didBecomeActive"))
        #expect(told < active)
    }

    @Test("It launches one that doesn't run, which is told why")
    func pressedWithoutApp() throws {
        scene.launch("mail")
        scene.end("mail")
        deliver(action: "Open")
        becomes(.chosen(1))
        #expect(scene.front == ["mail"])
        let program = try #require(scene.programs.pipes.last)
        let hello = scene.ask("hello version=1", by: program)
        #expect(hello.contains { $0.contains("didFinishLaunching") && $0.contains(" info.notification=a ") })
    }

    @Test("One that is being ended is launched for it once it has gone, and nobody else comes to the front before")
    func pressedWhileEnding() throws {
        _ = try #require(launchAware())
        scene.launch("music")
        deliver("a", action: "Open")
        deliver("b", action: "Open")
        scene.ask("quit id=1 app=mail")
        becomes(.chosen(1), .chosen(2))
        #expect(scene.host.desk.nextOpening == nil)
        scene.pass(.zero)
        #expect(scene.front == ["music"])
        scene.end("mail")
        #expect(scene.front == ["music"])
        #expect(scene.passUntilRestart() == .zero)
        #expect(scene.front == ["mail"])
        #expect(scene.entry("mail")?.launches == 2)
        let program = try #require(scene.programs.pipes.last)
        let hello = scene.ask("hello version=1", by: program)
        #expect(hello.contains { $0.contains("didFinishLaunching") && $0.contains(" info.notification=b ") })
        // Once.
        #expect(scene.host.desk.nextOpening == nil)
    }

    @Test("Where somebody has launched it again meanwhile that one is told and opened")
    func pressedWhileEndingAndLaunched() {
        scene.launch("mail")
        deliver(action: "Open")
        scene.ask("quit id=1 app=mail")
        becomes(.chosen(1))
        scene.end("mail")
        scene.ask("launch id=2 app=mail background=1")
        #expect(scene.front == [])
        scene.pass(.zero)
        #expect(scene.front == ["mail"])
        #expect(scene.entry("mail")?.launches == 2)
    }

    @Test(
        "Who ends it once more, or takes it off the list, after its button was pressed, has it ended for good",
        arguments: ["quit app=mail", "quit-all", "remove app=mail"])
    func pressedBeforeAnotherEnd(request: String) {
        scene.launch("mail")
        deliver(action: "Open")
        scene.ask("quit id=1 app=mail")
        becomes(.chosen(1))
        #expect(scene.host.desk.pressed.count == 1)
        scene.ask("\(request) id=2")
        scene.end("mail")
        scene.pass(.zero)
        #expect(scene.host.desk.nextOpening == nil)
        #expect(scene.front == [])
        #expect(scene.host.app(called: "mail") == nil)
    }

    @Test("Of many that were pressed some are launched in each turn, and none that was taken off the list")
    func manyPressed() {
        let names = ["a", "b", "c", "d", "mail"]
        for (index, name) in names.enumerated() {
            scene.launch(name)
            deliver(of: name, action: "Open")
            scene.ask("quit id=1 app=\(name)")
            becomes(.chosen(index + 1))
            scene.end(name)
        }
        scene.host.desk.openPressed()
        #expect(scene.host.app(called: "d") != nil)
        #expect(scene.host.app(called: "mail") == nil)
        #expect(scene.host.desk.nextOpening != nil)
        scene.ask("remove id=2 app=mail")
        scene.pass(.zero)
        #expect(scene.host.app(called: "mail") == nil)
        #expect(scene.host.desk.nextOpening == nil)
    }

    @Test("In front, but being ended, it is told of nothing: that is shown")
    func frontThatEnds() throws {
        let program = try #require(launchAware())
        scene.ask("quit id=1 app=mail")
        _ = program.read()
        deliver()
        #expect(desktop.shown().count == 1)
        #expect(!names(program.read()).contains("didReceiveLocalNotification"))
    }

    @Test("Where that fails people are told")
    func unlaunchable() {
        scene.launch("mail")
        scene.end("mail")
        deliver(action: "Open")
        scene.programs.error = SpawnError(stage: .exec, errno: ENOENT)
        becomes(.chosen(1))
        #expect(told.count == 1)
        #expect(told.last?.hasPrefix("mail: couldn't be launched for its notification: ") == true)
        #expect(scene.front == [])
    }

    @Test("Closed it is over: nothing comes of its number any more")
    func closed() {
        scene.launch("mail")
        scene.launch("music")
        deliver(action: "Open")
        becomes(.closed(1))
        becomes(.chosen(1))
        #expect(scene.front == ["music"])
        #expect(scene.host.desk.notices.isEmpty)
        #expect(told.isEmpty)
    }

    // MARK: Failed

    private static func why(_ reason: String) -> String {
        "notifications can't be shown on the desktop, and are told here: \(reason)"
    }

    @Test("What can't be shown is told here; why is said once, until one could be")
    func failed() {
        deliver(body: "B", action: "Open")
        deliver(title: "", body: "C")
        becomes(.failed(1, reason: "no display"), .failed(2, reason: "no display"))
        #expect(
            told == [Self.why("no display"), "notification from mail: A: B", "notification from mail: C"])
        deliver(2)
        becomes(.closed(3), .failed(4, reason: "it crashed"))
        #expect(told.suffix(2) == [Self.why("it crashed"), "notification from mail: A"])
    }

    @Test("Once its process is gone what was shown is told here, and from then on all is")
    func killed() {
        scene.launch("mail")
        deliver(1, action: "Open")
        deliver(of: "chat", title: "B")
        desktop.die()
        _ = scene.read()
        #expect(
            told == [
                Self.why("what shows notifications was killed"), "notification from mail: A",
                "notification from chat: B",
            ])
        deliver(title: "C")
        #expect(told.last == "notification from mail: C")
        #expect(ways() == ["desktop", "log"])
    }

    @Test("Where it takes nothing more that is told at once")
    func unanswered() {
        desktop.die()
        deliver()
        #expect(told == [Self.why("what shows notifications doesn't answer"), "notification from mail: A"])
    }

    // MARK: Many

    @Test("16 have their button, those behind them none, until one is closed")
    func buttons() {
        deliver(17, action: "Open")
        #expect(desktop.shown().map(\.action) == Array(repeating: "Open", count: 16) + [nil])
        becomes(.closed(3))
        deliver(1, action: "Open")
        #expect(desktop.shown().map(\.action) == ["Open"])
    }

    @Test("Past 16 that are being shown more are summed up, who has the most first, once there is room")
    func summedUp() {
        scene.launch("talk")
        deliver(16)
        deliver(1, of: "talk")
        deliver(3)
        deliver(1, of: "chat")
        #expect(desktop.shown().count == 16)
        #expect(ways(of: "talk") == ["summary"])
        becomes(.closed(5))
        #expect(
            desktop.shown() == [
                DesktopNotice(
                    number: 17, app: "curfew", title: "5 more notifications", body: "mail: 3\nchat: 1\ntalk: 1")
            ])
        #expect(told.isEmpty)
    }

    @Test("A summary that can't be shown is told here, and so is one that is lost")
    func lostSummary() {
        deliver(18)
        becomes(.closed(1), .failed(17, reason: "no display"))
        #expect(told == [Self.why("no display"), "2 more notifications: mail: 2"])
        deliver(2)
        becomes(.closed(2))
        #expect(desktop.shown().last?.title == "1 more notification")
        desktop.die()
        _ = scene.read()
        #expect(told.last == "1 more notification: mail: 1")
    }
}
