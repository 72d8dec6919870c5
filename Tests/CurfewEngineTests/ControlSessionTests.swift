import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc
import Testing

@testable import CurfewEngine

/// A session, and the client at its other end, which reads when it is told to.
private final class Line {
    let session: ControlSession
    private var client: Descriptor
    private(set) var received: [UInt8] = []
    /// All that was to be sent, in bytes.
    private(set) var produced = 0

    /// `room`: bytes of the socket's buffer; the kernel makes more of it, and has a least.
    init(room: Int32 = 1) {
        var pair: [Int32] = [-1, -1]
        _ = pair.withUnsafeMutableBufferPointer { curfew_socketpair($0.baseAddress) }
        var room = room
        setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<Int32>.size))
        session = ControlSession(id: ConnectionID(1), descriptor: Descriptor(pair[0]), of: .a)
        client = Descriptor(pair[1])
    }

    func close() {
        session.close()
        closeClient()
    }

    func closeClient() { client.close() }

    func send(_ message: Message, aspect: String? = nil) -> Bool {
        var bytes: [UInt8] = []
        message.encode(into: &bytes)
        produced += bytes.count
        return session.send(message, aspect: aspect)
    }

    /// Replies until one has to wait; the number of replies.
    func fill() -> Int {
        var count = 0
        while !session.hasUnsent, count < 10_000 {
            _ = send(Message("reply", [Field("n", String(count)), Field("pad", String(repeating: "x", count: 200))]))
            count += 1
        }
        return count
    }

    /// What is there to be read now.
    func read() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(client.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count <= 0 { return }
            received += buffer[..<count]
        }
    }

    /// Reads and flushes in turn until nothing waits; false if flushing fails.
    func drain() -> Bool {
        for _ in 0..<100_000 {
            read()
            if !session.hasUnsent { return true }
            if !session.flush() { return false }
        }
        return false
    }

    /// Whether the last line has come in part, and is of that verb.
    func isWithin(_ verb: String) -> Bool {
        received[(received.lastIndex(of: 10) ?? -1).advanced(by: 1)...].starts(with: verb.utf8)
    }

    /// The messages that have come through; a line that is none is called so.
    var messages: [Message] {
        var reader = LineReader()
        var messages: [Message] = []
        for byte in received {
            reader.append([byte])
            switch reader.next() {
            case .message(let message): messages.append(message)
            case .malformed, .tooLong: messages.append(Message("garbage"))
            case .none: break
            }
        }
        return messages
    }
}

@Suite("A connection of the control channel")
struct ControlSessionTests {
    private func event(_ name: String, _ number: Int, padding: Int = 0) -> Message {
        Message(
            "event",
            [Field("name", name), Field("seq", String(number)), Field("pad", String(repeating: "y", count: padding))])
    }

    @Test("What the socket takes goes at once")
    func atOnce() {
        let line = Line(room: 65_536)
        defer { line.close() }
        #expect(line.send(Message("ok", [Field("id", "1")])))
        #expect(!line.session.hasUnsent)
        line.read()
        #expect(line.received == Array("ok id=1\n".utf8))
    }

    @Test("What it doesn't take waits, and goes out in order, whole, whatever the socket takes at a time")
    func order() {
        let line = Line()
        defer { line.close() }
        let count = line.fill()
        for number in 0..<40 {
            let sent = line.send(Message("reply", [Field("n", String(count + number))]))
            #expect(sent)
        }
        #expect(line.drain())
        #expect(line.messages.map { $0["n"] } == (0..<count + 40).map { String($0) })
        #expect(line.received.count == line.produced)
    }

    @Test("A message that the socket takes in part goes on where it stopped, and is not replaced")
    func partialWrite() {
        var wasTorn = false
        // Which sizes the socket parts is the kernel's business; some it does.
        for padding in stride(from: 0, to: 4_000, by: 200) {
            let line = Line()
            defer { line.close() }
            var count = 0
            while !line.session.hasUnsent, count < 100 {
                #expect(line.send(event("a", count, padding: count == 0 ? padding : 4_000), aspect: "a"))
                count += 1
            }
            line.read()
            let isTorn = line.received.last != 10
            wasTorn = wasTorn || isTorn
            #expect(line.send(event("a", 1_000), aspect: "a"))
            #expect(line.drain())
            let numbers = line.messages.map { $0["seq"] ?? $0.verb }
            if isTorn { #expect(numbers == (0..<count).map { String($0) } + ["1000"]) }
            #expect(numbers.last == "1000")
            #expect(!numbers.contains("garbage"))
        }
        #expect(wasTorn)
    }

    @Test("An event that waited and has begun to go out isn't replaced either")
    func tornByFlush() {
        var wasTorn = false
        for padding in stride(from: 0, to: 4_000, by: 200) {
            let line = Line()
            defer { line.close() }
            _ = line.fill()
            #expect(line.send(Message("reply", [Field("pad", String(repeating: "z", count: padding))])))
            #expect(line.send(event("a", 1, padding: 4_000), aspect: "a"))
            var flushes = 0
            repeat {
                line.read()
                #expect(line.session.flush())
                line.read()
                flushes += 1
            } while !line.isWithin("event") && line.session.hasUnsent && flushes < 100
            let isTorn = line.isWithin("event")
            wasTorn = wasTorn || isTorn
            #expect(line.send(event("a", 2), aspect: "a"))
            #expect(line.drain())
            if isTorn { #expect(line.messages.suffix(2).map { $0["seq"] } == ["1", "2"]) }
            #expect(!line.messages.contains { $0.verb == "garbage" })
        }
        #expect(wasTorn)
    }

    @Test("What has gone out counts no more: a client that reads may fall behind again and again")
    func boundAfterReading() {
        let line = Line()
        defer { line.close() }
        for _ in 0..<20 {
            _ = line.fill()
            for number in 0..<100 { #expect(line.send(event("e", number, padding: 100))) }
            #expect(line.drain())
        }
        #expect(line.produced > 3 * ControlSession.maximumUnsentBytes)
        #expect(line.received.count == line.produced)
    }

    @Test("A waiting event is replaced by a later one of its aspect, in its place; replies are not")
    func coalescing() {
        let line = Line()
        defer { line.close() }
        let count = line.fill()
        #expect(line.send(event("a", 1), aspect: "a"))
        #expect(line.send(Message("ok", [Field("id", "x")])))
        #expect(line.send(event("b", 2), aspect: "b"))
        #expect(line.send(Message("ok", [Field("id", "x")])))
        #expect(line.send(event("a", 3, padding: 100), aspect: "a"))
        #expect(line.send(event("b", 4), aspect: "b"))
        #expect(line.send(event("c", 5), aspect: "c"))
        #expect(line.drain())
        let after = line.messages.dropFirst(count).map { $0["seq"] ?? $0.verb }
        #expect(after == ["3", "ok", "4", "ok", "5"])
    }

    @Test("Once it has gone out, a later event of its aspect is one of its own")
    func aspectAgain() {
        let line = Line()
        defer { line.close() }
        let count = line.fill()
        #expect(line.send(event("a", 1), aspect: "a"))
        #expect(line.drain())
        #expect(line.send(event("a", 2), aspect: "a"))
        #expect(line.drain())
        #expect(line.messages.dropFirst(count).map { $0["seq"] } == ["1", "2"])
    }

    @Test("Events of one aspect never pass the bound, however many")
    func coalescedFlood() {
        let line = Line()
        defer { line.close() }
        let count = line.fill()
        for number in 0..<5_000 {
            guard line.send(event("a", number, padding: number % 700), aspect: "a") else {
                Issue.record("dropped at \(number)")
                return
            }
        }
        #expect(line.drain())
        #expect(line.messages.dropFirst(count).map { $0["seq"] } == ["4999"])
    }

    @Test("A client that leaves more than 64 KiB unread loses its channel, and not before")
    func bound() {
        let line = Line()
        defer { line.close() }
        _ = line.fill()
        var last = 0
        for number in 0..<10_000 {
            let before = line.produced
            let isKept = line.send(event("e", number, padding: 90), aspect: number % 2 == 0 ? String(number) : nil)
            last = line.produced - before
            if !isKept { break }
        }
        line.read()
        let unsent = line.produced - line.received.count
        #expect(unsent > ControlSession.maximumUnsentBytes)
        #expect(unsent - last <= ControlSession.maximumUnsentBytes)
    }

    @Test("Some room gained, the rest waits on; all of it gained, nothing does")
    func flushing() {
        let line = Line()
        defer { line.close() }
        _ = line.fill()
        for number in 0..<200 { #expect(line.send(event("e", number, padding: 100))) }
        #expect(line.session.flush())
        #expect(line.session.hasUnsent)
        line.read()
        #expect(line.session.flush())
        #expect(line.session.hasUnsent)
        #expect(line.drain())
        #expect(!line.session.hasUnsent)
        #expect(line.session.flush())
    }

    /// So many lines, and how many of them were made so far.
    private final class Lines {
        var made = 0
        let count: Int

        init(_ count: Int) { self.count = count }

        func next() -> Message? {
            guard made < count else { return nil }
            made += 1
            return Message("line", [Field("n", String(made)), Field("pad", String(repeating: "z", count: 100))])
        }
    }

    @Test("Lines are made as they are read, whatever their number, and what is sent after them comes behind")
    func lines() {
        let line = Line()
        defer { line.close() }
        let lines = Lines(50_000)
        #expect(line.session.send(lines: lines.next))
        #expect(line.session.isTellingList)
        let made = lines.made
        #expect(made < 1_000)
        #expect(line.session.flush())
        #expect(lines.made == made)
        #expect(line.session.send(Message("ok")))
        #expect(line.drain())
        #expect(!line.session.isTellingList)
        let messages = line.messages
        #expect(messages.count == 50_001)
        #expect(messages.last?.verb == "ok")
        for (index, message) in messages.dropLast().enumerated() where message["n"] != String(index + 1) {
            Issue.record("line \(index + 1) is \(message)")
            return
        }
    }

    @Test("Few lines are as any message: they count as unread")
    func fewLines() {
        let line = Line()
        defer { line.close() }
        _ = line.fill()
        var sent = 0
        while sent < 10_000, line.session.send(lines: Lines(3).next) { sent += 1 }
        #expect(!line.session.isTellingList)
        #expect(sent > 100 && sent < 10_000)
    }

    @Test("What is sent behind lines that nobody reads is bounded as ever")
    func behindLines() {
        let line = Line()
        defer { line.close() }
        #expect(line.session.send(lines: Lines(50_000).next))
        var sent = 0
        while sent < 10_000, line.send(event("e", sent, padding: 100)) { sent += 1 }
        #expect(sent > 100 && sent < 10_000)
        // Of one kind the latest is enough.
        let other = Line()
        defer { other.close() }
        #expect(other.session.send(lines: Lines(2_000).next))
        for number in 0..<5_000 { #expect(other.send(event("a", number), aspect: "a")) }
        #expect(other.drain())
        #expect(other.messages.suffix(2).map(\.verb) == ["line", "event"])
        #expect(other.messages.last?["seq"] == "4999")
    }

    @Test("When it is others' turn there is an end to it, and the rest comes in later turns")
    func turns() {
        let line = Line(room: 1 << 20)
        defer { line.close() }
        let lines = Lines(100)
        #expect(line.session.send(lines: lines.next) { true })
        var turns = 1
        while line.session.hasUnsent, turns < 1_000 {
            #expect(line.session.flush { true })
            turns += 1
        }
        #expect(turns >= 100)
        line.read()
        #expect(line.messages.count == 100)
    }

    @Test("The other end gone, sending and flushing say so, and no signal comes")
    func gone() {
        let line = Line()
        defer { line.close() }
        line.closeClient()
        #expect(!line.send(Message("ok")))
        let full = Line()
        defer { full.close() }
        _ = full.fill()
        full.closeClient()
        #expect(!full.session.flush())
    }

    @Test("Messages are counted by the second")
    func flood() {
        let line = Line()
        defer { line.close() }
        let start = Instant(nanoseconds: 5_000_000_000)
        for _ in 0..<ControlSession.maximumMessagesPerSecond where !line.session.admitsMessage(at: start) {
            Issue.record("refused below the bound")
            return
        }
        #expect(!line.session.admitsMessage(at: start))
        #expect(!line.session.admitsMessage(at: start + .seconds(1)))
        #expect(line.session.admitsMessage(at: start + .milliseconds(1_001)))
    }

    @Test("An inherited connection is the app's; any other's role is to be found out")
    func roles() {
        let line = Line()
        defer { line.close() }
        #expect(line.session.role == .app(.a))
        let other = ControlSession(id: ConnectionID(2), descriptor: .none, of: nil)
        #expect(other.role == nil)
    }
}
