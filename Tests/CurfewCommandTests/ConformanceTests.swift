import CurfewCommand
import Testing

@testable import CurfewEngine

@Suite("`curfew timeout` answers as GNU timeout was recorded to")
struct ConformanceTests {
    @Test("By its verb", arguments: ConformanceRecord.rows)
    func verb(row: ConformanceRow) { compare(row, asLink: false) }

    @Test("By a link that is called timeout", arguments: ConformanceRecord.rows)
    func link(row: ConformanceRow) { compare(row, asLink: true) }

    /// Else a row could be recorded, and nobody held to it.
    @Test("Each row is asked in process, or as processes")
    func everyRow() {
        let asked = ConformanceRecord.rows.filter { TimeoutTrial.answer($0, asLink: true) != nil }
        #expect(asked.count > 600)
        for row in ConformanceRecord.rows where TimeoutTrial.answer(row, asLink: true) == nil {
            #expect(row.isProcess, "\(row.words)")
        }
    }

    private func compare(_ row: ConformanceRow, asLink isLink: Bool) {
        guard let answer = TimeoutTrial.answer(row, asLink: isLink) else { return }
        var expected = row.ours ?? row.answer
        expected.errors = expected.errors.map { here(isLink ? $0 : Self.byVerb($0), row.words) }
        #expect(answer == expected)
    }

    /// Each program speaks by its own name.
    private static func byVerb(_ line: String) -> String {
        for (link, verb) in [("timeout: ", "curfew: timeout: "), ("Try 'timeout ", "Try 'curfew timeout ")]
        where line.hasPrefix(link) {
            return verb + line.dropFirst(link.count)
        }
        return line
    }

    /// Recorded in the C locale; what is quoted, as the locale has it that the tests are run in.
    private func here(_ line: String, _ words: [String]) -> String {
        // The C library's own words are quoted alike in both.
        let ours = ["invalid time interval", ": invalid signal", "to command"]
        guard ours.contains(where: line.contains) else { return line }
        let recorded = Quoted(isUnicode: false)
        // A value can be attached to its letter.
        let values = words + words.map { String($0.dropFirst(2)) }
        let quoted = values.map { ($0, recorded.quote($0)) }.filter { line.contains($0.1) }
        guard let (word, text) = quoted.max(by: { $0.1.utf8.count < $1.1.utf8.count }) else { return line }
        return line.replacing(text, with: Quoted.text(word))
    }
}
