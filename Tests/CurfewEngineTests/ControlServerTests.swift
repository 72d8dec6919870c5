import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc
import Testing

@testable import CurfewEngine

@Suite("The control channel's server")
struct ControlServerTests {
    // MARK: Lines

    @Test("What isn't a line of the protocol is answered with where it goes wrong, and the channel stays")
    func malformed() {
        let scene = ControlScene()
        let client = scene.client()
        #expect(
            scene.ask(client, "tasks id=1", "status =x", "tasks id=2") == [
                "ok id=1 count=0", "error code=malformed offset=7 message=\"a value has no key\"", "ok id=2 count=0",
            ])
        #expect(scene.drops.isEmpty)
    }

    @Test("Unknown requests are answered, unknown keys ignored")
    func unknown() {
        let scene = ControlScene()
        let client = scene.client()
        #expect(
            scene.ask(client, "frobnicate id=1 x=y", "tasks id=2 x=y") == [
                "error id=1 code=unknown message=\"there is no request frobnicate\"", "ok id=2 count=0",
            ])
    }

    @Test("4,096 bytes are a line, one more closes the channel, with or without an end")
    func longLines() {
        let scene = ControlScene()
        let client = scene.client()
        #expect(scene.ask(client, "tasks id=1 x=" + String(repeating: "y", count: 4_096 - 14)) == ["ok id=1 count=0"])
        #expect(scene.ask(client, "tasks id=2 x=" + String(repeating: "y", count: 4_097 - 14), "tasks").isEmpty)
        #expect(client.isClosed)
        let endless = scene.client()
        endless.send(raw: String(repeating: "y", count: 5_000))
        scene.run()
        _ = endless.read()
        #expect(endless.isClosed)
        #expect(scene.drops == Array(repeating: "a line is longer than 4096 bytes", count: 2))
        #expect(scene.control.sessions.isEmpty)
    }

    @Test("Half a line waits for the rest, and others don't wait for it")
    func halfLine() {
        let scene = ControlScene()
        let half = scene.client()
        half.send(raw: "tasks i")
        scene.run()
        #expect(half.read().isEmpty)
        #expect(scene.ask(scene.client(), "tasks") == ["ok count=0"])
        half.send(raw: "d=1\n")
        scene.run()
        #expect(half.read() == ["ok id=1 count=0"])
    }

    @Test("Replies come in the order of the requests")
    func order() {
        let scene = ControlScene()
        let client = scene.client()
        client.send((0..<100).map { "tasks id=\($0)" })
        scene.run()
        #expect(client.read() == (0..<100).map { "ok id=\($0) count=0" })
    }

    @Test("A turn is a millisecond of a session's lines; others have theirs before it goes on")
    func turns() {
        let scene = ControlScene()
        let (first, second) = (scene.client(), scene.client())
        for client in [first, second] { client.send((0..<10).map { "tasks id=\($0)" }) }
        scene.kernel.drift = .microseconds(200)
        var answers: [Int] = []
        for _ in 0..<100 {
            guard scene.turn() else { break }
            answers.append(first.read().count)
            answers.append(second.read().count)
        }
        // So many fit into a millisecond of a clock that moves each time it is read.
        #expect(answers.prefix(4).allSatisfy { (1...4).contains($0) }, "\(answers)")
        #expect(answers.reduce(0, +) == 20, "\(answers)")
    }

    @Test("Who has nothing more to say when his turn is over, or is gone while he is told, doesn't wait for the others")
    func noMoreTurns() {
        let scene = eventful()
        let client = scene.client()
        let id = scene.control.sessions[0].id
        let (came, gone) = (EventLoop.readable, EventLoop.readable | 0x10)
        // Longer than a turn each.
        scene.kernel.drift = .milliseconds(2)
        client.send(["tasks id=1", "tasks id=2"])
        scene.turn()
        #expect(scene.control.lastTurn(of: id, events: came) != nil)
        scene.turn()
        #expect(client.read().count == 2)
        #expect(scene.control.lastTurn(of: id, events: came) == nil)
        client.send(["events id=3"])
        scene.turn()
        #expect(scene.control.lastTurn(of: id, events: came) != nil)
        #expect(scene.control.lastTurn(of: id, events: gone) == nil)
    }

    @Test("Who sends 200,000 messages within a second is cut off at the next")
    func flood() throws {
        let scene = ControlScene()
        let client = scene.client()
        let session = try #require(scene.control.sessions.first)
        for _ in 0..<ControlSession.maximumMessagesPerSecond - 1 { _ = session.admitsMessage(at: scene.now) }
        #expect(scene.ask(client, "tasks id=1") == ["ok id=1 count=0"])
        #expect(scene.ask(client, "tasks id=2", "tasks id=3").isEmpty)
        #expect(client.isClosed)
        #expect(scene.drops == ["over 200000 messages a second"])
    }

    @Test("Who doesn't read its replies loses its channel, and holds up nobody")
    func slowReader() {
        let scene = ControlScene()
        let (slow, quick) = (scene.client(), scene.client())
        for number in 0..<100_000 where scene.drops.isEmpty {
            slow.send(["tasks id=\(number)"])
            scene.turn()
        }
        #expect(scene.drops == ["its client doesn't read"])
        #expect(scene.ask(quick, "tasks id=1") == ["ok id=1 count=0"])
        let replies = slow.read()
        #expect(replies == replies.indices.map { "ok id=\($0) count=0" })
        #expect(slow.isClosed)
    }

    @Test("Who reads late gets all of them")
    func lateReader() {
        let scene = ControlScene()
        let client = scene.client()
        var asked = 0
        while asked < 100_000, scene.control.sessions.allSatisfy({ !$0.hasUnsent }) {
            client.send(["tasks id=\(asked)"])
            scene.turn()
            asked += 1
        }
        var replies = client.read()
        scene.run()
        replies += client.read()
        #expect(replies.count == asked)
        #expect(replies.last == "ok id=\(asked - 1) count=0")
        #expect(scene.drops.isEmpty)
    }

    // MARK: The order of answers

    /// A server that doesn't come to answering `home`.
    private func heldUp() -> ControlScene {
        let scene = ControlScene()
        scene.answersInOrder = true
        scene.isHeldUp = true
        return scene
    }

    @Test("A server answers on one connection in the order of the requests, and nobody else waits for that")
    func answersInOrder() {
        let scene = heldUp()
        let (client, other) = (scene.client(), scene.client())
        #expect(scene.ask(client, "home id=1", "tasks id=2", "frobnicate id=3", "status =x", "events id=5").isEmpty)
        #expect(scene.ask(other, "tasks id=1") == ["ok id=1 count=0"])
        scene.control.reply(.state(.background), to: RequestID(1))
        #expect(
            scene.drain(client) == [
                "ok id=1 state=background", "ok id=2 count=0",
                "error id=3 code=unknown message=\"there is no request frobnicate\"",
                "error code=malformed offset=7 message=\"a value has no key\"",
                "event name=stateDidChange app=backup from=notRunning to=active", "ok id=5",
            ])
        #expect(scene.ask(client, "tasks id=6") == ["ok id=6 count=0"])
    }

    @Test("Events are no answers: they come when they happen, and who follows hears nothing twice")
    func eventsDontWait() {
        let scene = heldUp()
        let client = scene.client()
        _ = scene.ask(client, "events id=1 follow=1")
        #expect(scene.ask(client, "home id=2").isEmpty)
        scene.record(.statusText("x"), of: .a)
        #expect(client.read() == ["event name=didNotifyStatus app=backup text=x"])
        // Whoever begins to follow begins with the past, once it is his turn.
        let late = scene.client()
        #expect(scene.ask(late, "home id=1", "events id=2 follow=1").isEmpty)
        scene.record(.statusText("y"), of: .a)
        #expect(late.read().isEmpty)
        scene.control.reply(.state(.background), to: RequestID(2))
        let lines = scene.drain(late)
        #expect(lines.first == "ok id=1 state=background")
        #expect(lines.filter { $0.hasSuffix("text=y") }.count == 1)
        #expect(lines.last == "ok id=2")
    }

    @Test("64 answers wait; what is asked then is refused, in order as well")
    func mostWaiting() {
        let scene = heldUp()
        let client = scene.client()
        client.send(["home id=0"] + (1...70).map { "tasks id=\($0)" })
        scene.run()
        #expect(client.read().isEmpty)
        scene.control.reply(.state(.background), to: RequestID(1))
        let answers = scene.drain(client)
        #expect(answers.count == 71)
        for (number, answer) in answers.enumerated() {
            let isRefused = number >= ControlServer.maximumWaitingAnswers
            #expect(answer.hasPrefix(isRefused ? "error id=\(number) code=busy " : "ok id=\(number) "))
        }
        #expect(scene.ask(client, "tasks id=x") == ["ok id=x count=0"])
    }

    @Test("Who goes on asking though he is refused is dropped in the end")
    func tooManyWaiting() {
        let scene = heldUp()
        let client = scene.client()
        client.send(["home"])
        for _ in 0..<200 where !client.isClosed {
            client.send(Array(repeating: "tasks", count: 10))
            scene.run()
            _ = client.read()
        }
        #expect(scene.drops == ["too many answers wait for one that it is owed"])
        scene.control.reply(.state(.background), to: RequestID(1))
    }

    @Test("What waits goes out as it is read, however much that is")
    func muchWaits() {
        let scene = heldUp()
        for number in 0..<EventLog.capacity {
            scene.record(.statusText("\(number)" + String(repeating: "x", count: 2_000)), of: .a)
        }
        let client = scene.client()
        #expect(scene.ask(client, "home id=0", "events id=1", "events id=2", "tasks id=3").isEmpty)
        scene.control.reply(.state(.background), to: RequestID(1))
        let lines = scene.drain(client)
        #expect(lines.count == 2 * EventLog.capacity + 4)
        #expect(lines.last == "ok id=3 count=0")
        #expect(scene.drops.isEmpty)
    }

    // MARK: Long answers

    /// An app with more events than a connection takes at once.
    private func eventful(_ apps: [AppID] = [.a]) -> ControlScene {
        let scene = ControlScene(apps)
        for number in 0..<EventLog.capacity {
            scene.record(.statusText("\(number)" + String(repeating: "x", count: 3_000)), of: .a)
        }
        return scene
    }

    @Test("A long answer comes as it is read, what was asked after it then, and others don't wait for that")
    func longAnswer() {
        let scene = eventful()
        let client = scene.client()
        client.send(["events id=1", "tasks id=2"])
        // Nothing is ready any more while nobody reads.
        scene.run()
        #expect(scene.control.sessions[0].isTellingList)
        #expect(scene.ask(scene.client(), "tasks id=1") == ["ok id=1 count=0"])
        let lines = scene.drain(client)
        #expect(lines.count == EventLog.capacity + 2)
        #expect(lines.suffix(2) == ["ok id=1", "ok id=2 count=0"])
        #expect(lines.dropLast(2).allSatisfy { $0.hasPrefix("event name=didNotifyStatus app=backup text=") })
        #expect(scene.drops.isEmpty)
        #expect(scene.control.deadline == nil)
    }

    @Test("What happens meanwhile is told behind it, once")
    func followedMeanwhile() {
        let scene = eventful()
        let client = scene.client()
        client.send(["events id=1 follow=1"])
        scene.run()
        scene.record(.statusText("news"), of: .a)
        let lines = scene.drain(client)
        #expect(lines.suffix(2) == ["ok id=1", "event name=didNotifyStatus app=backup text=news"])
        #expect(lines.count == EventLog.capacity + 2)
    }

    @Test("Who reads nothing of a long answer for ten seconds loses his channel; who reads some of it doesn't")
    func unreadAnswer() {
        let scene = eventful()
        let (idle, slow) = (scene.client(), scene.client())
        for client in [idle, slow] { client.send(["events id=1"]) }
        scene.run()
        let begun = scene.now
        #expect(scene.control.deadline == begun + .seconds(10))
        scene.kernel.clock = begun + .seconds(9)
        scene.control.timePassed()
        _ = slow.read()
        scene.run()
        scene.kernel.clock = begun + .seconds(10)
        scene.control.timePassed()
        #expect(scene.drops == ["its client doesn't read"])
        #expect(scene.control.sessions.count == 1)
        #expect(scene.control.deadline == begun + .seconds(19))
        #expect(scene.drain(slow).last == "ok id=1")
        _ = idle.read()
        #expect(idle.isClosed)
    }

    @Test("Whose end comes in the midst of a long answer is forgotten")
    func endWithinAnswer() {
        let scene = eventful()
        let client = scene.client()
        client.send(["events id=1", "tasks id=2"])
        scene.run()
        client.close()
        scene.run()
        #expect(scene.control.sessions.isEmpty)
        #expect(scene.control.deadline == nil)
        #expect(scene.drops.isEmpty)
    }

    @Test("A server tells of all that run at one request: of each its tasks, then its status")
    func statusOfAll() {
        let scene = ControlScene([.a, .b])
        scene.defaultApp = nil
        scene.served = [.status]
        #expect(scene.ask(scene.pipe(), "begin id=1 name=upload").first?.hasPrefix("ok id=1 task=1 ") == true)
        #expect(
            scene.ask(scene.client(), "status id=2") == [
                "status id=2 state=suspended", "task id=2 task=1 name=upload age=0.000", "status id=2 state=active",
                "ok id=2 count=2",
            ])
    }

    // MARK: Sessions

    @Test("A closed end is forgotten, with what it waited for")
    func closedEnd() {
        let scene = ControlScene()
        let client = scene.client()
        scene.isHeldUp = true
        #expect(scene.ask(client, "home id=1").isEmpty)
        #expect(scene.control.requests.count == 1)
        client.close()
        scene.run()
        #expect(scene.control.sessions.isEmpty)
        #expect(scene.control.requests.count == 0)
        #expect(scene.drops.isEmpty)
        scene.control.reply(.state(.background), to: RequestID(1))
    }

    @Test("Who goes without having asked for anything is told of, and nobody else")
    func unheard() {
        let scene = ControlScene()
        let (mute, heard) = (scene.client(), scene.client())
        _ = scene.ask(heard, "tasks")
        heard.close()
        scene.run()
        #expect(scene.unheard == 0)
        mute.close()
        scene.run()
        #expect(scene.unheard == 1)
    }

    @Test("A reply goes to who has asked, whenever it comes")
    func lateReplies() {
        let scene = ControlScene()
        let (first, second) = (scene.client(), scene.client())
        scene.isHeldUp = true
        _ = scene.ask(first, "home id=x")
        _ = scene.ask(second, "open")
        _ = scene.ask(first, "dismiss id=y")
        scene.control.reply(.state(.active), to: RequestID(3))
        scene.control.reply(.state(.inactive), to: RequestID(2))
        scene.control.reply(.rejected(.suspended), to: RequestID(1))
        scene.control.reply(.state(.suspended), to: RequestID(1))
        let refused = "error id=x code=\(Rejection.suspended.rawValue) message=\"\(Rejection.suspended.message)\""
        #expect(first.read() == ["ok id=y state=active", refused])
        #expect(second.read() == ["ok state=inactive"])
    }

    @Test("32 are accepted, then it is others' turn")
    func acceptedPerTurn() {
        let scene = ControlScene()
        for _ in 0..<40 { _ = scene.connect() }
        scene.turn()
        #expect(scene.control.sessions.count == 32)
        scene.turn()
        #expect(scene.control.sessions.count == 40)
    }

    private static let noRoom = [#"error code=busy message="too many connections are open; try again later""#]

    @Test("From the 192nd session on there is room for operators, and for nobody once there are 256; they are told")
    func maximumSessions() {
        let scene = ControlScene()
        scene.control.senderRoles.keepsSenders = false
        scene.addIdleSessions(191)
        scene.senders = .app(.a)
        let (last, late) = (scene.client(), scene.client())
        #expect(scene.ask(last, "tasks") == ["ok count=0"])
        #expect(late.read() == Self.noRoom && late.isClosed)
        scene.senders = .stranger
        let stranger = scene.client()
        #expect(stranger.read() == Self.noRoom && stranger.isClosed)
        scene.senders = .operator
        #expect(scene.ask(scene.client(), "home") == ["ok state=suspended"])
        scene.addIdleSessions(256 - 194)
        #expect(scene.ask(scene.client(), "tasks") == ["ok count=0"])
        #expect(scene.control.sessions.count == 256)
        let tooLate = scene.client()
        #expect(tooLate.read() == Self.noRoom && tooLate.isClosed)
    }

    @Test(
        "Of apps that share a server none has more than 64, who is of none has no more, and the others have as many as before"
    )
    func sharedSessions() {
        let other = AppID(2)
        let scene = ControlScene([.a, other], isShared: true)
        scene.control.senderRoles.keepsSenders = false
        func admitted(as role: ControlSession.Role, of count: Int) -> Int {
            scene.senders = role
            return (0..<count).count { _ in
                let client = scene.client()
                _ = client.read()
                // Descriptors are this process's, and other tests need some.
                if client.isClosed { client.close() }
                return !client.isClosed
            }
        }
        // Silent, so that nobody has asked yet whose they are.
        #expect(admitted(as: .app(.a), of: 64) == 64)
        #expect(admitted(as: .app(.a), of: 70) == 64)
        #expect(admitted(as: .stranger, of: 3) == 0)
        #expect(admitted(as: .app(other), of: 2) == 2)
        #expect(admitted(as: .operator, of: 2) == 2)
        #expect(scene.control.clientCount == 132)
    }

    @Test("Room that one has made is its own again")
    func sharedRoom() {
        let scene = ControlScene([.a, AppID(2)], isShared: true)
        scene.control.senderRoles.keepsSenders = false
        scene.senders = .app(.a)
        let clients = (0..<64).map { _ in scene.client() }
        for client in clients { _ = scene.ask(client, "remaining") }
        scene.senders = .operator
        scene.addIdleSessions(10)
        scene.senders = .app(.a)
        let late = scene.client()
        _ = late.read()
        #expect(late.isClosed)
        clients[7].close()
        scene.run()
        #expect(scene.ask(scene.client(), "tasks") == ["ok count=0"])
    }

    @Test("An app that doesn't run isn't one that nobody knows")
    func notRunning() {
        let scene = ControlScene()
        #expect(scene.ask(scene.client(), "status app=resting").first?.contains("code=not-running") == true)
        let waiting = scene.ask(scene.client(), "status app=waiting").first
        #expect(waiting?.contains("code=not-running") == true)
        #expect(waiting?.contains("curfew schedule waiting") == true)
        #expect(scene.ask(scene.client(), "status app=nobody").first?.contains("code=no-app") == true)
    }

    @Test("However many apps there are, nobody has the fewer sessions for their pipes")
    func pipesAreNotCounted() {
        let scene = ControlScene()
        scene.addIdlePipes(300)
        #expect(scene.ask(scene.client(), "tasks") == ["ok count=0"])
        #expect(scene.control.sessions.count == 301)
    }

    @Test("Whatever pipes and clients come and go, those that came through the socket are counted right")
    func counting() {
        let scene = ControlScene()
        scene.control.senderRoles.keepsSenders = false
        var random = SplitMix64(seed: 11)
        var (pipes, clients): ([ControlClient], [ControlClient]) = ([], [])
        for _ in 0..<400 {
            switch random.below(4) {
            case 0:
                let pipe = scene.pipe()
                // The end of one that was never spoken on isn't heard.
                _ = scene.ask(pipe, "remaining")
                pipes.append(pipe)
            case 1: clients.append(scene.client())
            case 2 where !pipes.isEmpty: pipes.remove(at: random.below(pipes.count)).close()
            case 3 where !clients.isEmpty: clients.remove(at: random.below(clients.count)).close()
            default: continue
            }
            scene.run()
            #expect(scene.control.sessions.count == pipes.count + clients.count)
            #expect(scene.control.clientCount == clients.count)
        }
        // An app's end takes its pipe along, and no client's connection.
        for session in scene.control.sessions where session.isInherited {
            scene.control.forget(.a, pipe: session.id)
        }
        #expect(scene.control.sessions.count == clients.count)
        #expect(scene.control.clientCount == clients.count)
    }

    /// What the server knows of some of its sessions, against a look at each; nil where it is the same.
    private static func violation(of control: ControlServer) -> String? {
        let sessions = control.sessions
        func ids(_ sessions: [ControlSession]) -> [Int] { sessions.map(\.id.rawValue).sorted() }
        if sessions.map(\.id.rawValue) != ids(sessions) { return "they aren't in the order of their numbers" }
        for session in sessions where control.session(session.id) !== session { return "\(session.id) isn't found" }
        let told = ids(sessions.filter(\.isTellingList))
        let known = ids(control.telling.map(\.session))
        if known != told { return "\(told) are told something long, and not \(known)" }
        let following = ids(sessions.filter { $0.followed != .nobody })
        if ids(control.followers) != following { return "\(following) follow, and not \(ids(control.followers))" }
        let clients = sessions.count { !$0.isInherited }
        return control.clientCount == clients ? nil : "\(clients) are clients, and not \(control.clientCount)"
    }

    @Test(
        "Whoever asks, reads, follows and goes, who is told something long and who follows is what a look at each says",
        arguments: 0..<4 as Range<UInt64>)
    func sessionIndexes(seed: UInt64) {
        let other = AppID(2)
        let scene = eventful([.a, other])
        scene.control.senderRoles.keepsSenders = false
        var random = SplitMix64(seed: seed)
        var clients: [(end: ControlClient, session: ConnectionID?)] = []
        var (mostTold, mostFollowing) = (0, 0)
        for step in 0..<150 {
            let client = clients.isEmpty ? nil : random.pick(clients).end
            switch random.below(10) {
            case 0, 1: clients.append((scene.client(), scene.control.sessions.last?.id))
            case 2: clients.append((scene.pipe(of: random.pick([.a, other])), scene.control.sessions.last?.id))
            case 3, 4:
                // Of one app, or of all.
                scene.defaultApp = random.chance(50) ? .a : nil
                client?.send(["events id=1 follow=\(random.below(2))"])
            case 5, 6: _ = client?.read()
            case 7 where client != nil: clients.remove(at: random.below(clients.count)).end.close()
            case 8:
                scene.kernel.clock = scene.kernel.clock + .seconds(4)
                scene.control.timePassed()
            default:
                scene.control.follow(other, insteadOf: .a)
                scene.record(.statusText("x"), of: random.pick([.a, other]))
            }
            scene.run()
            clients.removeAll { client in !scene.control.sessions.contains { $0.id == client.session } }
            mostTold = max(mostTold, scene.control.telling.count)
            mostFollowing = max(mostFollowing, scene.control.followers.count)
            guard let violation = Self.violation(of: scene.control) else { continue }
            Issue.record("seed \(seed), step \(step): \(violation)")
            return
        }
        #expect(mostTold > 2)
        #expect(mostFollowing > 2)
        #expect(scene.droppedClients.count + scene.drops.count > 0)
    }

    @Test("What a server answers by itself isn't about an app")
    func served() {
        let scene = ControlScene()
        scene.control.senderRoles.keepsSenders = false
        scene.defaultApp = nil
        scene.served = [.apps, .open]
        #expect(scene.ask(scene.client(), "apps") == ["ok"])
        #expect(scene.ask(scene.client(), "open app=unknown") == ["ok"])
        scene.senders = .app(.a)
        #expect(scene.ask(scene.client(), "apps").first?.contains("code=forbidden") == true)
    }

    @Test(
        "A supervisor of one app refuses what only a server does", arguments: ControlVerb.allCases.filter(\.isServers))
    func unserved(verb: ControlVerb) {
        let scene = ControlScene()
        #expect(scene.ask(scene.client(), verb.rawValue).first?.contains("code=unsupported") == true)
    }

    @Test(
        "Who waits for an answer about an app that has ended is told so, and who has asked for its end that it is done")
    func endedApp() {
        let scene = ControlScene([.a, AppID(2)])
        scene.isHeldUp = true
        let (home, quit, other) = (scene.client(), scene.client(), scene.client())
        let (pipe, others) = (scene.pipe(), scene.pipe(of: AppID(2)))
        let own = scene.control.sessions.first { $0.app == .a }?.id
        home.send(["home app=backup id=1"])
        quit.send(["quit app=backup id=2"])
        other.send(["home app=\(scene.name(of: AppID(2))) id=3"])
        while scene.turn() {}
        scene.control.forget(.a, pipe: own)
        #expect(home.read().first?.contains("id=1 code=no-app") == true)
        #expect(quit.read() == ["ok id=2"])
        #expect(other.read().isEmpty)
        _ = (pipe.read(), others.read())
        #expect(pipe.isClosed)
        #expect(!others.isClosed)
    }

    @Test("Descriptors near the limit are for operators, the last for nobody")
    func descriptorLimit() {
        let scene = ControlScene()
        scene.acceptsAbove = 600
        // Of 640 the last 16 are spare, the 32 before for operators.
        scene.control.descriptors = DescriptorLimit(count: 640)
        scene.control.senderRoles.keepsSenders = false
        scene.senders = .app(.a)
        let inside = scene.client()
        #expect(inside.read() == Self.noRoom && inside.isClosed)
        scene.senders = .operator
        #expect(scene.ask(scene.client(), "tasks") == ["ok count=0"])
        scene.control.descriptors = DescriptorLimit(count: 616)
        let outside = scene.client()
        #expect(outside.read() == Self.noRoom && outside.isClosed)
    }

    @Test(
        "Without a descriptor for it who waits at the socket doesn't wake the loop until a session is over",
        arguments: [EMFILE, ENFILE])
    func pausedListening(errno: Int32) {
        let scene = ControlScene()
        let first = scene.client()
        scene.acceptFails = -errno
        let waiting = scene.connect()
        scene.run()
        #expect(!scene.loop.readyKinds.contains(.listener))
        scene.acceptFails = 0
        scene.run()
        #expect(scene.control.sessions.count == 1)
        first.close()
        scene.run()
        #expect(scene.ask(waiting, "tasks") == ["ok count=0"])
    }

    @Test("A connection that is gone when it is accepted stops nothing")
    func abortedConnection() {
        let scene = ControlScene()
        scene.acceptFails = -ECONNABORTED
        let client = scene.connect()
        scene.turn()
        #expect(scene.loop.readyKinds == [.listener])
        scene.acceptFails = 0
        scene.run()
        #expect(scene.ask(client, "tasks") == ["ok count=0"])
    }

    @Test("The end of a pipe that was never spoken on wakes nobody; once it was, it is heard")
    func silentPipe() {
        let scene = ControlScene()
        let silent = scene.pipe()
        silent.close()
        scene.run()
        #expect(scene.control.sessions.count == 1)
        let spoken = scene.pipe()
        #expect(scene.ask(spoken, "remaining") == ["ok seconds=inf"])
        spoken.close()
        scene.run()
        #expect(scene.control.sessions.count == 1)
    }

    @Test("At the end every client hears of it")
    func closeAll() {
        let scene = ControlScene()
        let clients = [scene.client(), scene.client(), scene.pipe()]
        scene.control.closeAll()
        for client in clients {
            _ = client.read()
            #expect(client.isClosed)
        }
    }

    // MARK: Events

    @Test("Hello makes an app aware, the end of its last session plain")
    func hello() {
        let scene = ControlScene()
        let pipe = scene.pipe()
        #expect(
            scene.ask(pipe, "hello id=1 version=1") == [
                "ok id=1 version=1 app=backup state=active",
                "event name=didFinishLaunching seq=1 ack=required seconds=20.000 launched=foreground containment=tree",
                "event name=didBecomeActive seq=2",
            ])
        #expect(scene.app(.a)?.isAware == true)
        #expect(scene.ask(pipe, "ack seq=1").isEmpty)
        #expect(scene.ask(pipe, "ack id=2 seq=2") == ["ok id=2"])
        pipe.close()
        scene.run()
        #expect(scene.app(.a)?.isAware == false)
        #expect(scene.inputs.last == .app(.a, .disconnected(ConnectionID(1))))
        #expect(scene.notes.suffix(1) == [.becamePlain])
    }

    @Test("An app that doesn't read is plain, and the supervisor goes on; of what waits the latest of a kind is kept")
    func slowApp() {
        let scene = ControlScene()
        let pipe = scene.pipe()
        _ = scene.ask(pipe, "hello", "ack seq=1")
        let control = scene.client()
        for number in 0..<4_000 where scene.drops.isEmpty {
            _ = scene.ask(control, number.isMultiple(of: 2) ? "interrupt" : "dismiss")
        }
        // Two kinds of events never fill it.
        #expect(scene.drops.isEmpty)
        #expect(scene.app(.a)?.isAware == true)
        for number in 0..<2_000 where scene.drops.isEmpty {
            _ = scene.ask(control, "post name=e\(number) info.x=" + String(repeating: "y", count: 1_000))
        }
        #expect(scene.drops == ["its client doesn't read"])
        #expect(scene.app(.a)?.isAware == false)
    }

    @Test("Who asks for the events gets what there was; who follows, what comes as well")
    func following() {
        let scene = ControlScene()
        let (once, follower) = (scene.client(), scene.client())
        let past = ["event name=stateDidChange app=backup from=notRunning to=active"]
        #expect(scene.ask(once, "events id=1") == past + ["ok id=1"])
        #expect(scene.ask(follower, "events id=1 follow=1") == past + ["ok id=1"])
        _ = scene.ask(once, "interrupt")
        #expect(follower.read() == ["event name=stateDidChange app=backup from=active to=inactive"])
        #expect(once.read().isEmpty)
        #expect(scene.ask(scene.client(), "events").count == 3)
    }

    @Test("A follower that doesn't read is dropped, of which the others hear")
    func slowFollower() {
        let scene = ControlScene()
        let (slow, quick) = (scene.client(), scene.client())
        _ = scene.ask(slow, "events follow=1")
        _ = scene.ask(quick, "events follow=1")
        var heard: [String] = []
        for _ in 0..<20_000 where scene.drops.isEmpty {
            scene.record(.statusText("x"), of: .a)
            heard += quick.read()
        }
        heard += quick.read()
        #expect(scene.drops == ["its client doesn't read"])
        #expect(heard.filter { $0.contains("channelDidDrop") }.count == 1)
        #expect(heard.count == scene.log.last(1)[0].number - 1)
        #expect(scene.control.sessions.count == 1)
    }
}
