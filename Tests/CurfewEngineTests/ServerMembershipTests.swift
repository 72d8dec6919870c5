import CurfewCore
import CurfewWire
import Testing

@testable import CurfewEngine

/// A server and a supervisor that takes part, both real, over a real connection; and one with a client that is scripted.
@Suite("An app of `curfew run --join`, and its server")
struct ServerMembershipTests {
    private let server = JoinScene()
    private let member = MemberScene()

    private func settleAll() { settle(server.control, member.control) }

    private func joined() {
        member.join(server)
        settleAll()
    }

    @Test("Which of the two is in front, each way")
    func toAndFro() {
        joined()
        #expect(member.told == ["joined home"])
        #expect(member.membership.takesPart)
        #expect(server.frontNames == ["vim"])
        #expect(server.control.app(.a)?.state.isForeground == false)

        _ = server.control.ask(server.control.client(), "open app=backup")
        settleAll()
        #expect(server.frontNames == ["backup"])
        #expect(member.state?.isForeground == false)
        // Its shell gets its prompt.
        #expect(member.control.sentHome == 1)

        member.control.engine.feed(.app(.a, .open(request: nil)))
        settleAll()
        #expect(server.frontNames == ["vim"])
        #expect(server.control.app(.a)?.state.isForeground == false)

        member.control.engine.feed(.app(.a, .home(stopped: true, request: nil)))
        settleAll()
        #expect(server.frontNames == [])
    }

    @Test("Opened and sent home by the server's clients, which are answered")
    func asked() {
        joined()
        let client = server.control.client()
        client.send(["home id=1"])
        settleAll()
        #expect(client.read().map { $0.prefix(14) } == ["ok id=1 state="])
        #expect(member.state?.isForeground == false)
        client.send(["open id=2 app=vim"])
        settleAll()
        #expect(client.read() == ["ok id=2 state=active"])
        #expect(member.state == .active)
        #expect(server.frontNames == ["vim"])
    }

    @Test("One that is being ended isn't opened: that is refused, and whoever is in front stays there")
    func openWhileEnding() {
        joined()
        let client = server.control.client()
        _ = server.control.ask(client, "open app=backup")
        settleAll()
        member.membership.look()
        settleAll()
        #expect(server.desk.app(named: "vim")?.rejectionOfOpening == nil)
        member.control.engine.feed(.app(.a, .quit(request: nil)))
        member.membership.look()
        settleAll()
        let word = server.desk.app(named: "vim")?.word
        #expect(word?.isEnding == true)
        // That is said once.
        member.membership.look()
        settleAll()
        #expect(server.desk.app(named: "vim")?.word == word)
        _ = client.read()
        client.send(["open id=2 app=vim"])
        settleAll()
        let rejection = Rejection.terminating
        #expect(client.read() == ["error id=2 code=\(rejection.rawValue) message=\"\(rejection.message)\""])
        #expect(server.frontNames == ["backup"])
        #expect(server.control.app(.a)?.state == .active)
    }

    @Test("Two that take part, one place in front")
    func two() {
        let other = MemberScene()
        joined()
        other.join(server, as: "less")
        settle(server.control, member.control, other.control)
        #expect(server.frontNames == ["less"])
        #expect(member.state?.isForeground == false)
        #expect(server.listed == ["less", "vim", "backup"])
    }

    @Test("A request to go home that crosses its opening isn't meant any more")
    func crossing() {
        joined()
        let client = server.control.client()
        // Opened here before anybody reads what the terminal has brought about there.
        member.control.engine.feed(.app(.a, .home(stopped: true, request: nil)))
        member.control.engine.feed(.app(.a, .open(request: nil)))
        server.control.engine.feed(.app(.a, .open(request: nil)))
        settleAll()
        #expect(server.frontNames == ["vim"])
        #expect(member.state == .active)
        #expect(server.control.app(.a)?.state.isForeground == false)
        client.send(["open id=1 app=backup"])
        settleAll()
        #expect(server.frontNames == ["backup"])
        #expect(member.state?.isForeground == false)
    }

    @Test("Whoever ends first, the other goes on alone")
    func ends() {
        joined()
        server.control.control.closeAll()
        server.control.run()
        settle(member.control)
        #expect(member.told == ["joined home", "parted home: it has ended"])
        #expect(!member.membership.takesPart)
        #expect(member.state == .active)
        member.control.engine.feed(.app(.a, .home(stopped: false, request: nil)))
        #expect(member.told.count == 2)
    }

    @Test("A server that refuses is left")
    func refused() {
        member.join(server, as: "backup")
        settleAll()
        #expect(member.told == ["parted home: an app called backup runs at the server home already"])
        #expect(server.desk.count == 0)
        #expect(member.state == .active)
        #expect(server.frontNames == ["backup"])
    }

    @Test("A server may ask for two things, and its answers are answered by nobody")
    func bounds() {
        let (socket, scripted) = (ControlScene(), MemberScene())
        var session: ControlSession?
        socket.serves = { request, verb in
            session = request.session
            return verb == .join
        }
        let connection = scripted.control.control.addServer(socket.connection())
        scripted.membership.begin("vim", pid: 42, .active, by: connection)
        settle(socket, scripted.control)
        var answers: [String] = []
        socket.takes = { answer, _ in
            answers.append(answer.line.split { $0 == " " || $0 == "\n" }.prefix(3).joined(separator: " "))
            return true
        }
        for line in [
            Message("ok", [Field("id", "1")]), Message("ok", []), Message("error", [Field("id", "1")]),
            Message("quit", [Field("id", "2")]), Message("open", [Field("id", "3")]),
        ] {
            if let session { socket.control.send(line, to: session) }
        }
        settle(socket, scripted.control)
        #expect(scripted.told == ["joined home"])
        #expect(answers == ["error id=2 code=forbidden", "ok id=3 state=active"])
    }
}
