import CurfewCore
import Glibc
import Testing

@testable import CurfewEngine

@Suite("What somebody outside can bring about as often as he likes")
struct OnceASecondTests {
    private static func at(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: 5_000_000_000) + .milliseconds(milliseconds)
    }

    /// Which of these moments are told of.
    private static func told(_ milliseconds: [Int64]) -> [Int64] {
        var pace = OnceASecond()
        return milliseconds.filter { pace.isTold(at: at($0)) }
    }

    @Test("The first is told, and then nothing for a second")
    func pace() {
        #expect(Self.told([0, 0, 1, 999, 1000, 1999, 2000]) == [0, 1000, 2000])
    }

    @Test("What isn't told puts off nothing")
    func untold() {
        #expect(Self.told([0, 500, 1000]) == [0, 1000])
        #expect(Self.told([0, 900, 1800]) == [0, 1800])
    }

    @Test("A signal nobody had a say by is told of with its sender, where that is a process that is known")
    func ignoredSignals() {
        func record(_ sender: SignalSender) -> EventRecord? {
            var signals = IgnoredSignals()
            return signals.record(SIGTERM, from: sender, at: Self.at(0))
        }
        #expect(record(.process(77)) == .signalIgnored(SIGTERM, from: 77))
        #expect(record(.kernel) == .signalIgnored(SIGTERM, from: nil))
        #expect(record(.unknown) == .signalIgnored(SIGTERM, from: nil))
    }

    @Test("Of many signals one a second is told of, whichever it is")
    func manySignals() {
        var signals = IgnoredSignals()
        let moments: [(Int64, Int32)] = [(0, SIGTERM), (10, SIGINT), (1000, SIGHUP), (1500, SIGTERM)]
        let told = moments.map { signals.record($1, from: .process(5), at: Self.at($0)) }
        #expect(told == [.signalIgnored(SIGTERM, from: 5), nil, .signalIgnored(SIGHUP, from: 5), nil])
    }

    @Test("Of the supervisor's own stops only the first is one for people")
    func stops() {
        var stops = SupervisorStops()
        let told = ([0, 500, 1000, 1001, 7000] as [Int64]).map { stops.news(at: Self.at($0)) }
        #expect(told == [.first, nil, .again, nil, .again])
    }
}
