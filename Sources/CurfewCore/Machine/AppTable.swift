/// The apps of one supervisor, each in the slot that its number names, and what is asked of all of them: kept up to date
/// at each change of one, so that no answer takes a look at every app.
struct AppTable: Sendable, Hashable {
    /// In no order that means anything: the last takes the place of one that leaves.
    private(set) var apps: [App] = []
    /// What is known of whom each slot holds, numbers only: to read them an app isn't touched, and no type is made.
    private var slots: [Int] = []
    private var launchCount = 0
    private var deadlines = DeadlineIndex()
    /// Who is in front, and who was.
    private(set) var front: FrontOrder
    /// How many run: in front or in background, and not stopped.
    private(set) var runningCount = 0
    /// The slots of those whose end is awaited, in no order that means anything.
    private var leaving: [Int] = []

    /// The numbers of one slot.
    private enum Field: Int {
        /// Where the app stands in `apps`; -1 while the slot is vacant.
        case index
        case id
        /// How many were launched before.
        case launch
        /// A `Running`.
        case running
        /// Where the slot stands in `leaving`; -1 while its app's end isn't awaited.
        case leaving
    }

    /// Whether it runs, and where; a number, to be compared at each change.
    private enum Running {
        static let stopped = 0
        static let behind = 1
        static let inFront = 2
    }

    private static let fields = 5
    private static let notLeaving = -1
    private static let vacant = -1

    init(foregroundPlaces: Int) { front = FrontOrder(places: foregroundPlaces) }

    private subscript(_ slot: Int, _ field: Field) -> Int {
        get { slots[Self.fields * slot + field.rawValue] }
        set { slots[Self.fields * slot + field.rawValue] = newValue }
    }

    /// When a tick changes something of an app next, on each clock.
    var nextDeadline: NextDeadline { deadlines.next }

    // MARK: Who is where

    /// Where the app stands in `apps`; nil when its slot is vacant, or another's by now.
    func index(of id: AppID) -> Int? {
        let slot = id.slot
        return isVacant(slot) || self[slot, .id] != id.rawValue ? nil : self[slot, .index]
    }

    func isVacant(_ slot: Int) -> Bool { Self.fields * slot >= slots.count || self[slot, .index] == Self.vacant }

    /// Grows from app to app, by launch.
    func launchNumber(at index: Int) -> Int { self[apps[index].id.slot, .launch] }

    /// Where all apps stand, in the order of launch.
    var indicesByLaunch: [Int] { sortedByLaunch(Array(apps.indices)) }

    func sortedByLaunch(_ indices: [Int]) -> [Int] {
        indices.sorted { launchNumber(at: $0) < launchNumber(at: $1) }
    }

    /// Where those stand whose end is awaited, in the order of launch.
    var leavingIndices: [Int] { leaving.isEmpty ? [] : sortedByLaunch(leaving.map { self[$0, .index] }) }

    // MARK: Changes

    /// Its slot must be vacant.
    mutating func insert(_ app: App) {
        let slot = app.id.slot
        let missing = Self.fields * (slot + 1) - slots.count
        if missing > 0 { slots += Array(repeating: Self.vacant, count: missing) }
        self[slot, .index] = apps.count
        self[slot, .id] = app.id.rawValue
        self[slot, .launch] = launchCount
        self[slot, .running] = Running.stopped
        self[slot, .leaving] = Self.notLeaving
        launchCount += 1
        apps.append(app)
        update(at: apps.count - 1)
    }

    /// The only way to change an app.
    @inline(__always)
    mutating func change(at index: Int, _ body: (inout App) -> Void) {
        body(&apps[index])
        update(at: index)
    }

    /// One in front was opened again.
    mutating func reopen(_ id: AppID) { front.reopen(id) }

    /// For apps that aren't here.
    mutating func changeFront(_ body: (inout FrontOrder) -> Void) { body(&front) }

    /// Changes each app that is due, in the order of launch; `isFrontFull` is so by then.
    @inline(__always)
    mutating func changeDue(at now: Moment, _ body: (inout App, _ isFrontFull: Bool) -> Void) {
        guard deadlines.isAnyDue(at: now) else { return }
        if apps.count == 1 { return changeDue(at: 0, body) }
        for index in sortedByLaunch(deadlines.due(at: now)) { changeDue(at: index, body) }
    }

    @inline(__always)
    private mutating func changeDue(at index: Int, _ body: (inout App, _ isFrontFull: Bool) -> Void) {
        let isFrontFull = front.isFull
        change(at: index) { body(&$0, isFrontFull) }
    }

    /// One that is over leaves.
    mutating func remove(at index: Int) {
        let last = apps.count - 1
        let slot = apps[index].id.slot
        setLeaving(false, slot)
        front.remove(apps[index].id)
        self[slot, .index] = Self.vacant
        deadlines.remove(at: index, replacedBy: last)
        if index != last {
            apps.swapAt(index, last)
            self[apps[index].id.slot, .index] = index
        }
        apps.removeLast()
    }

    /// The one place where what is asked of all apps is told of a change.
    private mutating func update(at index: Int) {
        let id = apps[index].id
        let running = Self.running(at: Self.place(of: &apps[index]))
        if running != self[id.slot, .running] { move(id, to: running) }
        let isLeaving = Self.isLeaving(&apps[index])
        if isLeaving != (self[id.slot, .leaving] != Self.notLeaving) { setLeaving(isLeaving, id.slot) }
        deadlines.set(Self.nextDeadline(of: &apps[index]), at: index)
    }

    private mutating func move(_ id: AppID, to running: Int) {
        let before = self[id.slot, .running]
        self[id.slot, .running] = running
        if before == Running.stopped { runningCount += 1 }
        if running == Running.stopped { runningCount -= 1 }
        if running == Running.inFront {
            front.enter(id)
        } else if before == Running.inFront {
            front.leave(id)
        }
    }

    private static func running(at place: Phase.Place) -> Int {
        switch place {
        case .foreground: Running.inFront
        case .running: Running.behind
        case .starting, .suspended, .over: Running.stopped
        }
    }

    private mutating func setLeaving(_ isLeaving: Bool, _ slot: Int) {
        let place = self[slot, .leaving]
        if isLeaving {
            self[slot, .leaving] = leaving.count
            leaving.append(slot)
        } else if place != Self.notLeaving {
            let last = leaving.removeLast()
            if last != slot {
                leaving[place] = last
                self[last, .leaving] = place
            }
            self[slot, .leaving] = Self.notLeaving
        }
    }

    // `inout` though nothing is changed: an app that is merely read is copied.

    private static func place(of app: inout App) -> Phase.Place { app.phase.place }
    private static func isLeaving(_ app: inout App) -> Bool { app.isLeaving }

    @inline(never)
    private static func nextDeadline(of app: inout App) -> NextDeadline { app.nextDeadline }
}
