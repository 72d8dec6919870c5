import CCurfew
import CurfewLinux
import Glibc

/// A process that the stage has started: our child, ended with us.
package final class ChildProcess {
    package let pid: Int32
    package let pidfd: OwnedDescriptor
    /// As a shell tells it; nil while it runs.
    package private(set) var status: Int?

    /// Where it starts.
    package struct Place {
        /// Ours where there are none.
        package var streams: Streams?
        package var directory: String
        /// Its own, whose terminal its input is where that is one.
        package var hasSession: Bool
        /// Killed with the thread that starts it.
        package var endsWithUs: Bool

        package init(streams: Streams?, directory: String, hasSession: Bool = false, endsWithUs: Bool = true) {
            self.streams = streams
            self.directory = directory
            self.hasSession = hasSession
            self.endsWithUs = endsWithUs
        }
    }

    /// `reason` says what stands in the way, as `no such file or directory`.
    package struct Problem: Error {
        package var errno: Int32

        package init(errno: Int32) { self.errno = errno }

        package var reason: String { String(cString: strerror(errno)) }
    }

    package init(_ words: [String], environment: [String], _ place: Place) throws(Problem) {
        var result = curfew_spawn_result()
        let numbers = place.streams?.numbers ?? (-1, -1, -1)
        let hasSession = place.hasSession
        let deathSignal = place.endsWithUs ? SIGKILL : 0
        // The streams must be open until the child has its own.
        defer { withExtendedLifetime(place.streams) {} }
        let status = Self.withStrings(words) { arguments in
            Self.withStrings(environment) { environment in
                place.directory.withCString { directory in
                    var place = curfew_spawn_place()
                    place.streams = numbers
                    place.directory = directory
                    place.new_session = hasSession
                    return withUnsafePointer(to: &place) { place in
                        var request = curfew_spawn_request()
                        request.file = UnsafePointer(arguments[0])
                        request.argv = UnsafePointer(arguments)
                        request.envp = UnsafePointer(environment)
                        request.search_path = UnsafePointer(getenv("PATH"))
                        request.cgroup_fd = -1
                        request.terminal_fd = -1
                        request.channel_fd = -1
                        request.parent_death_signal = deathSignal
                        // Ignored by us, so that a closed pipe is an error; whoever we start has it as it is anywhere.
                        request.default_signals = 1 << UInt64(SIGPIPE - 1)
                        request.place = place
                        return curfew_spawn(&request, &result, nil)
                    }
                }
            }
        }
        if status < 0 { throw Problem(errno: -status) }
        pid = result.pid
        pidfd = OwnedDescriptor(result.pidfd)
    }

    private static func withStrings(
        _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32
    ) -> Int32 {
        let pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: strings.count + 1)
        for (index, string) in strings.enumerated() { pointers[index] = strdup(string) }
        pointers[strings.count] = nil
        defer {
            for index in strings.indices { free(pointers[index]) }
            pointers.deallocate()
        }
        return body(pointers)
    }

    /// Whether it has ended; it is reaped then.
    package func hasEnded() -> Bool {
        if status != nil { return true }
        var info = curfew_wait_info()
        guard curfew_waitid(Int32(P_PID.rawValue), pid, WEXITED | WNOHANG, &info) >= 0, info.pid == pid else {
            return false
        }
        status = info.code == CLD_EXITED ? Int(info.status) : 128 + Int(info.status)
        return true
    }

    package func kill(_ signal: Int32 = SIGKILL) { _ = curfew_pidfd_send_signal(pidfd.number, signal) }
}
