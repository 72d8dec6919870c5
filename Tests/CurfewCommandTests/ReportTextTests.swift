import CurfewWire
import Testing

@testable import CurfewCommand
@testable import CurfewEngine

/// What the tests of reports share.
enum ReportSample {
    static func stored(_ app: String = "backup", pid: Int32 = 41207, seconds: Int64 = 1_763_729_109) -> StoredReport {
        let id = ReportID(app: app, seconds: seconds, pid: pid)
        return StoredReport(id: id, path: "/r/\(id.text).json", size: 2, modified: seconds * 1_000_000_000)
    }

    /// Rendered where clocks show UTC.
    static func text(_ json: String, width: Int? = nil) throws -> String {
        let fields = ReportFields(json: try JSON.parse(json))
        return TimeOfDayTests.inZone("UTC0") {
            ReportText(ReportSummary(stored(), fields), fields).text(width: width)
        }
    }

    /// All keys that there are.
    static let whole = #"""
        {
          "version": 1, "app": "backup", "command": ["sh", "-c", "rsync a\nb"], "pid": 41207,
          "containment": "cgroup2 + memory.max", "reason": "background-task-timeout", "code": "0x2182bad2",
          "message": "background-task-timeout (0x2182bad2): task 2 \"upload\" (begun 10 min 3 s ago) was still open",
          "status": 124, "leader": {"signal": 9, "dumpedCore": false}, "state": "background",
          "limit": {"seconds": 600, "elapsedSeconds": 600.2, "cpuSeconds": 1.25, "event": "fetch",
            "memoryBytes": 209715200, "footprintBytes": 210763776, "share": 0.914, "shareLimit": 0.8, "availableBytes": 1024},
          "tasks": [{"task": 2, "name": "upload", "ageSeconds": 603}, {"task": 12, "name": "a\u001bb", "ageSeconds": 0.25}],
          "started": 1763728506, "ended": 1763729109.5, "seconds": 603.5, "cpuSeconds": 1.2,
          "peakMemoryBytes": 10276045, "exitCategory": "backgroundTaskAssertionTimeoutExit",
          "visibility": "background",
          "limits": {"memoryBytes": 209715200, "memoryHighBytes": 104857600, "budgetSeconds": 600,
            "timeLimitSeconds": null, "backgroundCPUWindowSeconds": 60, "newThing": "soon", "isOdd": true},
          "locks": [{"path": "/var/db", "kind": "FLOCK", "access": "write", "pid": 41210, "waitedFor": true}],
          "processes": [
            {"pid": 41207, "parent": 41205, "name": "sh", "command": ["sh", "-c", "x"], "state": "S",
             "waitChannel": "do_wait", "footprintBytes": 1048576, "cpuSeconds": 0.5, "descriptors": 4, "locks": []},
            {"pid": 41210, "parent": 41207, "name": "kworker", "command": [], "state": "D", "waitChannel": null,
             "footprintBytes": null, "cpuSeconds": 12, "descriptors": 117, "locks": [
               {"path": "/var/db", "kind": "FLOCK", "access": "write", "pid": 41210, "waitedFor": true},
               {"path": "/var/log", "kind": "OFD", "access": "read", "pid": 41210, "waitedFor": false}]}],
          "omittedProcesses": 12,
          "apps": [{"app": "backup", "band": "suspended", "footprintBytes": 10485760, "victim": true},
                   {"app": "editor", "band": "background with tasks", "footprintBytes": 1048576, "victim": false}],
          "events": [{"time": 1763728506.25, "name": "stateDidChange", "from": "active", "to": "background"},
                     {"time": 1763729109.5, "name": "willKill", "reason": "background-task-timeout", "n": 3}]
        }
        """#
}

extension TimeOfDayTests {
    @Suite("A report for people")
    struct ReportTextTests {
        @Test("All that there can be")
        func whole() throws {
            let text = try ReportSample.text(ReportSample.whole)
            #expect(
                text == """
                    backup: killed: background-task-timeout (0x2182bad2): task 2 "upload" (begun 10 min 3 s ago) was still open
                      when                   2025-11-21 12:45:09, after 10 min 4 s
                      command                sh -c rsync a\\nb
                      pid                    41207
                      state                  background
                      exit category          backgroundTaskAssertionTimeoutExit
                      exit status            124
                      program                ended by signal 9
                      containment            cgroup2 + memory.max
                      CPU time               1.2 s
                      peak memory            9.8 MiB
                      file                   /r/backup-20251121T124509Z-41207.json

                    Limit crossed
                      limit                  10 min
                      elapsed                10 min
                      CPU time               1.3 s
                      event                  fetch
                      memory limit           200 MiB
                      footprint              201 MiB
                      share                  91.4 %
                      share limit            80 %
                      available              1 KiB

                    All limits
                      memory                 200 MiB
                      memory high            100 MiB
                      budget                 10 min
                      background CPU window  1 min
                      new thing              soon
                      is odd                 yes

                    Background tasks
                      TASK         AGE  NAME
                         2  10 min 3 s  upload
                        12       0.3 s  a\\x1bb

                    Locks
                        PID  KIND   ACCESS  WAITED FOR  PATH
                      41210  FLOCK  write   yes         /var/db
                      41210  OFD    read    no          /var/log

                    Processes
                        PID  STATE  WAITS IN  MEMORY    CPU  FDS  COMMAND
                      41207  S      do_wait    1 MiB  0.5 s    4  sh -c x
                      41210  D      -              -   12 s  117  [kworker]
                      and 12 more

                    Apps
                      APP     BAND                   MEMORY  VICTIM
                      backup  suspended              10 MiB  killed
                      editor  background with tasks   1 MiB

                    Last events
                      TIME          EVENT           DETAILS
                      12:35:06.250  stateDidChange  from=active  to=background
                      12:45:09.500  willKill        reason=background-task-timeout  n=3
                    """)
        }

        @Test("Its tables are cut to the terminal's width, what happened isn't")
        func width() throws {
            let lines = try ReportSample.text(ReportSample.whole, width: 44).split(separator: "\n").map(String.init)
            #expect(lines[0].hasSuffix("was still open"))
            #expect(lines.contains("  12:45:09.500  willKill        reason=back…"))
            #expect(lines.contains("  12:35:06.250  stateDidChange  from=active…"))
            #expect(try ReportSample.text(ReportSample.whole, width: 1).contains("willKill        reason…"))
        }

        @Test("Nothing at all is known")
        func empty() throws {
            let expected = """
                backup: ended
                  when  2025-11-21 12:45:09
                  file  /r/backup-20251121T124509Z-41207.json
                """
            #expect(try ReportSample.text("{}") == expected)
            let fields = try JSON.parse(ReportSample.whole)
            guard case .object(let members) = fields else {
                Issue.record("no object")
                return
            }
            // Each key null, and each of a kind it can't have.
            let nulls = JSON.object(members.map { ($0.key, .null) })
            #expect(try ReportSample.text(nulls.text) == expected)
            let odd = JSON.object(members.map { ($0.key, .bool(true)) })
            #expect(try ReportSample.text(odd.text) == expected)
            let nested = JSON.object(members.map { ($0.key, .array([.array([]), .null, .object([])])) })
            #expect(try ReportSample.text(nested.text).hasPrefix(expected))
        }

        @Test("Times are exact to the millisecond")
        func times() throws {
            for milliseconds in stride(from: 0, to: 1000, by: 7) {
                let fraction = String(1000 + milliseconds).dropFirst()
                let text = try ReportSample.text(#"{"events": [{"time": 1763729109.\#(fraction), "name": "x"}]}"#)
                #expect(text.contains("  12:45:09.\(fraction)  x"))
            }
        }

        @Test("Numbers beyond all bounds are no trap")
        func bounds() throws {
            for number in ["1e308", "-1e308", "9223372036854775807", "-9223372036854775808", "-1", "1e-300"] {
                let text = try ReportSample.text(
                    """
                    {"ended": \(number), "seconds": \(number), "cpuSeconds": \(number), "peakMemoryBytes": \(number),
                     "limit": {"seconds": \(number), "memoryBytes": \(number), "share": \(number)},
                     "tasks": [{"task": \(number), "ageSeconds": \(number)}],
                     "processes": [{"pid": \(number), "footprintBytes": \(number), "cpuSeconds": \(number)}],
                     "omittedProcesses": \(number), "events": [{"time": \(number)}]}
                    """)
                #expect(text.hasPrefix("backup: ended\n"), "\(number)")
            }
        }

        @Test(
            "What happened",
            arguments: [
                (#"{"reason": "time-limit", "code": null}"#, "backup: killed: time-limit"),
                (#"{"reason": "watchdog", "code": "0x8badf00d"}"#, "backup: killed: watchdog (0x8badf00d)"),
                (#"{"message": "no such program\u0007"}"#, "backup: no such program\\x07"),
                (#"{"app": "other\n", "reason": "x", "message": "x: y\u0085"}"#, "other\\n: killed: x: y\\x85"),
            ])
        func title(json: String, title: String) throws {
            #expect(try ReportSample.text(json).split(separator: "\n").first.map(String.init) == title)
        }

        @Test(
            "The state and the program's end",
            arguments: [
                (#"{"state": "suspended", "visibility": "background"}"#, "state", "suspended, in background"),
                (#"{"state": "active", "visibility": "foreground"}"#, "state", "active, in foreground"),
                (#"{"state": "active"}"#, "state", "active"),
                (#"{"visibility": "background"}"#, "state", "background"),
                (#"{"leader": {"exited": 3}}"#, "program", "exited with 3"),
                (
                    #"{"leader": {"signal": 11, "dumpedCore": true}}"#, "program",
                    "ended by signal 11, and left a core dump"
                ),
            ])
        func facts(json: String, label: String, expected: String) throws {
            let lines = try ReportSample.text(json).split(separator: "\n")
            #expect(lines.first { $0.hasPrefix("  " + label) }?.hasSuffix("  " + expected) == true, "\(lines)")
        }

        @Test("The list, newest first, a damaged one among them")
        func list() throws {
            let whole = ReportSummary(ReportSample.stored(), ReportFields(json: try JSON.parse(ReportSample.whole)))
            let little = ReportSummary(ReportSample.stored("x", pid: 1), ReportFields(json: .object([])))
            let damaged = ReportSummary(
                ReportSample.stored("editor", pid: 7, seconds: 0), nil, problem: "it isn't a JSON object")
            let text = TimeOfDayTests.inZone("UTC0") {
                ReportSummary.table([whole, little, damaged], width: 110).joined(separator: "\n")
            }
            #expect(
                text == """
                    WHEN                 APP     REASON                   ID                             MESSAGE
                    2025-11-21 12:45:09  backup  background-task-timeout  backup-20251121T124509Z-41207  task 2 "upload" (begun 1…
                    2025-11-21 12:45:09  x       -                        x-20251121T124509Z-1
                    1970-01-01 00:00:00  editor  (damaged)                editor-19700101T000000Z-7      it isn't a JSON object
                    """)
        }
    }
}

@Suite("Reports as JSON, and finding one")
struct ReportLookupTests {
    @Test("One in the list")
    func json() throws {
        let whole = ReportSummary(ReportSample.stored(), ReportFields(json: try JSON.parse(ReportSample.whole)))
        #expect(
            whole.json.text == #"""
                {"id":"backup-20251121T124509Z-41207","path":"/r/backup-20251121T124509Z-41207.json",\#
                "time":1763729109.5,"app":"backup","reason":"background-task-timeout","code":"0x2182bad2",\#
                "message":"background-task-timeout (0x2182bad2): task 2 \"upload\" (begun 10 min 3 s ago) was still \#
                open","damaged":false}
                """#)
        let damaged = ReportSummary(ReportSample.stored(), nil, problem: "it isn't a JSON object")
        #expect(
            damaged.json.text == #"""
                {"id":"backup-20251121T124509Z-41207","path":"/r/backup-20251121T124509Z-41207.json",\#
                "time":1763729109.0,"app":"backup","reason":null,"code":null,"message":"it isn't a JSON object",\#
                "damaged":true}
                """#)
    }

    @Test("By its id, the beginning of one, an app's name or `last`")
    func find() {
        let reports = [
            ReportSample.stored("back", pid: 5), ReportSample.stored("backup", pid: 41207),
            ReportSample.stored("backup", pid: 41), ReportSample.stored("last", pid: 9),
            ReportSample.stored("editor", pid: 7),
        ]
        func found(_ word: String) -> Int? {
            guard case .found(let stored) = ReportLookup.find(word, among: reports) else { return nil }
            return reports.firstIndex(of: stored)
        }
        #expect(found("last") == 0)
        #expect(found("last-") == 3)
        #expect(found("back") == 0)
        #expect(found("backup") == 1)
        #expect(found("backup-20251121T124509Z-41") == 2)
        #expect(found("backup-20251121T124509Z-412") == 1)
        #expect(found("ed") == 4)
        let both = reports[1...2].map(\.id.text)
        #expect(ReportLookup.find("backup-2", among: reports) == .several(both))
        #expect(ReportLookup.find("ba", among: reports) == .several([reports[0].id.text] + both))
        for word in ["", "x", "backup-20251121T124509Z-41207-", "Backup"] {
            #expect(ReportLookup.find(word, among: reports) == .none)
        }
        #expect(ReportLookup.find("last", among: []) == .none)
        #expect(ReportLookup.listed(["a", "b", "c"]) == "a, b, c")
        #expect(ReportLookup.listed(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more")
    }
}

@Suite("A key in words")
struct KeyLabelTests {
    @Test(
        "Words and unit",
        arguments: [
            ("memoryBytes", "memory", KeyLabel.Unit.bytes), ("seconds", "", .seconds),
            ("backgroundCPUWindowSeconds", "background CPU window", .seconds),
            ("backgroundCPUSeconds", "background CPU", .seconds), ("share", "share", .share),
            ("shareLimit", "share limit", .share), ("event", "event", .none), ("", "", .none), ("X", "X", .none),
            ("CPU", "CPU", .none), ("a b", "a b", .none),
        ])
    func label(key: String, words: String, unit: KeyLabel.Unit) {
        #expect(KeyLabel(key).words == words)
        #expect(KeyLabel(key).unit == unit)
    }
}
