import CurfewLinux
import Testing

@testable import CurfewCommand

@Suite("What the doctor says")
struct DoctorVerbTests {
    private let findings = [
        DoctorFinding(.containment, .yes, "cgroup2", .measured(200_000)),
        DoctorFinding(.memoryLimit, .partly, "sampled", .overshoot(16 << 20), advice: [.delegation]),
        DoctorFinding(.memoryPressure, .yes, "a PSI trigger", .atMost(2_000_000_000)),
        DoctorFinding(.pageOut, .no, "not allowed", advice: [.delegation, .swap]),
    ]

    private func text(_ findings: [DoctorFinding], colours: Bool = false) -> [String] {
        DoctorVerb.lines(findings, colours: colours)
    }

    @Test("A table, with numbers for the notes below, each note once")
    func table() {
        let lines = text(findings)
        #expect(lines[0].hasPrefix("curfew \(CommandLineTool.version), Linux "))
        #expect(
            lines[1...7].map { $0 } == [
                "",
                "WHAT             HERE    BY                 LATENCY  TO GET MORE",
                "containment      yes     cgroup2             200 us",
                "memory limit     partly  sampled        16 MiB past  see 1",
                "memory pressure  yes     a PSI trigger    up to 2 s",
                "page-out         no      not allowed                 see 1, 2",
                "",
            ])
        #expect(lines[8].hasPrefix("1.  A cgroup of your own: "))
        #expect(lines[10].hasPrefix("2.  Swap for "))
    }

    @Test("Notes are no wider than 100 columns, and hang in their margin")
    func wrapped() {
        let all = DoctorFinding(.kill, .no, "x", advice: DoctorAdvice.allCases)
        let lines = text([all])
        #expect(lines.dropFirst(5).allSatisfy { $0.count <= 100 }, "\(lines)")
        let numbers = lines.dropFirst(5).compactMap { Int($0.prefix { $0 != "." }) }
        #expect(numbers == Array(1...DoctorAdvice.allCases.count))
        for line in lines.dropFirst(5) where Int(line.prefix { $0 != "." }) == nil {
            #expect(line.hasPrefix("    "), "\(line)")
        }
    }

    @Test("A command is in one line, to be copied whole")
    func commands() {
        let all = DoctorFinding(.kill, .no, "x", advice: DoctorAdvice.allCases)
        for line in text([all]) {
            #expect(line.count(where: { $0 == "`" }).isMultiple(of: 2), "\(line)")
        }
    }

    @Test("Where all can be had there are no notes")
    func noNotes() {
        #expect(text([findings[0]]).count == 4)
    }

    @Test("Colours are for the answers, where they are wanted")
    func colours() {
        let lines = text(findings, colours: true)
        #expect(lines[3].contains("\u{1b}[32myes   \u{1b}[0m  cgroup2"))
        #expect(lines[4].contains("\u{1b}[33mpartly\u{1b}[0m"))
        #expect(lines[6].contains("\u{1b}[31mno    \u{1b}[0m"))
        #expect(text(findings).allSatisfy { !$0.contains("\u{1b}") })
    }

    @Test("Each advice is a sentence of its own")
    func advice() {
        let texts = DoctorAdvice.allCases.map(\.text)
        #expect(Set(texts).count == texts.count)
        #expect(texts.allSatisfy { $0.hasSuffix(".") })
    }
}
