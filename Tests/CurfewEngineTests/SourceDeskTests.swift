import CurfewCore
import CurfewWire
import Testing

@testable import CurfewEngine

@Suite("Sources of a server")
struct SourceDeskTests {
    private let scene = SourceScene(SourcePlan(name: "watch", command: "watch.sh"))

    private func start(_ scene: SourceScene, _ index: Int = 0) {
        #expect(scene.order(index) == "start")
        scene.tell(.started(pid: 40 + Int32(index)), of: index)
        #expect(scene.run() == [])
    }

    private func state(_ app: AppID) -> LifecycleState? { scene.control.app(app)?.state }

    // MARK: What it asks for

    @Test("What it writes is done")
    func asks() {
        start(scene)
        #expect(scene.write("open app=app-b\n") == [])
        #expect(scene.namesInFront == ["app-b"])
        #expect(scene.write("home\n") == [])
        #expect(scene.namesInFront == [])
        #expect(scene.write("open app=backup\nhome app=backup\nopen app=backup\n") == [])
        #expect(scene.namesInFront == ["backup"])
        #expect(scene.write("post app=backup name=tick info.a=b\n") == [])
        let posted = PostedEvent("tick", [Info("a", "b")])
        #expect(
            scene.control.inputs.contains {
                if case .app(.a, .post(posted, request: _)) = $0 { true } else { false }
            })
    }

    @Test("A line comes in pieces, and several at once")
    func pieces() {
        start(scene)
        #expect(scene.write("open ap") == [])
        #expect(scene.write("p=app-b\n\n  \nho") == [])
        #expect(scene.namesInFront == ["app-b"])
        #expect(scene.write("me\n") == [])
        #expect(scene.namesInFront == [])
    }

    @Test("By the pid of a process of it an app is meant")
    func byPid() {
        start(scene)
        #expect(scene.write("home\nopen app=\(scene.control.leader)\n") == [])
        #expect(scene.namesInFront == ["backup"])
        #expect(
            scene.write("open app=77\n") == ["source watch: \"open app=77\": no app has the process 77"])
    }

    @Test("Home with nobody in front is nothing to tell of")
    func nobody() {
        start(scene)
        #expect(scene.write("home\nhome\n") == [])
        #expect(scene.namesInFront == [])
    }

    @Test("What is no request is told with its source, and what comes after it is done")
    func noRequest() {
        start(scene)
        #expect(
            scene.write("stop\nopen app=app-b\n")
                == ["source watch: \"stop\": a source may ask for \(SourceVerb.listed)"])
        #expect(scene.namesInFront == ["app-b"])
    }

    @Test("What is refused is told with the line")
    func refused() {
        start(scene)
        let told = scene.write("post app=gone name=x\n")
        #expect(told.first?.hasPrefix("source watch: \"post app=gone name=x\": there is no app gone here") == true)
        _ = scene.pass(.seconds(2))
        #expect(
            scene.write("post app=backup name=didBecomeActive\n").first?.contains("none of the lifecycle's") == true)
    }

    @Test("Only a start of a long line is shown, and what a terminal would obey isn't told as it is")
    func shown() {
        start(scene)
        let told = scene.write(String(repeating: "x", count: 500) + "\n")
        #expect(told.first?.hasPrefix("source watch: \"" + String(repeating: "x", count: 80) + "…\": ") == true)
    }

    @Test("A line that is too long is told of, and so is one that gets too long")
    func tooLong() {
        start(scene)
        #expect(
            scene.write(String(repeating: "x", count: 4_096) + "\nopen app=app-b\n")
                == ["source watch: a line is longer than 4096 bytes"])
        #expect(scene.namesInFront == ["app-b"])
        _ = scene.pass(.seconds(2))
        let head = "post app=backup name=x info.a="
        let told = scene.write(head + String(repeating: "y", count: 4_095 - head.utf8.count) + "\n")
        #expect(told.first?.hasSuffix("with what is added to it, it is longer than 4096 bytes") == true)
    }

    @Test("One complaint a second is told, and how many weren't with the next")
    func paced() {
        start(scene)
        #expect(scene.write("a\nb\nc\n").count == 1)
        #expect(scene.write("d\n") == [])
        _ = scene.pass(.seconds(1))
        #expect(scene.write("e\n").first?.hasSuffix("(and 3 more since the last that was told)") == true)
        #expect(scene.state.contains("\\\"e\\\""))
    }

    // MARK: Whom it may ask for

    @Test("Another app than those it may name isn't asked for, by name or by pid, and stays as it is")
    func others() {
        let scene = SourceScene(SourcePlan(name: "mail", command: "x", apps: ["app-b", "later"]))
        start(scene)
        #expect(
            scene.write("home app=backup\n") == [
                "source mail: \"home app=backup\": backup isn't among those that it may name (--source-apps app-b,later)"
            ])
        _ = scene.pass(.seconds(2))
        #expect(scene.write("home app=\(scene.control.leader)\n").first?.contains("backup isn't among those") == true)
        #expect(scene.write("home\n") == [])
        #expect(scene.namesInFront == ["backup"])
        #expect(scene.write("open app=app-b\n") == [])
        #expect(scene.namesInFront == ["app-b"])
        #expect(scene.write("home\n") == [])
        #expect(scene.namesInFront == [])
    }

    @Test("Whatever one writes, no request is about another app than its own", arguments: 0..<40)
    func rubbish(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let scene = SourceScene(SourcePlan(name: "mail", command: "x", apps: ["app-b"]))
        start(scene)
        let words = [
            "open", "home", "post", "wake", "warn", "quit", " app=backup", " app=app-b", " name=a", " app=\"backup\"",
            "\n", "\n",
            " app=\(scene.control.leader)", "\0",
        ]
        for _ in 0..<20 {
            var bytes = (0..<random.below(30)).flatMap { _ in Array(random.pick(words).utf8) }
            if random.chance(20) { bytes += random.bytes(upTo: 200) }
            scene.tell(.output(bytes))
            _ = scene.run()
            _ = scene.pass(SourceTurn.rest)
        }
        // Sent home by the other that came is all that can have happened to it, and the core decides that by itself.
        #expect(!scene.control.inputs.contains { if case .app(.a, _) = $0 { true } else { false } })
    }

    // MARK: Its runs

    @Test("It is started at once, and again when it has ended, later each time")
    func restarts() {
        for pause in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300] as [Int64] {
            start(scene)
            scene.tell(.ended(.exited(1)))
            let next = HumanText.duration(nanoseconds: pause * 1_000_000_000)
            #expect(scene.run() == ["source watch: it ended with status 1; started again in \(next)"])
            #expect(scene.desk.nextDue == scene.now + .seconds(pause))
            _ = scene.pass(.seconds(pause) - .milliseconds(1))
            #expect(scene.order() == nil)
            _ = scene.pass(.milliseconds(1))
        }
        #expect(scene.order() == "start")
    }

    @Test("After a long run the pause is the first again")
    func forgiven() {
        for pause in ["1 s", "2 s", "1 s"] {
            start(scene)
            if pause == "1 s" { _ = scene.pass(RestartRule.forgivingLife) }
            scene.tell(.ended(.killed(signal: 15)))
            #expect(scene.run() == ["source watch: it was ended by SIGTERM; started again in \(pause)"])
            _ = scene.pass(.seconds(2))
        }
    }

    @Test("What had no end isn't done, and isn't a part of what the next run writes")
    func partLine() {
        start(scene)
        #expect(scene.write("open app=app-b") == [])
        scene.tell(.ended(.exited(0)))
        #expect(scene.run().first?.contains("its last line had no end, and was left out") == true)
        _ = scene.pass(.seconds(1))
        start(scene)
        #expect(scene.write("x\n").first?.contains("\"x\"") == true)
        #expect(scene.namesInFront == ["backup"])
    }

    @Test("What couldn't be started is tried again")
    func notStarted() {
        #expect(scene.order() == "start")
        scene.tell(.ended(.notStarted("can't start sh: no")))
        #expect(scene.run() == ["source watch: it couldn't be started: can't start sh: no; started again in 1 s"])
        _ = scene.pass(.seconds(1))
        #expect(scene.order() == "start")
    }

    @Test("A source whose process was killed is over, and others go on")
    func lost() {
        let scene = SourceScene(SourcePlan(name: "a", command: "a"), SourcePlan(name: "b", command: "b"))
        start(scene)
        start(scene, 1)
        scene.lose()
        #expect(
            scene.run() == [
                "source a: the process that ran it was killed, so the server's next start is the next of it"
            ])
        #expect(
            scene.state
                == "source name=a state=over restarts=0 problem=\"the process that ran it was killed, so the server's next start is the next of it\" command=a"
        )
        #expect(scene.write("open app=app-b\n", as: 1) == [])
        #expect(scene.namesInFront == ["app-b"])
        #expect(scene.desk.nextDue == nil)
    }

    @Test("A desktop that has come is told to those that wait, at once, and to the others at their next start")
    func variables() {
        let scene = SourceScene(SourcePlan(name: "a", command: "a"), SourcePlan(name: "b", command: "b"))
        start(scene)
        start(scene, 1)
        for _ in 0..<4 {
            scene.tell(.ended(.exited(1)))
            _ = scene.run()
            _ = scene.pass(.seconds(300))
            start(scene)
        }
        scene.tell(.ended(.exited(1)))
        _ = scene.run()
        scene.desk.setVariables([Field("DISPLAY", ":1"), Field("XAUTHORITY", "/x")])
        #expect(scene.order() == "start DISPLAY=:1 XAUTHORITY=/x")
        #expect(scene.order(1) == nil)
        scene.desk.setVariables([Field("DISPLAY", ":2")])
        scene.tell(.ended(.exited(1)), of: 1)
        #expect(scene.run() == ["source b: it ended with status 1; started again in 1 s"])
        _ = scene.pass(.seconds(1))
        #expect(scene.order(1) == "start XAUTHORITY=/x DISPLAY=:2")
        scene.tell(.ended(.exited(1)))
        #expect(scene.run() == ["source a: it ended with status 1; started again in 1 s"])
    }

    // MARK: Others' turn

    @Test("One that writes without end rests after some lines, and goes on later")
    func floods() {
        start(scene)
        scene.control.isHeldUp = true
        for _ in 0..<4 { scene.tell(.output(Array(String(repeating: "x\n", count: 100).utf8))) }
        _ = scene.run()
        #expect(scene.desk.nextDue == scene.now + SourceTurn.rest)
        #expect(scene.control.loop.readyKinds.isEmpty)
        var turns = 0
        while scene.desk.nextDue != nil, turns < 100 {
            _ = scene.pass(SourceTurn.rest)
            turns += 1
        }
        // Each takes as many, and one of them is for what each packet is.
        #expect(turns >= 400 / SourceTurn.most)
        #expect(turns <= 10)
    }

    @Test("Nor does it help to write little at a time, or a line without end")
    func trickles() {
        start(scene)
        var packets = 0
        while scene.desk.nextDue == nil, packets < 1000 {
            scene.tell(.output([UInt8](repeating: 0, count: SourceNews.maximumOutput)))
            _ = scene.run()
            packets += 1
        }
        #expect(packets <= SourceTurn.most)
        #expect(scene.desk.nextDue == scene.now + SourceTurn.rest)
        // What comes slowly enough is read as it comes.
        let slow = SourceScene(SourcePlan(name: "slow", command: "x"))
        start(slow)
        for _ in 0..<(4 * SourceTurn.most) {
            _ = slow.pass(SourceTurn.rest)
            #expect(slow.write("home\n") == [])
            #expect(slow.desk.nextDue == nil)
        }
    }

    @Test("So many of its requests wait for an answer, and no more is asked before")
    func unanswered() {
        start(scene)
        scene.control.isHeldUp = true
        scene.tell(.output(Array(String(repeating: "home app=backup\n", count: 30).utf8)))
        _ = scene.run()
        _ = scene.pass(SourceTurn.rest)
        func asked() -> Int {
            scene.control.inputs.filter { if case .app(.a, .home) = $0 { true } else { false } }.count
        }
        #expect(asked() == SourceDesk.mostAsked)
        #expect(scene.desk.nextDue == scene.now + SourceTurn.rest)
    }

    @Test("Two sources have a turn each")
    func two() {
        let scene = SourceScene(SourcePlan(name: "a", command: "a"), SourcePlan(name: "b", command: "b"))
        start(scene)
        start(scene, 1)
        for _ in 0..<20 { scene.tell(.output(Array(String(repeating: "x\n", count: 100).utf8))) }
        #expect(scene.write("open app=app-b\n", as: 1).count <= 1)
        #expect(scene.namesInFront == ["app-b"])
    }

    @Test("Where no connection can be had just now, that is told, and tried with the next")
    func cutOff() {
        start(scene)
        scene.isCutOff = true
        #expect(scene.write("open app=app-b\n") == ["source watch: \"open app=app-b\": it can't be asked for just now"])
        scene.isCutOff = false
        #expect(scene.write("open app=app-b\n") == [])
        #expect(scene.namesInFront == ["app-b"])
    }

    // MARK: Pushes

    private func push(_ id: String) -> String { "push app=backup apns-id=\(id)\n" }

    @Test("A push that there is no room for is asked for until it is kept, and nothing more is read meanwhile")
    func noRoom() {
        start(scene)
        #expect(scene.write(push("a")) == [])
        let told =
            "source watch: \"push app=backup apns-id=a\": there is no room for it just now; it is asked for again, "
            + "and nothing is read meanwhile"
        #expect(scene.answerPush("busy") == [told])
        #expect(scene.write(push("b")) == [])
        #expect(scene.pushed == [])
        #expect(scene.desk.nextDue == scene.now + SourceTurn.rest)
        // That it is so is told once, until one was kept.
        for _ in 0..<3 {
            #expect(scene.pass(.seconds(2)) == [])
            #expect(scene.pushed == ["a"])
            #expect(scene.answerPush("busy") == [])
        }
        #expect(scene.pass(SourceTurn.rest) == [])
        #expect(scene.answerPush() == [])
        #expect(scene.pass(SourceTurn.rest) == [])
        #expect(scene.pushed == ["b"])
        #expect(scene.answerPush("busy") == [told.replacing("=a", with: "=b")])
        #expect(scene.pass(SourceTurn.rest) == [])
        #expect(scene.answerPush() == [])
        #expect(scene.pass(SourceTurn.rest) == [])
        #expect(scene.desk.nextDue == nil)
        #expect(scene.write("home\n") == [])
        #expect(scene.namesInFront == [])
    }

    @Test("So many of them wait at most, however many it writes")
    func noRoomForMany() {
        start(scene)
        #expect(scene.write((0..<40).map { push("p\($0)") }.joined()) == [])
        #expect(scene.pushed.count == SourceDesk.mostAsked)
        for _ in 0..<3 {
            for _ in 0..<SourceDesk.mostAsked { _ = scene.answerPush("busy") }
            _ = scene.pass(.seconds(2))
            #expect(scene.pushed == (0..<SourceDesk.mostAsked).map { "p\($0)" })
        }
        var kept: [String] = []
        while let id = scene.pushed.first, kept.count < 100 {
            kept.append(id)
            _ = scene.answerPush()
            _ = scene.pass(SourceTurn.rest)
        }
        #expect(kept == (0..<40).map { "p\($0)" })
    }

    @Test("One that can't be had is told, and not asked for again")
    func refusedPush() {
        start(scene)
        #expect(scene.write(push("a")) == [])
        #expect(scene.answerPush("invalid") == ["source watch: \"push app=backup apns-id=a\": no"])
        #expect(scene.desk.nextDue == nil)
    }

    @Test("What there was no room for is asked for again though its source is over")
    func noRoomForTheLast() {
        start(scene)
        #expect(scene.write(push("a")) == [])
        scene.lose()
        #expect(scene.run().count == 1)
        _ = scene.answerPush("busy")
        _ = scene.pass(SourceTurn.rest)
        #expect(scene.pushed == ["a"])
        #expect(scene.answerPush() == [])
        #expect(scene.pass(SourceTurn.rest) == [])
        #expect(scene.desk.nextDue == nil)
    }

    // MARK: The end

    @Test("At the server's end what it pushes until its output is over is asked for, and nothing else; none is started")
    func end() {
        start(scene)
        #expect(scene.write(push("a")) == [])
        scene.desk.end()
        #expect(scene.order() == "end")
        #expect(scene.write("open app=app-b\n" + push("b") + "push app=ba") == [])
        scene.tell(.ended(.exited(0)))
        scene.lose()
        #expect(scene.run() == [])
        #expect(scene.pushed == ["a", "b"])
        #expect(scene.answerPush() == [])
        #expect(!scene.desk.isOver)
        #expect(scene.answerPush("busy").count == 1)
        #expect(!scene.desk.isOver)
        #expect(scene.pass(SourceTurn.rest) == [])
        #expect(scene.answerPush() == [])
        #expect(scene.desk.isOver)
        #expect(scene.desk.nextDue == nil)
        #expect(scene.pass(.seconds(400)) == [])
        #expect(scene.namesInFront == ["backup"])
    }

    @Test("One that waits for its start is over with its process")
    func endOfWaiting() {
        start(scene)
        scene.tell(.ended(.exited(0)))
        #expect(scene.run().count == 1)
        scene.desk.end()
        #expect(scene.pass(.seconds(2)) == [])
        #expect(scene.order() == "end")
        scene.lose()
        #expect(scene.run() == [])
        #expect(scene.desk.isOver)
    }

    @Test("Whatever is left of them then, they are heeded for so long and no longer")
    func endInTime() {
        start(scene)
        scene.desk.end()
        #expect(scene.write(push("a")) == [])
        #expect(scene.desk.nextDue == scene.now + SourceDesk.lastTime)
        #expect(scene.pass(SourceDesk.lastTime - .milliseconds(1)) == [])
        #expect(!scene.desk.isOver)
        #expect(
            scene.pass(.milliseconds(1)) == ["source watch: the server ends before all that it has written is done"])
        #expect(scene.desk.isOver)
        #expect(scene.desk.nextDue == nil)
    }

    @Test("However much one writes then, it is heeded for so much and no more")
    func endOfFlood() {
        start(scene)
        scene.desk.end()
        var told: [String] = []
        for _ in 0...(SourceDesk.mostLastBytes / SourceNews.maximumOutput + 2) {
            scene.tell(.output([UInt8](repeating: 0, count: SourceNews.maximumOutput)))
            told += scene.run() + scene.pass(SourceDesk.lastRest)
        }
        #expect(
            told == [
                "source watch: a line is longer than 4096 bytes",
                "source watch: it writes on at the server's end, and is heeded no more",
            ])
        #expect(scene.write("\n" + push("a")) == [])
        #expect(scene.pushed == [])
        scene.lose()
        #expect(scene.run() == [])
        #expect(scene.desk.isOver)
    }

    @Test("What one has left is read in turns that follow each other soon")
    func endOfMany() {
        start(scene)
        scene.desk.end()
        #expect(scene.write(String(repeating: "home\n", count: 1_000)) == [])
        scene.lose()
        var turns = 0
        while !scene.desk.isOver, turns < 100 {
            #expect(scene.pass(SourceDesk.lastRest) == [])
            turns += 1
        }
        #expect(turns > 10)
        #expect(turns < 20)
        #expect(scene.namesInFront == ["backup"])
    }

    @Test("How it is, for those who ask")
    func messages() {
        let scene = SourceScene(SourcePlan(name: "a", command: "a b", apps: ["z", "b"]))
        #expect(scene.state == "source name=a state=starting restarts=0 apps=b,z command=\"a b\"")
        start(scene)
        #expect(scene.state == "source name=a state=running pid=40 restarts=0 apps=b,z command=\"a b\"")
        scene.tell(.ended(.exited(2)))
        _ = scene.run()
        #expect(
            scene.state
                == "source name=a state=waiting restart-in=1.000 restarts=0 apps=b,z problem=\"it ended with status 2; started again in 1 s\" command=\"a b\""
        )
        _ = scene.pass(.seconds(1))
        start(scene)
        #expect(scene.state.hasPrefix("source name=a state=running pid=40 restarts=1 "))
    }
}
