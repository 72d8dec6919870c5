import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Testing

@testable import CurfewEngine

@Suite("The log of an app's events")
struct EventLogTests {
    /// The line of the first event of an app, its time taken out.
    private func line(_ record: EventRecord) -> String {
        var log = EventLog()
        var message = log.append(record, at: Instant(nanoseconds: 1)).message(app: "backup")
        guard message.fields.count > 2, message.fields[2].key == "time" else { return "no time: \(message.line)" }
        message.fields.remove(at: 2)
        return message.line
    }

    @Test("So many of the last stay at least, and never more than twice as many", arguments: [1, 64, 256])
    func bounded(capacity: Int) {
        var log = EventLog()
        for number in 1...5 * capacity + 7 {
            _ = log.append(.note(.ready), at: Instant(nanoseconds: 1), capacity: capacity)
            #expect(log.entries.count >= min(number, capacity))
            #expect(log.entries.count <= 2 * capacity)
            #expect(log.entries.last?.number == number)
        }
    }

    @Test("Where fewer are to be kept than there are, the oldest go")
    func lessened() {
        var log = EventLog()
        for _ in 0..<400 { _ = log.append(.note(.ready), at: Instant(nanoseconds: 1)) }
        _ = log.append(.note(.ready), at: Instant(nanoseconds: 1), capacity: EventLog.unfollowedCapacity)
        #expect(log.entries.map(\.number) == Array(337...401))
    }

    private static let lines: [(EventRecord, String)] = [
        (.stateChanged(from: .active, to: .background), "stateDidChange from=active to=background"),
        (.delivered(.lifecycle(.didEnterBackground), sequence: 4), "didDeliver event=didEnterBackground seq=4"),
        (
            .delivered(.wake("push"), sequence: 5, info: [Info("a", "b c"), Info("n", "1")]),
            #"didDeliver event=push seq=5 info.a="b c" info.n=1"#
        ),
        (
            .delivered(.wake("push"), sequence: 6, info: [Info("n", "1")], leftOut: 2),
            "didDeliver event=push seq=6 info.n=1 info-left-out=2"
        ),
        (
            .stillRunning([
                PendingProcess(pid: 7, name: "cp", state: UInt8(ascii: "D"), waitChannel: "nfs_wait"),
                PendingProcess(pid: 8, name: "sh", state: UInt8(ascii: "R"), waitChannel: nil),
            ]), #"stillRunning processes="cp (pid 7, uninterruptible, in nfs_wait); sh (pid 8, state R)""#
        ),
        (.stillRunning([]), #"stillRunning processes="""#),
        (
            .killing(.sample(.processExitWatchdog) { $0.limit = .seconds(5) }),
            "willKill reason=process-exit-watchdog code=0x8badf00d "
                + #"why="process-exit-watchdog (0x8badf00d): it hadn't ended 5 s after willTerminate""#
        ),
        (
            .expired(.sample(.timeLimit)),
            #"timeLimitDidPass reason=time-limit why="time-limit: it ran for some time; the limit is some time""#
        ),
        (
            .killing(.sample(.supervisorExit)),
            #"willKill reason=supervisor-exit why="supervisor-exit: its supervisor ended""#
        ),
        (.ended(.sample(leader: .exited(code: 3))), "didEnd status=3"),
        (.ended(.sample(leader: .signaled(signal: 11, dumpedCore: true))), "didEnd signal=11"),
        (.ended(.sample(kill: .sample(.timeLimit))), "didEnd status=124 reason=time-limit"),
        (.signalIgnored(18, from: 4711), "signalIgnored signal=18 pid=4711"),
        (.signalIgnored(15, from: nil), "signalIgnored signal=15"),
        (.supervisorStopped, "supervisorDidStop"),
        (.channelDropped(reason: "its client doesn't read"), #"channelDidDrop reason="its client doesn't read""#),
        (.note(.taskBegun(TaskID(3), name: "a \"b\"\n")), #"taskDidBegin task=3 title="a \"b\"\n""#),
        (.note(.taskEnded(TaskID(3), name: "b")), "taskDidEnd task=3 title=b"),
        (.note(.taskReleased(TaskID(3), name: "")), #"taskDidRelease task=3 title="""#),
        (.note(.unknownTaskEnded(TaskID(0))), "unknownTaskEnded task=0"),
        (.note(.unknownAcknowledgement(sequence: 9)), "unknownAcknowledgement seq=9"),
        (.note(.acknowledged(.lifecycle(.willTerminate), sequence: 2)), "didAcknowledge event=willTerminate seq=2"),
        (.note(.becameAware), "didBecomeAware"),
        (.note(.becamePlain), "didBecomePlain"),
        (.note(.expirationWarning([TaskID(1), TaskID(5)])), "backgroundTasksWillExpire tasks=1,5"),
        (.note(.traced(true)), "tracerDidChange traced=true"),
        (.note(.traced(false)), "tracerDidChange traced=false"),
        (.note(.suspensionIncomplete), "suspensionIncomplete"),
        (.note(.changeKept("localeDidChange")), "changeKept event=localeDidChange"),
        (.note(.ready), "didBecomeReady"), (.note(.stopping), "isStopping"),
        (.note(.timeoutExtended(.milliseconds(1_500))), "timeoutExtended seconds=1.500"),
        (.note(.nothingToExtend), "nothingToExtend"),
        (.note(.keepAliveChanged(.seconds(600))), "keepAliveDidChange seconds=600.000"),
        (.note(.keepAliveChanged(nil)), "keepAliveDidChange"),
        (.note(.didSleep(by: "being idle")), #"didSleep by="being idle""#),
        (.note(.didWake(by: "a connection to :6379")), #"didWake by="a connection to :6379""#),
        (
            .woken(Waking(cause: "data", from: "[::1]:5", to: ":80", resumedIn: Span(nanoseconds: 412_999))),
            "didWake by=data from=[::1]:5 to=:80 resumed-in=0.000412"
        ),
        (
            .woken(Waking(cause: "being opened", resumedIn: .milliseconds(1_234))),
            #"didWake by="being opened" resumed-in=1.234000"#
        ),
        (.note(.keptAwake("node (7): files of an io_uring")), #"keptAwake why="node (7): files of an io_uring""#),
        (
            .stillRunning((1...17).map { PendingProcess(pid: $0, name: "a", state: 0x52, waitChannel: nil) }),
            "stillRunning processes=\"" + (1...16).map { "a (pid \($0), state R); " }.joined() + "and more\""
        ),
        (.note(.memoryWarning(.critical)), "memoryWarning level=critical"),
        (.note(.cpuLimitPassed(used: .seconds(48), elapsed: .seconds(50))), "cpuLimitPassed cpu=48.000 seconds=50.000"),
        (
            .note(.lockedFiles([FileLock(path: "/a b", kind: "POSIX", isWrite: true, pid: 7, isWaitedFor: false)])),
            #"suspendedWithLockedFiles locks="/a b (POSIX, pid 7)""#
        ),
        (.statusText("1"), "didNotifyStatus text=1"), (.mainProcess(7), "mainProcessDidChange pid=7"),
        (.notificationIgnored(reason: "x"), "notificationIgnored reason=x"),
        (.pagedOut(PageOutResult(resident: 1, swapped: 2)), "didPageOut resident=1 swapped=2"),
        (.pressure(.warning, available: 9), "memoryPressureDidChange level=warning available=9"),
        (.settingsLost(reason: "x"), "settingsLost reason=x"), (.hookDropped(event: "x"), "hookDropped event=x"),
        (.joined(server: "x"), "didJoin server=x"), (.parted(server: "x", reason: "y"), "didPart server=x reason=y"),
    ]

    /// The rows of docs/json.md's table of events: its keys by name.
    private static let documented: [String: Set<String>] = {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let text = String(decoding: SmallFile.bytes(of: "/\(root)/docs/json.md") ?? [], as: UTF8.self)
        let section = text.split(separator: "\n## Events").last?.split(separator: "\n## ").first ?? ""
        var rows: [String: Set<String>] = [:]
        for row in section.split(separator: "\n") where row.hasPrefix("| `") {
            let cells = row.split(separator: "|")
            guard cells.count > 2 else { continue }
            let keys = quoted(cells[1])
            for name in quoted(cells[0]) { rows[name] = keys }
        }
        return rows
    }()

    private static func quoted(_ cell: Substring) -> Set<String> {
        let parts = cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        return Set(parts.filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) })
    }

    /// What docs/json.md says below that table.
    private static func isDocumented(_ value: JSON, as key: String) -> Bool {
        switch key {
        case "seq", "task", "pid", "status", "signal", "available", "resident", "swapped", "number", "infoLeftOut":
            if case .integer = value { true } else { false }
        case "seconds", "cpu", "time", "resumedIn":
            switch value {
            case .number, .integer: true
            default: false
            }
        case "info": if case .object = value { true } else { false }
        case "traced": if case .bool = value { true } else { false }
        default: if case .string = value { true } else { false }
        }
    }

    @Test("Each key is documented, and of the documented type, in a report as well", arguments: lines)
    func types(record: EventRecord, text: String) throws {
        let name = String(text.prefix { $0 != " " })
        let keys = try #require(Self.documented[name], "docs/json.md doesn't have \(name)")
        var log = EventLog()
        let entry = log.append(record, at: Instant(nanoseconds: 1))
        let now = Instant(nanoseconds: curfew_monotonic_nanoseconds())
        let report = RunReport(
            name: "backup", leader: 7, command: ["x"], containment: "cgroup2", policy: Policy(profile: .ios4),
            startedAt: now, endedAt: now, measures: RunMeasures(), snapshot: nil, events: [entry],
            ending: .sample(kill: .sample(.timeLimit))
        ).json
        guard case .array(let events)? = report["events"], case .object(let told)? = events.first else {
            Issue.record("no event in \(report.text)")
            return
        }
        let message = entry.message(app: "backup")
        let read = Message("event", json: .object(told)).fields.filter { $0.key != "time" }
        let sent = message.fields.filter { !["time", "app"].contains($0.key) }
        #expect(read.sorted { $0.key < $1.key } == sent.sorted { $0.key < $1.key })
        for members in [message.jsonMembers, told] {
            for (key, value) in members {
                #expect(["name", "number", "time", "app"].contains(key) || keys.contains(key), "\(name): \(key)")
                #expect(Self.isDocumented(value, as: key), "\(name): \(key) is \(value.text)")
            }
        }
    }

    private static let infos: [(lengths: [Int], kept: Int)] = [
        ([], 0), ([255], 1), ([256], 0), ([100, 100, 53], 3), ([100, 100, 54], 2), ([300, 1], 0),
    ]

    @Test("Of an event's pairs history keeps 256 bytes, whole pairs, in their order", arguments: infos)
    func info(lengths: [Int], kept: Int) {
        let pairs = lengths.map { Info("k", String(repeating: "v", count: $0)) }
        let delivery = Delivery(event: .wake("push"), sequence: 2, info: pairs)
        let expected = EventRecord.delivered(
            .wake("push"), sequence: 2, info: Array(pairs.prefix(kept)), leftOut: lengths.count - kept)
        #expect(EventRecord.delivered(delivery) == expected)
    }

    @Test("Every kind of event, as its followers read it", arguments: lines)
    func kinds(record: EventRecord, text: String) {
        let name = text.prefix { $0 != " " }
        let rest = text.dropFirst(name.count)
        #expect(line(record) == "event name=\(name) number=1 app=backup\(rest)")
    }

    @Test("Its time is that of the wall clock when it happened")
    func time() throws {
        var log = EventLog()
        let before = curfew_realtime_nanoseconds()
        let minuteAgo = Instant(nanoseconds: curfew_monotonic_nanoseconds()) - .seconds(60)
        let message = log.append(.note(.becameAware), at: minuteAgo).message(app: "a")
        let seconds = try #require(message["time"].flatMap { Seconds.parse($0) })
        // Shown to the millisecond, rounded down.
        #expect(seconds >= before - 60_001_000_000)
        #expect(seconds <= curfew_realtime_nanoseconds() - 59_999_000_000)
    }

    @Test("Events are numbered from 1, and keep their number when older ones are forgotten")
    func numbers() {
        var log = EventLog()
        for number in 1...2_000 {
            let entry = log.append(
                .delivered(.lifecycle(.didBecomeActive), sequence: number), at: Instant(nanoseconds: 0))
            #expect(entry.number == number)
            #expect(log.recent.count == min(number, EventLog.capacity))
            #expect(log.recent.last?.number == number)
            #expect(log.recent.first?.number == max(1, number - EventLog.capacity + 1))
            #expect(log.entries.count <= 2 * EventLog.capacity)
        }
        #expect(log.recent.map(\.number) == Array(1745...2000))
    }

    @Test("None at first")
    func empty() { #expect(EventLog().recent.isEmpty) }
}
