import Glibc
import Testing

@testable import CurfewLinux

@Suite("The name of a server's app")
struct AppLinkTests {
    private let folder: String
    private let directory: RuntimeDirectory

    init() {
        var template = Array("/tmp/curfew-link.XXXXXX".utf8CString)
        folder = mkdtemp(&template).map { String(cString: $0) } ?? ""
        directory = RuntimeDirectory(path: folder)
        mkdir(folder + "/server", 0o700)
    }

    private func listen(_ path: String) throws -> NamedSocket? {
        let base = path.hasPrefix("server/") ? directory.serverFolder : directory
        let name = String(path.split(separator: "/").last ?? "")
        guard case .claimed(let socket) = try NamedSocket.claim(name, in: base) else { return nil }
        return socket
    }

    private func claim(_ name: String, for server: String = "home") throws -> AppLink? {
        guard case .claimed(let link) = try AppLink.claim(name, for: server, in: directory) else { return nil }
        return link
    }

    private func close(_ socket: NamedSocket?) {
        guard var descriptor = socket?.descriptor else { return }
        descriptor.close()
    }

    private func clean() {
        for name in ["server/home.sock", "server/work.sock", "server", "web.sock", "db.sock", ""] {
            remove(folder + "/" + name)
        }
    }

    @Test("It leads to the server's socket, and is one app's alone")
    func claimed() throws {
        defer { clean() }
        let server = try listen("server/home")
        defer { close(server) }
        let link = try #require(try claim("web"))
        #expect(directory.server(of: "web") == "home")
        #expect(directory.isTaken("web"))
        #expect(try claim("web") == nil)
        #expect(try claim("web", for: "work") == nil)
        #expect(try listen("web") == nil)
        link.remove()
        #expect(!directory.isTaken("web"))
        #expect(try claim("web") != nil)
    }

    @Test("A supervisor's own name is none for a server's app")
    func taken() throws {
        defer { clean() }
        let server = try listen("server/home")
        let own = try listen("web")
        defer {
            close(server)
            close(own)
        }
        #expect(own != nil)
        #expect(try claim("web") == nil)
    }

    @Test("What leads to a server that is gone is in nobody's way", arguments: [false, true])
    func dead(isSocketGone: Bool) throws {
        defer { clean() }
        close(try listen("server/home"))
        #expect(try claim("web") != nil)
        if isSocketGone { remove(folder + "/server/home.sock") }
        let work = try listen("server/work")
        defer { close(work) }
        #expect(try claim("web", for: "work") != nil)
        #expect(directory.server(of: "web") == "work")
    }

    @Test("A supervisor takes the name of a server's app that is gone", arguments: [false, true])
    func takenOver(isSocketGone: Bool) throws {
        defer { clean() }
        close(try listen("server/home"))
        #expect(try claim("web") != nil)
        if isSocketGone { remove(folder + "/server/home.sock") }
        let own = try listen("web")
        defer { close(own) }
        #expect(own != nil)
    }

    @Test("Who keeps takes away the names of the dead server, and no other's")
    func removed() throws {
        defer { clean() }
        close(try listen("server/home"))
        let work = try listen("server/work")
        defer { close(work) }
        _ = try claim("web")
        _ = try claim("db", for: "work")
        AppLink.removeAll(of: "home", in: directory)
        #expect(directory.names() == ["db"])
        #expect(directory.servers() == ["work"])
        AppLink.removeAll(of: "work", in: directory)
        #expect(directory.names() == ["db"])
    }
}

@Suite("The cgroups of a server's apps")
struct ServerCgroupsTests {
    @Test("Their names tell the app's number, to the server that made them")
    func names() {
        let name = ServerCgroups.appsName("a.b-3", number: 1_048_577)
        #expect(name == "curfew.a.b-3.1048577.\(getpid())")
        #expect(ServerCgroups.number(inName: name[...]) == 1_048_577)
        #expect(ServerCgroups.number(inName: name[...], of: getpid() + 1) == nil)
        #expect(ServerCgroups.number(inName: "curfew.web.\(getpid())") == nil)
        #expect(ServerCgroups.number(inName: "other.web.3.\(getpid())") == nil)
        #expect(CgroupDirectory.isApps(name[...]))
    }
}
