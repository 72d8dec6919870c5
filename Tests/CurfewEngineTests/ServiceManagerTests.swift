import CurfewCore
import Testing

@testable import CurfewEngine

@Suite("What whoever has started a server is told")
struct ServiceManagerTests {
    /// What is told, for a test to look at.
    private final class Told {
        var sockets: [String] = []
        var texts: [String] = []
        /// Its socket takes nothing.
        var isFull = false

        func take() -> [String] {
            defer { texts = [] }
            return texts
        }
    }

    private let told = Told()

    private func manager(_ environment: [String: String]) -> ServiceManager? {
        let told = told
        return ServiceManager(environment: { environment[$0] }, pids: [70, 71]) { socket, text in
            if told.isFull { return false }
            told.sockets.append(socket)
            told.texts.append(text)
            return true
        }
    }

    private func watching(_ more: [String: String]) -> ServiceManager? {
        manager(["NOTIFY_SOCKET": "/run/n"].merging(more) { $1 })
    }

    private static func at(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: 5_000_000_000) + .milliseconds(milliseconds)
    }

    /// When signs of life are given, in milliseconds from `ready`; looked at once in each of `looks`.
    private func signs(_ environment: [String: String], looks: [Int64]) throws -> [Int64] {
        var manager = try #require(watching(environment))
        manager.ready(status: "", at: Self.at(0))
        return looks.filter { look in
            told.texts = []
            manager.timeCame(at: Self.at(look)) { "" }
            return told.texts.contains("WATCHDOG=1")
        }
    }

    // MARK: Who wants to be told

    @Test("Nobody, where no socket is named")
    func nobody() {
        #expect(manager([:]) == nil)
        #expect(manager(["NOTIFY_SOCKET": "", "WATCHDOG_USEC": "1000000"]) == nil)
    }

    @Test("All is told by the socket that is named")
    func socket() throws {
        var manager = try #require(watching([:]))
        manager.ready(status: "no app runs", at: Self.at(0))
        #expect(told.sockets == ["/run/n"])
        #expect(told.texts == ["READY=1\nSTATUS=no app runs"])
    }

    // MARK: Signs of life

    @Test("They come at half of what is waited for, counted from the last")
    func pace() throws {
        #expect(
            try signs(["WATCHDOG_USEC": "2000000"], looks: [999, 1000, 1999, 2500, 3000, 3500]) == [1000, 2500, 3500])
    }

    @Test("The loop is woken for the next one, and not before it serves")
    func due() throws {
        var manager = try #require(watching(["WATCHDOG_USEC": "2000000"]))
        #expect(manager.nextDue == nil)
        manager.ready(status: "", at: Self.at(0))
        #expect(manager.nextDue == Self.at(1000))
        manager.timeCame(at: Self.at(1700)) { "" }
        #expect(manager.nextDue == Self.at(2700))
    }

    @Test("Without a watchdog the loop is woken for nothing")
    func noWatchdog() throws {
        var manager = try #require(watching([:]))
        manager.ready(status: "", at: Self.at(0))
        #expect(manager.nextDue == nil)
    }

    @Test("They are given where the process that was started, or the server's, is meant", arguments: ["70", "71"])
    func meant(pid: String) throws {
        #expect(try signs(["WATCHDOG_USEC": "2000000", "WATCHDOG_PID": pid], looks: [1000]) == [1000])
    }

    @Test("None is given for another process", arguments: ["72", "", "7", "070", "x"])
    func another(pid: String) throws {
        #expect(try signs(["WATCHDOG_USEC": "2000000", "WATCHDOG_PID": pid], looks: [1000, 9_000_000]) == [])
    }

    @Test("What is no interval asks for none", arguments: ["", "0", "-5", "x", "1s", "9223372036854775807"])
    func noInterval(text: String) throws {
        #expect(try signs(["WATCHDOG_USEC": text], looks: [1, 9_000_000]) == [])
    }

    @Test("However short it is, the loop comes to something else")
    func shortest() throws {
        #expect(try signs(["WATCHDOG_USEC": "1"], looks: [0, 1]) == [1])
    }

    @Test("They go on while it ends")
    func ending() throws {
        var manager = try #require(watching(["WATCHDOG_USEC": "2000000"]))
        manager.ready(status: "", at: Self.at(0))
        manager.stopping(status: "", within: .seconds(1), at: Self.at(0))
        _ = told.take()
        manager.timeCame(at: Self.at(1000)) { "" }
        #expect(told.take() == ["WATCHDOG=1"])
    }

    // MARK: The status

    @Test("Before it serves none is told")
    func unready() throws {
        var manager = try #require(watching([:]))
        manager.statusChanged(at: Self.at(0))
        #expect(manager.nextDue == nil)
    }

    @Test("It is as it is when its moment has come, and that comes once a second at most")
    func status() throws {
        var manager = try #require(watching([:]))
        manager.ready(status: "0", at: Self.at(0))
        _ = told.take()
        for change in [10, 20, 30] as [Int64] { manager.statusChanged(at: Self.at(change)) }
        #expect(manager.nextDue == Self.at(1000))
        manager.timeCame(at: Self.at(999)) { "early" }
        manager.timeCame(at: Self.at(1000)) { "3" }
        manager.timeCame(at: Self.at(1001)) { "again" }
        #expect(told.take() == ["STATUS=3"])
        #expect(manager.nextDue == nil)
        manager.statusChanged(at: Self.at(5000))
        #expect(manager.nextDue == Self.at(5000))
    }

    // MARK: Reload and end

    @Test("A reload is told before and after it")
    func reload() throws {
        var manager = try #require(watching([:]))
        manager.reloading(at: Self.at(0))
        #expect(told.take() == ["RELOADING=1\nMONOTONIC_USEC=5000000"])
        manager.reloaded(at: Self.at(1))
        #expect(told.take() == ["READY=1"])
    }

    // MARK: A full socket

    @Test("What finds no room is told as soon as there is some, in order")
    func full() throws {
        var manager = try #require(watching([:]))
        told.isFull = true
        manager.ready(status: "0", at: Self.at(0))
        manager.reloading(at: Self.at(10))
        #expect(manager.nextDue == Self.at(100))
        manager.timeCame(at: Self.at(100)) { "" }
        #expect(manager.nextDue == Self.at(200))
        told.isFull = false
        manager.reloaded(at: Self.at(150))
        #expect(told.take() == [])
        manager.timeCame(at: Self.at(200)) { "" }
        #expect(told.take() == ["READY=1\nSTATUS=0", "RELOADING=1\nMONOTONIC_USEC=5010000", "READY=1"])
        #expect(manager.nextDue == nil)
    }

    @Test("A sign of life that finds no room is none, and none comes before what waits")
    func fullForSigns() throws {
        var manager = try #require(watching(["WATCHDOG_USEC": "2000000"]))
        told.isFull = true
        manager.ready(status: "", at: Self.at(0))
        manager.timeCame(at: Self.at(1000)) { "" }
        told.isFull = false
        manager.timeCame(at: Self.at(1100)) { "" }
        #expect(told.take() == ["READY=1\nSTATUS="])
        manager.timeCame(at: Self.at(2000)) { "" }
        #expect(told.take() == ["WATCHDOG=1"])
    }

    @Test("Of very much that waits the oldest is let go")
    func overfull() throws {
        var manager = try #require(watching([:]))
        told.isFull = true
        for _ in 0..<20 { manager.reloaded(at: Self.at(0)) }
        told.isFull = false
        manager.timeCame(at: Self.at(100)) { "" }
        #expect(told.take().count == 16)
    }

    @Test("Its end is told with the time that it takes")
    func stopping() throws {
        var manager = try #require(watching([:]))
        manager.ready(status: "", at: Self.at(0))
        manager.statusChanged(at: Self.at(1))
        _ = told.take()
        manager.stopping(status: "ending; 2 apps run", within: .seconds(35), at: Self.at(1))
        #expect(told.take() == ["STOPPING=1\nSTATUS=ending; 2 apps run\nEXTEND_TIMEOUT_USEC=35000000"])
        #expect(manager.nextDue == nil)
        manager.statusChanged(at: Self.at(2))
        #expect(manager.nextDue == nil)
    }

    @Test("An end that nothing bounds asks for all the time there is")
    func unbounded() throws {
        var manager = try #require(watching([:]))
        manager.stopping(status: "", within: .infinite, at: Self.at(0))
        #expect(told.take() == ["STOPPING=1\nSTATUS=\nEXTEND_TIMEOUT_USEC=18446744073709551615"])
    }
}
