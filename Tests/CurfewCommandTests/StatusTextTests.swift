import CurfewWire
import Testing

@testable import CurfewCommand

@Suite("What is shown of an app")
struct StatusTextTests {
    private static let usual = """
        ok id=1 app=backup pid=10 front=8 supervisor=9 state=suspended since=61.500 aware=false remaining=599.980 \
        budget=600.000 open-tasks=1 processes=2 footprint=2097152 cpu=0.499 containment=cgroup2 running-for=75.200
        """

    private static func status(_ more: String, _ usual: String = usual) throws -> AppStatus {
        let final = try #require(try Message.parse("\(usual) \(more) command=\"sh -c x\""))
        let task = try #require(try Message.parse("task id=1 task=3 name=\"nightly upload\" age=12.700"))
        return AppStatus(ControlClient.Answer(items: [task], final: final))
    }

    /// The lines of these titles.
    private static func lines(_ status: AppStatus, _ titles: String...) -> [String] {
        StatusText.text(status).split(separator: "\n").map(String.init)
            .filter { line in titles.contains { line.hasPrefix("  " + $0 + "  ") } }
    }

    @Test("All that every app has")
    func usual() throws {
        #expect(
            StatusText.text(try Self.status("")) == """
                backup: suspended for 1 min 2 s
                  command       sh -c x
                  pid           10 (proxy 8, supervisor 9)
                  kind          plain
                  remaining     10 min of 10 min
                  tasks         3 "nightly upload" (13 s)
                  processes     2
                  footprint     2 MiB
                  CPU time      0.5 s
                  running       1 min 15 s
                  containment   cgroup2
                """)
    }

    @Test("What is so only at times")
    func exceptional() throws {
        let more = """
            memory-limit=4194304 time-limit=3600.000 grace=2.500 notify-status="syncing\\x1b[1m 3/7" main-pid=77 ready=true \
            stopping=true watchdog=10.000 keep-alive=600.000 keep-alive-left=42.000 background-modes=voip,fetch badge=3 notifications=2 next-notification="2096-12-01 08:00:00 +01:00" kept-changes=a,settingsDidChange traced=true terminating=true \
            unacknowledged=didEnterBackground,fetch not-stopped="12 (D)"
            """
        let text = StatusText.text(try Self.status(more))
        let end = """
              grace         2.5 s of running on left
              status        "syncing\\x1b[1m 3/7"
              main pid      77
              ready         it has said so (READY=1)
              stopping      it is ending by itself
              watchdog      a sign of life every 10 s
              keep-alive    woken every 10 min, next in 42 s
              modes         voip, fetch
              badge         3
              notifications 2 wait, the next one until 2096-12-01 08:00:00 +01:00
              kept changes  a, settingsDidChange
              traced        by a debugger: not suspended, and no watchdog kills it
              terminating   it was asked to end
              unanswered    didEnterBackground, fetch
              not stopped   12 (D)
            """
        #expect(text.hasSuffix("\n" + end))
        #expect(text.contains("\n  footprint     2 MiB of 4 MiB\n"))
        #expect(text.contains("\n  running       1 min 15 s of 1 h\n"))
    }

    @Test("Who else accepts connections, and how long they wait before they wake it")
    func shared() throws {
        #expect(
            Self.lines(try Self.status("shared-listeners=\"at :80 after 2 s, at /run/x after 1 min\""), "shared") == [
                "  shared        another program accepts connections, too; one wakes it at :80 after 2 s, at /run/x after 1 min"
            ])
    }

    @Test("How often it was woken, by what last, and how long that took")
    func woken() throws {
        #expect(
            Self.lines(try Self.status("woken=1 woken-by=\"being opened\" resumed-in=0.012999"), "woken")
                == ["  woken         once by being opened, 13 ms to resume"])
        let more = "woken=3 woken-by=\"data from [::1]:5 to :80\" woken-from=[::1]:5 woken-to=:80 resumed-in=0.000412"
        #expect(
            Self.lines(try Self.status(more), "woken")
                == ["  woken         3 times, last by data from [::1]:5 to :80, 412 us to resume"])
    }

    @Test(
        "That the server's store can't be written, and why",
        arguments: [
            ("full", "the disk is full"), ("read-only", "it can't be written"),
            ("busy", "another program has it open in a transaction"), ("another-server", "another server uses it"),
            ("failing", "failing"),
        ])
    func store(word: String, why: String) throws {
        let app = try Self.status("store=\(word)")
        #expect(
            Self.lines(app, "store") == ["  store         \(why); what is to outlive the server is in memory alone"])
        #expect(app.json["store"] == .string(word))
    }

    @Test("A budget and a grace without end read well")
    func infinite() throws {
        let foreground = Self.usual.replacing("remaining=599.980", with: "remaining=inf")
        #expect(
            Self.lines(try Self.status("", foreground), "remaining")
                == ["  remaining     unlimited in foreground, 10 min once in background"])
        let endless = foreground.replacing("budget=600.000", with: "budget=inf")
        #expect(
            Self.lines(try Self.status("grace=inf", endless), "remaining", "grace")
                == ["  remaining     unlimited, in background too", "  grace         it runs on without end"])
    }

    @Test("Of a sleeper: what is to wake it, what doesn't, and where its memory is")
    func asleep() throws {
        let app = try Self.status(
            "asleep=true wake-on=connections:80,pipes shortest-wait=0.100 shortest-wait-of=\"python3 (4711), epoll_wait\" resident=1048576 swapped=104857600"
        )
        #expect(
            Self.lines(app, "asleep", "its clocks", "paged out") == [
                "  paged out     100 MiB in swap, 1 MiB in memory",
                "  asleep        until there is input: connections:80, pipes",
                "  its clocks    don't wake it; its shortest wait was 0.1 s: python3 (4711), epoll_wait",
            ])
        #expect(app.json["shortestWait"] == .number(0.1))
        #expect(app.json["shortestWaitOf"] == .string("python3 (4711), epoll_wait"))
    }

    @Test("As JSON: numbers, lists and flags, and strings for what the app has said")
    func json() throws {
        let json = try Self.status(
            "notify-status=42 main-pid=77 ready=true stopping=true watchdog=10.000 grace=inf keep-alive=600.000 kept-changes=a,b unacknowledged=c"
        ).json
        #expect(json["notifyStatus"] == .string("42"))
        #expect(json["mainPid"] == .integer(77))
        #expect(json["ready"] == .bool(true))
        #expect(json["stopping"] == .bool(true))
        #expect(json["watchdog"] == .number(10))
        #expect(json["keepAlive"] == .number(600))
        #expect(json["grace"] == .null)
        #expect(json["keptChanges"] == .array([.string("a"), .string("b")]))
        #expect(json["unacknowledged"] == .array([.string("c")]))
        #expect(json["id"] == nil)
    }

    @Test("An event's pairs keep their KEYs")
    func info() throws {
        let line = "event name=didDeliver number=3 app=a kind=wake info.a-b=1 info.id=true info.app=\"\""
        let event = try #require(try Message.parse(line))
        let json = JSON.object(event.jsonMembers)
        #expect(json["number"] == .integer(3))
        #expect(json["kind"] == .string("wake"))
        #expect(
            json["info"] == .object([("a-b", .string("1")), ("id", .string("true")), ("app", .string(""))]))
    }
}
