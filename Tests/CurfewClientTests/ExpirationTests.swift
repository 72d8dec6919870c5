import CurfewWire
import Glibc
import Testing

@testable import CurfewClient

@Suite("Expiration handlers", .timeLimit(.minutes(2)))
struct ExpirationTests {
    private static func warning(_ task: Int) -> String {
        "event name=backgroundTaskWillExpire seq=\(task) task=\(task) seconds=5.000"
    }

    /// Answers a begin and warns of its end in one piece.
    private static let hurried: FakeSupervisor.Answering = { message in
        guard message.verb == "begin", let id = message["id"], let name = message["name"] else { return nil }
        return ["ok id=\(id) task=\(name) remaining=0.100", warning(Int(name) ?? 0)]
    }

    @Test("The warning of a task calls its handler, and no other's, once")
    func calledOnce() throws {
        try withSupervisor { supervisor, application in
            let called = Witness<String>()
            _ = application.beginBackgroundTask(withName: "one") { called.add("one") }
            let second = application.beginBackgroundTask(withName: "two") { called.add("two") }
            let third = application.beginBackgroundTask(withName: "three") { called.add("three") }
            #expect(second.rawValue == 2)
            supervisor.send([Self.warning(2), Self.warning(2), Self.warning(9), "event seq=1"], to: 1)
            supervisor.send([Self.warning(3)], to: 1)
            try called.wait(count: 2)
            application.endBackgroundTask(third)
            // By now a second call of the second's would have come before the third's.
            #expect(called.all == ["two", "three"])
        }
    }

    @Test("A handler may begin, end and ask")
    func handlerAsks() throws {
        try withSupervisor { supervisor, application in
            let seen = Witness<String>()
            let task = application.beginBackgroundTask(withName: "one") { task in
                seen.add("\(application.backgroundTimeRemaining)")
                let late = application.beginBackgroundTask(withName: "two") {}
                seen.add("\(late)")
                application.endBackgroundTask(late)
                application.endBackgroundTask(task)
            }
            supervisor.send([Self.warning(task.rawValue)], to: 1)
            #expect(try seen.wait(count: 2) == ["571.204", "task 2"])
            try supervisor.waitUntilNoTaskIsOpen()
        }
    }

    @Test("A warning that comes with the begin's answer is heard")
    func warningAtOnce() throws {
        try withSupervisor(answering: Self.hurried) { supervisor, application in
            for number in 1...200 {
                let task = application.beginBackgroundTask(withName: "\(number)") { application.endBackgroundTask($0) }
                #expect(task.rawValue == number)
                try supervisor.wait(for: "end", count: number)
            }
            let ended = supervisor.requests.filter { $0.message.verb == "end" }.map { $0.message["task"] }
            #expect(ended == (1...200).map(String.init))
        }
    }

    @Test("An ended task's handler is not called")
    func endedBefore() throws {
        try withSupervisor { supervisor, application in
            let gate = Latch<Bool>()
            let called = Witness<String>()
            let first = application.beginBackgroundTask(withName: "first") {
                called.add("first")
                _ = gate.wait(seconds: FakeSupervisor.patience)
            }
            let second = application.beginBackgroundTask(withName: "second") { called.add("second") }
            let third = application.beginBackgroundTask(withName: "third") { called.add("third") }
            supervisor.send([first, second, third].map { Self.warning($0.rawValue) }, to: 1)
            try called.wait(count: 1)
            // All three are due; the second is ended while the first's handler runs.
            application.endBackgroundTask(second)
            _ = gate.fulfil(true)
            #expect(try called.wait(count: 2) == ["first", "third"])
        }
    }

    @Test("A warning heard on both connections counts once")
    func heardTwice() async throws {
        try await withSupervisor { supervisor, application in
            let called = Witness<String>()
            let task = application.beginBackgroundTask(withName: "x") { called.add("handler") }
            var loop = application.events.makeAsyncIterator()
            let hello = try await supervisor.wait(for: "hello")
            #expect(hello.connection == 2)
            supervisor.send([Self.warning(task.rawValue)], to: 2)
            supervisor.send([Self.warning(task.rawValue)], to: 1)
            let event = await loop.next()
            #expect(event?.kind == .backgroundTaskWillExpire)
            #expect(event?.task == task)
            #expect(event?.seconds == 5)
            let last = application.beginBackgroundTask(withName: "y") { called.add("last") }
            supervisor.send([Self.warning(last.rawValue)], to: 1)
            #expect(try await called.wait(count: 2) == ["handler", "last"])
        }
    }

    @Test("A handler runs while the delegate is busy")
    func delegateIsBusy() throws {
        final class Busy: CurfewApplicationDelegate {
            let handlerWasCalled = Latch<Bool>()
            let result = Witness<Bool?>()

            func applicationDidEnterBackground(_ application: any BackgroundTaskScheduling) {
                result.add(handlerWasCalled.wait(seconds: FakeSupervisor.patience))
            }
        }
        try withSupervisor { supervisor, application in
            let busy = Busy()
            application.delegate = busy
            let task = application.beginBackgroundTask(withName: "x") { _ = busy.handlerWasCalled.fulfil(true) }
            let hello = try supervisor.wait(for: "hello")
            supervisor.send(["event name=didEnterBackground seq=1 ack=required"], to: hello.connection)
            supervisor.send([Self.warning(task.rawValue)], to: try supervisor.wait(for: "begin").connection)
            #expect(try busy.result.wait(count: 1) == [true])
        }
    }

    @Test("The library's threads leave signals to the program's, but not faults")
    func signalMask() throws {
        try withSupervisor { supervisor, application in
            let blocked = Witness<[Bool]>()
            try onThread {
                // One that handles signals, as a program's main thread does.
                var mask = sigset_t()
                sigemptyset(&mask)
                pthread_sigmask(SIG_SETMASK, &mask, nil)
                _ = application.beginBackgroundTask(withName: "first") {}
                pthread_sigmask(SIG_BLOCK, nil, &mask)
                blocked.add([sigismember(&mask, SIGTERM) == 1])
            }
            try blocked.wait(count: 1)
            let task = application.beginBackgroundTask(withName: "x") {
                var mask = sigset_t()
                pthread_sigmask(SIG_BLOCK, nil, &mask)
                blocked.add([SIGTERM, SIGINT, SIGCHLD, SIGUSR1, SIGSEGV, SIGILL].map { sigismember(&mask, $0) == 1 })
            }
            supervisor.send([Self.warning(task.rawValue)], to: 1)
            let seen = try blocked.wait(count: 2)
            #expect(seen == [[false], [true, true, true, true, false, false]])
        }
    }
}
