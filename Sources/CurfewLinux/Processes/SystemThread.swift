import CCurfew
import Glibc

/// A thread for what waits for others than this process's apps, a disk for instance.
///
/// Nothing may be started on it: a parent-death signal is sent when the thread that started a child ends, not its process.
/// Source: PR_SET_PDEATHSIG(2const), "CAVEATS".
public enum SystemThread {
    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Bytes of address space; pages that it doesn't touch cost nothing.
    private static let stackSize = 256 << 10

    /// Runs `body` on a new thread that no signal of the process is handled on.
    /// - Throws: EAGAIN where there can't be another one.
    public static func start(_ body: @escaping @Sendable () -> Void) throws(KernelError) {
        let argument = Unmanaged.passRetained(Body(body))
        let result = create(argument.toOpaque())
        guard result == 0 else {
            argument.release()
            throw KernelError("start a thread", "", errno: result)
        }
    }

    private static func create(_ argument: UnsafeMutableRawPointer) -> Int32 {
        var thread = pthread_t()
        var attributes = pthread_attr_t()
        var mask = sigset_t()
        var callersMask = sigset_t()
        sigfillset(&mask)
        // Blocked, a fault of the thread's own would end the process without a word.
        for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&mask, fault) }
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, stackSize)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_sigmask(SIG_SETMASK, &mask, &callersMask)
        defer {
            pthread_sigmask(SIG_SETMASK, &callersMask, nil)
            pthread_attr_destroy(&attributes)
        }
        return pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, argument)
    }
}
