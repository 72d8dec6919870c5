import CurfewLinux
import Glibc
import Testing

@Suite("Where a tree rests", .enabled(if: TestChild.hasPython, "needs \(TestChild.pythonPath)"))
struct RestingPlacesTests {
    private let puppet: Puppet
    private let tree: ProcessTree

    init() throws {
        puppet = try Puppet()
        tree = Self.tree(of: puppet.pid)
    }

    private static func tree(of pid: Int32) -> ProcessTree {
        ProcessTree(
            containment: .tree, leader: pid, ownGroup: pid, method: .both, root: .descendants(of: getpid()))
    }

    private func rests() -> Bool { eventually { state(puppet.pid) == "S" } }

    /// It is stopped meanwhile, and continued again.
    private func isSame(_ body: () throws -> Void = {}) throws -> Bool {
        let before = tree.restingPlaces
        try body()
        Puppet.stop(puppet.pid)
        defer { signal(puppet.pid, SIGCONT) }
        return tree.restingPlaces == before
    }

    @Test("What waits, and is stopped, rests where it was, as often as that is")
    func stopped() throws {
        defer { puppet.child.end() }
        #expect(rests())
        for _ in 0..<3 { #expect(try isSame()) }
    }

    @Test("What has read a byte has run, though it waits where it did")
    func read() throws {
        defer { puppet.child.end() }
        #expect(rests())
        #expect(
            try !isSame {
                try puppet.run("os.read(os.open('/dev/zero', os.O_RDONLY), 1)")
                #expect(rests())
            })
    }

    @Test("What runs is nowhere, and neither is what was stopped there")
    func runs() throws {
        defer { puppet.child.end() }
        puppet.say("while True: pass")
        #expect(eventually { state(puppet.pid) == "R" })
        #expect(tree.restingPlaces != tree.restingPlaces)
        Puppet.stop(puppet.pid)
        let stopped = tree.restingPlaces
        #expect(stopped != stopped)
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
        let tree = Self.tree(of: child.pid)
        let rests = { eventually { state(child.pid) == "S" && tree.restingPlaces == tree.restingPlaces } }
        #expect(rests())
        let before = tree.restingPlaces
        signal(child.pid, SIGUSR1)
        #expect(eventually { tree.restingPlaces != before } && rests())
        Puppet.stop(child.pid)
        #expect(tree.restingPlaces != before)
    }

    @Test("A process more has run")
    func more() throws {
        defer { puppet.child.end() }
        #expect(rests())
        #expect(
            try !isSame {
                try puppet.run("if os.fork() == 0: signal.pause()")
                #expect(rests())
            })
    }
}
