import CurfewWire
import Glibc
import Testing

@testable import CurfewTimeline

/// Files that are kept beside the tests, and runs made up for them.
enum Samples {
    static let second: Int64 = 1_000_000_000

    /// A file beside this one.
    static func bytes(_ name: String) -> [UInt8] { read(folder + "Samples/" + name) }

    /// A file of the repository, by its path there.
    static func document(_ path: String) -> String {
        String(decoding: read(folder + "../../" + path), as: UTF8.self)
    }

    static func text(_ name: String) -> String { String(decoding: bytes(name), as: UTF8.self) }

    private static let folder = String("\(#filePath)".reversed().drop { $0 != "/" }.reversed())

    private static func read(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "r") else {
            Issue.record("\(path) can't be read")
            return []
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return bytes
    }

    /// What happened, each after so many seconds; `fields` as `key=value`.
    static func run(
        _ happenings: [(Double, String, [String])], app: String = "app", budget: Int64? = nil, until end: Double? = nil,
        _ more: (inout RunRecorder) -> Void = { _ in }
    ) -> AppRun {
        var recorder = RunRecorder(app: app)
        if let budget { recorder.budget(budget) }
        for (time, name, fields) in happenings { recorder.take(happening(time, name, fields)) }
        more(&recorder)
        return recorder.finished(at: end.map { Int64($0 * 1e9) })
    }

    static func happening(_ time: Double, _ name: String, _ fields: [String], number: Int? = nil) -> Happening {
        let pairs = fields.map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return Field(String(parts[0]), String(parts[1]))
        }
        return Happening(time: Int64(time * 1e9), name: name, fields: pairs, number: number)
    }

    static func change(_ time: Double, _ from: String, _ to: String) -> (Double, String, [String]) {
        (time, "stateDidChange", ["from=\(from)", "to=\(to)"])
    }

    /// Ten hours in which thousands of things happen, all of them by the seed; names as an attacker would choose them.
    static func busy(events count: Int, seed: UInt64 = 1) -> AppRun {
        var generator = SplitMix64(seed: seed)
        var recorder = RunRecorder(app: "busy </script><b>")
        var state = "active"
        var time = 0.0
        recorder.take(happening(0, "stateDidChange", ["from=notRunning", "to=active"]))
        for number in 1..<count {
            time += 36_000 / Double(count) * Double.random(in: 0...2, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0:
                let next = ["active", "background", "suspended"].filter { $0 != state }
                let new = next[Int.random(in: 0..<2, using: &generator)]
                recorder.take(happening(time, "stateDidChange", ["from=\(state)", "to=\(new)"]))
                state = new
            case 1: recorder.take(happening(time, "taskDidBegin", ["task=\(number)", "title=</script>\(number)"]))
            case 2:
                let task = Int.random(in: max(1, number - 9)...number, using: &generator)
                recorder.take(happening(time, "taskDidEnd", ["task=\(task)", "title=</script>\(task)"]))
            case 3: recorder.memory(Int64.random(in: 0...1 << 30, using: &generator), at: Int64(time * 1e9))
            default: recorder.take(happening(time, "didDeliver", ["event=didBecomeActive", "seq=\(number)"]))
            }
        }
        return recorder.finished()
    }
}
