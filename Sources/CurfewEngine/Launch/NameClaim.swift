import CurfewLinux

/// How an app gets its name: the one asked for, or it fails; else its command's basename, or that with a number behind it.
struct NameClaim {
    /// Nil: any will do.
    let asked: String?
    let command: String
    /// What tells it from others of its command; asked where that is needed.
    let pid: () -> Int32
    let directory: RuntimeDirectory

    /// `attempt`: takes a name, whose socket has this path.
    func claim(
        by attempt: (_ name: String, _ path: String) throws(KernelError) -> NamedSocket.Claim
    ) throws(LaunchError) -> NamedSocket {
        let wanted = asked ?? AppName.fromCommand(command)
        if let claimed = try claim(wanted, attempt) { return claimed }
        if let claimed = try claim("\(wanted)-\(pid())", attempt) { return claimed }
        throw LaunchError(125, "can't find a free name for \(wanted)")
    }

    /// Nil when it can't be had and another may do.
    private func claim(
        _ name: String, _ attempt: (_ name: String, _ path: String) throws(KernelError) -> NamedSocket.Claim
    ) throws(LaunchError) -> NamedSocket? {
        let path = directory.socketPath(name)
        guard path.utf8.count <= RuntimeDirectory.maximumSocketPathBytes else {
            throw LaunchError(
                125, "the control socket's path is too long for a socket (\(path.utf8.count) bytes): \(path)")
        }
        let outcome: NamedSocket.Claim
        do throws(KernelError) {
            outcome = try attempt(name, path)
        } catch {
            throw LaunchError(error)
        }
        switch outcome {
        case .claimed(let socket): return socket
        case .taken where asked != nil:
            throw LaunchError(64, "--name \(name): an app of this name is running (see `curfew ps`)")
        case .blocked where asked != nil:
            throw LaunchError(
                125,
                "--name \(name): a dead supervisor's socket is in the way, \(path), and can't be removed safely: "
                    + "another process holds a lock on its directory; end that one, or remove the socket yourself")
        case .taken, .blocked: return nil
        }
    }
}
