import CurfewCore
import CurfewWire
import Testing

@testable import CurfewEngine

/// As those who take part see it, over a real socket: clients that are scripted.
@Suite("Who takes part in a server, and what is told and asked then")
struct JoinDeskTests {
    private let scene = JoinScene()
    private var control: ControlScene { scene.control }

    /// In front, unless it is said to be elsewhere.
    private func join(_ name: String = "vim", state: String = "active") -> ControlClient {
        let client = control.client()
        #expect(
            control.ask(client, "join id=1 app=\(name) pid=42 state=\(state) number=1").first == "ok id=1 server=home")
        return client
    }

    private func app(_ name: String = "vim") -> JoinedApp? { scene.desk.app(named: name) }

    // MARK: Coming

    @Test("Who comes in front sends home who is there, and is the most recent of the list")
    func comes() {
        let vim = join()
        #expect(scene.frontNames == ["vim"])
        #expect(control.app(.a)?.state.isForeground == false)
        #expect(scene.listed == ["vim", "backup"])
        #expect(vim.read() == [])
    }

    @Test("Who comes from behind changes nothing in front")
    func comesBehind() {
        _ = join(state: "background")
        #expect(scene.frontNames == ["backup"])
        #expect(control.app(.a)?.state == .active)
    }

    @Test(
        "What isn't a word is refused",
        arguments: [
            "join id=1", "join id=1 app=vim pid=42 state=active", "join id=1 app=vim pid=42 number=1",
            "join id=1 app=a/b pid=42 state=active number=1", "join id=1 app=vim pid=0 state=active number=1",
            "join id=1 app=vim pid=x state=active number=1", "join id=1 app=vim pid=42 state=dancing number=1",
            "join id=1 app=vim pid=42 state=active number=x",
        ])
    func nonsense(line: String) {
        #expect(control.ask(control.client(), line).first?.hasPrefix("error id=1 code=invalid ") == true)
        #expect(scene.desk.count == 0)
    }

    @Test("A name is one app's, a connection too, a server that ends takes nobody, and there is a bound")
    func refused() {
        func code(_ client: ControlClient, _ name: String) -> String? {
            let answer = control.ask(client, "join id=1 app=\(name) pid=42 state=background number=1").first ?? ""
            return answer.split(separator: " ").first { $0.hasPrefix("code=") }.map(String.init)
        }
        #expect(code(control.client(), "backup") == "code=running")
        let vim = join(state: "background")
        #expect(code(control.client(), "vim") == "code=running")
        #expect(code(vim, "emacs") == "code=invalid")
        for number in 1..<JoinDesk.maximum { _ = join("app\(number)", state: "background") }
        #expect(code(control.client(), "more") == "code=limit")
        vim.close()
        control.run()
        #expect(code(control.client(), "more") == nil)
        scene.isEnding = true
        #expect(code(control.client(), "late") == "code=ending")
    }

    @Test("An app's process can't have anything take part")
    func inside() {
        control.senders = .app(.a)
        let answer = control.ask(control.client(), "join id=1 app=vim pid=42 state=active number=1")
        #expect(answer.first?.hasPrefix("error id=1 code=forbidden ") == true)
    }

    // MARK: Its words

    @Test("Home leaves the front empty, and opened again it sends home who came meanwhile")
    func words() {
        let vim = join()
        #expect(control.ask(vim, "join app=vim pid=42 state=inactive number=2") == [])
        #expect(scene.frontNames == ["vim"])
        _ = control.ask(vim, "join app=vim pid=42 state=background number=3")
        #expect(scene.frontNames == [])
        _ = control.ask(vim, "join app=vim pid=42 state=suspended number=4")
        control.engine.feed(.app(.a, .open(request: nil)))
        #expect(scene.frontNames == ["backup"])
        _ = control.ask(vim, "join app=vim pid=43 state=active number=5")
        #expect(scene.frontNames == ["vim"])
        #expect(app()?.word.pid == 43)
        #expect(vim.read() == [])
    }

    // MARK: What it is asked

    @Test("Who is opened here has it sent home, which counts at once")
    func sentHome() {
        let vim = join()
        #expect(control.ask(control.client(), "open id=1 app=backup") == ["ok id=1 state=active"])
        #expect(scene.frontNames == ["backup"])
        #expect(vim.read() == ["home id=1 seen=1"])
        #expect(control.ask(vim, "join app=vim pid=42 state=background number=2", "ok id=1 state=background") == [])
        #expect(scene.frontNames == ["backup"])
    }

    @Test("Open and home by its name are answered as its supervisor does")
    func forwarded() {
        let (vim, client) = (join(state: "background"), control.client())
        #expect(control.ask(client, "open id=7 app=vim") == [])
        #expect(scene.frontNames == ["vim"])
        #expect(vim.read() == ["open id=1 seen=1"])
        _ = control.ask(vim, "join app=vim pid=42 state=active number=2", "ok id=1 state=active")
        #expect(client.read() == ["ok id=7 state=active"])
        #expect(scene.listed == ["vim", "backup"])
        #expect(control.ask(client, "home id=8") == [])
        #expect(vim.read() == ["home id=2 seen=2"])
        #expect(scene.frontNames == [])
        _ = control.ask(vim, "join app=vim pid=42 state=background number=3", "ok id=2 state=background")
        #expect(client.read() == ["ok id=8 state=background"])
        #expect(control.ask(client, "home id=9 app=vim") == [])
        _ = control.ask(vim, "error id=3 code=terminating message=\"it is ending\"")
        #expect(client.read() == ["error id=9 code=terminating message=\"it is ending\""])
    }

    @Test("Who can't come, or doesn't stay, isn't in front any more once that is answered")
    func unopened() {
        let (vim, client) = (join(state: "background"), control.client())
        _ = control.ask(client, "open id=7 app=vim")
        _ = control.ask(vim, "ok id=1 state=background")
        #expect(client.read() == ["ok id=7 state=background"])
        #expect(scene.frontNames == [])
    }

    @Test("Switching goes to and fro")
    func switching() {
        let (vim, client) = (join(), control.client())
        #expect(control.ask(client, "switch id=1") == ["ok id=1"])
        #expect(scene.frontNames == ["backup"])
        #expect(vim.read() == ["home id=1 seen=1"])
        _ = control.ask(vim, "join app=vim pid=42 state=background number=2", "ok id=1 state=background")
        #expect(control.ask(client, "switch id=2") == ["ok id=2"])
        #expect(scene.frontNames == ["vim"])
        #expect(vim.read() == ["open id=2 seen=2"])
    }

    @Test(
        "What only its own supervisor does is refused, with advice", arguments: ["quit", "remove", "sleep", "status"])
    func othersVerbs(verb: String) {
        _ = join()
        let answer = control.ask(control.client(), "\(verb) id=1 app=vim").first ?? ""
        #expect(answer.hasPrefix("error id=1 code=joined "))
        #expect(answer.contains("`curfew quit vim` ends it") == ["quit", "remove"].contains(verb))
    }

    @Test("Who never answers is asked so often and no more")
    func neverAnswers() {
        let (vim, client) = (join(), control.client())
        for number in 1...64 { #expect(control.ask(client, "open id=\(number) app=vim") == []) }
        #expect(control.ask(control.client(), "open id=65 app=vim").first?.hasPrefix("error id=65 code=busy ") == true)
        vim.close()
        control.run()
        #expect(client.read().count == 64)
    }

    @Test("What the same connection asks after that is answered after it, and others don't wait")
    func inOrder() {
        let (vim, client) = (join(state: "background"), control.client())
        #expect(control.ask(client, "open id=7 app=vim", "tasks id=8 app=backup") == [])
        #expect(control.ask(control.client(), "tasks id=1 app=backup") == ["ok id=1 count=0"])
        _ = control.ask(vim, "ok id=1 state=active")
        #expect(client.read() == ["ok id=7 state=active", "ok id=8 count=0"])
    }

    @Test("However much waits on its own connection, its answers are taken")
    func answersAmongRequests() {
        let (vim, client) = (join(), control.client())
        _ = control.ask(client, "home id=7")
        control.isHeldUp = true
        _ = control.ask(vim, "home id=1 app=backup")
        for _ in 0..<ControlServer.maximumWaitingAnswers { _ = control.ask(vim, "tasks app=backup") }
        _ = control.ask(vim, "ok id=1 state=background")
        #expect(client.read() == ["ok id=7 state=background"])
    }

    @Test("Answers to nothing aren't answered, and of who takes no part they are no requests")
    func answers() {
        let vim = join()
        #expect(control.ask(vim, "ok", "ok id=9", "error id=x", "ok id=1") == [])
        #expect(control.ask(control.client(), "ok id=1").first?.hasPrefix("error id=1 code=unknown ") == true)
    }

    // MARK: Going

    @Test("Its connection's end takes it from the front and the list, and who waits for it is told")
    func ends() {
        let (vim, client) = (join(), control.client())
        let number = app()?.id
        _ = control.ask(client, "home id=7 app=vim")
        vim.close()
        control.run()
        #expect(client.read() == ["error id=7 code=no-app message=\"vim ended before that was done\""])
        #expect(scene.frontNames == [])
        #expect(scene.listed == ["backup"])
        #expect(scene.given == [number])
        #expect(scene.desk.advice(about: "vim")?.contains("start it again in its terminal") == true)
        #expect(scene.desk.advice(about: "emacs") == nil)
        _ = join()
        #expect(scene.desk.advice(about: "vim") == nil)
    }
}
