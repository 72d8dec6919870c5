import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Testing

@testable import CurfewEngine

@Suite("What notify asks for")
struct NotificationRequestTests {
    private static let now = WallTime(microseconds: 1_800_000_000_000_000)

    private func read(_ line: String) throws(BadNotification) -> LocalNotification {
        guard let message = try? Message.parse("notify " + line) else { throw BadNotification("malformed") }
        return try NotificationRequest(message: message, now: Self.now, zones: FakeZones()).read(id: "n1")
    }

    private func problem(_ line: String) -> String {
        do throws(BadNotification) {
            _ = try read(line)
            return ""
        } catch {
            return error.problem
        }
    }

    private static func civil(_ text: String) throws -> CivilTime { try #require(CivilTime(text)) }

    @Test("Without a time it is due now; its id is given out, and its button opens")
    func plain() throws {
        let notification = try read("title=Ada")
        #expect(notification.id == "n1")
        #expect(notification.rule == CalendarRule(.moment(Self.now)))
        #expect(notification.content == LocalNotification.Content(title: "Ada", action: "Open"))
    }

    @Test("All that can be asked for")
    func all() throws {
        let notification = try read(
            "notification=x title=T body=B action=Answer badge=0 sound=bell info.a=1 in=1.5 repeat=weekly")
        #expect(notification.id == "x")
        #expect(notification.rule == CalendarRule(.moment(Self.now + .milliseconds(1500)), .weekly))
        #expect(
            notification.content
                == LocalNotification.Content(
                    title: "T", body: "B", action: "Answer", badge: 0, sound: "bell", info: [Info("a", "1")]))
        #expect(try read("title=T action=none").content.action == nil)
    }

    @Test("Whose clocks count")
    func zones() throws {
        let civil = try Self.civil("2096-07-01T08:00")
        #expect(try read("title=T at=2096-07-01T08:00 zone=local").rule.start == .civil(civil, .local))
        #expect(
            try read("title=T at=2096-07-01T08:00 zone=Europe/Berlin").rule.start
                == .civil(civil, .named("Europe/Berlin")))
        // Without one it is a moment, by the machine's clock as it is now.
        let moment = civil.moment { _ in 7200 }
        #expect(try read("title=T at=2096-07-01T08:00").rule.start == .moment(moment))
        // A moment in a zone is what its clocks show then.
        let shown = try Self.civil("2096-07-01T09:00")
        #expect(
            try read("title=T at=2096-07-01T08:00Z zone=Europe/Berlin").rule.start
                == .civil(shown, .named("Europe/Berlin")))
    }

    @Test("What is wrong is named")
    func problems() {
        #expect(problem("").contains("title="))
        #expect(problem("title=T zone=Mars").isEmpty)
        #expect(problem("title=T at=08:00 zone=Mars").contains("zone=Mars"))
        #expect(problem("title=T in=-1").contains("in=-1"))
        #expect(problem("title=T in=inf").contains("in=inf"))
        #expect(problem("title=T badge=99999999999").contains("badge"))
        let pairs = (1...9).map { "info.k\($0)=v" }.joined(separator: " ")
        #expect(problem("title=T " + pairs).contains("at most 8"))
        #expect(problem("title=T info.a=1 info.a=2").contains("pairs"))
        #expect(problem("title=T action=" + String(repeating: "x", count: 65)).contains("action"))
        #expect(problem("title=" + String(repeating: "x", count: 2100)).contains("too long"))
    }

    @Test("What an app hears of it, whatever it holds, fits a line")
    func line() throws {
        let body = String(repeating: "\\\"", count: 400)
        let pairs = (1...8).map { "info.k\($0)=v" }.joined(separator: " ")
        let notification = try read("title=T sound=s badge=1 body=\"\(body)\" " + pairs)
        let event = PostedEvent(LocalNotification.event, notification.info)
        #expect(event.fitsOneLine(as: .change(LocalNotification.event)))
        #expect(notification.info.count <= Info.maximumCount - 2)
    }
}

@Suite("What notify-send is told")
struct DesktopNoticeTests {
    private let notice = DesktopNotice(
        number: 3, app: "mail", title: "T", body: "a<b>&\\n", action: "Open", sound: "bell")

    @Test("Text stands behind the options, and is no markup")
    func words() {
        #expect(
            notice.words(withAction: true) == [
                "notify-send", "--app-name=mail", "--action=default=Open", "--hint=string:sound-name:bell", "--", "T",
                "a&lt;b&gt;&amp;\\\\n",
            ])
        let bare = DesktopNotice(number: 1, app: "mail", title: "", body: "")
        #expect(bare.words(withAction: true) == ["notify-send", "--app-name=mail", "--", "mail"])
    }

    @Test("On its way nothing is lost")
    func message() {
        let message = notice.message([("DISPLAY", ":1")])
        #expect(DesktopNotice(message) == notice)
        #expect(message["environment.DISPLAY"] == ":1")
        #expect(DesktopNotice(Message("show")) == nil)
        for answer in [DesktopAnswer.chosen(1), .closed(2), .failed(3, reason: "a b")] {
            #expect(DesktopAnswer(answer.message) == answer)
        }
        #expect(DesktopAnswer(Message("else", [Field("number", "1")])) == nil)
    }
}

@Suite("The wall clock's timer")
struct WallTimerTests {
    private func isReady(_ loop: EventLoop) -> Bool {
        withUnsafeTemporaryAllocation(of: curfew_ready.self, capacity: 1) { ready in
            curfew_epoll_wait(loop.epoll.number, ready.baseAddress, 1, 0) == 1
        }
    }

    @Test("Due in the past it tells at once; then it has to be armed anew")
    func due() {
        let loop = EventLoop.make()
        defer { _ = curfew_close(loop.epoll.number) }
        var timer = WallTimer()
        let later = timer.arm(WallTimer.now + .seconds(3600), in: loop)
        #expect(later)
        #expect(!isReady(loop))
        for past in [WallTimer.now - .seconds(1), WallTime(microseconds: 0), WallTime(microseconds: -5)] {
            let isArmed = timer.arm(past, in: loop)
            #expect(isArmed)
            #expect(isReady(loop))
            let wasSet = timer.wasHeard()
            #expect(!wasSet)
            #expect(!isReady(loop))
        }
        let (never, nothing) = (timer.arm(.distantFuture, in: loop), timer.arm(nil, in: loop))
        #expect(never && nothing)
        #expect(!isReady(loop))
    }
}
