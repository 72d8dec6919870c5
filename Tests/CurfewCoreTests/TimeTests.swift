import Testing

@testable import CurfewCore

@Suite("Instants, spans, countdowns")
struct TimeTests {
    private let start = Instant(nanoseconds: 100)

    @Test("Nothing is later than the distant future")
    func distantFuture() {
        #expect(start < .distantFuture)
        #expect(start + .infinite == .distantFuture)
        #expect(Instant.distantFuture + .seconds(1) == .distantFuture)
        #expect(Instant.distantFuture - Span.seconds(1) == .distantFuture)
        #expect(Instant.distantFuture - start == .infinite)
    }

    @Test("Instants and spans don't overflow")
    func overflow() {
        #expect(Instant(nanoseconds: .max - 1) + Span(nanoseconds: 2) == .distantFuture)
        #expect(Instant(nanoseconds: -2) - Span.infinite == Instant(nanoseconds: .min))
        #expect(Span(nanoseconds: .max - 1) + Span(nanoseconds: 2) == .infinite)
    }

    @Test("Infinite spans absorb")
    func infinite() {
        #expect(Span.infinite.isInfinite)
        #expect(Span.infinite + .seconds(1) == .infinite)
        #expect(Span.seconds(1) + .infinite == .infinite)
        #expect(Span.infinite - .seconds(1) == .infinite)
        #expect(Span.seconds(1_000_000) < .infinite)
    }

    @Test("Units")
    func units() {
        #expect(Span.seconds(2) == .milliseconds(2_000))
        #expect(Span.milliseconds(2) == .microseconds(2_000))
        #expect(Span.microseconds(2) == Span(nanoseconds: 2_000))
        #expect(Span.seconds(1) + .milliseconds(500) - .seconds(1) == .milliseconds(500))
        #expect(start + .seconds(1) - start == .seconds(1))
    }

    @Test("A paused countdown keeps what is left")
    func paused() {
        var countdown = Countdown(.seconds(10), startingAt: Moment(start))
        #expect(countdown.end == start + .seconds(10))
        countdown.pause(at: Moment(start + .seconds(4)))
        #expect(countdown.end == nil)
        #expect(countdown.remaining(at: Moment(start + .seconds(100))) == .seconds(6))
        countdown.start(at: Moment(start + .seconds(100)))
        #expect(countdown.end == start + .seconds(106))
    }

    @Test("Started twice, it runs from the first time; paused twice, nothing is lost")
    func idempotent() {
        var countdown = Countdown(.seconds(10))
        countdown.start(at: Moment(start))
        countdown.start(at: Moment(start + .seconds(3)))
        #expect(countdown.remaining(at: Moment(start + .seconds(3))) == .seconds(7))
        countdown.pause(at: Moment(start + .seconds(3)))
        countdown.pause(at: Moment(start + .seconds(5)))
        #expect(countdown.left == .seconds(7))
    }

    @Test("Never below zero, and over exactly at its end")
    func over() {
        let countdown = Countdown(.seconds(10), startingAt: Moment(start))
        #expect(!countdown.isOver(at: Moment(start + Span(nanoseconds: 9_999_999_999))))
        #expect(countdown.isOver(at: Moment(start + .seconds(10))))
        #expect(countdown.remaining(at: Moment(start + .seconds(99))) == .zero)
    }

    @Test("An infinite countdown has no end and is never over")
    func endless() {
        let countdown = Countdown(.infinite, startingAt: Moment(start))
        #expect(countdown.end == nil)
        #expect(!countdown.isOver(at: Moment(Instant(nanoseconds: .max - 1))))
    }
}
