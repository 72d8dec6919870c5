import CCurfew
import Glibc
import Testing

@testable import CurfewLinux

@Suite("Where a tree rests", .enabled(if: TestChild.hasPython, "needs \(TestChild.pythonPath)"))
struct RestingPlacesTests {
    private let puppet: Puppet

    init() throws { puppet = try Puppet() }

    private var places: RestingPlaces { RestingPlaces(of: [puppet.pid]) }

    private func rests() -> Bool { eventually { state(puppet.pid) == "S" } }

    /// It is stopped meanwhile, and continued again.
    private func hasRun(_ body: () throws -> Void = {}) throws -> Bool {
        let before = places
        try body()
        Puppet.stop(puppet.pid)
        defer { signal(puppet.pid, SIGCONT) }
        return places.hasRun(since: before)
    }

    @Test("What waits, and is stopped, rests where it was, as often as that is")
    func stopped() throws {
        defer { puppet.child.end() }
        #expect(rests())
        for _ in 0..<3 {
            let hasRun = try hasRun()
            #expect(!hasRun)
            #expect(rests())
        }
    }

    @Test("What has read a byte has run, though it waits where it did")
    func read() throws {
        defer { puppet.child.end() }
        #expect(rests())
        let hasRun = try hasRun {
            try puppet.run("os.read(os.open('/dev/zero', os.O_RDONLY), 1)")
            #expect(rests())
        }
        #expect(hasRun)
    }

    @Test("What runs is nowhere, and neither is what was stopped there")
    func runs() throws {
        defer { puppet.child.end() }
        puppet.say("while True: pass")
        // Until then it has yet to leave the call in which it was told to.
        #expect(
            eventually {
                let running = places
                Puppet.stop(puppet.pid)
                let stopped = places
                puppet.goOn()
                return running.hasRun(since: running) && stopped.hasRun(since: running)
                    && !stopped.hasRun(since: stopped)
            })
    }

    @Test("What waits elsewhere has run, though no byte tells of it")
    func elsewhere() throws {
        let child = try TestChild(
            python: """
                import signal, threading
                signal.signal(signal.SIGUSR1, lambda *_: None)
                say("ready")
                signal.pause()
                threading.Event().wait(1000)
                """)
        defer { child.end() }
        #expect(child.line() == "ready")
        let places = { RestingPlaces(of: [child.pid]) }
        let rests = { eventually { state(child.pid) == "S" && !places().hasRun(since: places()) } }
        #expect(rests())
        let before = places()
        signal(child.pid, SIGUSR1)
        #expect(eventually { places().hasRun(since: before) } && rests())
        Puppet.stop(child.pid)
        #expect(places().hasRun(since: before))
    }

    @Test("A child that has ended, and isn't waited for, rests")
    func zombie() throws {
        defer { puppet.child.end() }
        try puppet.run("import subprocess; z = subprocess.Popen(['true'])")
        let zombie = try #require(Procfs.children(of: puppet.pid).first)
        #expect(eventually { state(zombie) == "Z" } && rests())
        let places = { RestingPlaces(of: [puppet.pid, zombie]) }
        let before = places()
        #expect(!places().hasRun(since: before))
        Puppet.stop(puppet.pid)
        #expect(!places().hasRun(since: before))
    }

    @Test("Of too many descriptors none are counted")
    func bounded() throws {
        var directory = Descriptor(curfew_open_at(AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY, 0))
        defer { directory.close() }
        let count = try #require(Directory.nameCount(in: directory.number, upTo: 1 << 20))
        #expect(count > 50)
        #expect(Directory.nameCount(in: directory.number, upTo: 20) == nil)
        #expect(Directory.nameCount(in: -1, upTo: 20) == nil)
    }

    @Test("A process more, or one less, has run")
    func more() throws {
        defer { puppet.child.end() }
        #expect(rests())
        #expect(places.hasRun(since: RestingPlaces(of: [puppet.pid, getpid()])))
        #expect(RestingPlaces(of: []).hasRun(since: places))
    }

    /// Who gives it something stops it, too: it is in that call yet, or elsewhere.
    @Test("What is taken by a call that is being stopped is seen", arguments: ["recv", "accept"])
    func taken(call: String) throws {
        let child = try TestChild(
            python: """
                import socket
                server = socket.create_server(("127.0.0.1", 0))
                say(server.getsockname()[1])
                clients = [server.accept()[0]]
                say((clients[0] if sys.argv[1] == "recv" else server).fileno())
                while True: clients[0].recv(9) if sys.argv[1] == "recv" else clients.append(server.accept()[0])
                """, call)
        defer {
            puppet.child.end()
            child.end()
        }
        let port = try #require(child.number())
        try puppet.run("c = [socket.create_connection(('127.0.0.1', \(port)))]")
        let number = try #require(child.number())
        var process = Descriptor(curfew_pidfd_open(child.pid))
        var duplicate = Descriptor(curfew_pidfd_getfd(process.number, number))
        defer {
            process.close()
            duplicate.close()
        }
        // What is given comes a moment later, mostly.
        let isLeft = {
            call == "recv" ? curfew_unread(duplicate.number) > 0 : curfew_tcp_backlog(duplicate.number) > 0
        }
        let places = { RestingPlaces(of: [child.pid]) }
        let give =
            call == "recv" ? "c[0].send(b'x')" : "c.append(socket.create_connection(('127.0.0.1', \(port))))"
        for _ in 0..<50 {
            #expect(eventually { state(child.pid) == "S" && !places().hasRun(since: places()) })
            let before = places()
            try puppet.run("\(give); os.kill(\(child.pid), signal.SIGSTOP)")
            #expect(eventually { isStopped(child.pid) })
            #expect(eventually { places().hasRun(since: before) || isLeft() })
            signal(child.pid, SIGCONT)
        }
    }
}
