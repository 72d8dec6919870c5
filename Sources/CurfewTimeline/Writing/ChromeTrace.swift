import CurfewWire

/// A timeline as Chrome's trace, which Perfetto and chrome://tracing open: a process for each app, a thread for each lane.
///
/// Source: Google, "Trace Event Format": the JSON array form; phases X, i, C and M; times in microseconds.
public struct ChromeTrace {
    private typealias Members = [(key: String, value: JSON)]

    private let timeline: Timeline

    public init(_ timeline: Timeline) { self.timeline = timeline }

    private static let stateThread = 1
    private static let eventThread = 2
    /// The first of those for tasks.
    private static let taskThread = 10
    private static let steps: Int64 = 100

    /// The whole document, ended by a line feed: an event a line.
    public var text: String {
        let all = timeline.runs.enumerated().flatMap { events(of: $0.element, pid: $0.offset + 1) }
        return "[\n" + all.map(\.text).joined(separator: ",\n") + "\n]\n"
    }

    private func events(of run: AppRun, pid: Int) -> [JSON] {
        let rows = TaskRows.pack(run.tasks)
        var events = names(of: run, pid, rows: (rows.max() ?? -1) + 1)
        for band in run.bands where band.to > band.from {
            events.append(duration(band.state, "state", pid, Self.stateThread, band.from, band.to))
        }
        for (task, row) in zip(run.tasks, rows) {
            let arguments: Members = [
                ("task", .integer(Int64(task.number))), ("outcome", .string(task.outcome.rawValue)),
            ]
            events.append(
                duration(
                    Printable.text(task.name), "task", pid, Self.taskThread + row, task.from, task.to, arguments))
        }
        events += run.marks.map { mark($0, pid) }
        events += counters(of: run, pid)
        return events
    }

    private func names(of run: AppRun, _ pid: Int, rows: Int) -> [JSON] {
        var threads = [(Self.stateThread, "state"), (Self.eventThread, "events")]
        threads += (0..<rows).map { (Self.taskThread + $0, "tasks") }
        let process = metadata("process_name", Printable.text(run.name), pid, 0)
        let order = event(
            [("name", .string("process_sort_index")), ("ph", .string("M"))], pid, 0,
            [("sort_index", .integer(Int64(pid)))])
        return [process, order] + threads.map { metadata("thread_name", $0.1, pid, $0.0) }
    }

    private func metadata(_ kind: String, _ name: String, _ pid: Int, _ tid: Int) -> JSON {
        event([("name", .string(kind)), ("ph", .string("M"))], pid, tid, [("name", .string(name))])
    }

    private func duration(
        _ name: String, _ category: String, _ pid: Int, _ tid: Int, _ from: Int64, _ to: Int64,
        _ arguments: Members = []
    ) -> JSON {
        event(
            [
                ("name", .string(name)), ("cat", .string(category)), ("ph", .string("X")), ("ts", time(from)),
                ("dur", Self.microseconds(to - from)),
            ], pid, tid, arguments)
    }

    private func mark(_ mark: AppRun.Mark, _ pid: Int) -> JSON {
        let fields: Members = mark.fields.map { ($0.key, .string(Printable.text($0.value))) }
        return event(
            [
                ("name", .string(Printable.text(mark.label))), ("cat", .string("event")), ("ph", .string("i")),
                ("s", .string("t")), ("ts", time(mark.time)),
            ], pid, Self.eventThread, [("name", .string(mark.name))] + fields)
    }

    private func counters(of run: AppRun, _ pid: Int) -> [JSON] {
        func counter(_ name: String, _ sample: AppRun.Sample, _ series: String, _ value: JSON) -> JSON {
            event(
                [("name", .string(name)), ("ph", .string("C")), ("ts", time(sample.time))], pid, 0, [(series, value)])
        }
        func seconds(_ nanoseconds: Int64) -> JSON { .number(Double(nanoseconds) / 1e9) }
        let budget = run.budget.flatMap { steps($0, of: run) }.map {
            counter("budget left", $0, "seconds", seconds($0.value))
        }
        let memory = run.memory.map { counter("memory", $0, "bytes", .integer($0.value)) }
        let limits = run.memoryLimits.compactMap { limit in
            limit.value.map { counter("memory limit", .init(time: limit.time, value: $0), "bytes", .integer($0)) }
        }
        return budget + memory + limits + run.cpu.map { counter("CPU time", $0, "seconds", seconds($0.value)) }
    }

    /// A counter stands between its samples: what falls is told in a hundred steps; and after a stay that the app left for
    /// the foreground the budget is whole again.
    private func steps(_ line: [AppRun.Sample], of run: AppRun) -> [AppRun.Sample] {
        guard let first = line.first, let last = line.last else { return [] }
        var steps = [first]
        for (from, to) in zip(line, line.dropFirst()) {
            let count = to.value < from.value ? min(Self.steps, max(1, to.time - from.time)) : 1
            for step in 1...count {
                let share = Double(step) / Double(count)
                let time = from.time + Int64(Double(to.time - from.time) * share)
                let value = from.value - Int64(Double(from.value - to.value) * share)
                steps.append(step == count ? to : .init(time: time, value: value))
            }
        }
        let next = run.bands.last { $0.from == last.time }?.state
        if let span = run.budgetSpan, next == "active" || next == "inactive" {
            steps.append(.init(time: last.time, value: span))
        }
        return steps
    }

    private func event(_ members: Members, _ pid: Int, _ tid: Int, _ arguments: Members) -> JSON {
        let place: Members = [("pid", .integer(Int64(pid))), ("tid", .integer(Int64(tid)))]
        return .object(members + place + (arguments.isEmpty ? [] : [("args", .object(arguments))]))
    }

    /// Since the timeline's beginning.
    private func time(_ time: Int64) -> JSON { Self.microseconds(time - timeline.from) }

    private static func microseconds(_ nanoseconds: Int64) -> JSON {
        nanoseconds % 1000 == 0 ? .integer(nanoseconds / 1000) : .number(Double(nanoseconds) / 1e3)
    }
}
