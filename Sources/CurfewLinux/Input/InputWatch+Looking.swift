import CCurfew
import Glibc

// What a descriptor is, whether it counts, and having it waited for.
extension InputWatch {
    func look(at number: Int32) {
        guard let link = current?.link(number) else { return }
        switch link {
        case .socket(let inode):
            seenOpen.insert(EpollTarget(kind: .socket, inode: inode))
            lookAtSocket(number, inode)
        case .pipe(let inode):
            seenOpen.insert(EpollTarget(kind: .pipe, inode: inode))
            lookAtPipe(number, device: 0, inode, path: nil)
        case .timer: lookAtTimer(number)
        case .inotify: noteInotify()
        case .ring: lookAtRing(number)
        case .epoll: lookAtEpoll(number)
        case .path: lookAtFile(number)
        case .other: break
        }
    }

    private func noteInotify() {
        guard inotifyHolder == nil, let pid = current?.pid else { return }
        inotifyHolder = Procfs.label(pid)
    }

    private func lookAtRing(_ number: Int32) {
        guard !filter.kinds.isEmpty, let current, current.registeredFiles(number) > 0 else { return }
        miss(MissingInput(of: current.pid, "files of an io_uring", why: "registered with it, they can't be had"))
    }

    // MARK: Sockets and timers

    private func lookAtSocket(_ number: Int32, _ inode: UInt64) {
        let identity = InputIdentity(device: 0, inode: inode, part: .socket)
        guard filter.kinds.contains(.connections), !ownSockets.contains(inode), !known.contains(identity),
            var duplicate = duplicate(number, orMiss: "its sockets")
        else { return }
        known.insert(identity)
        guard var socket = InputSocket(duplicate.number) else { return duplicate.close() }
        if socket.listens, let place = socket.local { listeners.append(place) }
        let ready = Readiness.now(duplicate.number)
        guard socket.isAt(filter.ports), !socket.isIdle(ready) else { return duplicate.close() }
        let hasRoom = socket.listens || !ready.isDisjoint(with: [.writable, .hungUp])
        socket.isConnecting = socket.isConnectionBased && !hasRoom && !socket.isConnected
        wait(for: duplicate, .socket(socket), identity, number, ready, hasRoom: hasRoom)
    }

    private func lookAtTimer(_ number: Int32) {
        guard filter.kinds.contains(.timers), let pid = current?.pid,
            let duplicate = duplicate(number, orMiss: "its timers")
        else { return }
        let identity = InputIdentity(device: UInt64(pid), inode: UInt64(number), part: .timer)
        wait(for: duplicate, .timer, identity, number, Readiness.now(duplicate.number))
    }

    // MARK: Pipes and terminals

    private func lookAtFile(_ number: Int32) {
        guard !filter.kinds.isDisjoint(with: [.pipes, .terminal]), let status = statusOfOwn(number) else { return }
        switch status.mode & S_IFMT {
        case S_IFIFO: lookAtPipe(number, device: status.device, status.inode, path: current?.path(number))
        case S_IFCHR where TerminalDevice.isMaster(status.node): lookAtMaster(number, status)
        case S_IFCHR where TerminalDevice.isTerminal(status.node): lookAtTerminal(number, status)
        default: break
        }
    }

    /// Of a file on this machine.
    private func statusOfOwn(_ number: Int32) -> curfew_file_status? {
        guard let current, let mount = current.mount(number), mounts.hold(mount, of: current.pid) else { return nil }
        return current.status(number)
    }

    private func lookAtPipe(_ number: Int32, device: UInt64, _ inode: UInt64, path: String?) {
        guard filter.kinds.contains(.pipes), let access = current?.access(number), access.reads || access.writes else {
            return
        }
        let part: InputIdentity.Part = access.reads ? access.writes ? .both : .reading : .writing
        let identity = InputIdentity(device: device, inode: inode, part: part)
        guard !known.contains(identity) else { return }
        guard access.reads else { return lookAtWriteEnd(number, identity, path) }
        let what = path.map { "the FIFO \($0)" } ?? "descriptor \(number), a pipe"
        guard let (descriptor, isDuplicate) = duplicateOrReopened(number, what, isSame: { $0.inode == inode }) else {
            return
        }
        known.insert(identity)
        let ready = Readiness.now(descriptor.number)
        let hasRoom = !access.writes || !isDuplicate || ready.contains(.writable)
        wait(for: descriptor, .pipe(path: path), identity, number, ready, hasRoom: hasRoom)
    }

    /// Only one that is full can be waited for, and only a duplicate tells.
    private func lookAtWriteEnd(_ number: Int32, _ identity: InputIdentity, _ path: String?) {
        guard var duplicate = duplicate(number, orMiss: nil) else { return }
        known.insert(identity)
        let ready = Readiness.now(duplicate.number)
        if ready.contains(.writable) { return duplicate.close() }
        wait(for: duplicate, .pipe(path: path), identity, number, ready, hasRoom: false)
    }

    /// All that were made by one node are one file by their status: the other side's device tells them apart.
    private func lookAtMaster(_ number: Int32, _ status: curfew_file_status) {
        guard filter.kinds.contains(.pipes), var duplicate = duplicate(number, orMiss: "its pseudo-terminals") else {
            return
        }
        var device: UInt64 = 0
        guard curfew_terminal_device(duplicate.number, &device) == 0,
            case let identity = InputIdentity(device: status.device, inode: device, part: .master),
            known.insert(identity).inserted
        else { return duplicate.close() }
        wait(for: duplicate, .master, identity, number, Readiness.now(duplicate.number))
    }

    private func lookAtTerminal(_ number: Int32, _ status: curfew_file_status) {
        var identity = InputIdentity(device: status.device, inode: status.inode, part: .terminal)
        guard filter.kinds.contains(.terminal), current?.access(number).reads == true, !known.contains(identity),
            var descriptor = terminal(number, status)
        else { return }
        var device = status.node
        _ = curfew_terminal_device(descriptor.number, &device)
        if device != status.node {
            // Another name of one, and which one depends on who has opened it: /dev/tty.
            if terminals.contains(device) { return descriptor.close() }
            identity = InputIdentity(device: 0, inode: device, part: .terminal)
        }
        guard known.insert(identity).inserted else { return descriptor.close() }
        terminals.insert(device)
        wait(for: descriptor, .terminal, identity, number, Readiness.now(descriptor.number))
    }

    /// /dev/tty would be our own when it is opened anew.
    private func terminal(_ number: Int32, _ status: curfew_file_status) -> Descriptor? {
        let what = "the terminal \(current?.path(number) ?? "")"
        if TerminalDevice.isAlias(status.node) { return duplicate(number, orMiss: what) }
        return duplicateOrReopened(number, what) { $0.node == status.node }?.descriptor
    }

    // MARK: Having it

    /// A duplicate; nil where there is none. Refused ones are missed under the name given, if that is one.
    private func duplicate(_ number: Int32, orMiss what: String?) -> Descriptor? {
        guard let result = current?.duplicate(number), let pid = current?.pid else { return nil }
        if result.isOpen { return kept(result, number) }
        switch -result.number {
        case EBADF, ESRCH: return nil
        case current?.refusal: if let what { miss(MissingInput(of: pid, what, errno: -result.number)) }
        default: runOut(-result.number, number)
        }
        return nil
    }

    /// A duplicate, or else the file opened anew.
    private func duplicateOrReopened(
        _ number: Int32, _ what: String, isSame: (curfew_file_status) -> Bool
    ) -> (descriptor: Descriptor, isDuplicate: Bool)? {
        if let duplicate = duplicate(number, orMiss: nil) { return (duplicate, true) }
        guard let current, current.refusal != 0 else { return nil }
        var file = current.reopened(number)
        switch -file.number {
        case ENOENT, ENXIO, EIO: return nil
        case EMFILE, ENFILE: runOut(-file.number, number)
        case 1...: miss(MissingInput(of: current.pid, what, errno: -file.number))
        default:
            var status = curfew_file_status()
            if curfew_fstat(file.number, &status) == 0, isSame(status) { return kept(file, number).map { ($0, false) } }
            file.close()
        }
        return nil
    }

    /// Nil for a number that is to be free for others.
    private func kept(_ descriptor: Descriptor, _ number: Int32) -> Descriptor? {
        if limit.allows(descriptor.number, forApp: true) { return descriptor }
        var descriptor = descriptor
        descriptor.close()
        runOut(EMFILE, number)
        return nil
    }

    /// What follows would have no luck either.
    private func runOut(_ errno: Int32, _ number: Int32) {
        guard let pid = current?.pid else { return }
        miss(MissingInput(of: pid, "its descriptors from \(number) on", errno: errno))
        current?.end()
    }

    /// Waits for it from now on.
    ///
    /// `ready`: as it was just before. What comes meanwhile is told of, for it isn't among what was left unread.
    private func wait(
        for descriptor: Descriptor, _ source: InputSource, _ identity: InputIdentity, _ number: Int32,
        _ ready: Readiness, hasRoom: Bool = true
    ) {
        var input = Watched(descriptor: descriptor, source: source, listener: nil, left: nil)
        if case .socket(let socket) = source, socket.listens { input.listener = identity.inode }
        let now = unreadNow(descriptor, source, identity, number, ready)
        if let now {
            unread.append(now)
            if let left = leftUnread[identity], now.isSame(as: left) { input.left = now }
        }
        var interest: Readiness = [.readable, .peerClosed, .byEdges]
        if !hasRoom { interest.insert(.writable) }
        let result = curfew_epoll_add(epoll.number, descriptor.number, interest.rawValue, UInt64(watched.count))
        if result == 0 {
            if let listener = input.listener {
                backlogs[listener] = ListenerBacklog(index: watched.count, seen: now?.count ?? 0)
            }
            return watched.append(input)
        }
        input.descriptor.close()
        // EPERM: there is nothing to wait for.
        guard result != -EPERM, let pid = current?.pid else { return }
        miss(MissingInput(of: pid, "descriptor \(number)", errno: -result))
    }

    private func unreadNow(
        _ descriptor: Descriptor, _ source: InputSource, _ identity: InputIdentity, _ number: Int32, _ ready: Readiness
    ) -> UnreadInput? {
        guard !ready.isDisjoint(with: Readiness.coming.union(.ended)), let current else { return nil }
        return UnreadInput(
            identity: identity, count: source.measure.count(of: descriptor.number),
            hasEnded: !ready.isDisjoint(with: .ended), measure: source.measure, pid: current.pid, number: number,
            link: current.path(number))
    }
}

extension InputSocket {
    /// Whether nothing can come by it: it is neither connected nor on its way there. Source: kernel, net/ipv4/tcp.c,
    /// tcp_poll(); net/unix/af_unix.c, unix_poll().
    fileprivate func isIdle(_ ready: Readiness) -> Bool {
        isConnectionBased && !listens && !isConnected && ready.contains(.hungUp)
            && ready.isDisjoint(with: [.peerClosed, .failed])
    }
}
