import Testing

@testable import CurfewCommand

@Suite("Signals on the command line")
struct SignalArgumentTests {
    @Test(
        "Accepted",
        arguments: [
            ("HUP", 1), ("SIGHUP", 1), ("hup", 1), ("sighup", 1), ("SigHup", 1), ("1", 1), ("15", 15), ("064", 64),
            ("USR1", 10), ("USR2", 12), ("CLD", 17), ("IOT", 6), ("POLL", 29), ("SYS", 31), ("STOP", 19), ("32", 32),
            ("RTMIN", 34), ("SIGRTMIN+3", 37), ("rtmin+0", 34), ("RTMIN+30", 64), ("RTMAX", 64), ("RTMAX-2", 62),
            ("RTMAX-30", 34),
        ] as [(String, Int32)])
    func accepts(text: String, number: Int32) {
        #expect(SignalArgument.parse(text) == number)
    }

    @Test(
        "Refused",
        arguments: [
            "", " ", "0", "65", "-1", "+1", "1 ", " 1", "1.0", "0x1", "SIG", "SIGSIGHUP", "FOO", "HUP ", "SIG1", "EXIT",
            "RTMIN+31", "RTMAX-31", "RTMIN-1", "RTMAX+1", "RTMIN+", "RTMIN+-1", "RTMIN+99999999999", "99999999999", "é",
        ])
    func refuses(text: String) {
        #expect(SignalArgument.parse(text) == nil)
    }

    @Test("What Curfew sends itself can't tell a program anything", arguments: ["STOP", "sigcont", "9", "18", "19"])
    func reserved(text: String) {
        #expect(throws: BadValue.self) { try SignalArgument.telling(text) }
        #expect(SignalArgument.parse(text) != nil)
    }

    @Test("Every other number can", arguments: (1...64).filter { ![9, 18, 19].contains($0) })
    func telling(number: Int) throws {
        #expect(try SignalArgument.telling(String(number)) == Int32(number))
    }
}
