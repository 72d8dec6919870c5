import CurfewEngine
import CurfewLinux
import CurfewWire

/// `curfew serve --stop`: returns once the server and all its apps have ended.
package enum ServerStop {
    package static func run(_ name: String) -> Int32 {
        let path = RuntimeDirectory.ofThisUser().serverSocketPath(name)
        do throws(ControlClient.Failure) {
            var client = try ControlClient(path: path)
            _ = try client.request(Message("stop", [Field("id", "1")]))
            // It closes the channel with its own end.
            while try client.receive(until: nil) != nil {}
            return ExitStatus.success
        } catch {
            switch error {
            // It had no app, and ended with the answer on its way.
            case .ended: return ExitStatus.success
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
}
