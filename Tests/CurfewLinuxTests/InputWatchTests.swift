import CCurfew
import Glibc
import Testing

@testable import CurfewLinux

private let hasLoopback6: Bool = {
    let addresses = String(decoding: SmallFile.bytes(of: "/proc/net/if_inet6") ?? [], as: UTF8.self)
    return addresses.contains("00000000000000000000000000000001 ")
}()

/// One with a file of its own, of /dev/null.
private let makingRing = """
    ring = libc.syscall(425, 4, ctypes.create_string_buffer(120))
    assert ring >= 0
    assert libc.syscall(427, ring, 2, struct.pack("i", null), 1) == 0
    """

private let hasRings: Bool = {
    guard TestChild.hasPython, let puppet = try? Puppet() else { return false }
    defer { puppet.child.end() }
    puppet.say(makingRing)
    return puppet.child.line() == "done"
}()

/// Programs, and what is watched of them.
private final class Stand {
    let scratch = ScratchDirectory()
    private var puppets: [Puppet] = []
    private var watches: [InputWatch] = []

    func path(_ name: String) -> String { scratch.path + "/" + name }

    func puppet() throws -> Puppet {
        let puppet = try Puppet()
        puppets.append(puppet)
        return puppet
    }

    /// Looked at whole, with nothing missed.
    func watch(
        _ pids: [Int32], _ kinds: InputKinds = .all, ports: [UInt16] = [], left: [UnreadInput] = [],
        refusal: Int32 = 0, missing: Int = 0
    ) -> InputWatch {
        let filter = InputFilter(kinds: kinds, ports: ports)
        let channels = Set(puppets.map(\.channel))
        let watch = InputWatch(of: pids, filter, leftUnread: left, ownSockets: channels, refusal: refusal)
        watches.append(watch)
        #expect(watch.epoll.isOpen)
        #expect(eventually { watch.goOn() })
        #expect(watch.missing.count == missing, "\(watch.missing.map(\.text))")
        return watch
    }

    func end() {
        for watch in watches {
            watch.close()
            while !watch.closeRest() {}
        }
        for puppet in puppets { puppet.child.end() }
        scratch.remove()
    }
}

private func withStand(_ body: (Stand) throws -> Void) throws {
    let stand = Stand()
    defer { stand.end() }
    try body(stand)
}

extension InputWatch {
    /// What is told of next; nil where nothing comes, which takes long.
    fileprivate func next() -> InputCause? { isReadable(epoll.number) ? take() : nil }

    /// Whether something comes of which nothing is told.
    fileprivate func passesOver() -> Bool { isReadable(epoll.number) && take() == nil && isQuiet }

    fileprivate var isQuiet: Bool { !isReadable(epoll.number, within: 0) }
}

private func descriptors(leadingTo link: String) -> Int {
    let numbers = (Directory.names(of: "/proc/self/fd") ?? []).compactMap { Int32($0) }
    return numbers.filter { Procfs.link(of: $0, in: getpid()) == link }.count
}

@Suite(
    "What comes to a stopped program by sockets",
    .enabled(if: TestChild.hasPython, "needs \(TestChild.pythonPath) to receive it"))
struct InputWatchSocketTests {
    /// A program that listens on a port, and one that is to connect.
    private func withServer(
        _ address: String = "127.0.0.1", _ body: (Stand, Puppet, Puppet, UInt16) throws -> Void
    ) throws {
        try withStand { stand in
            let server = try stand.puppet()
            let client = try stand.puppet()
            let family = address.contains(":") ? "AF_INET6" : "AF_INET"
            try server.run("s = socket.create_server(('\(address)', 0), family=socket.\(family))")
            let port = UInt16(try server.number("s.getsockname()[1]"))
            try body(stand, server, client, port)
        }
    }

    @Test("A connection to a listening socket, told once; the next one again; both are there afterwards")
    func connection() throws {
        try withServer("") { stand, server, client, port in
            let inode = try server.inode("s")
            server.stop()
            let watch = stand.watch([server.pid])
            #expect(watch.count == 1)
            #expect(watch.isQuiet)
            let expected = InputCause(
                kind: .connection, text: "a connection to :\(port)", to: ":\(port)", listener: inode)
            for number in 1...2 {
                try client.run("c\(number) = socket.create_connection(('127.0.0.1', \(port)))")
                #expect(watch.next() == expected)
                #expect(watch.isQuiet)
            }
            watch.close()
            server.goOn()
            let ports = [try client.number("c1.getsockname()[1]"), try client.number("c2.getsockname()[1]")]
            #expect([try server.number("s.accept()[1][1]"), try server.number("s.accept()[1][1]")] == ports)
        }
    }

    @Test("Data on a connection that was accepted, from where and to where; its end wakes nobody")
    func accepted() throws {
        try withServer("") { stand, server, client, port in
            try client.run("c = socket.create_connection(('127.0.0.1', \(port)))")
            try server.run("a, _ = s.accept()")
            let from = "127.0.0.1:\(try client.number("c.getsockname()[1]"))"
            server.stop()
            let watch = stand.watch([server.pid])
            #expect(watch.count == 2)
            try client.run("c.send(b'hello')")
            let expected = InputCause(
                kind: .data, text: "data from \(from) to :\(port)", from: from, to: ":\(port)")
            #expect(watch.next() == expected)
            watch.close()
            server.goOn()
            #expect(try server.ask("a.recv(100)") == "b'hello'")
            server.stop()
            let second = stand.watch([server.pid])
            #expect(second.isQuiet)
            try client.run("c.close()")
            #expect(second.passesOver())
            // No more when it was there at once.
            let third = stand.watch([server.pid])
            #expect(third.passesOver())
        }
    }

    @Test("Data that comes with the end of an accepted connection wakes, a failure too")
    func endings() throws {
        try withServer { stand, server, client, port in
            for number in 1...2 {
                try client.run("c\(number) = socket.create_connection(('127.0.0.1', \(port)))")
                try server.run("a\(number), _ = s.accept()")
            }
            server.stop()
            let watch = stand.watch([server.pid])
            try client.run("c1.send(b'bye'); c1.close()")
            #expect(watch.next()?.kind == .data)
            _ = watch.take()
            try client.run("c2.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0)); c2.close()")
            let cause = watch.next()
            #expect(cause?.kind == .end)
            #expect(cause?.text.hasPrefix("a failure of the connection from 127.0.0.1:") == true)
            watch.close()
            server.goOn()
            #expect(try server.ask("a1.recv(100)") == "b'bye'")
            // The failure is still there to be told.
            try server.run("try: a2.recv(1); assert False\nexcept ConnectionResetError: pass")
        }
    }

    @Test("The end of a connection that it made itself wakes")
    func outgoing() throws {
        try withServer { stand, server, client, port in
            try client.run("c = socket.create_connection(('127.0.0.1', \(port)))")
            try server.run("a, _ = s.accept()")
            client.stop()
            let watch = stand.watch([client.pid])
            #expect(watch.isQuiet)
            try server.run("a.close()")
            let cause = watch.next()
            #expect(cause?.kind == .end)
            #expect(cause?.text == "the end of the connection to 127.0.0.1:\(port)")
            #expect(cause?.from == "127.0.0.1:\(port)")
        }
    }

    // Skipped where there is no IPv6.
    @Test("IPv6", .enabled(if: hasLoopback6, "needs ::1"))
    func ip6() throws {
        try withServer("::") { stand, server, client, port in
            server.stop()
            var watch = stand.watch([server.pid])
            try client.run("c = socket.create_connection(('::1', \(port)))")
            #expect(watch.next()?.text == "a connection to [::]:\(port)")
            watch.close()
            server.goOn()
            try server.run("a, _ = s.accept()")
            server.stop()
            watch = stand.watch([server.pid])
            try client.run("c.send(b'x')")
            let from = "[::1]:\(try client.number("c.getsockname()[1]"))"
            #expect(
                watch.next()
                    == InputCause(
                        kind: .data, text: "data from \(from) to [::]:\(port)", from: from, to: "[::]:\(port)"))
            try client.run("c.close()")
            _ = watch.take()
        }
    }

    @Test("Unix streams by path: a connection, data, and an end that wakes nobody")
    func unixStream() throws {
        try withStand { stand in
            let server = try stand.puppet()
            let client = try stand.puppet()
            let path = stand.path("socket")
            try server.run("s = socket.socket(socket.AF_UNIX); s.bind('\(path)'); s.listen()")
            let inode = try server.inode("s")
            server.stop()
            var watch = stand.watch([server.pid])
            try client.run("c = socket.socket(socket.AF_UNIX); c.connect('\(path)')")
            let expected = InputCause(kind: .connection, text: "a connection to \(path)", to: path, listener: inode)
            #expect(watch.next() == expected)
            watch.close()
            server.goOn()
            try server.run("a, _ = s.accept()")
            server.stop()
            watch = stand.watch([server.pid])
            #expect(watch.count == 2)
            try client.run("c.send(b'x')")
            #expect(watch.next() == InputCause(kind: .data, text: "data to \(path)", to: path))
            watch.close()
            server.goOn()
            #expect(try server.ask("a.recv(9)") == "b'x'")
            server.stop()
            watch = stand.watch([server.pid])
            try client.run("c.close()")
            #expect(watch.passesOver())
        }
    }

    @Test("Datagrams, by Unix sockets and UDP; a name can be abstract")
    func datagrams() throws {
        try withStand { stand in
            let server = try stand.puppet()
            let client = try stand.puppet()
            let name = "curfew-test-\(getpid())-\(server.pid)"
            try server.run(
                """
                d = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); d.bind('\\0\(name)')
                u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.bind(('', 0))
                """)
            let port = try server.number("u.getsockname()[1]")
            server.stop()
            let watch = stand.watch([server.pid])
            #expect(watch.count == 2)
            try client.run("socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', '\\0\(name)')")
            #expect(watch.next() == InputCause(kind: .datagram, text: "a datagram to @\(name)", to: "@\(name)"))
            try client.run("socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'', ('127.0.0.1', \(port)))")
            #expect(watch.next() == InputCause(kind: .datagram, text: "a datagram to :\(port)", to: ":\(port)"))
            watch.close()
            server.goOn()
            #expect(try server.ask("d.recv(9)") == "b'x'")
            #expect(try server.ask("u.recv(9)") == "b''")
        }
    }

    @Test("Only sockets at the ports that count, where some are named; none where connections don't count")
    func ports() throws {
        try withServer { stand, server, client, port in
            try server.run("t = socket.create_server(('127.0.0.1', 0)); n = socket.socket(socket.AF_UNIX)")
            try server.run("n.bind('\(stand.path("socket"))'); n.listen()")
            let other = try server.number("t.getsockname()[1]")
            server.stop()
            let watch = stand.watch([server.pid], ports: [port])
            #expect(watch.count == 1)
            try client.run("c = socket.create_connection(('127.0.0.1', \(other)))")
            #expect(watch.isQuiet)
            try client.run("d = socket.create_connection(('127.0.0.1', \(port)))")
            #expect(watch.next()?.to == "127.0.0.1:\(port)")
            #expect(stand.watch([server.pid], [.terminal, .pipes, .timers]).count == 0)
            #expect(stand.watch([server.pid], .connections).count == 3)
        }
    }

    @Test("What nothing comes by isn't waited for: an unused socket, netlink, the line to this process")
    func idle() throws {
        try withStand { stand in
            let program = try stand.puppet()
            try program.run(
                """
                s = [socket.socket(), socket.socket(socket.AF_UNIX)]
                n = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)
                """)
            program.stop()
            let watch = stand.watch([program.pid])
            #expect(watch.count == 0)
            #expect(watch.isQuiet)
        }
    }

    @Test("Shared by two processes it is watched once, and a duplicate is closed with the rest")
    func shared() throws {
        try withServer { stand, server, client, port in
            let heir = try server.fork("")
            let link = try #require(Procfs.link(of: Int32(try server.number("s.fileno()")), in: server.pid))
            server.stop()
            Puppet.stop(heir)
            let watch = stand.watch([server.pid, heir])
            #expect(watch.count == 1)
            #expect(descriptors(leadingTo: link) == 1)
            try client.run("c = socket.create_connection(('127.0.0.1', \(port)))")
            #expect(watch.next()?.kind == .connection)
            watch.close()
            #expect(watch.closeRest())
            #expect(!watch.epoll.isOpen)
            #expect(watch.take() == nil)
            #expect(watch.goOn())
            #expect(descriptors(leadingTo: link) == 0)
            signal(heir, SIGCONT)
        }
    }

    // Skipped where so many can't be open.
    @Test(
        "More than are closed at one go are closed in turns, and not one before the app goes on",
        .enabled(if: DescriptorLimit.current.allows(900, forApp: true), "needs a limit of 1,000 descriptors"))
    func closedInTurns() throws {
        try withStand { stand in
            let program = try stand.puppet()
            try program.run("import resource; most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]")
            try program.run("resource.setrlimit(resource.RLIMIT_NOFILE, (1024, most))")
            try program.run("d = [socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(301)]")
            program.stop()
            let watch = InputWatch(of: [program.pid], InputFilter(kinds: .all), leftUnread: [])
            var turns = 1
            while !watch.goOn(for: Turn(fewest: 100, microseconds: 0)) { turns += 1 }
            #expect(turns >= 6)
            #expect(watch.count == 602)
            #expect(!watch.close())
            #expect(!watch.epoll.isOpen)
            #expect(watch.count == 602)
            #expect(!watch.closeRest())
            #expect(watch.count == 602 - InputWatch.mostClosed)
            #expect(watch.closeRest())
            #expect(watch.count == 0)
        }
    }

    @Test("No flag changes")
    func flags() throws {
        try withServer { stand, server, client, port in
            let asking = "fcntl.fcntl(s, fcntl.F_GETFL), fcntl.fcntl(s, fcntl.F_GETFD)"
            let before = try server.ask(asking)
            server.stop()
            let watch = stand.watch([server.pid])
            try client.run("c = socket.create_connection(('127.0.0.1', \(port)))")
            #expect(watch.next() != nil)
            watch.close()
            server.goOn()
            #expect(try server.ask(asking) == before)
        }
    }

    @Test("Room on a connection that took no more")
    func room() throws {
        try withServer { stand, server, client, port in
            try client.run("c = socket.create_connection(('127.0.0.1', \(port)))")
            try server.run("a, _ = s.accept()")
            try client.run("c.setblocking(False); fill(c.send)")
            client.stop()
            let watch = stand.watch([client.pid])
            #expect(watch.count == 1)
            try server.run("a.setblocking(False)")
            // Little by little, as what was sent last can still be on its way.
            try server.run(
                """
                import threading
                def drain():
                    while select.select([a], [], [], 30)[0]:
                        if not a.recv(1 << 20): return
                threading.Thread(target=drain, daemon=True).start()
                """)
            let cause = watch.next()
            #expect(cause?.kind == .room)
            #expect(cause?.text == "room on the connection to 127.0.0.1:\(port)")
        }
    }

    @Test("Room on one of a pair of Unix sockets, which have no names; then data, and its end")
    func pair() throws {
        try withStand { stand in
            let other = try stand.puppet()
            try other.run("a, b = socket.socketpair()")
            let program = try other.fork("b.close(); a.setblocking(False); fill(a.send)", parent: "a.close()")
            Puppet.stop(program)
            let watch = stand.watch([program])
            #expect(watch.count == 1)
            #expect(watch.isQuiet)
            try other.run("b.setblocking(False)\ntry:\n while True: b.recv(1 << 20)\nexcept BlockingIOError: pass")
            #expect(watch.next() == InputCause(kind: .room, text: "room on a connection"))
            try other.run("b.send(b'x')")
            #expect(watch.next() == InputCause(kind: .data, text: "data on a socket"))
            watch.close()
            let second = stand.watch([program])
            #expect(second.next()?.kind == .data)
            try other.run("b.close()")
            #expect(second.next()?.kind == .data)
        }
    }

    @Test("A connection that was being made")
    func connecting() throws {
        try withServer { stand, server, client, port in
            // The queue of one is full: the next has to ask again until there is room.
            try server.run("t = socket.create_server(('127.0.0.1', 0), backlog=0)")
            let other = try server.number("t.getsockname()[1]")
            let elsewhere = try stand.puppet()
            try elsewhere.run("e = socket.create_connection(('127.0.0.1', \(other)))")
            try client.run("c = socket.socket(); c.setblocking(False)")
            try client.run("assert c.connect_ex(('127.0.0.1', \(other))) == errno.EINPROGRESS")
            client.stop()
            let watch = stand.watch([client.pid])
            #expect(watch.count == 1)
            #expect(watch.isQuiet)
            try server.run("t.accept()")
            let peer = "127.0.0.1:\(other)"
            let cause = watch.next()
            #expect(cause?.kind == .room)
            #expect(cause?.text == "the connection made to \(peer)")
            #expect(cause?.from == peer)
        }
    }

    @Test("A connection left unaccepted is told once, and one more is told of")
    func backlog() throws {
        try withServer { stand, server, client, port in
            try client.run("c = socket.create_connection(('127.0.0.1', \(port)))")
            server.stop()
            let first = stand.watch([server.pid])
            #expect(first.next()?.kind == .connection)
            let left = first.unread
            #expect(left.map(\.count) == [1])
            first.close()
            let second = stand.watch([server.pid], left: left)
            #expect(second.passesOver())
            #expect(second.unread == left)
            try client.run("d = socket.create_connection(('127.0.0.1', \(port)))")
            #expect(second.next()?.kind == .connection)
            second.close()
            let third = stand.watch([server.pid], left: left)
            #expect(third.next()?.kind == .connection)
            #expect(third.unread.map(\.count) == [2])
        }
    }

    @Test("As much as was read before, on the same connection, isn't what was left unread")
    func alike() throws {
        try withServer { stand, server, client, port in
            try client.run("c = socket.create_connection(('127.0.0.1', \(port)))")
            try server.run("a, _ = s.accept()")
            try client.run("c.send(b'PING')")
            server.stop()
            let first = stand.watch([server.pid])
            #expect(first.next()?.kind == .data)
            #expect(first.unread.count == 1)
            first.close()
            server.goOn()
            #expect(try server.ask("a.recv(4)") == "b'PING'")
            #expect(first.unread.map(\.isStillThere) == [false])
            try client.run("c.send(b'PING')")
            server.stop()
            let second = stand.watch([server.pid], left: first.unread)
            #expect(second.next()?.kind == .data)
        }
    }

    @Test(
        "Over many sleeps, whatever a client sends meanwhile, what is there to be read was told of",
        arguments: [
            (
                "while True: c = s.accept()[0]; c.send(c.recv(4)); c.close()",
                """
                while True:
                    c = socket.create_connection(('127.0.0.1', port)); c.send(b'PING'); c.recv(4); c.close(); pause()
                """
            ),
            (
                "c = s.accept()[0]\nwhile True: c.send(c.recv(4))",
                """
                c = socket.create_connection(('127.0.0.1', port))
                while True: c.send(b'PING'); c.recv(4); pause()
                """
            ),
        ])
    func requests(answering: String, asking: String) throws {
        try withServer { stand, server, client, port in
            server.say(answering)
            try client.run("port = \(port); import random")
            try client.run("pause = lambda: select.select([], [], [], random.random() / 500)")
            client.say(asking)
            var left: [UnreadInput] = []
            var told = 0
            for sleep in 1...200 {
                // It gets the time to read what woke it.
                #expect(eventually { !left.contains(where: \.isStillThere) })
                server.stop()
                let watch = stand.watch([server.pid])
                if isReadable(watch.epoll.number, within: 10_000_000), watch.take() != nil {
                    told += 1
                } else if stand.watch([server.pid]).take() != nil {
                    // Stopped amid its work there is nothing, or what has come since.
                    #expect(watch.next() != nil, "after \(sleep) sleeps")
                }
                left = watch.unread
                watch.close()
                server.goOn()
            }
            #expect(told > 0)
        }
    }
}

@Suite(
    "What comes to a stopped program by pipes, terminals and timers",
    .enabled(if: TestChild.hasPython, "needs \(TestChild.pythonPath) to receive it"))
struct InputWatchFileTests {
    /// A program that reads a pipe and tells what it has read, stopped; the other writes into it.
    private func withPipe(_ body: (Stand, Puppet, Int32) throws -> Void) throws {
        try withStand { stand in
            let writer = try stand.puppet()
            try writer.run("r, w = os.pipe()")
            let reader = try writer.fork(
                "os.close(w)", then: "while True: say(os.read(r, 100))", parent: "os.close(r)")
            Puppet.stop(reader)
            try body(stand, writer, reader)
        }
    }

    @Test("Data in a pipe, and its end")
    func pipe() throws {
        try withPipe { stand, writer, reader in
            let watch = stand.watch([reader])
            #expect(watch.count == 1)
            #expect(watch.isQuiet)
            try writer.run("os.write(w, b'abc')")
            #expect(watch.next() == InputCause(kind: .pipe, text: "data in a pipe"))
            watch.close()
            signal(reader, SIGCONT)
            #expect(writer.child.line() == "b'abc'")
            Puppet.stop(reader)
            let second = stand.watch([reader])
            #expect(second.isQuiet)
            try writer.run("os.close(w)")
            #expect(second.next() == InputCause(kind: .end, text: "the end of a pipe"))
            // Seen, and left as it is.
            let third = stand.watch([reader])
            #expect(third.next()?.kind == .end)
            #expect(third.unread.map(\.count) == [0])
            #expect(stand.watch([reader], left: third.unread).passesOver())
        }
    }

    @Test("What is left unread is told once, and more of it again")
    func unread() throws {
        try withPipe { stand, writer, reader in
            try writer.run("os.write(w, b'abc')")
            let first = stand.watch([reader])
            #expect(first.next()?.kind == .pipe)
            #expect(first.unread.map(\.count) == [3])
            #expect(first.unread.map(\.isStillThere) == [true])
            first.close()
            let second = stand.watch([reader], left: first.unread)
            #expect(second.passesOver())
            #expect(second.unread == first.unread)
            try writer.run("os.write(w, b'd')")
            #expect(second.next()?.kind == .pipe)
            second.close()
            #expect(first.unread.map(\.isStillThere) == [false])
            let third = stand.watch([reader], left: second.unread)
            #expect(third.next()?.kind == .pipe)
            #expect(third.unread.map(\.count) == [4])
            third.close()
            // Its end is news, however much there is to be read before.
            try writer.run("os.close(w)")
            #expect(stand.watch([reader], left: third.unread).next()?.kind == .pipe)
        }
    }

    @Test("What was left, and read since, isn't left any more: as much again is told of")
    func readSince() throws {
        try withPipe { stand, writer, reader in
            try writer.run("os.write(w, b'abc')")
            let first = stand.watch([reader])
            #expect(first.next()?.kind == .pipe)
            first.close()
            signal(reader, SIGCONT)
            #expect(writer.child.line() == "b'abc'")
            Puppet.stop(reader)
            let second = stand.watch([reader], left: first.unread)
            #expect(second.isQuiet)
            try writer.run("os.write(w, b'abc')")
            #expect(second.next()?.kind == .pipe)
        }
    }

    @Test("A FIFO by its path; its data and its end")
    func fifo() throws {
        try withStand { stand in
            let program = try stand.puppet()
            let path = stand.path("fifo")
            try program.run("os.mkfifo('\(path)')")
            let reader = try program.fork("f = os.open('\(path)', os.O_RDONLY | os.O_NONBLOCK)")
            Puppet.stop(reader)
            for refusal in [0, EPERM] {
                let watch = stand.watch([reader], refusal: refusal)
                #expect(watch.count == 1)
                #expect(watch.isQuiet)
                try program.run("w = os.open('\(path)', os.O_WRONLY); os.write(w, b'x')")
                let expected = InputCause(kind: .pipe, text: "data in the FIFO \(path)", to: path)
                #expect(watch.next() == expected)
                try program.run("os.close(w)")
                #expect(watch.next()?.kind == .pipe)
                watch.close()
                // Takes what is in it.
                try program.run("r = os.open('\(path)', os.O_RDONLY | os.O_NONBLOCK); os.read(r, 9); os.close(r)")
            }
        }
    }

    @Test("Room in a full pipe; one with room isn't waited for")
    func room() throws {
        try withStand { stand in
            let reader = try stand.puppet()
            try reader.run("r, w = os.pipe(); p, q = os.pipe()")
            let writer = try reader.fork(
                "os.close(r); os.close(p); os.set_blocking(w, False); fill(lambda data: os.write(w, data))",
                parent: "os.close(w); os.close(q)")
            Puppet.stop(writer)
            let watch = stand.watch([writer])
            #expect(watch.count == 1)
            #expect(watch.isQuiet)
            try reader.run("os.read(r, 1 << 20)")
            #expect(watch.next() == InputCause(kind: .room, text: "room in a pipe"))
            watch.close()
            #expect(stand.watch([writer]).count == 0)
        }
    }

    @Test("Whoever was to read a full pipe has gone")
    func brokenPipe() throws {
        try withStand { stand in
            let reader = try stand.puppet()
            try reader.run("r, w = os.pipe()")
            let writer = try reader.fork(
                "os.close(r); os.set_blocking(w, False); fill(lambda data: os.write(w, data))", parent: "os.close(w)")
            Puppet.stop(writer)
            let watch = stand.watch([writer])
            try reader.run("os.close(r)")
            #expect(watch.next() == InputCause(kind: .end, text: "the end of a pipe"))
        }
    }

    // MARK: Terminals

    /// A program with a terminal whose other side this one has.
    private func withTerminal(
        _ setup: String = "", then rest: String, _ body: (Stand, Puppet, Int32) throws -> Void
    ) throws {
        try withStand { stand in
            let typist = try stand.puppet()
            try typist.run("m, t = os.openpty()")
            let program = try typist.fork("os.close(m); \(setup)", then: rest, parent: "os.close(t)")
            Puppet.stop(program)
            try body(stand, typist, program)
        }
    }

    private static let key = InputCause(kind: .terminal, text: "a key or line on the terminal")

    @Test("On a terminal a line counts, not its letters; then its end", arguments: [0, EPERM])
    func line(refusal: Int32) throws {
        try withTerminal(then: "say(os.read(t, 100)); signal.pause()") { stand, typist, program in
            let watch = stand.watch([program], refusal: refusal)
            #expect(watch.count == 1)
            try typist.run("os.write(m, b'ab')")
            // Once they are echoed they have been dealt with.
            #expect(try typist.ask("os.read(m, 100)") == "b'ab'")
            #expect(watch.isQuiet)
            try typist.run("os.write(m, b'c\\n')")
            #expect(watch.next() == Self.key)
            watch.close()
            signal(program, SIGCONT)
            #expect(typist.child.line() == #"b'abc\n'"#)
            Puppet.stop(program)
            let second = stand.watch([program], refusal: refusal)
            #expect(second.isQuiet)
            try typist.run("os.close(m)")
            #expect(second.next() == InputCause(kind: .end, text: "the end of the terminal"))
        }
    }

    @Test("An end of input, typed, counts too")
    func endOfInput() throws {
        try withTerminal(then: "say(os.read(t, 100)); signal.pause()") { stand, typist, program in
            let watch = stand.watch([program])
            try typist.run("os.write(m, b'\\x04')")
            #expect(watch.next() == Self.key)
            watch.close()
            signal(program, SIGCONT)
            #expect(typist.child.line() == "b''")
        }
    }

    @Test("On a raw terminal each key counts")
    func key() throws {
        try withTerminal("tty.setraw(t)", then: "say(os.read(t, 100)); signal.pause()") { stand, typist, program in
            let watch = stand.watch([program])
            try typist.run("os.write(m, b'a')")
            #expect(watch.next() == Self.key)
            try typist.run("os.write(m, b'b')")
            #expect(watch.next() == Self.key)
            watch.close()
            signal(program, SIGCONT)
            #expect(typist.child.line() == "b'ab'")
        }
    }

    @Test("A terminal is watched once, by whichever name it is open, and not where it is open to write only")
    func terminalOnce() throws {
        let setup = """
            os.setsid(); n = os.open(os.ttyname(t), os.O_RDWR); k = os.open('/dev/tty', os.O_RDWR)
            o = os.open(os.ttyname(t), os.O_WRONLY); os.dup(t)
            """
        try withTerminal(setup, then: "signal.pause()") { stand, _, program in
            #expect(stand.watch([program]).count == 1)
            #expect(stand.watch([program], [.connections, .pipes, .timers]).count == 0)
        }
        try withTerminal("o = os.open(os.ttyname(t), os.O_WRONLY); os.close(t)", then: "signal.pause()") {
            stand, _, program in
            #expect(stand.watch([program]).count == 0)
        }
    }

    @Test("What comes out of pseudo-terminals that the program made; each is one, though all are of one node")
    func masters() throws {
        try withStand { stand in
            let inner = try stand.puppet()
            try inner.run("m, t = os.openpty(); n, u = os.openpty()")
            let program = try inner.fork("os.close(t); os.close(u)", parent: "os.close(m); os.close(n)")
            Puppet.stop(program)
            let watch = stand.watch([program])
            #expect(watch.count == 2)
            for terminal in ["t", "u"] {
                try inner.run("os.write(\(terminal), b'x')")
                #expect(watch.next() == InputCause(kind: .pipe, text: "output on a pseudo-terminal"))
            }
            try inner.run("os.close(t)")
            #expect(watch.next()?.kind == .pipe)
            try inner.run("os.close(u)")
            #expect(watch.next()?.kind == .pipe)
        }
    }

    // MARK: Timers and others

    @Test("A timer's time")
    func timer() throws {
        try withStand { stand in
            let program = try stand.puppet()
            try program.run("t = timer(0.3)")
            program.stop()
            let watch = stand.watch([program.pid], .timers)
            #expect(watch.count == 1)
            #expect(watch.next() == InputCause(kind: .timer, text: "a timer"))
            watch.close()
            let second = stand.watch([program.pid], .timers)
            #expect(second.next()?.kind == .timer)
            #expect(second.unread.map(\.isStillThere) == [true])
            second.close()
            #expect(stand.watch([program.pid], .timers, left: second.unread).passesOver())
            program.goOn()
            #expect(try program.ask("os.read(t, 8)[0]") == "1")
            #expect(second.unread.map(\.isStillThere) == [false])
        }
    }

    @Test("Files, epolls and eventfds aren't waited for; who holds an inotify descriptor is named")
    func others() throws {
        try withStand { stand in
            let program = try stand.puppet()
            try program.run(
                """
                f = open('/proc/self/exe', 'rb'); d = open('\(stand.path("x"))', 'w')
                e = select.epoll(); v = os.eventfd(0)
                """)
            program.stop()
            let watch = stand.watch([program.pid])
            #expect(watch.count == 0)
            #expect(watch.inotifyHolder == nil)
            program.goOn()
            try program.run("i = libc.inotify_init()")
            program.stop()
            #expect(stand.watch([program.pid]).inotifyHolder == "python3 (\(program.pid))")
        }
    }

    @Test("A descriptor that was opened for its path alone is passed over")
    func pathOnly() throws {
        try withStand { stand in
            let program = try stand.puppet()
            let path = stand.path("fifo")
            try program.run("os.mkfifo('\(path)'); f = os.open('\(path)', os.O_PATH)")
            program.stop()
            #expect(stand.watch([program.pid]).count == 0)
        }
    }

    // MARK: What can't be had

    @Test("Processes that are gone, and descriptors that were closed, are passed over")
    func gone() throws {
        try withStand { stand in
            let zombie = try TestChild(["/bin/true"])
            defer { zombie.end() }
            #expect(eventually { Procfs.stat(zombie.pid)?.isGone == true })
            #expect(stand.watch([nobody, zombie.pid]).count == 0)
            let program = try stand.puppet()
            var descriptors = try InputDescriptors(of: program.pid)
            defer { descriptors.close() }
            #expect(descriptors.duplicate(999).number == -EBADF)
            #expect(descriptors.refusal == 0)
            #expect(descriptors.link(999) == .other)
            #expect(descriptors.access(999) == (false, false))
            #expect(descriptors.reopened(999).number == -ENOENT)
        }
    }

    @Test("What is closed once it is listed, as by a thread in another process, is passed over")
    func closedMeanwhile() throws {
        try withStand { stand in
            let program = try stand.puppet()
            try program.run("p = [socket.socketpair() for _ in range(50)]; s = socket.create_server(('127.0.0.1', 0))")
            let watch = InputWatch(
                of: [program.pid], InputFilter(kinds: .all), leftUnread: [], ownSockets: [program.channel])
            #expect(!watch.goOn(for: Turn(fewest: 1, microseconds: 0)))
            try program.run("s.close(); t = [(a.close(), b.close()) for a, b in p[10:40]]")
            #expect(eventually { watch.goOn() })
            #expect(watch.missing.isEmpty, "\(watch.missing.map(\.text))")
            #expect(watch.count == 40)
            watch.close()
        }
    }

    @Test("What is refused is named once a process; the rest is still waited for")
    func refused() throws {
        try withStand { stand in
            let program = try stand.puppet()
            try program.run("s = [socket.create_server(('127.0.0.1', 0)) for _ in range(3)]; t = timer(100)")
            try program.run("m, n = os.openpty(); r, w = os.pipe()")
            program.stop()
            let watch = stand.watch([program.pid], refusal: EPERM, missing: 3)
            let texts = watch.missing.map(\.text).sorted()
            let start = "python3 (\(program.pid)): its"
            let why = "Operation not permitted"
            #expect(
                texts == ["\(start) pseudo-terminals: \(why)", "\(start) sockets: \(why)", "\(start) timers: \(why)"])
            #expect(watch.count == 2)
            #expect(stand.watch([program.pid], .pipes, refusal: EPERM, missing: 1).count == 1)
            #expect(stand.watch([program.pid], .terminal, refusal: EPERM).count == 1)
        }
    }

    // Skipped for root, who may look at all.
    @Test("A process whose descriptors can't be listed is missed", .enabled(if: geteuid() != 0, "root may list all"))
    func unlisted() throws {
        try withStand { stand in
            let program = try stand.puppet()
            try program.run("assert libc.prctl(4, 0) == 0")
            program.stop()
            let watch = stand.watch([program.pid, program.pid], missing: 1)
            #expect(watch.missing.map(\.text) == ["python3 (\(program.pid)): its descriptors: Permission denied"])
            #expect(watch.count == 0)
        }
    }

    @Test("What only an epoll holds is missed, once; not what somebody of the app has open, nor what doesn't count")
    func epolls() throws {
        try withStand { stand in
            let outside = try stand.puppet()
            try outside.run(
                """
                import array
                path = '\(stand.path("handed"))'; a = socket.socket(socket.AF_UNIX); a.bind(path); a.listen()
                """)
            let program = try stand.puppet()
            // Two that the other program has besides, and one that it has alone.
            try program.run(
                """
                import array
                e = select.epoll(); f = select.epoll(); c = socket.socket(socket.AF_UNIX); c.connect('\(stand.path("handed"))')
                s = socket.create_server(('127.0.0.1', 0)); r, w = os.pipe(); own = socket.socketpair()
                for x in s, r, own[0]: e.register(x, 1); f.register(x, 1)
                c.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [s.fileno(), r]))])
                """)
            try outside.run("k = a.accept()[0]; k.recvmsg(1, 100)")
            program.stop()
            _ = stand.watch([program.pid])
            program.goOn()
            try program.run("s.close(); os.close(r); os.close(w)")
            program.stop()
            let why = "it has them open no more"
            let missing = stand.watch([program.pid], missing: 2).missing.map(\.text).sorted()
            #expect(
                missing
                    == ["pipes", "sockets"].map {
                        "python3 (\(program.pid)): \($0) that its epoll waits for: \(why)"
                    })
            _ = stand.watch([program.pid], .pipes, missing: 1)
            _ = stand.watch([program.pid], .timers)
            // Had by another process of the app, it is as good as had.
            outside.stop()
            _ = stand.watch([program.pid, outside.pid])
        }
    }

    @Test("What an epoll waits for is looked at in pieces, to the last of very many")
    func epollInPieces() throws {
        try withStand { stand in
            let program = try stand.puppet()
            try program.run(
                """
                e = select.epoll(); d = [os.pipe() for _ in range(200)]
                for r, w in d: e.register(r, 1)
                """)
            let heir = try program.fork("", parent: "for r, w in d: os.close(r); os.close(w)")
            program.stop()
            let watch = InputWatch(of: [program.pid], InputFilter(kinds: .all), leftUnread: [])
            var (seen, most) = (0, 0)
            while !watch.goOn(for: Turn(fewest: 1, microseconds: 0)) {
                most = max(most, watch.awaited.count - seen)
                seen = watch.awaited.count
            }
            #expect(seen == 200)
            #expect(most < 100)
            #expect(watch.missing.map(\.what) == ["pipes that its epoll waits for"])
            signal(heir, SIGKILL)
        }
    }

    @Test("Of a process with too many descriptors no epoll's list is read, which is named; what is open is waited for")
    func epollOfMany() throws {
        try withStand { stand in
            let program = try stand.puppet()
            try program.run("r, w = os.pipe(); e = select.epoll(); e.register(r, 1); f = select.epoll()")
            program.stop()
            let count = try #require(Directory.names(of: "/proc/\(program.pid)/fd")).count
            for (most, why) in [(count, []), (count - 1, ["it has more than \(count - 1) descriptors"])] {
                let watch = InputWatch(of: [program.pid], InputFilter(kinds: .pipes), leftUnread: [])
                watch.mostDescriptorsOfEpolls = most
                #expect(eventually { watch.goOn() })
                #expect(watch.missing.map(\.why) == why)
                #expect(watch.missing.allSatisfy { $0.what == "what its epoll waits for" })
                #expect(watch.count == 1)
            }
        }
    }

    // Skipped where there is no io_uring.
    @Test("Files that an io_uring has of its own", .enabled(if: hasRings, "needs io_uring"))
    func rings() throws {
        try withStand { stand in
            let program = try stand.puppet()
            try program.run(makingRing)
            program.stop()
            let watch = stand.watch([program.pid], missing: 1)
            #expect(watch.missing.first?.what == "files of an io_uring")
            #expect(watch.missing.first?.pid == program.pid)
        }
    }
}

@Suite("Words of input, and whose files are whose")
struct InputWordsTests {
    @Test("Kinds by their names")
    func kinds() {
        #expect(InputKinds.names == ["connections", "terminal", "pipes", "timers"])
        for name in InputKinds.names { #expect(InputKinds(name: name)?.names == [name]) }
        #expect(InputKinds(name: "all") == .all)
        #expect(InputKinds.all.names == InputKinds.names)
        #expect(InputKinds(name: "socket") == nil && InputKinds(name: "") == nil)
    }

    @Test(
        "Links of descriptors",
        arguments: [
            ("socket:[12345]", .socket(inode: 12345)), ("pipe:[1]", .pipe(inode: 1)), ("/tmp/pipe:[1]", .path),
            ("anon_inode:[timerfd]", .timer), ("anon_inode:inotify", .inotify), ("anon_inode:[io_uring]", .ring),
            ("anon_inode:[eventpoll]", .epoll), ("", .other), ("net:[4026531840]", .other), ("socket:[", .other),
        ] as [(String, InputDescriptors.Link)])
    func links(text: String, link: InputDescriptors.Link) {
        #expect(Array(text.utf8).withUnsafeBytes { InputDescriptors.link($0) } == link)
    }

    @Test("What an epoll waits for, of sockets and pipes")
    func epollTargets() {
        let text = """
            pos:\t0
            flags:\t02000002
            tfd:       18 events:       19 data:     7f6300000012  pos:0 ino:1e31e56 sdev:9
            tfd:       95 events:       19 data:                5  pos:0 ino:a sdev:10000e
            tfd:        5 events:       19 data:                5  pos:0 ino:40e sdev:f
            tfd:        6 events:       19 data:                6
            tfd:
            """
        let targets = Array(text.utf8).withUnsafeBytes {
            EpollTarget.all(in: $0, sockets: 9, pipes: MemoryFiles.device(1, 14))
        }
        #expect(targets == [EpollTarget(kind: .socket, inode: 0x1e3_1e56), EpollTarget(kind: .pipe, inode: 10)])
        let devices = EpollTarget.devices
        #expect(devices.sockets != 0 && devices.pipes != 0 && devices.sockets != devices.pipes)
    }

    @Test(
        "Of mounts, those whose server may be another machine's aren't asked",
        arguments: [
            ("36 35 98:0 / /mnt rw,noatime master:1 - ext4 /dev/root rw", true),
            ("36 35 0:28 / /dev/pts rw - devpts devpts rw", true),
            ("36 35 0:28 / /mnt\\040a rw shared:1 - nfs4 host:/export rw", false),
            ("36 35 0:28 / /mnt rw - fuse.sshfs host: rw", false),
            ("36 35 8:1 / /mnt rw - fuseblk /dev/sda1 rw", false),
        ])
    func mounts(line: String, isLocal: Bool) {
        let parsed = Array(line.utf8).withUnsafeBytes { LocalMounts.parse($0) }
        #expect(parsed?.mount == 36)
        #expect(parsed?.isLocal == isLocal)
    }

    @Test("What is no line of mountinfo")
    func noMounts() {
        for line in ["", "36", "36 35 0:28 / /mnt rw ext4 x rw", "x 35 0:28 / /mnt rw - ext4 x rw", "36 - ext4"] {
            #expect(Array(line.utf8).withUnsafeBytes { LocalMounts.parse($0) } == nil, "\(line)")
        }
    }

    @Test("Terminals by their device numbers")
    func terminals() {
        let terminal = MemoryFiles.device(136, 300_000)
        #expect(TerminalDevice.isTerminal(terminal) && !TerminalDevice.isMaster(terminal))
        #expect(TerminalDevice.isTerminal(MemoryFiles.device(4, 64)))
        let alias = MemoryFiles.device(5, 0)
        let master = MemoryFiles.device(5, 2)
        #expect(TerminalDevice.isAlias(alias) && TerminalDevice.isTerminal(alias))
        #expect(TerminalDevice.isMaster(master) && !TerminalDevice.isTerminal(master))
        let null = MemoryFiles.device(1, 3)
        #expect(!TerminalDevice.isTerminal(null) && !TerminalDevice.isMaster(null) && !TerminalDevice.isAlias(null))
    }
}
