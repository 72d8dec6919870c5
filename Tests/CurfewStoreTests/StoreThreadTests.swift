import Glibc
import Synchronization
import Testing

@testable import CurfewStore

/// A clock by which the store's thread stands still while SQLite waits, until it is let go.
private final class Gate: Sendable {
    private let isShut = Mutex(true)
    private let reached: (read: Int32, write: Int32)
    private let opened: (read: Int32, write: Int32)

    init() {
        let first = makePipe()
        reached = (first[0], first[1])
        let second = makePipe()
        opened = (second[0], second[1])
    }

    var clock: StoreClock {
        StoreClock(
            monotonic: { 0 }, calendar: { 0 },
            pause: { _ in
                guard self.isShut.withLock({ $0 }) else { return }
                write(self.reached.write, "r", 1)
                var byte: UInt8 = 0
                read(self.opened.read, &byte, 1)
            })
    }

    /// Returns once the thread stands.
    func awaitThread() {
        var byte: UInt8 = 0
        read(reached.read, &byte, 1)
    }

    func open() {
        isShut.withLock { $0 = false }
        write(opened.write, "o", 1)
    }
}

@Suite("The store's thread", .timeLimit(.minutes(2)))
struct StoreThreadTests {
    private let folder = Folder()

    /// Waits until so many have come.
    private static func completions(of store: StoreThread, count: Int) -> [StoreCompletion] {
        var taken: [StoreCompletion] = []
        while taken.count < count {
            var waited = pollfd(fd: store.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waited, 1, 60_000) > 0 else {
                Issue.record("\(taken.count) of \(count) answers came: \(taken.map(\.result))")
                break
            }
            taken += store.takeCompletions()
        }
        return taken
    }

    private static func isReadable(_ descriptor: Int32) -> Bool {
        var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waited, 1, 0) > 0
    }

    @Test("Answers come in the order of the requests, reads among them; then the descriptor is quiet")
    func order() throws {
        defer { folder.remove() }
        let store = try StoreThread.start(directory: folder.directory)
        defer { store.stop() }
        #expect(!Self.isReadable(store.descriptor))
        var tickets: [StoreTicket] = []
        var expected: [Int] = []
        for number in 1...20 {
            tickets.append(try store.ask(.change(.appLaunched(.sample("app\(number)"), toFront: true))))
            store.note(.runBegan(.sample("app\(number)")))
            tickets.append(try store.ask(.history(app: nil, limit: 100)))
            expected.append(number)
        }
        let answers = Self.completions(of: store, count: 40)
        #expect(answers.map(\.ticket) == tickets)
        #expect(tickets == tickets.sorted())
        let counts = answers.compactMap { if case .history(let runs) = $0.result { runs.count } else { nil } }
        #expect(counts == expected)
        #expect(answers.filter { $0.result == .kept }.count == 20)
        #expect(!Self.isReadable(store.descriptor))
        #expect(store.takeCompletions() == [])
    }

    @Test("Sixty-four wait, the next is told that it is busy; notes are taken all the same, and nothing is lost")
    func bound() throws {
        defer { folder.remove() }
        try folder.writer().close()
        let gate = Gate()
        let store = try StoreThread.start(directory: folder.directory, clock: gate.clock)
        let program = """
            import sqlite3, sys
            other = sqlite3.connect(sys.argv[1], isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            print("open", flush=True)
            sys.stdin.read()
            """
        let other = try #require(Child.python(program, folder.files.database))
        #expect(other.line() == "open")
        for number in 1...64 { _ = try store.ask(.change(.appLaunched(.sample("app\(number)"), toFront: true))) }
        gate.awaitThread()
        #expect(throws: StoreBusy()) { try store.ask(.load) }
        #expect(throws: StoreBusy()) { try store.ask(.change(.appRemoved("app1"))) }
        store.note(.appLaunched(.sample("noted"), toFront: true))
        other.wait()
        gate.open()
        let answers = Self.completions(of: store, count: 64)
        #expect(answers.allSatisfy { $0.result == .kept })
        _ = try store.ask(.load)
        guard case .loaded(let server) = Self.completions(of: store, count: 1).first?.result else {
            return #expect(Bool(false), "not loaded")
        }
        #expect(server.apps.count == 65)
        #expect(server.apps.first?.name == "noted")
        store.stop()
    }

    @Test("What was asked before the stop is kept, and the next server has the lock")
    func stopping() throws {
        defer { folder.remove() }
        let store = try StoreThread.start(directory: folder.directory)
        for number in 1...500 { store.note(.appLaunched(.sample("app\(number)"), toFront: true)) }
        store.stop()
        store.stop()
        let writer = try folder.writer()
        #expect(writer.names == (1...500).reversed().map { "app\($0)" })
        writer.close()
    }

    @Test("What couldn't be written is tried again by itself, and told of when it is")
    func byItself() throws {
        defer { folder.remove() }
        try folder.writer().close()
        unlink(folder.files.lock)
        mkdir(folder.files.lock, 0o700)
        // Whenever somebody looks, the longest pause is over.
        let time = HeldTime()
        let clock = StoreClock(
            monotonic: {
                time.pass(milliseconds: 1_000_000)
                return time.milliseconds * 1_000_000
            }, calendar: { 0 }, pause: { _ in })
        let store = try StoreThread.start(directory: folder.directory, clock: clock)
        defer { store.stop() }
        #expect(store.state.word == "failing")
        #expect(Self.isReadable(store.descriptor))
        #expect(store.takeNews().count == 1)
        #expect(!Self.isReadable(store.descriptor))
        rmdir(folder.files.lock)
        var waited = pollfd(fd: store.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&waited, 1, 60_000) == 1, "\(store.state)")
        #expect(store.takeNews() == [.keptAgain])
        #expect(store.state == StoreState())
    }

    @Test("What is refused is refused before there is a thread")
    func refused() throws {
        defer { folder.remove() }
        let other = try #require(Child.worker("hold", folder.directory))
        #expect(other.line() == "open")
        #expect(throws: StoreRefusal.anotherServer(path: folder.files.database, pid: other.pid)) {
            try StoreThread.start(directory: folder.directory)
        }
        other.wait()
    }
}
