import Glibc
import Testing

@testable import CurfewLinux

@Suite("Signals' names")
struct SignalNameTests {
    @Test("A number's name leads back to it", arguments: 1...64 as ClosedRange<Int32>)
    func roundTrip(number: Int32) {
        let name = SignalName.of(number)
        if (32..<SignalName.first).contains(number) {
            #expect(name == String(number))
        } else {
            #expect(SignalName.number(of: name) == number)
        }
    }

    @Test(
        "As coreutils shows them",
        arguments: [
            (15, "TERM"), (9, "KILL"), (6, "ABRT"), (29, "POLL"), (17, "CHLD"), (0, "0"), (32, "32"), (34, "RTMIN"),
            (49, "RTMIN+15"),
            (50, "RTMAX-14"), (64, "RTMAX"), (65, "65"), (-1, "-1"),
        ] as [(Int32, String)])
    func names(number: Int32, name: String) { #expect(SignalName.of(number) == name) }

    @Test("No names", arguments: ["", "term", "SIGTERM", "RTMIN-1", "RTMIN+", "RTMIN+31", "RTMAX+1", "9"])
    func noNames(name: String) { #expect(SignalName.number(of: name) == nil) }
}
