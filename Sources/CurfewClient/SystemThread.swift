import Glibc

/// Threads of the library's own: a program's thread pool may be blocked just when its time runs out.
enum SystemThread {
    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs `body` on a new thread that no signal of the program is handled on; false when there can't be another one.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let argument = Unmanaged.passRetained(Body(body))
        guard create(argument.toOpaque()) else {
            argument.release()
            return false
        }
        return true
    }

    private static func create(_ argument: UnsafeMutableRawPointer) -> Bool {
        var thread = pthread_t()
        var callersMask = sigset_t()
        var mask = maskOfNewThreads()
        pthread_sigmask(SIG_SETMASK, &mask, &callersMask)
        defer { pthread_sigmask(SIG_SETMASK, &callersMask, nil) }
        let result = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, argument)
        guard result == 0 else { return false }
        pthread_detach(thread)
        return true
    }

    /// Everything but a thread's own faults: blocked, those would end the program without a word.
    private static func maskOfNewThreads() -> sigset_t {
        var mask = sigset_t()
        sigfillset(&mask)
        for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&mask, fault) }
        return mask
    }
}
