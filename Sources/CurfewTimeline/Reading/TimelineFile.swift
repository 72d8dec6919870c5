import CurfewWire

/// Reads a file, whichever of the three it is: a report, a journal, or what `curfew events --json` printed.
public struct TimelineFile {
    /// How an app is called where the file doesn't say.
    private let name: String
    /// iOS's codes by the reasons of kills, for what doesn't have them.
    private let codes: [String: String]

    public init(name: String, codes: [String: String] = [:]) {
        self.name = name
        self.codes = codes
    }

    static let isNone = "it is neither a report, a journal, nor what `curfew events --json` prints"

    /// Throws for what is none of them, and for one that is damaged.
    public func timeline(_ bytes: [UInt8]) throws(Unreadable) -> Timeline {
        let lines = FileText(bytes)
        let first = lines.first
        if first.isEmpty { throw Unreadable("it is empty") }
        if first.starts(with: Array(JournalReader.header.utf8)) {
            return try JournalReader.read(lines, name: name, codes: codes)
        }
        guard first.first(where: { $0 != 32 && $0 != 9 }) == 0x7b else { throw Unreadable(Self.isNone) }
        if let line = try? JSON.parse(first), Happening(line) != nil { return try EventReader.read(lines) }
        return try ReportReader.timeline(try Self.parse(bytes))
    }

    private static func parse(_ bytes: [UInt8]) throws(Unreadable) -> JSON {
        do throws(JSONError) { return try JSON.parse(bytes) } catch {
            let line = bytes.prefix(error.offset).filter { $0 == 10 }.count + 1
            throw Unreadable("it isn't whole JSON: \(error.problem) at byte \(error.offset)", line: line)
        }
    }
}
