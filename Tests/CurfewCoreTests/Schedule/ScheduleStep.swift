@testable import CurfewCore

/// A step in the life of a server whose apps schedule notifications; any part of a life is one.
struct ScheduleStep: PausedStep {
    /// Before it; a deadline is when the next notification is due.
    var pause: Trace.Pause
    var action: Action

    enum Action {
        case schedule(app: Int, id: Int, Wish)
        case cancel(app: Int, id: Int)
        case cancelAll(app: Int)
        case remove(app: Int)
        case open(app: Int)
        /// In seconds; below 0 it is put back.
        case setClock(by: Int64)
        case move(zone: Int)
        /// What is kept is found in some order; `losesNotes`: who was pushed out last is there once more.
        case restart(zone: Int, order: UInt64, losesNotes: Bool)
        case nothing
    }

    struct Wish {
        /// Until the first moment, in seconds; below 0 it is over.
        var delay: Int64
        /// In place of that moment's, of the same day.
        var minute: Int64?
        /// Microseconds more.
        var rest: Int64
        /// Nil: it stays at its moment wherever the machine is.
        var zone: CalendarRule.Zone?
        var repetition: CalendarRule.Repetition?
        var badge: Int?
    }
}

// MARK: - Random lives

extension ScheduleStep {
    static let apps = 3
    /// More than an app may have.
    private static let ids = 80

    /// Many begin with an app that asks for more than it may have.
    static func life(seed: UInt64) -> [ScheduleStep] {
        var random = SplitMix64(seed: seed)
        let start = 86_400 * random.pick(days) + 60 * Int64(random.below(2_880))
        var steps = [ScheduleStep(pause: .span(.zero), action: .setClock(by: start))]
        if random.chance(70) {
            for id in 0..<ids {
                steps.append(ScheduleStep(pause: .span(.zero), action: .schedule(app: 0, id: id, wish(&random))))
            }
        }
        for _ in 0..<80 {
            let pause = pause(&random)
            steps.append(ScheduleStep(pause: pause, action: action(&random)))
        }
        return steps
    }

    /// Days after 27 March 2026: soon clocks are changed in Berlin, New York and on Lord Howe Island, somebody goes over to the
    /// other side of the date line, clocks in Berlin are changed back, February has a 29th.
    private static let days: [Int64] = [0, -19, 8, 35, 212, 703]

    private static func pause(_ random: inout SplitMix64) -> Trace.Pause {
        switch random.below(10) {
        case 0..<4: .span(.zero)
        case 4..<7: .span(.seconds(30 * Int64(random.below(20))))
        case 7: .span(.seconds(3_600 * Int64(random.below(48))))
        default: .toDeadline(.seconds(30 * Int64(random.below(4))))
        }
    }

    private static func action(_ random: inout SplitMix64) -> Action {
        switch random.below(20) {
        case 0..<9:
            let (app, id) = (anyApp(&random), random.below(ids))
            return .schedule(app: app, id: id, wish(&random))
        case 9, 10:
            let app = anyApp(&random)
            return .cancel(app: app, id: random.below(ids))
        case 11: return .cancelAll(app: 1 + random.below(apps - 1))
        case 12: return .remove(app: anyApp(&random))
        case 13: return .open(app: anyApp(&random))
        case 14:
            let unit = random.pick([60, 3_600, 86_400])
            return .setClock(by: Int64(unit * (random.below(81) - 40)))
        case 15: return .move(zone: random.below(ReferenceZone.all.count))
        case 16, 17:
            let (zone, order) = (random.below(ReferenceZone.all.count), random.next())
            return .restart(zone: zone, order: order, losesNotes: random.chance(50))
        default: return .nothing
        }
    }

    /// The first wants most.
    private static func anyApp(_ random: inout SplitMix64) -> Int { random.pick([0, 0, 0, 1, 2]) }

    private static let zones: [CalendarRule.Zone?] = [
        nil, nil, .local, .local, .named("Europe/Berlin"), .named("America/New_York"),
    ]
    /// About when clocks are changed.
    private static let minutes: [Int64] = [0, 90, 120, 135, 150, 180]
    private static let repetitions: [CalendarRule.Repetition?] = [
        nil, nil, nil, .every(.seconds(60)), .every(.seconds(3_600)), .daily, .daily, .weekly, .monthly, .yearly,
    ]

    private static func wish(_ random: inout SplitMix64) -> Wish {
        let delay = delay(&random)
        let zone = random.pick(zones)
        let minute = zone != nil && random.chance(50) ? random.pick(minutes) : nil
        let rest: Int64 = zone == nil && random.chance(25) ? 500_000 : 0
        let repetition = random.pick(repetitions)
        let badge = random.chance(20) ? random.below(3) : nil
        return Wish(delay: delay, minute: minute, rest: rest, zone: zone, repetition: repetition, badge: badge)
    }

    private static func delay(_ random: inout SplitMix64) -> Int64 {
        switch random.below(20) {
        case 0..<5: 30 * Int64(random.below(17) - 3)
        case 5..<17: 60 * Int64(random.below(17_280) - 2_880)
        default: 86_400 * Int64(random.below(400))
        }
    }
}
