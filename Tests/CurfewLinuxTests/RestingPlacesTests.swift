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
    private func isSame(_ body: () throws -> Void = {}) throws -> Bool {
        let before = places
        try body()
        Puppet.stop(puppet.pid)
        defer { signal(puppet.pid, SIGCONT) }
        return places == before
    }

    @Test("What waits, and is stopped, rests where it was, as often as that is")
    func stopped() throws {
        defer { puppet.child.end() }
        #expect(rests())
        for _ in 0..<3 {
            let isSame = try isSame()
            #expect(isSame)
            #expect(rests())
        }
    }

    @Test("What has read a byte has run, though it waits where it did")
    func read() throws {
        defer { puppet.child.end() }
        #expect(rests())
        let isSame = try isSame {
            try puppet.run("os.read(os.open('/dev/zero', os.O_RDONLY), 1)")
            #expect(rests())
        }
        #expect(!isSame)
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
                return running != running && stopped != stopped
            })
    }

    @Test("What waits elsewhere has run, though no byte tells of it")
    func elsewhere() throws {
        let child = try TestChild(
            python: """
                import signal, time
                signal.signal(signal.SIGUSR1, lambda *_: None)
                say("ready")
                signal.pause()
                time.sleep(1000)
                """)
        defer { child.end() }
        #expect(child.line() == "ready")
        let places = { RestingPlaces(of: [child.pid]) }
        let rests = { eventually { state(child.pid) == "S" && places() == places() } }
        #expect(rests())
        let before = places()
        signal(child.pid, SIGUSR1)
        #expect(eventually { places() != before } && rests())
        Puppet.stop(child.pid)
        #expect(places() != before)
    }

    @Test("A process more, or one less, has run")
    func more() throws {
        defer { puppet.child.end() }
        #expect(rests())
        #expect(places != RestingPlaces(of: [puppet.pid, getpid()]))
        #expect(places != RestingPlaces(of: []))
    }
}
