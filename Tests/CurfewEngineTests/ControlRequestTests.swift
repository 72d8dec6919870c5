import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc
import Testing

@testable import CurfewEngine

@Suite("What clients of the control channel ask for")
struct ControlRequestTests {
    // MARK: Who may

    private static let forAll: Set<ControlVerb> = [
        .tasks, .status, .events, .notify, .cancel, .schedule, .fetchInterval, .payload, .submit,
    ]
    private static let forApp: Set<ControlVerb> = [.hello, .ack, .begin, .end, .remaining, .keepAlive, .completed]

    private func isForbidden(_ verb: ControlVerb, by role: ControlSession.Role) -> Bool {
        let scene = ControlScene()
        scene.senders = role
        let answer = scene.ask(scene.client(), "\(verb.rawValue) id=1")
        let isForbidden = answer.count == 1 && answer[0].hasPrefix("error id=1 code=forbidden ")
        if isForbidden { #expect(scene.inputs.isEmpty) }
        return isForbidden
    }

    @Test("A stranger may nothing, the app speak for itself, an operator drive it", arguments: ControlVerb.allCases)
    func whoMay(verb: ControlVerb) {
        let isForAll = Self.forAll.contains(verb)
        let isForApp = Self.forApp.contains(verb)
        #expect(isForbidden(verb, by: .stranger))
        #expect(isForbidden(verb, by: .app(.a)) == !(isForAll || isForApp))
        #expect(isForbidden(verb, by: .operator) == isForApp)
    }

    @Test("Why not is told, and where nobody can be known, that")
    func why() {
        let scene = ControlScene()
        let client = scene.client()
        #expect(
            scene.ask(client, "begin") == [
                "error code=forbidden message=\"only a process inside the app speaks for it\""
            ])
        #expect(
            scene.ask(scene.pipe(), "quit") == [
                "error code=forbidden message=\"a process inside an app can't drive a supervisor\""
            ])
        scene.tellsSenders = false
        #expect(
            scene.ask(client, "begin") == [
                "error code=forbidden message=\"without a /proc of its own the supervisor can't tell who asks; "
                    + "signals to the proxy do as well\""
            ])
        let closed = ControlScene()
        closed.senders = .stranger
        #expect(
            closed.ask(closed.client(), "status") == [
                "error code=forbidden message=\"only this user outside any app, and the app itself, may ask\""
            ])
    }

    @Test("The pipe is its app's, whoever has it")
    func pipe() {
        let scene = ControlScene()
        scene.senders = .operator
        #expect(scene.ask(scene.pipe(), "remaining", "home").count == 2)
        #expect(scene.inputs.isEmpty)
    }

    @Test("What comes from inside an app is for that app")
    func ownApp() {
        let scene = ControlScene()
        scene.isHeldUp = true
        scene.senders = .app(.b)
        _ = scene.ask(scene.client(), "ack seq=3")
        #expect(scene.inputs == [.app(.b, .acknowledge(sequence: 3))])
    }

    @Test("What has come of an event is told with its acknowledgement, and has to be a result")
    func completed() {
        let scene = ControlScene()
        scene.isHeldUp = true
        scene.senders = .app(.b)
        let client = scene.client()
        for words in [
            "completed id=1", "completed id=1 seq=3", "completed id=1 seq=3 result=good",
            "completed id=1 result=failed",
        ] {
            #expect(scene.ask(client, words).first?.hasPrefix("error id=1 code=invalid ") == true, "\(words)")
        }
        #expect(scene.inputs.isEmpty)
        #expect(scene.ask(client, "completed id=1 seq=3 result=no-data") == ["ok id=1"])
        #expect(scene.inputs == [.app(.b, .acknowledge(sequence: 3))])
        // Nothing is owed under that number.
        #expect(scene.completions == [])
    }

    // MARK: Driving

    @Test("An operator drives the app, and hears the state it is in then")
    func driving() {
        let scene = ControlScene()
        let client = scene.client()
        #expect(scene.ask(client, "interrupt id=1") == ["ok id=1 state=inactive"])
        #expect(scene.ask(client, "dismiss id=2") == ["ok id=2 state=active"])
        #expect(scene.sentHome == 0)
        #expect(scene.ask(client, "home id=3").count == 1)
        #expect(scene.sentHome == 1)
        #expect(scene.app(.a)?.state == .suspended)
        #expect(scene.ask(client, "open id=4") == ["ok id=4 state=active"])
        #expect(scene.ask(client, "status") == ["ok state=active"])
    }

    @Test("One that is being ended isn't opened: that is refused, and the core hears nothing of it")
    func openWhileEnding() {
        let scene = ControlScene()
        let client = scene.client()
        #expect(scene.ask(client, "quit id=1") == ["ok id=1 state=active"])
        let inputs = scene.inputs
        let rejection = Rejection.terminating
        #expect(
            scene.ask(client, "open id=2") == [
                "error id=2 code=\(rejection.rawValue) message=\"\(rejection.message)\""
            ])
        #expect(scene.inputs == inputs)
        #expect(scene.ask(client, "home id=3") == ["ok id=3 state=active"])
    }

    @Test("What the core won't do is refused with its reason")
    func rejected() {
        let scene = ControlScene()
        let client = scene.client()
        let rejection = Rejection.suspended
        _ = scene.ask(client, "home")
        #expect(
            scene.ask(client, "warn id=1") == [
                "error id=1 code=\(rejection.rawValue) message=\"\(rejection.message)\""
            ])
    }

    @Test(
        "A memory warning is of a level there is",
        arguments: [("", MemoryWarningLevel.warning), (" level=warning", .warning), (" level=critical", .critical)])
    func warn(level: String, told: MemoryWarningLevel) {
        let scene = ControlScene()
        #expect(scene.ask(scene.client(), "warn\(level)") == ["ok state=active"])
        #expect(scene.inputs == [.app(.a, .warn(told, request: RequestID(1)))])
    }

    @Test("Of another level there is none")
    func warnInvalid() {
        let scene = ControlScene()
        #expect(
            scene.ask(scene.client(), "warn level=x") == [
                "error code=invalid message=\"level is warning or critical\""
            ])
        #expect(scene.inputs.isEmpty)
    }

    @Test("The machine is said to be short of memory, once that is answered", arguments: PressureLevel.allCases)
    func pressure(level: PressureLevel) {
        let scene = ControlScene()
        #expect(scene.ask(scene.client(), "pressure level=\(level.name)") == ["ok state=active"])
        #expect(scene.inputs == [.machine(.pressureSimulated(level))])
    }

    @Test("That needs a level that there is", arguments: ["", " level=x", " level=Normal"])
    func pressureInvalid(level: String) {
        let scene = ControlScene()
        #expect(
            scene.ask(scene.client(), "pressure\(level)") == [
                "error code=invalid message=\"pressure needs level=normal, warning or critical\""
            ])
        #expect(scene.inputs.isEmpty)
    }

    @Test("What is posted comes with its pairs, in order", arguments: ["post", "wake"])
    func posting(verb: String) {
        let scene = ControlScene()
        scene.isHeldUp = true
        _ = scene.ask(scene.client(), "\(verb) name=localeDidChange info.b=1 other=x info.a=\"two words\"")
        let event = PostedEvent("localeDidChange", [Info("b", "1"), Info("a", "two words")])
        let request = RequestID(1)
        #expect(
            scene.inputs == [
                verb == "post" ? .app(.a, .post(event, request: request)) : .app(.a, .wake(event, request: request))
            ])
    }

    @Test("What can't be posted is refused", arguments: ["post", "wake"])
    func postingInvalid(verb: String) {
        let scene = ControlScene()
        let client = scene.client()
        let name = "error code=invalid message=\"\(verb) needs name=NAME, and none of the lifecycle's\""
        for bad in ["", " name=\"\"", " name=didEnterBackground", " name=1", " name=\"a b\""] {
            #expect(scene.ask(client, verb + bad) == [name])
        }
        let pairs = "error code=invalid message=\"at most 16 pairs info.KEY=VALUE, KEY a word\""
        let seventeen = (0..<17).map { " info.k\($0)=v" }.joined()
        for bad in [seventeen, " info.=v", " info.1=v"] {
            #expect(scene.ask(client, "\(verb) name=x" + bad) == [pairs])
        }
        let long = "error code=invalid message=\"it doesn't fit a line of 4096 bytes\""
        #expect(scene.ask(client, "\(verb) name=x info.k=" + String(repeating: "y", count: 4_050)) == [long])
        #expect(scene.inputs.isEmpty)
    }

    // MARK: Tasks

    @Test("A task is begun, seen, and ended")
    func tasks() {
        let scene = ControlScene()
        let pipe = scene.pipe()
        #expect(scene.ask(pipe, "begin id=7 name=\"nightly upload\"") == ["ok id=7 task=1 remaining=inf"])
        scene.kernel.clock = scene.kernel.clock + .milliseconds(1_500)
        #expect(
            scene.ask(pipe, "tasks id=8") == [
                "task id=8 task=1 name=\"nightly upload\" age=1.500", "ok id=8 count=1",
            ])
        #expect(
            scene.ask(pipe, "status") == ["task task=1 name=\"nightly upload\" age=1.500", "ok state=active"])
        #expect(scene.ask(pipe, "remaining id=9") == ["ok id=9 seconds=inf"])
        #expect(scene.ask(pipe, "end id=10 task=1") == ["ok id=10"])
        #expect(scene.ask(pipe, "end id=11 task=1") == ["ok id=11 ignored=unknown-task"])
        #expect(scene.ask(pipe, "tasks") == ["ok count=0"])
    }

    @Test("Keep-alive is asked for, and ended")
    func keepAlive() {
        let scene = ControlScene()
        let pipe = scene.pipe()
        #expect(scene.ask(pipe, "keep-alive id=1 seconds=600") == ["ok id=1"])
        #expect(scene.app(.a)?.keepAliveInterval == .seconds(600))
        #expect(scene.ask(pipe, "keep-alive id=2") == ["ok id=2"])
        #expect(scene.app(.a)?.keepAliveInterval == nil)
    }

    @Test("Too often is refused with the minimum")
    func keepAliveTooOften() {
        let scene = ControlScene()
        #expect(
            scene.ask(scene.pipe(), "keep-alive id=1 seconds=599.999") == [
                "error id=1 code=invalid message=\"\(Rejection.keepAliveTooShort.message): 10 min\" minimum=600.000"
            ])
    }

    @Test("Keep-alive of no time is refused", arguments: ["x", "-1", "\"\""])
    func keepAliveInvalid(seconds: String) {
        let scene = ControlScene()
        let said = scene.ask(scene.pipe(), "keep-alive seconds=\(seconds)")
        #expect(said == ["error code=invalid message=\"keep-alive needs seconds=NUMBER, 0 or none to end it\""])
        #expect(scene.inputs.isEmpty)
    }

    @Test("What isn't a number is refused", arguments: ["end", "end task=x", "end task=\"\"", "ack", "ack seq=x"])
    func numbers(line: String) {
        let scene = ControlScene()
        let needs = line.hasPrefix("end") ? "end needs task=NUMBER" : "ack needs seq=NUMBER"
        #expect(scene.ask(scene.pipe(), line) == ["error code=invalid message=\"\(needs)\""])
        #expect(scene.inputs.isEmpty)
    }

    @Test("A task that is refused is task 0")
    func refusedTask() {
        let scene = ControlScene()
        scene.isHeldUp = true
        let pipe = scene.pipe()
        _ = scene.ask(pipe, "begin id=1")
        scene.control.reply(.rejected(.expired), to: RequestID(1))
        #expect(
            pipe.read() == [
                "error id=1 code=\(Rejection.expired.rawValue) message=\"\(Rejection.expired.message)\" task=0"
            ])
    }

    @Test("A long name is cut to 128 bytes, between characters")
    func longName() {
        let scene = ControlScene()
        scene.isHeldUp = true
        _ = scene.ask(scene.pipe(), "begin name=x" + String(repeating: "ä", count: 100))
        guard case .app(_, .beginTask(let name, _, _, _))? = scene.inputs.first else {
            Issue.record("\(scene.inputs)")
            return
        }
        #expect(name == "x" + String(repeating: "ä", count: 63))
    }

    // MARK: Owners

    private func owners(_ scene: ControlScene) -> [Int] {
        scene.inputs.compactMap { if case .app(_, .beginTask(_, let owner, _, _)) = $0 { owner.rawValue } else { nil } }
    }

    @Test("Its owner is who asks, the leader, or any living process of the app")
    func ownerNames() {
        let scene = ControlScene()
        let child = Sleeper()
        defer { child.end() }
        scene.members.insert(child.pid)
        let pipe = scene.pipe()
        for owner in ["", " owner=leader", " owner=\(scene.leader)", " owner=\(child.pid)", " owner=\(getpid())"] {
            #expect(scene.ask(pipe, "begin" + owner).first?.hasPrefix("ok task=") == true)
        }
        #expect(owners(scene) == [1, 0, 0, 2, 1])
    }

    @Test("A leader that is gone owns nothing, whoever has its number")
    func leaderGone() {
        let scene = ControlScene()
        let child = Sleeper()
        defer { child.end() }
        scene.leader = child.pid
        let pipe = scene.pipe()
        #expect(scene.ask(pipe, "begin owner=leader").count == 1)
        scene.isLeaderGone = true
        #expect(scene.ask(pipe, "begin owner=leader").first?.hasPrefix("error code=invalid ") == true)
        scene.members.insert(child.pid)
        #expect(scene.ask(pipe, "begin owner=leader").count == 1)
        #expect(owners(scene) == [0, 1])
    }

    @Test("Nobody else owns one")
    func invalidOwner() {
        let scene = ControlScene()
        let (stranger, gone) = (Sleeper(), Sleeper())
        defer { stranger.end() }
        gone.end()
        scene.members.insert(gone.pid)
        let refusal =
            "error code=invalid message=\"the owner is `leader` or the pid of a process of the app that lives\" task=0"
        let pipe = scene.pipe()
        for owner in ["x", "0", "-1", "99999999999", "\(stranger.pid)", "\(gone.pid)"] {
            #expect(scene.ask(pipe, "begin owner=\(owner)") == [refusal])
        }
        #expect(scene.inputs.isEmpty)
        #expect(stranger.holds == 1)
    }

    @Test("What an owner has begun is released when it ends")
    func ownerExits() {
        let scene = ControlScene()
        let child = Sleeper()
        scene.members.insert(child.pid)
        let pipe = scene.pipe()
        _ = scene.ask(pipe, "begin owner=\(child.pid) name=x", "begin owner=leader")
        #expect(scene.app(.a)?.tasks.count == 2)
        child.end()
        #expect(scene.turn(within: 30_000))
        #expect(scene.app(.a)?.tasks.map(\.owner) == [TaskOwners.leader])
        #expect(scene.notes.suffix(1) == [.taskReleased(TaskID(1), name: "x")])
        scene.control.ownerExited(OwnerID(1))
        #expect(scene.inputs.count == 3)
    }

    @Test("So many can own one; then whoever owns none any more makes room")
    func tooManyOwners() {
        let scene = ControlScene(maximumOwners: 2)
        let children = (0..<3).map { _ in Sleeper() }
        defer { for child in children { child.end() } }
        scene.members.formUnion(children.map(\.pid))
        let pipe = scene.pipe()
        for child in children[..<2] {
            #expect(scene.ask(pipe, "begin owner=\(child.pid)").first?.hasPrefix("ok ") == true)
        }
        #expect(
            scene.ask(pipe, "begin owner=\(children[2].pid)") == [
                "error code=too-many-owners message=\"as many processes hold background tasks as can be watched, "
                    + "256 at most; `owner=leader` is free\" task=0"
            ])
        #expect(scene.ask(pipe, "begin owner=leader") == ["ok task=3 remaining=inf"])
        #expect(scene.ask(pipe, "end task=1") == ["ok"])
        #expect(scene.ask(pipe, "begin owner=\(children[2].pid)") == ["ok task=4 remaining=inf"])
        #expect(children.map(\.holds) == [1, 2, 2])
    }

    @Test("One app of a server can't have all that can be watched")
    func ownersOfOne() {
        let other = AppID(2)
        let scene = ControlScene([.a, other], isShared: true)
        let children = (0...TaskOwners.maximumOfOne).map { _ in Sleeper() }
        defer { for child in children { child.end() } }
        scene.members.formUnion(children.map(\.pid))
        let (pipe, others) = (scene.pipe(), scene.pipe(of: other))
        let answers = children.map { scene.ask(pipe, "begin owner=\($0.pid)").first ?? "" }
        #expect(answers.prefix(TaskOwners.maximumOfOne).allSatisfy { $0.hasPrefix("ok task=") })
        #expect(
            answers.last == "error code=too-many-owners message=\"as many processes hold background tasks as can be "
                + "watched, 64 of one app at most; `owner=leader` is free\" task=0")
        #expect(scene.ask(others, "begin owner=\(children[0].pid)").first?.hasPrefix("ok task=1 ") == true)
    }

    @Test("Without a descriptor to spare none is watched")
    func ownersWithoutDescriptors() {
        let scene = ControlScene()
        let child = Sleeper()
        defer { child.end() }
        scene.members.insert(child.pid)
        scene.control.descriptors = DescriptorLimit(count: 4)
        let pipe = scene.pipe()
        #expect(scene.ask(pipe, "begin owner=\(child.pid)").first?.hasPrefix("error code=too-many-owners ") == true)
        #expect(child.holds == 1)
        #expect(scene.ask(pipe, "begin owner=leader") == ["ok task=1 remaining=inf"])
    }
}
