import Testing

@testable import CurfewCommand

@Suite("Tables for people")
struct TableTests {
    private func table(width: Int?, _ commands: String...) -> [Substring] {
        var table = Table(columns: [.init(title: "NAME"), .init(title: "PID", isNumber: true), .init(title: "COMMAND")])
        table.rows = commands.map { ["a", "12", $0] }
        table.maximumWidth = width
        return table.text().split(separator: "\n")
    }

    @Test("As wide as it gets where no width is wanted")
    func full() {
        let long = String(repeating: "x", count: 1_000)
        #expect(table(width: nil, long) == ["NAME  PID  COMMAND", "a      12  \(long)"])
    }

    @Test("The last column is cut to the width, and only where it is too wide")
    func cut() {
        #expect(
            table(width: 21, "0123456789", "0123456789a", "x")
                == ["NAME  PID  COMMAND", "a      12  0123456789", "a      12  012345678…", "a      12  x"])
        #expect(table(width: 20, "0123456789").last == "a      12  01234567…")
    }

    @Test("Never to less than its title", arguments: [0, 1, 17, 18])
    func narrow(width: Int) {
        #expect(table(width: width, "0123456789") == ["NAME  PID  COMMAND", "a      12  012345…"])
        #expect(table(width: width, "0123456") == ["NAME  PID  COMMAND", "a      12  0123456"])
    }

    @Test("Letters are counted, not bytes")
    func letters() {
        #expect(table(width: 18, "ééééééé").last == "a      12  ééééééé")
        #expect(table(width: 18, "éééééééé").last == "a      12  éééééé…")
    }
}
