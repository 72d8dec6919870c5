import CurfewLinux
import CurfewStore
import Glibc
import Synchronization

/// Time that stands still but where it is told to pass.
final class HeldTime: Sendable {
    private let nanoseconds = Mutex<Int64>(0)

    func pass(seconds: Int64) { nanoseconds.withLock { $0 += seconds * 1_000_000_000 } }

    var clock: StoreClock {
        StoreClock(
            monotonic: { self.nanoseconds.withLock { $0 } }, calendar: { 1_000_000_000 },
            pause: { milliseconds in self.nanoseconds.withLock { $0 += milliseconds * 1_000_000 } })
    }
}

/// A server's loop, for one answer at a time.
final class Client {
    let time = HeldTime()
    private let directory: String
    private var store: StoreThread
    private var answers: [StoreTicket: StoreResult] = [:]

    init(_ directory: String) {
        self.directory = directory
        store = Self.open(directory, time)
    }

    private static func open(_ directory: String, _ time: HeldTime) -> StoreThread {
        do throws(StoreRefusal) {
            return try StoreThread.start(directory: directory, clock: time.clock)
        } catch {
            say(error.text)
            exit(1)
        }
    }

    var state: StoreState { store.state }

    func app(_ number: Int) -> StoredApp {
        StoredApp(
            name: "app\(number)", source: .bare, command: [ByteString(String(repeating: "x", count: 4000))], launches: 1
        )
    }

    func ask(_ request: StoreRequest) -> StoreTicket {
        guard let ticket = try? store.ask(request) else {
            say("busy")
            exit(2)
        }
        return ticket
    }

    func answer(to ticket: StoreTicket) -> StoreResult {
        while answers[ticket] == nil {
            var waited = pollfd(fd: store.descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&waited, 1, 60_000) == 0 {
                say("no answer")
                exit(2)
            }
            for news in store.takeNews() { say("news: \(news.text)") }
            for completion in store.takeCompletions() { answers[completion.ticket] = completion.result }
        }
        return answers.removeValue(forKey: ticket) ?? .unknown
    }

    func `do`(_ change: StoreChange) -> StoreResult { answer(to: ask(.change(change))) }

    func load() -> StoredServer {
        guard case .loaded(let server) = answer(to: ask(.load)) else { exit(2) }
        return server
    }

    func stop() {
        store.stop()
        for news in store.takeNews() { say("news: \(news.text)") }
    }

    /// What a next server finds.
    func reopened() -> StoredServer {
        stop()
        store = Self.open(directory, time)
        return load()
    }

    func tellWhatIsThere() {
        let server = reopened()
        say("then: \(state.word), first \(server.apps.first?.name ?? "none"), held \(state.held)")
    }
}
