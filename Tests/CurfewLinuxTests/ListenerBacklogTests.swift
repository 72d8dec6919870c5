import CCurfew
import Glibc
import Testing

@testable import CurfewLinux

/// A program that listens and is stopped, another that connects, and this process, which has the listening socket open too.
final class SharedSocket {
    enum Kind: CaseIterable { case tcp, unix }

    let server: Puppet
    let client: Puppet
    let inode: UInt64
    let place: String
    private let scratch = ScratchDirectory()
    private var descriptor = Descriptor.none
    private var watches: [InputWatch] = []
    private let connecting: String
    private var count = 0

    init(_ kind: Kind) throws {
        server = try Puppet()
        client = try Puppet()
        switch kind {
        case .tcp:
            try server.run("s = socket.create_server(('127.0.0.1', 0))")
            place = "127.0.0.1:\(try server.number("s.getsockname()[1]"))"
            connecting = "c = socket.create_connection(('127.0.0.1', \(try server.number("s.getsockname()[1]"))))"
        case .unix:
            place = scratch.path + "/socket"
            try server.run("s = socket.socket(socket.AF_UNIX); s.bind('\(place)'); s.listen(9)")
            connecting = "c = socket.socket(socket.AF_UNIX); c.connect('\(place)')"
        }
        inode = try server.inode("s")
        var process = Descriptor(curfew_pidfd_open(server.pid))
        descriptor = Descriptor(curfew_pidfd_getfd(process.number, Int32(try server.number("s.fileno()"))))
        process.close()
        try #require(descriptor.isOpen)
        try client.run("all = []")
    }

    func end() {
        for watch in watches {
            watch.close()
            while !watch.closeRest() {}
        }
        descriptor.close()
        server.child.end()
        client.child.end()
        scratch.remove()
    }

    func watch() -> InputWatch {
        server.stop()
        let watch = InputWatch(
            of: [server.pid], InputFilter(kinds: .connections), leftUnread: [], ownSockets: [server.channel])
        watches.append(watch)
        #expect(eventually { watch.goOn() })
        return watch
    }

    /// It waits to be accepted once this is done.
    func connect() throws {
        count += 1
        try client.run(connecting + "; all.append(c)")
        #expect(eventually { Readiness.now(self.descriptor.number).contains(.readable) })
    }

    /// As a program outside does.
    func accept() throws {
        var connection = Descriptor(Glibc.accept(descriptor.number, nil, nil))
        try #require(connection.isOpen)
        connection.close()
    }

    func shutDown() { _ = shutdown(descriptor.number, Int32(SHUT_RDWR)) }
}

private func withSocket(_ kind: SharedSocket.Kind, _ body: (SharedSocket) throws -> Void) throws {
    let socket = try SharedSocket(kind)
    defer { socket.end() }
    try body(socket)
}

extension InputWatch {
    fileprivate var taken: [String] { takenConnections().map { "\($0.listener) \($0.place ?? "?")" } }
}

@Suite(
    "Connections that somebody else accepts while all of a program is stopped",
    .enabled(if: TestChild.hasPython, "needs \(TestChild.pythonPath) to listen"))
struct ListenerBacklogTests {
    @Test(
        "One that has come and waits isn't taken; once somebody else has accepted it, it is",
        arguments: SharedSocket.Kind.allCases)
    func came(_ kind: SharedSocket.Kind) throws {
        try withSocket(kind) { socket in
            let watch = socket.watch()
            #expect(watch.taken == [])
            try socket.connect()
            #expect(watch.take()?.listener == socket.inode)
            #expect(watch.taken == [])
            #expect(watch.connection(at: socket.inode)?.text == "a connection to \(socket.place)")
            try socket.accept()
            #expect(watch.taken == ["\(socket.inode) \(socket.place)"])
            #expect(watch.connection(at: socket.inode) == nil)
        }
    }

    @Test("So is one that was there before it was stopped", arguments: SharedSocket.Kind.allCases)
    func wasThere(_ kind: SharedSocket.Kind) throws {
        try withSocket(kind) { socket in
            try socket.connect()
            let watch = socket.watch()
            #expect(watch.taken == [])
            try socket.accept()
            #expect(watch.taken == ["\(socket.inode) \(socket.place)"])
        }
    }

    @Test("One that comes and is taken before anybody looks was never there", arguments: SharedSocket.Kind.allCases)
    func unseen(_ kind: SharedSocket.Kind) throws {
        try withSocket(kind) { socket in
            let watch = socket.watch()
            try socket.connect()
            try socket.accept()
            #expect(watch.take() == nil)
            #expect(watch.taken == [])
        }
    }

    @Test("Whose client has given up waits yet", arguments: SharedSocket.Kind.allCases)
    func givenUp(_ kind: SharedSocket.Kind) throws {
        try withSocket(kind) { socket in
            let watch = socket.watch()
            try socket.connect()
            try socket.connect()
            #expect(watch.take() != nil)
            try socket.client.run("all[0].close()")
            if kind == .tcp {
                try socket.client.run("c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))")
            }
            try socket.client.run("c.close()")
            #expect(watch.connection(at: socket.inode) != nil)
            #expect(watch.taken == [])
        }
    }

    @Test("TCP tells how many wait, so that one of two is seen to be taken; it is told once")
    func oneOfTwo() throws {
        try withSocket(.tcp) { socket in
            try socket.connect()
            try socket.connect()
            #expect(eventually { socket.waiting == 2 })
            let watch = socket.watch()
            try socket.accept()
            #expect(watch.taken.count == 1)
            #expect(watch.connection(at: socket.inode) != nil)
            #expect(watch.taken == [])
        }
    }

    @Test("Of a socket that listens no more nothing is told", arguments: SharedSocket.Kind.allCases)
    func shutDown(_ kind: SharedSocket.Kind) throws {
        try withSocket(kind) { socket in
            let watch = socket.watch()
            try socket.connect()
            #expect(watch.take() != nil)
            socket.shutDown()
            #expect(watch.taken == [])
            #expect(watch.connection(at: socket.inode) == nil)
        }
    }

    @Test("A connection that is dropped hides nothing that comes with it, in whichever order")
    func dropped() throws {
        try withSocket(.unix) { first in
            let path = first.place + "2"
            try first.server.run("s2 = socket.socket(socket.AF_UNIX); s2.bind('\(path)'); s2.listen(9)")
            let second = try first.server.inode("s2")
            for isFirst in [true, false] {
                let watch = first.watch()
                _ = watch.take { _ in false }
                if isFirst { try first.connect() }
                try first.client.run("d = socket.socket(socket.AF_UNIX); d.connect('\(path)'); all.append(d)")
                if !isFirst { try first.connect() }
                var seen: [UInt64?] = []
                let cause = watch.take { cause in
                    seen.append(cause.listener)
                    return cause.listener != first.inode
                }
                #expect(cause?.listener == second)
                #expect(seen == (isFirst ? [first.inode, second] : [second]))
                watch.close()
                first.server.goOn()
            }
        }
    }

    @Test("Once it is over nothing is told")
    func over() throws {
        try withSocket(.tcp) { socket in
            let watch = socket.watch()
            try socket.connect()
            #expect(watch.take() != nil)
            try socket.accept()
            watch.close()
            #expect(watch.taken == [])
            #expect(watch.connection(at: socket.inode) == nil)
        }
    }
}

extension SharedSocket {
    var waiting: Int { Int(curfew_tcp_backlog(descriptor.number)) }
}
