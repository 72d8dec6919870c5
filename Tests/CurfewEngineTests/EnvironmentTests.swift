import CurfewCore
import Glibc
import Testing

@testable import CurfewEngine

@Suite("The environment of an app")
struct EnvironmentTests {
    /// What a child would see whose caller has these variables.
    private static func made(
        from callers: [String], channel: Int32 = 8, watchdog: Span? = nil, stateDirectory: String? = nil
    ) -> [String] {
        let inherited = callers.map { strdup($0) } + [nil]
        var copy = inherited
        let environment = copy.withUnsafeMutableBufferPointer { buffer -> Environment? in
            guard let base = buffer.baseAddress else { return nil }
            return Environment(
                base, channel: channel, socket: "/s", notify: "@n", watchdogInterval: watchdog,
                stateDirectory: stateDirectory)
        }
        defer { for variable in inherited { free(variable) } }
        var found: [String] = []
        while let entry = environment?.pointer[found.count] { found.append(String(cString: entry)) }
        return found
    }

    @Test("The caller's variables come first, in their order, then ours")
    func order() {
        let made = Self.made(from: ["B=1", "A=", "PATH=/bin"])
        #expect(made == ["B=1", "A=", "PATH=/bin", "CURFEW_SOCKET=/s", "NOTIFY_SOCKET=@n", "CURFEW_FD=8"])
    }

    @Test("Of an outer app nothing is left, and of a service's watchdog nothing either")
    func outer() {
        let made = Self.made(from: [
            "CURFEW_FD=9", "CURFEW_SOCKET=/outer", "NOTIFY_SOCKET=/run/systemd/notify", "WATCHDOG_USEC=5",
            "WATCHDOG_PID=6",
        ])
        #expect(made == ["CURFEW_SOCKET=/s", "NOTIFY_SOCKET=@n", "CURFEW_FD=8"])
    }

    @Test("What only begins like one of ours stays")
    func alike() {
        let alike = ["CURFEW_FDS=1", "CURFEW=2", "NOTIFY_SOCKETS=3", "WATCHDOG=4", "N=5", "", "=6"]
        #expect(Array(Self.made(from: alike).prefix(alike.count)) == alike)
    }

    @Test("Without a number to spare no descriptor is named")
    func withoutChannel() { #expect(Self.made(from: [], channel: -1) == ["CURFEW_SOCKET=/s", "NOTIFY_SOCKET=@n"]) }

    @Test("A directory for its state takes the place of the caller's, which else stays where it is")
    func stateDirectory() {
        let callers = ["CURFEW_STATE_DIR=/outer", "CURFEW_STATE_DIRS=1"]
        #expect(Array(Self.made(from: callers).prefix(2)) == callers)
        let made = Self.made(from: callers, stateDirectory: "/inner")
        #expect(made.first == "CURFEW_STATE_DIRS=1")
        #expect(made.filter { $0.hasPrefix("CURFEW_STATE_DIR=") } == ["CURFEW_STATE_DIR=/inner"])
    }

    @Test("A watchdog's interval is told in microseconds, at least one")
    func watchdog() {
        #expect(Self.made(from: [], watchdog: .milliseconds(1500)).last == "WATCHDOG_USEC=1500000")
        #expect(Self.made(from: [], watchdog: Span(nanoseconds: 10)).last == "WATCHDOG_USEC=1")
    }
}
