import CurfewWire
import Glibc
import Testing

@testable import CurfewClient

@Suite("A child that is forked and executes nothing", .timeLimit(.minutes(2)))
struct ForkTests {
    /// The child's exit status, which it gives to itself without running anything of ours at its exit.
    private func inForkedChild(_ body: () -> Bool) throws -> Int32 {
        let child = fork()
        if child == 0 { _exit(body() ? 0 : 1) }
        try #require(child > 0)
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        return status
    }

    @Test("It behaves as without a supervisor, and can't get stuck")
    func behavesAsWithout() throws {
        try withSupervisor { supervisor, application in
            let loop = application.events.makeAsyncIterator()
            let task = application.beginBackgroundTask(withName: "x") {}
            let status = try inForkedChild {
                // So that a child that is stuck ends too.
                alarm(UInt32(FakeSupervisor.patience))
                let isRefused = application.beginBackgroundTask(withName: "y") {} == .invalid
                application.endBackgroundTask(task)
                return isRefused && !application.isMultitaskingSupported && application.applicationState == .active
                    && application.backgroundTimeRemaining == .greatestFiniteMagnitude
                    && application.events.makeAsyncIterator().subscription.mailbox.isFinished
            }
            #expect(status == 0)
            withExtendedLifetime(loop) {}
            #expect(application.isMultitaskingSupported)
            // It came on a connection of its own.
            try supervisor.wait(for: "hello")
            #expect(supervisor.requests.map(\.message.verb).sorted() == ["begin", "hello", "remaining"])
        }
    }

    @Test("It holds none of the connections")
    func holdsNoConnection() throws {
        try withSupervisor { supervisor, application in
            let loop = application.events.makeAsyncIterator()
            #expect(application.isMultitaskingSupported)
            let status = try inForkedChild {
                var open = 0
                var closed = 0
                ForkGuard.forEachDescriptor { if fcntl($0, F_GETFD) == -1 { closed += 1 } else { open += 1 } }
                return open == 0 && closed >= 2
            }
            #expect(status == 0)
            #expect(application.isMultitaskingSupported)
            withExtendedLifetime(loop) {}
            #expect(supervisor.count("closed") == 0)
        }
    }

    @Test("What is closed is forgotten")
    func forgotten() throws {
        // A number that is nobody's.
        let descriptor: Int32 = 1_000_000
        func isRemembered() -> Bool {
            var isThere = false
            ForkGuard.forEachDescriptor { if $0 == descriptor { isThere = true } }
            return isThere
        }
        ForkGuard.add(descriptor)
        #expect(isRemembered())
        ForkGuard.remove(descriptor)
        #expect(!isRemembered())
    }
}
