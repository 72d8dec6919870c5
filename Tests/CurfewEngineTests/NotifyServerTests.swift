import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc
import Testing

@testable import CurfewEngine

/// Writes down what it is told, by a clock that stands until it is moved.
private final class Listener: NotifyHost {
    var clock = Instant(nanoseconds: 1_000_000_000_000)
    /// Added to the clock each time a sender is looked at.
    var lookingTakes = Span.zero
    /// The processes of apps.
    var apps: [Int32: AppID] = [getpid(): .a]
    /// After so many lines nothing more is wanted.
    var isOverAfter = Int.max
    private(set) var lines: [String] = []
    private(set) var looked = 0

    var now: Instant { clock }
    var isOver: Bool { lines.count >= isOverAfter }

    func app(of pid: Int32, until deadline: Int64) -> AppID? {
        looked += 1
        clock = clock + lookingTakes
        return apps[pid]
    }

    func notified(_ app: AppID, _ notification: ServiceNotification) {
        lines.append("\(app.letter) \(notification)")
    }
    func statusTold(_ app: AppID, _ text: String) { lines.append("\(app.letter) status \(text)") }
    func mainProcessNamed(_ app: AppID, _ pid: Int32) { lines.append("\(app.letter) main \(pid)") }
    func notificationIgnored(_ app: AppID?, _ why: String) { lines.append("\(app?.letter ?? "nobody"): \(why)") }

    func take() -> [String] {
        defer { lines = [] }
        return lines
    }
}

/// The real socket, whose receives are counted, and may find what a test wants.
private final class CountedSocket: DatagramSource {
    let socket: NotifySocket
    private(set) var receives = 0
    /// In place of the real sender.
    var sender: curfew_sender?
    var failure: KernelError?
    /// Found before whatever the real socket has, each as if from `sender`.
    var texts: [String] = []
    /// The last of `texts` never runs out.
    var isFlood = false

    init() throws { socket = try NotifySocket.make() }

    var descriptor: Descriptor { socket.descriptor }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> NotifySocket.Received {
        receives += 1
        if let failure { return .failed(failure) }
        if let text = texts.first {
            if !isFlood || texts.count > 1 { texts.removeFirst() }
            buffer.copyBytes(from: text.utf8)
            return .datagram(count: text.utf8.count, from: sender ?? curfew_sender())
        }
        let received = socket.receive(into: buffer)
        guard let sender else { return received }
        switch received {
        case .datagram(let count, _): return .datagram(count: count, from: sender)
        case .tooLong: return .tooLong(from: sender)
        case .nothing, .failed: return received
        }
    }
}

/// A server with its socket, whoever listens to it, and a client.
private final class NotifyScene {
    let listener = Listener()
    let source: CountedSocket
    let server: NotifyServer
    let loop = EventLoop.make()
    private var client = Descriptor.none

    init() throws {
        source = try CountedSocket()
        server = NotifyServer(source, loop: loop, host: listener)
        client = connect(to: source.socket.name)
    }

    deinit {
        var (client, socket, epoll) = (client, source.socket, loop.epoll)
        client.close()
        socket.close()
        epoll.close()
    }

    private func connect(to name: String) -> Descriptor {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: [0] + Array(name.utf8.dropFirst())) }
        let fd = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count)
        _ = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(fd, $0, length) }
        }
        return Descriptor(fd)
    }

    func send(_ text: String) {
        var text = text
        let sent = text.withUTF8 { Glibc.send(client.number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }
        #expect(sent == text.utf8.count)
    }

    /// What came of one turn.
    func read() -> [String] {
        server.read()
        return listener.take()
    }
}

@Suite("What is done with the datagrams of sd_notify")
struct NotifyServerTests {
    static let fields: [(String, [String])] = [
        ("READY=1", ["a ready"]), ("STOPPING=1", ["a stopping"]), ("STATUS=at work", ["a status at work"]),
        ("STATUS=", ["a status "]), ("MAINPID=77", ["a main 77"]), ("WATCHDOG=1", ["a alive"]),
        ("WATCHDOG=trigger", ["a broken"]),
        ("EXTEND_TIMEOUT_USEC=1500", ["a extendTimeout(CurfewCore.Span(nanoseconds: 1500000))"]),
        ("WATCHDOG_USEC=20", ["a watchdogInterval(Optional(CurfewCore.Span(nanoseconds: 20000)))"]),
        ("WATCHDOG_USEC=0", ["a watchdogInterval(nil)"]), ("BARRIER=1", []), ("FDSTORE=1", []),
        ("MAINPID=x", ["a: MAINPID is not the number of a process"]), ("rubbish", ["a: a line has no '='"]),
        ("", ["a: it is empty"]), ("STATUS=a\0b", ["a: it holds a NUL byte"]),
        ("STATUS=up\nREADY=1\nMAINPID=5", ["a main 5", "a ready", "a status up"]),
        (String(repeating: "x", count: 4_097), ["a: it is longer than 4096 bytes"]),
    ]

    @Test("Each kind goes to the app that its sender is of", arguments: fields)
    func kinds(text: String, lines: [String]) throws {
        let scene = try NotifyScene()
        scene.send(text)
        #expect(scene.read() == lines)
        #expect(scene.source.receives == 2)
        #expect(scene.read().isEmpty)
    }

    @Test("4,096 bytes are a datagram")
    func longest() throws {
        let scene = try NotifyScene()
        scene.send("READY=1\nX=" + String(repeating: "x", count: 4_086))
        #expect(scene.read() == ["a ready"])
    }

    @Test("The sender tells the app, datagram by datagram")
    func severalApps() throws {
        let scene = try NotifyScene()
        scene.listener.apps = [7: .a, 8: .b]
        for pid: Int32 in [7, 8, 7] {
            scene.source.sender = curfew_sender(pid: pid, uid: geteuid(), gid: 0)
            scene.send("READY=1")
            #expect(scene.read() == [pid == 7 ? "a ready" : "b ready"])
        }
    }

    @Test("A datagram wakes the loop until it is read")
    func wakesLoop() throws {
        let scene = try NotifyScene()
        #expect(scene.loop.readyKinds.isEmpty)
        scene.send("READY=1")
        #expect(scene.loop.readyKinds == [.notify])
        _ = scene.read()
        #expect(scene.loop.readyKinds.isEmpty)
    }

    @Test("Once it is over nothing more is heeded, not of the same datagram either, and nothing is read")
    func over() throws {
        let scene = try NotifyScene()
        scene.listener.isOverAfter = 1
        scene.send("STOPPING=1\nREADY=1")
        scene.send("WATCHDOG=1")
        scene.server.read()
        #expect(scene.listener.lines == ["a ready"])
        #expect(scene.source.receives == 1)
        scene.server.drain()
        #expect(scene.source.receives == 1)
    }

    @Test("What can't be read is told of once, and wakes nobody any more")
    func failure() throws {
        let scene = try NotifyScene()
        scene.send("READY=1")
        scene.source.failure = KernelError("receive from", "@x", errno: ENOBUFS)
        #expect(scene.read() == ["nobody: receive from @x: No buffer space available"])
        #expect(scene.loop.readyKinds.isEmpty)
    }

    // MARK: Strangers

    @Test("A stranger isn't heard, whatever it says; it is noted once a second, with how many came since")
    func strangers() throws {
        let scene = try NotifyScene()
        scene.listener.apps = [:]
        let told = "nobody: process \(getpid()) isn't one of the app's, or is gone"
        scene.send("READY=1")
        #expect(scene.read() == [told])
        for text in ["STATUS=x", String(repeating: "x", count: 5_000), "rubbish"] {
            scene.send(text)
            #expect(scene.read().isEmpty)
        }
        scene.listener.clock = scene.listener.clock + Span(nanoseconds: 999_999_999)
        scene.send("READY=1")
        #expect(scene.read().isEmpty)
        scene.listener.clock = scene.listener.clock + Span(nanoseconds: 1)
        scene.send("READY=1")
        #expect(scene.read() == [told + "; 4 more since the last such line"])
        scene.listener.clock = scene.listener.clock + .seconds(1)
        scene.send("READY=1")
        #expect(scene.read() == [told])
    }

    @Test("The app is heard among strangers")
    func amongStrangers() throws {
        let scene = try NotifyScene()
        scene.source.sender = curfew_sender(pid: 7, uid: geteuid(), gid: 0)
        scene.source.texts = ["STATUS=x", "READY=1"]
        scene.server.read()
        scene.source.sender = nil
        scene.send("WATCHDOG=1")
        scene.server.read()
        #expect(scene.listener.lines == ["nobody: process 7 isn't one of the app's, or is gone", "a alive"])
    }

    @Test("Who can't be told is a stranger, and nobody looks for it")
    func unknownSender() throws {
        let scene = try NotifyScene()
        scene.listener.apps = [0: .a]
        scene.source.sender = curfew_sender()
        scene.send("READY=1")
        #expect(scene.read() == ["nobody: process 0 isn't one of the app's, or is gone"])
        #expect(scene.listener.looked == 0)
    }

    @Test("Another user's process is looked at by root's supervisor only")
    func otherUser() throws {
        let scene = try NotifyScene()
        scene.source.sender = curfew_sender(pid: getpid(), uid: 4_711, gid: 0)
        scene.send("READY=1")
        let isRoot = geteuid() == 0
        #expect(
            scene.read() == (isRoot ? ["a ready"] : ["nobody: process \(getpid()) isn't one of the app's, or is gone"]))
        #expect(scene.listener.looked == (isRoot ? 1 : 0))
    }

    // MARK: Bounds

    @Test("A turn is 32 datagrams")
    func turn() throws {
        let scene = try NotifyScene()
        scene.source.sender = curfew_sender(pid: getpid(), uid: geteuid(), gid: 0)
        scene.source.texts = (0..<40).map { "STATUS=\($0)" }
        #expect(scene.read() == (0..<32).map { "a status \($0)" })
        #expect(scene.source.receives == 32)
        #expect(scene.read() == (32..<40).map { "a status \($0)" })
    }

    @Test("Strangers end a turn after 2 ms, the app's own don't")
    func strangersTurn() throws {
        let scene = try NotifyScene()
        scene.listener.lookingTakes = .microseconds(500)
        scene.source.sender = curfew_sender(pid: 7, uid: geteuid(), gid: 0)
        scene.source.texts = ["STATUS=x"]
        scene.source.isFlood = true
        scene.server.read()
        #expect(scene.source.receives == 4)
        scene.source.sender = curfew_sender(pid: getpid(), uid: geteuid(), gid: 0)
        scene.server.read()
        #expect(scene.source.receives == 4 + 32)
    }

    @Test("A child's end costs one receive where it has said nothing, one more for each thing it has said")
    func receivesAtAnExit() throws {
        let scene = try NotifyScene()
        scene.server.drain()
        #expect(scene.source.receives == 1)
        for count in 1...5 {
            let before = scene.source.receives
            for _ in 0..<count { scene.send("WATCHDOG=1") }
            scene.server.drain()
            #expect(scene.source.receives - before == count + 1)
            #expect(scene.listener.take() == Array(repeating: "a alive", count: count))
        }
    }

    @Test("At a child's end more than a turn's worth is read, but a flood that never ends isn't read for ever")
    func draining() throws {
        let scene = try NotifyScene()
        scene.source.sender = curfew_sender(pid: getpid(), uid: geteuid(), gid: 0)
        scene.source.texts = (0..<100).map { "STATUS=\($0)" }
        scene.server.drain()
        #expect(scene.listener.take().last == "a status 99")
        #expect(scene.source.receives == 101)
        scene.source.texts = ["WATCHDOG=1"]
        scene.source.isFlood = true
        scene.server.drain()
        #expect(scene.source.receives == 101 + 1_024)
    }

    @Test("Nor do strangers hold up what a child's end brings about for more than 2 ms")
    func drainingStrangers() throws {
        let scene = try NotifyScene()
        scene.listener.lookingTakes = .microseconds(100)
        scene.source.sender = curfew_sender(pid: 7, uid: geteuid(), gid: 0)
        scene.source.texts = ["READY=1"]
        scene.source.isFlood = true
        scene.server.drain()
        #expect(scene.source.receives == 20)
    }
}
