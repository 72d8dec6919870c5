import CCurfew
import CurfewCore
import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

@Suite("What a server tells of itself and its apps, and whom")
struct ServeTellingTests {
    private let scene = ServeScene(foregroundPlaces: 2)
    private var host: ServeHost { scene.host }

    // MARK: Who asks

    private func server(_ scene: ServeScene) -> [String: String] {
        let words = scene.ask("server id=1").first?.split(separator: " ") ?? []
        return Dictionary(
            words.compactMap { word in
                word.firstIndex(of: "=").map { (String(word[..<$0]), String(word[word.index(after: $0)...])) }
            }
        ) { first, _ in first }
    }

    @Test("A server tells who it is, how many apps it has, and who is in front")
    func server() {
        for name in ["mail", "music", "news"] { scene.launch(name) }
        scene.end("mail")
        let fields = server(scene)
        #expect(fields["name"] == "home")
        #expect(fields["pid"] == "\(getppid())")
        #expect(fields["supervisor"] == "\(getpid())")
        #expect(fields["apps"] == "3")
        #expect(fields["running"] == "2")
        #expect(fields["front"] == "news,music")
        #expect(fields["containment"] == "tree")
        #expect(fields["store"] == "ok")
        for key in ["joined", "output"] { #expect(fields[key] == nil, "\(key)") }
    }

    @Test("How many apps it can have it tells by the limit that is least")
    func capacity() {
        host.processLimit = ProcessLimit(count: 108, name: "RLIMIT_NPROC")
        let fields = server(scene)
        #expect(fields["maximum-apps"] == "100")
        #expect(fields["limited-by"] == "RLIMIT_NPROC")
    }

    @Test("Nobody in front, and no records, aren't told of; who only takes part is, also in front")
    func absent() {
        let scene = ServeScene(keeps: false)
        for key in ["front", "store"] { #expect(server(scene)[key] == nil, "\(key)") }
        let member = scene.client()
        #expect(
            scene.ask("join id=1 app=vim pid=42 state=active number=1", by: member) == ["ok id=1 server=home"])
        let fields = server(scene)
        #expect(fields["joined"] == "1")
        #expect(fields["front"] == "vim")
        #expect(fields["running"] == "0")
    }

    // MARK: Who follows

    @Test("Of an app that somebody follows more is kept, and less again once nobody does")
    func followed() throws {
        let mail = try #require(scene.launch("mail"))
        let music = try #require(scene.launch("music"))
        let follower = scene.client()
        #expect([mail, music].map { host.eventsKept(of: $0) } == [64, 64])
        _ = scene.ask("events id=1 app=mail follow=1", by: follower)
        #expect([mail, music].map { host.eventsKept(of: $0) } == [256, 64])
        follower.close()
        _ = scene.read()
        #expect([mail, music].map { host.eventsKept(of: $0) } == [64, 64])
    }

    @Test("Who follows all follows each")
    func allFollowed() throws {
        let apps = try ["mail", "music"].map { try #require(scene.launch($0)) }
        _ = scene.ask("events id=1 follow=1")
        #expect(apps.map { host.eventsKept(of: $0) } == [256, 256])
    }

    @Test("What is kept of one that nobody follows is at most twice that")
    func kept() throws {
        let app = try #require(scene.launch("mail"))
        for number in 0..<300 { host.record(.statusText("\(number)"), of: app) }
        let log = try #require(host.kernel.instances[app]?.log)
        #expect((64...128).contains(log.entries.count))
        #expect(log.lastNumber >= 300)
    }

    // MARK: Ends

    @Test("Of apps that end with the server nothing is told, unless there is something to tell")
    func toldEnds() {
        #expect(host.isTold(.sample(.userQuit)))
        host.isEnding = true
        #expect(!host.isTold(.sample(.userQuit)))
        #expect(host.isTold(.sample(.processExitWatchdog)))
    }

    // MARK: Whoever has started it

    /// What the manager is told from now on, by its means.
    private final class Manager {
        private(set) var texts: [String] = []

        init(of host: ServeHost) {
            host.manager = ServiceManager(environment: { $0 == "NOTIFY_SOCKET" ? "@x" : nil }, pids: []) {
                [unowned self] _, text in
                texts.append(text)
                return true
            }
        }
    }

    @Test("How many run, and who of them is in front")
    func status() {
        #expect(host.statusText == "no app runs")
        scene.launch("mail")
        #expect(host.statusText == "1 app runs, mail in front")
        scene.launch("music")
        #expect(host.statusText == "2 apps run, music and mail in front")
        for _ in 0..<2 { scene.ask("home id=1") }
        #expect(host.statusText == "2 apps run")
        _ = scene.ask("join id=1 app=vim pid=42 state=active number=1", by: scene.client())
        #expect(host.statusText == "2 apps run, vim in front")
        host.isEnding = true
        #expect(host.statusText == "ending; 2 apps run")
    }

    @Test("Its end may take as long as the slowest of its apps may, and what comes after that")
    func end() {
        let manager = Manager(of: host)
        for (name, seconds) in [("mail", 7), ("music", 12), ("news", 3)] as [(String, Int64)] {
            scene.definitions.define(name, manifest: { $0.policy.terminateLimit = .seconds(seconds) })
            #expect(scene.code("launch id=1 app=\(name)") == nil)
        }
        scene.ask("stop id=1")
        #expect(manager.texts == ["STOPPING=1\nSTATUS=ending; 3 apps run\nEXTEND_TIMEOUT_USEC=42000000"])
    }

    @Test("Without an app its end takes what comes after that")
    func endOfNothing() {
        let manager = Manager(of: host)
        scene.ask("stop id=1")
        #expect(manager.texts == ["STOPPING=1\nSTATUS=ending; no app runs\nEXTEND_TIMEOUT_USEC=30000000"])
    }

    @Test("Where one has no limit there is none")
    func endlessEnd() {
        let manager = Manager(of: host)
        scene.definitions.define("mail", manifest: { $0.policy.terminateLimit = .infinite })
        #expect(scene.code("launch id=1 app=mail") == nil)
        scene.ask("stop id=1")
        #expect(manager.texts.first?.hasSuffix("EXTEND_TIMEOUT_USEC=\(UInt64.max)") == true)
    }

    // MARK: By its socket

    /// A socket that whoever has started the server reads, or doesn't.
    private struct Listener {
        private let path: String
        private var descriptor: Descriptor

        init(at path: String) {
            self.path = path
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            let bound = withUnsafePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            #expect(bound == 0)
            descriptor = Descriptor(number)
        }

        func read() -> [String] {
            var (texts, buffer): ([String], [UInt8]) = ([], [UInt8](repeating: 0, count: 4096))
            while case let count = recv(descriptor.number, &buffer, buffer.count, Int32(MSG_DONTWAIT)), count > 0 {
                texts.append(String(decoding: buffer[..<count], as: UTF8.self))
            }
            return texts
        }

        mutating func close() {
            descriptor.close()
            unlink(path)
        }
    }

    /// As for a server that a manager has started, which is to listen there.
    private func findManager() -> String {
        let path = scene.folder.path + "/manager"
        setenv("NOTIFY_SOCKET", path, 1)
        host.findManager()
        unsetenv("NOTIFY_SOCKET")
        return path
    }

    private func tell() { host.manager?.reloaded(at: scene.kernel.clock) }

    @Test("Where nobody has named a socket nobody is told")
    func noManager() {
        unsetenv("NOTIFY_SOCKET")
        host.findManager()
        #expect(host.manager == nil)
    }

    @Test("That the manager can't be told is said once, and again only once it was told meanwhile")
    func unheard() {
        let path = findManager()
        let complaint = "curfew: run: can't tell READY=1 by NOTIFY_SOCKET: No such file or directory"
        for _ in 0..<2 { tell() }
        #expect(scene.told == [complaint])
        var listener = Listener(at: path)
        tell()
        #expect(listener.read() == ["READY=1"])
        #expect(scene.told == [complaint])
        listener.close()
        for _ in 0..<2 { tell() }
        #expect(scene.told == [complaint, complaint])
        // What came to nobody isn't sent once more.
        #expect(host.manager?.nextDue == nil)
    }

    @Test("What its socket has no room for is sent once it has, and nobody complains")
    func full() {
        var listener = Listener(at: findManager())
        defer { listener.close() }
        var sent = 0
        while host.manager?.nextDue == nil, sent < 100_000 {
            tell()
            sent += 1
        }
        #expect(sent > 1)
        #expect(listener.read().count == sent - 1)
        host.manager?.timeCame(at: scene.kernel.clock + .seconds(1)) { "" }
        #expect(listener.read() == ["READY=1"])
        #expect(scene.told == [])
    }
}
