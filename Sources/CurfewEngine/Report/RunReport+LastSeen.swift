import CurfewCore
import CurfewLinux
import CurfewWire

/// What a report of a kill tells beyond why: where the app was, what it was held to, what its processes did.
extension RunReport {
    typealias Members = [(key: String, value: JSON)]

    var whereItWas: Members {
        let isInForeground = ending.kill?.isInForeground ?? ending.state.isForeground
        return [
            ("exitCategory", .string(ending.category.rawValue)),
            ("visibility", .string(isInForeground ? "foreground" : "background")),
            ("limits", .object(limits)),
        ]
    }

    private var limits: Members {
        var members: Members = hasLifecycle ? lifecycleLimits : [("timeLimitSeconds", seconds(policy.timeLimit))]
        if let timeout = policy.timeout {
            members.append(("killAfterSeconds", timeout.killAfter.map { seconds($0) } ?? .null))
        }
        if let memory = policy.memory {
            members.append(("memoryBytes", bytes(memory.foreground.fatal)))
            members.append(("memoryHighBytes", bytes(memory.foreground.soft)))
            members.append(("backgroundMemoryBytes", bytes(memory.background.fatal)))
            members.append(("backgroundMemoryHighBytes", bytes(memory.background.soft)))
        }
        if let cpu = policy.backgroundCPU {
            members.append(("backgroundCPUSeconds", seconds(cpu.limit)))
            members.append(("backgroundCPUWindowSeconds", seconds(cpu.window)))
        }
        return members
    }

    private var lifecycleLimits: Members {
        var members: Members = [
            ("budgetSeconds", seconds(policy.backgroundBudget)), ("timeLimitSeconds", seconds(policy.timeLimit)),
            ("launchSeconds", seconds(policy.launchLimit)),
            ("enterBackgroundSeconds", seconds(policy.enterBackgroundLimit)),
            ("terminateSeconds", seconds(policy.terminateLimit)), ("wakeSeconds", seconds(policy.wakeLimit)),
            ("processingSeconds", seconds(policy.processingLimit)),
        ]
        if let limit = policy.resumeLimit {
            members.append(("resumptions", .integer(Int64(limit))))
            members.append(("resumptionWindowSeconds", seconds(policy.resumeWindow)))
        }
        return members
    }

    /// Only of a kill: what ended by itself was seen by nobody.
    var lastSeen: Members {
        guard let kill = ending.kill else { return [] }
        var members: Members = [("locks", .array(kill.locks.map { Self.json($0) }))]
        members.append(("processes", .array((snapshot?.processes ?? []).map { Self.json($0, of: kill) })))
        members.append(("omittedProcesses", .integer(Int64(snapshot?.omitted ?? 0))))
        if kill.reason.isJetsam { members.append(("apps", .array(measures.neighbours.map { Self.json($0) }))) }
        return members
    }

    var history: Members { [("events", .array(events.map { json($0) }))] }

    private static func json(_ lock: FileLock) -> JSON {
        .object([
            ("path", .string(lock.path)), ("kind", .string(lock.kind)),
            ("access", .string(lock.isWrite ? "write" : "read")), ("pid", .integer(Int64(lock.pid))),
            ("waitedFor", .bool(lock.isWaitedFor)),
        ])
    }

    /// There may have been no time to look for locks; those that it is killed for are known.
    private static func locks(of process: ProcessSnapshot, _ kill: KillReport) -> [FileLock] {
        process.locks.isEmpty ? kill.locks.filter { $0.pid == process.pid } : process.locks.map { FileLock($0) }
    }

    private static func json(_ process: ProcessSnapshot, of kill: KillReport) -> JSON {
        .object([
            ("pid", .integer(Int64(process.pid))), ("parent", .integer(Int64(process.parent))),
            ("name", .string(process.name)), ("command", .array(process.commandLine.map { JSON.string($0) })),
            ("state", .string(String(UnicodeScalar(process.state)))),
            ("waitChannel", process.waitChannel.map { JSON.string($0) } ?? .null),
            ("footprintBytes", process.footprint.map { JSON.integer(Int64(clamping: $0)) } ?? .null),
            ("cpuSeconds", .number(Double(process.cpuMicroseconds) / 1e6)),
            ("descriptors", process.descriptors.map { JSON.integer(Int64($0)) } ?? .null),
            ("locks", .array(locks(of: process, kill).map { json($0) })),
        ])
    }

    private static func json(_ app: RunMeasures.Neighbour) -> JSON {
        .object([
            ("app", .string(app.name)), ("band", .string(app.band.name)),
            ("footprintBytes", .integer(Int64(clamping: app.footprint))), ("victim", .bool(app.isVictim)),
        ])
    }

    private func json(_ entry: EventLog.Entry) -> JSON {
        let members = entry.message(app: name).jsonMembers.filter { !["time", "app"].contains($0.key) }
        return .object([("time", wallClock(entry.instant))] + members)
    }

    private func seconds(_ span: Span) -> JSON { span.isInfinite ? .null : .number(Self.seconds(span)) }

    private func bytes(_ bytes: UInt64?) -> JSON { bytes.map { JSON.integer(Int64(clamping: $0)) } ?? .null }
}
