import Testing

@testable import CurfewCore

@Suite("Refresh and processing requests")
struct TaskRequestsTests {
    private static let now = Zones.moment(2026, 3, 1)

    private func processing(_ id: String) -> TaskRequest { TaskRequest(id: id, kind: .processing) }

    private func submit(_ request: TaskRequest, to requests: inout TaskRequests) {
        let isKept = requests.submit(request)
        #expect(isKept)
    }

    @Test("One refresh and ten processing requests wait at most")
    func bounds() {
        var requests = TaskRequests()
        let refreshes = ["r", "s"].map { requests.submit(TaskRequest(id: $0, kind: .refresh)) }
        #expect(refreshes == [true, false])
        let processings = (1...11).map { requests.submit(processing("\($0)")) }
        #expect(processings == Array(repeating: true, count: 10) + [false])
        #expect(requests.pending.count == 11)
    }

    @Test("One of the same id replaces the other, whatever its kind")
    func replaced() {
        var requests = TaskRequests()
        submit(TaskRequest(id: "r", kind: .refresh), to: &requests)
        submit(TaskRequest(id: "r", kind: .refresh, earliest: Self.now), to: &requests)
        #expect(requests.pending.map(\.earliest) == [Self.now])
        submit(processing("r"), to: &requests)
        #expect(requests.pending.map(\.kind) == [.processing])
    }

    @Test("Taken, it waits no more")
    func oneShot() {
        var requests = TaskRequests()
        submit(processing("p"), to: &requests)
        let taken = [requests.take("p")?.id, requests.take("p")?.id]
        #expect(taken == ["p", nil])
    }

    @Test("What it waits for")
    func obstacles() {
        let later = Self.now + .seconds(1)
        let request = TaskRequest(id: "p", kind: .processing, earliest: later, needsNetwork: true, needsPower: true)
        #expect(request.obstacle(at: Self.now, MachineCondition()) == .tooEarly(until: later))
        #expect(request.obstacle(at: later, MachineCondition()) == nil)
        #expect(request.obstacle(at: later, MachineCondition(isOnline: false)) == .offline)
        #expect(request.obstacle(at: later, MachineCondition(isOnPower: false)) == .onBattery)
        #expect(request.obstacle(at: later, MachineCondition(isIdle: false)) == .machineInUse)
        #expect(request.obstacle(at: later, MachineCondition(isShortOfMemory: true)) == .shortOfMemory)
        #expect(request.obstacle(at: later, MachineCondition(isShortOfCPU: true)) == .shortOfCPU)
        #expect(request.obstacle(at: later, MachineCondition(isBatteryLow: true)) == .batteryLow)
    }

    @Test("A refresh needs no idle machine, and neither kind a network or power it hasn't asked for")
    func needs() {
        let machine = MachineCondition(isOnline: false, isOnPower: false, isIdle: false)
        let refresh = TaskRequest(id: "r", kind: .refresh)
        #expect(refresh.obstacle(at: Self.now, machine) == nil)
        #expect(refresh.reasonToEnd(machine) == nil)
        #expect(processing("p").obstacle(at: Self.now, MachineCondition(isOnline: false, isOnPower: false)) == nil)
    }

    @Test(
        "Processing ends when the machine is needed, or lacks what it needs; that processors are short is its own doing"
    )
    func ending() {
        let plain = processing("p")
        #expect(plain.reasonToEnd(MachineCondition()) == nil)
        #expect(plain.reasonToEnd(MachineCondition(isIdle: false)) == .machineInUse)
        #expect(plain.reasonToEnd(MachineCondition(isShortOfCPU: true)) == nil)
        #expect(plain.reasonToEnd(MachineCondition(isShortOfMemory: true)) == .shortOfMemory)
        #expect(plain.reasonToEnd(MachineCondition(isBatteryLow: true)) == .batteryLow)
        #expect(plain.reasonToEnd(MachineCondition(isOnline: false, isOnPower: false)) == nil)
        let needy = TaskRequest(id: "p", kind: .processing, needsNetwork: true, needsPower: true)
        #expect(needy.reasonToEnd(MachineCondition(isOnline: false)) == .offline)
        #expect(needy.reasonToEnd(MachineCondition(isOnPower: false)) == .onBattery)
    }

    @Test("It is looked at once one isn't too early, and again in five minutes, or when the next one isn't")
    func looks() {
        var requests = TaskRequests()
        requests.plan(at: Self.now)
        #expect(requests.due == nil)
        submit(TaskRequest(id: "later", kind: .processing, earliest: Self.now + .seconds(60)), to: &requests)
        requests.plan(at: Self.now)
        #expect(requests.due == Self.now + .seconds(60))
        submit(processing("now"), to: &requests)
        requests.plan(at: Self.now)
        #expect(requests.due == Self.now)
        requests.postpone(because: .appInFront, at: Self.now)
        #expect(requests.due == Self.now + .seconds(60))
        #expect(requests.obstacle(to: processing("now"), at: Self.now, MachineCondition()) == .appInFront)
        let later = Self.now + .seconds(60)
        requests.postpone(because: nil, at: later)
        #expect(requests.due == later + TaskRequests.pause)
        #expect(requests.obstacle(to: processing("now"), at: later, MachineCondition(isIdle: false)) == .machineInUse)
        #expect(requests.obstacle(to: processing("now"), at: later, MachineCondition()) == nil)
        requests.cancelAll()
        requests.postpone(because: nil, at: later)
        #expect(requests.due == nil)
    }

    @Test("Who is ready, and when the next may be")
    func ready() {
        var requests = TaskRequests()
        let later = Self.now + .seconds(60)
        submit(TaskRequest(id: "later", kind: .processing, earliest: later), to: &requests)
        submit(TaskRequest(id: "network", kind: .processing, needsNetwork: true), to: &requests)
        #expect(requests.ready(at: Self.now, MachineCondition(isOnline: false)) == nil)
        #expect(requests.ready(at: Self.now, MachineCondition())?.id == "network")
        #expect(requests.ready(at: later, MachineCondition())?.id == "later")
        #expect(requests.nextEarliest(after: Self.now) == later)
        #expect(requests.nextEarliest(after: later) == nil)
    }
}

@Suite("Remote notifications that show nothing")
struct SilentPushesTests {
    private func time(_ minutes: Int64) -> WallTime { Zones.moment(2026, 3, 1) + .seconds(minutes * 60) }

    @Test("Three an hour; of the rest the latest only, once the hour is over")
    func rate() {
        var pushes = SilentPushes()
        let answers = [1, 2, 3, 10, 20].map { pushes.admit(Int($0), at: time($0)) }
        #expect(answers == [true, true, true, false, false])
        #expect(pushes.kept == 20)
        #expect(pushes.nextDelivery(at: time(20)) == time(61))
        let kept = [60, 61, 61].map { pushes.takeKept(at: time($0)) }
        #expect(kept == [nil, 20, nil])
        #expect(pushes.nextDelivery(at: time(61)) == nil)
    }

    @Test("One that is delivered takes the place of one that waits")
    func overtaken() {
        var pushes = SilentPushes(delivered: [time(0), time(1), time(2)])
        let answers = [pushes.admit(4, at: time(10)), pushes.admit(5, at: time(60))]
        #expect(answers == [false, true])
        #expect(pushes.kept == nil)
    }

    @Test("A clock that was put back keeps nothing waiting")
    func clockPutBack() {
        var pushes = SilentPushes(delivered: [time(100), time(101), time(102)])
        let isAdmitted = pushes.admit(4, at: time(103))
        #expect(!isAdmitted)
        #expect(pushes.nextDelivery(at: time(5)) == time(5))
        let isAdmittedThen = pushes.admit(5, at: time(5))
        #expect(isAdmittedThen)
    }
}
