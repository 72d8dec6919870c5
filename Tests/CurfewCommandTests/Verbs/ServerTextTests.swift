import CurfewWire
import Testing

@testable import CurfewCommand

@Suite("What a server lists")
struct ServerTextTests {
    private static func messages(_ lines: [String]) throws -> [Message] {
        try lines.compactMap { try Message.parse($0) }
    }

    private static let listed = [
        "app name=mail state=active since=65.000 launches=3 pid=4711 ended=memory-pressure status=137 continuous=1",
        "app name=build state=notRunning since=4.000 launches=12 ended=exit status=2 restart-in=8.000",
        "app name=web state=suspended since=7200.000 launches=1 pid=99 differs=1",
        "app name=old state=notRunning since=1.000 launches=1 ended=user-quit removed=1 status=143",
        "app name=vim state=active since=3.000 launches=1 pid=7 joined=1",
    ]

    @Test("The task list for people")
    func apps() throws {
        let apps = try Self.messages(Self.listed).map(ListedApp.init)
        #expect(
            ListedApp.table(apps, width: nil) == [
                "NAME   STATE             FOR   PID  LAUNCHES  LAST END         NOTE",
                "mail   active      1 min 5 s  4711         3  memory-pressure  never suspended",
                "build  notRunning        4 s              12  exit 2           launched again in 8 s",
                "web    suspended         2 h    99         1                   its manifest has changed since",
                "old    notRunning        1 s               1  user-quit        removed",
                "vim    active            3 s     7         1                   joined, by `curfew run`",
            ])
    }

    private static let sources = [
        "source name=mqtt state=running pid=4711 restarts=3 apps=chat,mail command=\"mqtt.sh -h x\"",
        "source name=x11 state=waiting restart-in=8.000 restarts=4 problem=\"it ended with status 1\" command=x11.sh",
    ]

    @Test("Sources for people and for programs")
    func sources() throws {
        let sources = try Self.messages(Self.sources).map(ListedSource.init)
        #expect(
            ListedSource.table(sources, width: nil) == [
                "NAME  STATE     PID  RESTARTS  FOR APPS   LAST PROBLEM",
                "mqtt  running  4711         3  chat mail",
                "x11   waiting               4  all        it ended with status 1",
            ])
        #expect(
            sources.map(\.json.text) == [
                #"{"name":"mqtt","state":"running","pid":4711,"restarts":3,"apps":["chat","mail"],"command":"mqtt.sh -h x"}"#,
                #"{"name":"x11","state":"waiting","restarts":4,"restartIn":8.0,"problem":"it ended with status 1","command":"x11.sh"}"#,
            ])
    }

    @Test("The task list for programs")
    func appsJSON() throws {
        #expect(
            try Self.messages(Self.listed).map { ListedApp($0).json.text } == [
                #"{"name":"mail","state":"active","since":65.0,"launches":3,"pid":4711,"ended":"memory-pressure","status":137,"continuous":true,"differs":false,"removed":false,"joined":false}"#,
                #"{"name":"build","state":"notRunning","since":4.0,"launches":12,"ended":"exit","status":2,"restartIn":8.0,"continuous":false,"differs":false,"removed":false,"joined":false}"#,
                #"{"name":"web","state":"suspended","since":7200.0,"launches":1,"pid":99,"continuous":false,"differs":true,"removed":false,"joined":false}"#,
                #"{"name":"old","state":"notRunning","since":1.0,"launches":1,"ended":"user-quit","status":143,"continuous":false,"differs":false,"removed":true,"joined":false}"#,
                #"{"name":"vim","state":"active","since":3.0,"launches":1,"pid":7,"continuous":false,"differs":false,"removed":false,"joined":true}"#,
            ])
    }

    private static let scheduled = [
        "schedule app=mail kind=notification notification=n1 due=3999999600.000 shown=\"2096-10-02 09:00:00 +02:00\" zone=Europe/Berlin repeat=daily waits=too-early badge=3 title=Mail",
        "schedule app=tea kind=notification notification=n2 due=4000000000.500 shown=\"2096-10-02 09:06:40 +02:00\" repeat=86400 waits=app-removed title=\"a b\"",
        "schedule app=feeds kind=refresh request=r due=4000000001.000 shown=\"2096-10-02 09:06:41 +02:00\" earliest=4000000001.000 needs-network=1",
    ]

    @Test("What is scheduled, for people")
    func schedule() throws {
        let all = try Self.messages(Self.scheduled).map(ScheduledThing.init)
        #expect(
            ScheduledThing.table(all, width: nil) == [
                "APP    KIND          ID  NEXT                        ZONE           REPEAT  WAITS           TITLE",
                "mail   notification  n1  2096-10-02 09:00:00 +02:00  Europe/Berlin  daily                   Mail",
                "tea    notification  n2  2096-10-02 09:06:40 +02:00                 1 d     it was removed  a b",
                "feeds  refresh       r   2096-10-02 09:06:41 +02:00",
            ])
    }

    @Test("What is scheduled, for programs")
    func scheduleJSON() throws {
        #expect(
            try Self.messages(Self.scheduled).map { ScheduledThing($0).json.text } == [
                #"{"app":"mail","kind":"notification","id":"n1","due":3999999600.0,"shown":"2096-10-02 09:00:00 +02:00","zone":"Europe/Berlin","repeat":"daily","waits":"too-early","badge":3,"title":"Mail"}"#,
                #"{"app":"tea","kind":"notification","id":"n2","due":4000000000.5,"shown":"2096-10-02 09:06:40 +02:00","repeat":"86400","waits":"app-removed","title":"a b"}"#,
                #"{"app":"feeds","kind":"refresh","id":"r","due":4000000001.0,"shown":"2096-10-02 09:06:41 +02:00","earliest":4000000001.0,"needs-network":true}"#,
            ])
    }

    private static let runs = [
        "run app=mail number=3 began=1760000000.500 cpu=1.500 memory-peak=10485760",
        "run app=mail number=2 began=1759990000.000 ended=1759990090.000 reason=memory-pressure status=137 cpu=0.250 memory-peak=1073741824",
        "run app=build number=1 began=1759980000 ended=1759980001 reason=exit status=2",
    ]

    @Test("Past runs for people")
    func history() throws {
        func began(_ seconds: Int64) -> String { TimeOfDay.dateAndTime(seconds) ?? "" }
        #expect(
            PastRun.table(try Self.messages(Self.runs).map(PastRun.init)) == [
                "APP    RUN  BEGAN                    LASTED    CPU    PEAK  END",
                "mail     3  \(began(1_760_000_000))              1.5 s  10 MiB  runs",
                "mail     2  \(began(1_759_990_000))  1 min 30 s  0.3 s   1 GiB  memory-pressure",
                "build    1  \(began(1_759_980_000))         1 s                 exit 2",
            ])
    }

    @Test("Past runs for programs")
    func historyJSON() throws {
        #expect(
            try Self.messages(Self.runs).map { PastRun($0).json.text } == [
                #"{"app":"mail","number":3,"began":1760000000.5,"cpu":1.5,"memoryPeak":10485760}"#,
                #"{"app":"mail","number":2,"began":1759990000.0,"ended":1759990090.0,"reason":"memory-pressure","status":137,"cpu":0.25,"memoryPeak":1073741824}"#,
                #"{"app":"build","number":1,"began":1759980000.0,"ended":1759980001.0,"reason":"exit","status":2}"#,
            ])
    }

    @Test(
        "What was read again",
        arguments: [
            ("ok apps=12 problems=0", "12 apps are defined"), ("ok apps=1", "1 app is defined"),
            ("ok apps=0 problems=1", "0 apps are defined; there is 1 problem, which `curfew check` names"),
            ("ok apps=3 problems=2", "3 apps are defined; there are 2 problems, which `curfew check` names"),
            (
                "ok apps=3 problems=2 folder=/srv/apps",
                "3 apps are defined; there are 2 problems, which `curfew check /srv/apps/*.toml` names"
            ), ("ok apps=1 problems=0 folder=/srv/apps", "1 app is defined"),
        ])
    func reload(line: String, text: String) throws {
        let answer = try #require(try Message.parse(line))
        #expect(ServerVerbs.reloadText(answer) == text)
    }

    @Test("The same for programs")
    func reloadJSON() throws {
        let answer = try #require(try Message.parse("ok apps=3 problems=2"))
        #expect(ServerVerbs.reloadJSON(answer).text == #"{"apps":3,"problems":2}"#)
        let named = try #require(try Message.parse("ok apps=3 problems=0 folder=\"/srv/my apps\""))
        #expect(ServerVerbs.reloadJSON(named).text == #"{"apps":3,"problems":0,"folder":"/srv/my apps"}"#)
    }
}
