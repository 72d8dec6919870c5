import CurfewCore
import CurfewLinux
import CurfewWire

/// The last things that happened, kept as they were and put into words only when somebody asks.
struct EventLog {
    final class Entry: Sendable {
        let number: Int
        let instant: Instant
        let record: EventRecord

        init(number: Int, instant: Instant, record: EventRecord) {
            self.number = number
            self.instant = instant
            self.record = record
        }
    }

    /// A follower that comes later is told this many.
    static let capacity = 256
    /// Of one of very many apps, while nobody follows.
    static let unfollowedCapacity = 64

    private(set) var entries: [Entry] = []
    private(set) var lastNumber = 0

    /// `capacity`: how many stay at least; never more than twice as many.
    mutating func append(_ record: EventRecord, at now: Instant, capacity: Int = capacity) -> Entry {
        lastNumber += 1
        let entry = Entry(number: lastNumber, instant: now, record: record)
        if entries.count >= 2 * capacity { entries.removeFirst(entries.count - capacity) }
        entries.append(entry)
        return entry
    }

    var recent: ArraySlice<Entry> { entries.suffix(Self.capacity) }

    func last(_ count: Int) -> [Entry] { Array(entries.suffix(count)) }
}

extension EventLog.Entry {
    /// As `curfew events` gets it: `event name=stateDidChange number=3 time=… app=backup from=active to=background`.
    func message(app: String) -> Message {
        let (name, fields) = content
        let base = [
            Field("name", name), Field("number", String(number)), Field("time", wallClock), Field("app", app),
        ]
        return Message("event", base + fields)
    }

    /// Seconds since 1970.
    private var wallClock: String { Seconds.text(nanoseconds: WallClock.nanoseconds(of: instant)) }

    private var content: (String, [Field]) {
        switch record {
        case .stateChanged(let from, let to):
            ("stateDidChange", [Field("from", from.rawValue), Field("to", to.rawValue)])
        case .delivered(let event, let sequence, let info, let leftOut):
            (
                "didDeliver",
                [Field("event", event.name), Field("seq", String(sequence))] + info.map { Field($0) }
                    + (leftOut > 0 ? [Field("info-left-out", String(leftOut))] : [])
            )
        case .note(let note): note.content
        case .woken(let waking):
            ("didWake", [Field("by", waking.cause)] + waking.fields)
        case .stillRunning(let processes):
            ("stillRunning", [Field("processes", PendingProcess.text(of: processes))])
        case .expired(let report): ("timeLimitDidPass", report.fields)
        case .killing(let report): ("willKill", report.fields)
        case .ended(let ending): ("didEnd", ending.fields)
        case .channelDropped(let reason): ("channelDidDrop", [Field("reason", reason)])
        case .statusText(let text): ("didNotifyStatus", [Field("text", text)])
        case .mainProcess(let pid): ("mainProcessDidChange", [Field("pid", String(pid))])
        case .notificationIgnored(let reason): ("notificationIgnored", [Field("reason", reason)])
        case .pagedOut(let result):
            (
                "didPageOut",
                [Field("resident", String(result.resident)), Field("swapped", String(result.swapped))]
            )
        case .pressure(let level, let available):
            (
                "memoryPressureDidChange",
                [Field("level", level.name)] + (available.map { [Field("available", String($0))] } ?? [])
            )
        case .settingsLost(let reason): ("settingsLost", [Field("reason", reason)])
        case .signalIgnored(let signal, let pid):
            ("signalIgnored", [Field("signal", String(signal))] + (pid.map { [Field("pid", String($0))] } ?? []))
        case .supervisorStopped: ("supervisorDidStop", [])
        case .hookDropped(let event): ("hookDropped", [Field("event", event)])
        case .notified(let notification, let way):
            (
                "didNotify",
                [
                    Field("notification", notification.id), Field("by", way),
                    Field("title", notification.content.title), Field("body", notification.content.body),
                ]
            )
        case .joined(let server): ("didJoin", [Field("server", server)])
        case .parted(let server, let reason): ("didPart", [Field("server", server), Field("reason", reason)])
        }
    }
}

extension Note {
    var content: (String, [Field]) {
        switch self {
        case .taskBegun(let task, let name): ("taskDidBegin", Self.task(task, name))
        case .taskEnded(let task, let name): ("taskDidEnd", Self.task(task, name))
        case .taskReleased(let task, let name): ("taskDidRelease", Self.task(task, name))
        case .unknownTaskEnded(let task): ("unknownTaskEnded", [Field("task", String(task.rawValue))])
        case .unknownAcknowledgement(let sequence): ("unknownAcknowledgement", [Field("seq", String(sequence))])
        case .acknowledged(let event, let sequence):
            ("didAcknowledge", [Field("event", event.name), Field("seq", String(sequence))])
        case .becameAware: ("didBecomeAware", [])
        case .becamePlain: ("didBecomePlain", [])
        case .expirationWarning(let tasks):
            ("backgroundTasksWillExpire", [Field("tasks", tasks.map { String($0.rawValue) }.joined(separator: ","))])
        case .traced(let isTraced): ("tracerDidChange", [Field("traced", isTraced ? "true" : "false")])
        case .suspensionIncomplete: ("suspensionIncomplete", [])
        case .changeKept(let name): ("changeKept", [Field("event", name)])
        case .ready: ("didBecomeReady", [])
        case .stopping: ("isStopping", [])
        case .timeoutExtended(let span):
            ("timeoutExtended", [Field("seconds", Seconds.text(nanoseconds: span.nanoseconds))])
        case .nothingToExtend: ("nothingToExtend", [])
        case .memoryWarning(let level): ("memoryWarning", [Field("level", level.rawValue)])
        case .cpuLimitPassed(let used, let elapsed):
            (
                "cpuLimitPassed",
                [
                    Field("cpu", Seconds.text(nanoseconds: used.nanoseconds)),
                    Field("seconds", Seconds.text(nanoseconds: elapsed.nanoseconds)),
                ]
            )
        case .lockedFiles(let locks):
            ("suspendedWithLockedFiles", [Field("locks", locks.map(\.text).joined(separator: "; "))])
        case .didSleep(let cause): ("didSleep", [Field("by", cause)])
        case .didWake(let cause, let from, let to):
            (
                "didWake",
                [Field("by", cause)] + (from.map { [Field("from", $0)] } ?? []) + (to.map { [Field("to", $0)] } ?? [])
            )
        case .keepAliveChanged(let interval):
            (
                "keepAliveDidChange",
                interval.map { [Field("seconds", Seconds.text(nanoseconds: $0.nanoseconds))] } ?? []
            )
        case .keptAwake(let obstacle): ("keptAwake", [Field("why", obstacle)])
        }
    }

    private static func task(_ task: TaskID, _ name: String) -> [Field] {
        [Field("task", String(task.rawValue)), Field("title", name)]
    }
}

extension FileLock {
    /// `/var/db/app.db (POSIX, pid 4711, waited for by another program)`.
    var text: String {
        let waiting = isWaitedFor ? ", waited for by another program" : ""
        return "\(path) (\(kind)\(isWrite ? "" : " read lock"), pid \(pid)\(waiting))"
    }
}

extension KillReport {
    var fields: [Field] {
        var fields = [Field("reason", reason.rawValue)]
        if let code = reason.code { fields.append(Field("code", code)) }
        fields.append(Field("why", KillNarration.text(self)))
        return fields
    }
}

extension Ending {
    fileprivate var fields: [Field] {
        var fields: [Field] = []
        switch status {
        case .exit(let code): fields.append(Field("status", String(code)))
        case .raise(let signal): fields.append(Field("signal", String(signal)))
        }
        if let kill { fields.append(Field("reason", kill.reason.rawValue)) }
        return fields
    }
}
