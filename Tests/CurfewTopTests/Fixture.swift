import CurfewWire
import Glibc
import Testing

@testable import CurfewTop

/// Models made up for tests, at moments of their own clock.
enum Fixture {
    static let second: Int64 = 1_000_000_000
    static let now = 10_000 * second

    /// A status as a supervisor sends it: what isn't given is as usual.
    static func status(_ name: String, _ state: String, _ more: [String: String] = [:]) -> Message {
        var fields = [
            "app": name, "pid": "4711", "state": state, "since": "12.000", "aware": "false", "remaining": "inf",
            "budget": "600.000", "open-tasks": "0", "processes": "1", "footprint": "6500000", "cpu": "1.000",
            "command": "./\(name).sh",
        ]
        fields.merge(more) { $1 }
        return Message("ok", fields.sorted { $0.key < $1.key }.map { Field($0.key, $0.value) })
    }

    static func event(_ name: String, _ fields: [String: String] = [:]) -> Message {
        Message("event", [Field("name", name)] + fields.sorted { $0.key < $1.key }.map { Field($0.key, $0.value) })
    }

    static func task(_ number: Int, _ name: String, age: String) -> Message {
        Message("task", [Field("task", "\(number)"), Field("name", name), Field("age", age)])
    }

    /// Each told once, at `now`; settled for so many rows.
    static func model(_ apps: [(Message, [Message])], rows: Int = 20) -> TopModel {
        var model = TopModel()
        for (status, tasks) in apps {
            let name = status["app"] ?? ""
            model.add(name)
            model.take(status: status, tasks: tasks, of: name, at: now)
        }
        model.machine = MachineMemory(total: 16 << 30, available: 9 << 30, stalled: 0)
        model.settle(rows: rows, at: now)
        return model
    }

    static func named(_ names: [String], rows: Int = 20) -> TopModel {
        model(names.map { (status($0, "active"), []) }, rows: rows)
    }

    /// One of each kind.
    static func kinds() -> TopModel {
        var model = model([
            (
                status("editor", "active", ["memory-limit": "209715200", "footprint": "180000000", "processes": "3"]),
                []
            ),
            (
                status(
                    "backup", "background", ["remaining": "571.204", "since": "28.796", "memory-pressure": "warning"]),
                [task(2, "nightly upload", age: "63.000")]
            ),
            (status("sync", "background", ["remaining": "20.000", "since": "580.000"]), [task(1, "a", age: "3.0")]),
            (
                status(
                    "cache", "suspended",
                    [
                        "asleep": "true", "wake-on": "connections:6379,terminal", "since": "7384.0", "woken": "3",
                        "woken-by": "a connection to :6379",
                    ]), []
            ),
            (status("notes", "suspended", ["asleep": "until-opened", "since": "300000.0"]), []),
            (status("mail", "suspended", ["wake-on": "timers", "since": "61.0"]), []),
            (status("debugged", "inactive", ["traced": "true"]), []),
            (status("写真-sync", "active", ["command": "python3 写真.py --出力 /tmp/ｆ"]), []),
        ])
        model.take(
            status: status(
                "editor", "active",
                [
                    "memory-limit": "209715200", "footprint": "180000000", "processes": "3",
                    "since": "13.000", "cpu": "1.250",
                ]),
            tasks: [], of: "editor", at: now + second)
        return model
    }

    static func lines(
        _ model: TopModel, _ columns: Int, _ rows: Int, isUnicode: Bool = true, at moment: Int64 = now + second
    ) -> [String] {
        var model = model
        let screen = TopScreen(columns: columns, rows: rows, isUnicode: isUnicode)
        model.settle(rows: screen.listRows, at: moment)
        return screen.lines(of: model, at: moment).map(\.text)
    }

    // MARK: Kept screens

    private static let folder = String("\(#filePath)".reversed().drop { $0 != "/" }.reversed()) + "Screens/"

    /// Holds lines to the file of that name, blanks at their ends aside; `CURFEW_RECORD=1` writes it.
    static func expect(_ lines: [String], toBe name: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let text = lines.map { trimmed($0) + "\n" }.joined()
        let path = folder + name + ".txt"
        if getenv("CURFEW_RECORD") != nil, let file = fopen(path, "w") {
            fputs(text, file)
            fclose(file)
        }
        #expect(text == read(path), sourceLocation: sourceLocation)
    }

    /// A file of the repository, by its path there.
    static func document(_ path: String) -> String { read(folder + "../../../" + path) }

    /// Without blanks at its end.
    static func trimmed(_ line: String) -> String { String(line.reversed().drop { $0 == " " }.reversed()) }

    private static func read(_ path: String) -> String {
        guard let file = fopen(path, "r") else {
            Issue.record("\(path) can't be read")
            return ""
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
