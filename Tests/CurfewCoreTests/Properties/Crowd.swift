@testable import CurfewCore

/// Many apps that come and go in few slots, any input about any of them; what is kept up to date of all of them is held
/// against a look at each.
struct Crowd {
    private(set) var supervisor: Supervisor
    private(set) var journal: [String] = []
    private let slots: Int
    private let places: Int
    private var now = Moment(Instant(nanoseconds: 1_000_000_000))
    /// In the order of launch.
    private var present: [AppID] = []
    private var gone: [AppID] = []
    private var generations: [Int]
    private var lastRequest = 0
    private var steps = 0
    /// In which step each was last seen in front.
    private var seenInFront: [AppID: Int] = [:]
    /// In which step each of those in front came there, or was opened there.
    private var opened: [AppID: Int] = [:]
    private static let pauses: [Span] = [
        .zero, .milliseconds(1), .milliseconds(300), .seconds(1), .seconds(5), .seconds(40),
    ]
    /// The most that were due at one tick.
    private(set) var mostDue = 0
    /// The most whose end was awaited at once.
    private(set) var mostLeaving = 0
    /// The most that were in front at once.
    private(set) var mostInFront = 0
    /// How many were given up though something of them was left.
    private(set) var givenUp = 0

    init(slots: Int, places: Int = 1) {
        self.slots = slots
        self.places = places
        supervisor = Supervisor(foregroundPlaces: places)
        generations = Array(repeating: 0, count: slots)
    }

    var mostPresent: Int { present.count }

    /// One random input; returns what was wrong after it.
    mutating func step(_ random: inout SplitMix64) -> String? {
        pass(&random)
        let gone = gone
        let input = input(&random)
        journal.append("  at \(now.lifecycle.nanoseconds), \(now.real.nanoseconds): \(line(input))")
        let before = supervisor
        let effects = supervisor.handle(input, at: now)
        if input == .machine(.tick), let violation = judgeTick(effects, before) { return violation }
        if let id = input.app, gone.contains(id), supervisor != before || !effects.isEmpty {
            return "an input about one that is gone changes something"
        }
        mostLeaving = max(mostLeaving, supervisor.leavingApps.count)
        return judgeWhoIsThere() ?? judgeFront(after: input, before) ?? judgeAggregates()
    }

    /// Lifecycle time stands still now and then, so that the clocks part.
    private mutating func pass(_ random: inout SplitMix64) {
        var pause = Self.pauses[random.below(Self.pauses.count)]
        let next = supervisor.nextDeadline
        if random.chance(30), let real = next.real, real < .distantFuture { pause = max(.zero, real - now.real) }
        now.real = now.real + pause
        if random.chance(30), let lifecycle = next.lifecycle, lifecycle < .distantFuture {
            now.lifecycle = max(now.lifecycle, lifecycle)
        } else if random.chance(60) {
            now.lifecycle = now.lifecycle + pause
        }
    }

    private mutating func input(_ random: inout SplitMix64) -> Input {
        lastRequest += 1
        if present.isEmpty || present.count < slots && random.chance(15) { return launch(&random) }
        if random.chance(10) { return .machine(.tick) }
        if let stale = gone.last, random.chance(3) { return .app(stale, .open(request: RequestID(lastRequest))) }
        let id = random.pick(present)
        if random.chance(20) { return .app(id, .started) }
        if random.chance(3) { return .app(id, .leftBehind) }
        if random.chance(3) {
            leave(id)
            return .app(id, .treeGone)
        }
        if random.chance(3) { return giveUp(&random, id) }
        switch Nonsense.input(about: id, RequestID(lastRequest), &random) {
        case .app(_, .treeGone), .app(_, .killIncomplete), .app(_, .memoryLimitHit): return .machine(.tick)
        case let input: return input
        }
    }

    /// One whose end is all that is awaited, or, who stays then, any other.
    private mutating func giveUp(_ random: inout SplitMix64, _ other: AppID) -> Input {
        let over = present.filter { supervisor.app($0)?.phase.isOver == true }
        guard !over.isEmpty, random.chance(70) else {
            if over.contains(other) { leave(other) }
            return .app(other, .killIncomplete)
        }
        let id = random.pick(over)
        givenUp += 1
        leave(id)
        return .app(id, .killIncomplete)
    }

    private mutating func launch(_ random: inout SplitMix64) -> Input {
        var slot = random.below(slots)
        while present.contains(where: { $0.slot == slot }) { slot = (slot + 1) % slots }
        let id = AppID(slot: slot, generation: generations[slot])
        present.append(id)
        return .app(id, .launch(random.pick(Trace.policies), Trace.randomOptions(&random)))
    }

    private mutating func leave(_ id: AppID) {
        present.removeAll { $0 == id }
        gone.append(id)
        generations[id.slot] += 1
    }

    // MARK: Against a look at each

    /// What a tick does, it does for each app in the order of launch, whether it is due or not.
    private mutating func judgeTick(_ effects: [Effect], _ before: Supervisor) -> String? {
        var copy = before
        var expected: [Effect] = []
        for index in copy.table.indicesByLaunch {
            let isFrontFull = copy.table.front.isFull
            copy.table.change(at: index) { $0.tick(isFrontFull: isFrontFull, at: now, into: &expected) }
        }
        copy.proceed(at: now, into: &expected)
        mostDue = max(mostDue, before.apps.count { Self.isDue($0, at: now) })
        if effects != expected { return "the tick has \(effects.map(line)), and not \(expected.map(line))" }
        return supervisor == copy ? nil : "a tick leaves somebody otherwise than it would by itself"
    }

    private static func isDue(_ app: App, at now: Moment) -> Bool {
        app.nextDeadline.lifecycle.map { $0 <= now.lifecycle } ?? false
            || app.nextDeadline.real.map { $0 <= now.real } ?? false
    }

    private func judgeWhoIsThere() -> String? {
        if supervisor.apps.map(\.id) != present { return "\(present) are there, and not \(supervisor.apps.map(\.id))" }
        for id in present where supervisor.app(id)?.id != id || supervisor.canLaunch(id) { return "\(id) isn't found" }
        for id in gone where supervisor.app(id) != nil { return "\(id) is still found" }
        return nil
    }

    /// Who is in front is what the apps say, and in which order, what has come before.
    private mutating func judgeFront(after input: Input, _ before: Supervisor) -> String? {
        steps += 1
        // Who falls asleep counts as active until it is stopped, and has left its place.
        let front = Set(supervisor.apps.filter { $0.state.isForeground && !$0.isAsleep }.map(\.id))
        mostInFront = max(mostInFront, front.count)
        let known = supervisor.foregroundApps
        if front.count > places { return "\(front) are in front" }
        if Set(known) != front || known.count != front.count { return "in front is \(front), and not \(known)" }
        if supervisor.isFrontFull != (front.count == places) { return "\(front) isn't all that may be in front" }
        if let leaver = leavers(before, front).first(where: {
            opened[$0] != before.foregroundApps.compactMap { opened[$0] }.min()
        }),
            case .app(let id, _) = input, front.contains(id), !before.foregroundApps.contains(id)
        {
            return "\(leaver) was sent home, and wasn't opened longest ago"
        }
        opened = opened.filter { front.contains($0.key) }
        for id in front where !before.foregroundApps.contains(id) || isOpened(id, input, before) { opened[id] = steps }
        for id in front { seenInFront[id] = steps }
        let stamps = known.compactMap { opened[$0] }
        if stamps != stamps.sorted(by: >) { return "\(known) isn't the order in which they were opened: \(stamps)" }
        return judgePrevious(front)
    }

    private func leavers(_ before: Supervisor, _ front: Set<AppID>) -> [AppID] {
        before.foregroundApps.filter { !front.contains($0) }
    }

    private func isOpened(_ id: AppID, _ input: Input, _ before: Supervisor) -> Bool {
        guard case .app(id, .open) = input else { return false }
        return before.app(id)?.end == nil
    }

    /// Several may have left in one step; any of them is the last.
    private func judgePrevious(_ front: Set<AppID>) -> String? {
        let behind = supervisor.apps.filter { !front.contains($0.id) && $0.canBeOpened }.map(\.id)
        let last = behind.compactMap { seenInFront[$0] }.max()
        let previous = supervisor.previousForegroundApp
        if previous.flatMap({ seenInFront[$0] }) == last { return nil }
        return
            "before \(front) there was \(previous, default: "nobody"), who was last seen at another time than \(last ?? 0)"
    }

    private func judgeAggregates() -> String? {
        let apps = supervisor.apps
        let running = apps.count { $0.isRunning }
        if supervisor.table.runningCount != running { return "\(running) run, not \(supervisor.table.runningCount)" }
        let leaving = apps.filter(\.isLeaving).map(\.id)
        if supervisor.leavingApps != leaving { return "\(leaving) are leaving, and not \(supervisor.leavingApps)" }
        let next = Self.earliest(apps.map(\.nextDeadline))
        let known = supervisor.table.nextDeadline
        return known == next ? nil : "next is \(next), and not \(known)"
    }

    private static func earliest(_ deadlines: [NextDeadline]) -> NextDeadline {
        func earliest(_ instants: [Instant]) -> Instant? { instants.filter { $0 != .distantFuture }.min() }
        return NextDeadline(
            lifecycle: earliest(deadlines.compactMap(\.lifecycle)), real: earliest(deadlines.compactMap(\.real)))
    }
}

extension DefaultStringInterpolation {
    fileprivate mutating func appendInterpolation(_ value: AppID?, default text: String) {
        appendLiteral(value.map { "\($0)" } ?? text)
    }
}
