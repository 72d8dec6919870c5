import CCurfew
import CurfewEngine
import CurfewLinux
import CurfewWire
import Glibc

/// `curfew serve --stop`: returns once the server and all its apps have ended, and another can have its name and its records.
package enum ServerStop {
    package static func run(_ name: String) -> Int32 { run(name, in: .ofThisUser()) }

    static func run(_ name: String, in directory: RuntimeDirectory) -> Int32 {
        let path = directory.serverSocketPath(name)
        do throws(ControlClient.Failure) {
            var client = try ControlClient(path: path)
            _ = try client.request(Message("stop", [Field("id", "1")]))
            // It closes the channel last of all.
            while try client.receive(until: nil) != nil {}
            return awaitEnd(of: name, path, until: ControlClient.answerDeadline())
        } catch {
            switch error {
            // It had no app, and ended with the answer on its way.
            case .ended: return awaitEnd(of: name, path, until: ControlClient.answerDeadline())
            case .unavailable:
                StandardError.print("curfew: serve: no server called \(name) is running")
                return ExitStatus.unavailable
            case .refused(_, let message): StandardError.print("curfew: serve: \(name): refused: \(message)")
            case .untrusted(let uid):
                StandardError.print("curfew: serve: \(name): \(path) is of the user with uid \(uid), and isn't asked")
            case .late:
                StandardError.print(
                    "curfew: serve: \(name) hasn't answered in \(ControlClient.limitSeconds) s; it is busy, or stopped")
            case .broken(let why): StandardError.print("curfew: serve: \(name): \(why)")
            }
            return ExitStatus.failure
        }
    }

    /// Its own end leaves no name. Killed on the way it does, until its keeper has ended what was left.
    ///
    /// `deadline`: of CLOCK_MONOTONIC.
    static func awaitEnd(of name: String, _ path: String, until deadline: Int64) -> Int32 {
        // Bound by nobody, but there.
        while curfew_unix_is_bound(path) == 0 {
            if curfew_monotonic_nanoseconds() >= deadline {
                StandardError.print(
                    "curfew: serve: \(name) was killed before it had ended, and \(path) is still there; the next start takes "
                        + "away what it has left")
                return ExitStatus.failure
            }
            usleep(10_000)
        }
        return ExitStatus.success
    }
}
