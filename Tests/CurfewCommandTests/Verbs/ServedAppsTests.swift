import CurfewLinux
import CurfewWire
import Glibc
import Testing

@testable import CurfewCommand

@Suite("Apps of a server, as other verbs see them")
struct ServedAppsTests {
    @Test("All that run are asked for at one request; the tasks of each stand before its status")
    func all() throws {
        let supervisor = ScriptedSupervisor([
            "status id=1 app=web state=active pid=10", "task id=1 task=1 name=t age=3.000",
            "status id=1 app=db state=suspended pid=12", "ok id=1 count=2",
        ])
        var client = supervisor.client()
        let apps = try AppLookup.apps(of: "home", &client)
        #expect(apps.map(\.name) == ["web", "db"])
        #expect(apps.map(\.tasks.count) == [0, 1])
        #expect(apps.map(\.server) == ["home", "home"])
        #expect(supervisor.requests == ["status id=1"])
    }

    @Test("A request that names an app is left as it is")
    func named() throws {
        let supervisor = ScriptedSupervisor(["ok id=1", "ok id=1"])
        var client = supervisor.client(of: "web")
        _ = try client.request(Message("home", [Field("id", "1")]))
        _ = try client.request(Message("home", [Field("id", "1"), Field("app", "db")]))
        #expect(supervisor.requests == ["home id=1 app=web", "home id=1 app=db"])
    }

    /// A runtime directory with these links, NAME to target.
    private func directory(_ links: [String: String], _ body: (RuntimeDirectory) throws -> Void) throws {
        var template = Array("/tmp/curfew-served-XXXXXX".utf8CString)
        let path = String(cString: try #require(mkdtemp(&template)))
        let directory = RuntimeDirectory(path: path)
        for (name, target) in links { symlink(target, directory.socketPath(name)) }
        defer {
            for name in links.keys { unlink(directory.socketPath(name)) }
            rmdir(path)
        }
        try body(directory)
    }

    @Test("A name that leads to a server's socket is that server's")
    func link() throws {
        try directory(["a": "server/home.sock", "b": "/else/where.sock", "c": "server/.sock", "d": "server/x/y.sock"]) {
            #expect($0.server(of: "a") == "home")
            #expect($0.server(of: "b") == nil)
            #expect($0.server(of: "c") == nil)
            #expect($0.server(of: "d") == nil)
            #expect($0.server(of: "nobody") == nil)
        }
    }

    @Test("With the whole path, too")
    func wholeLink() throws {
        try directory([:]) {
            symlink($0.path + "/server/work.sock", $0.socketPath("a"))
            #expect($0.server(of: "a") == "work")
            unlink($0.socketPath("a"))
        }
    }

    @Test("Who is meant by a name")
    func targets() throws {
        try directory(["web": "server/home.sock"]) { directory in
            let lookup = AppLookup(verb: "home", directory: directory)
            let web = try #require(try lookup.target(of: "web"))
            #expect(web.app == "web")
            #expect(web.path == directory.serverSocketPath("home"))
            let other = try #require(try lookup.target(of: "other"))
            #expect(other.app == nil)
            #expect(other.absence == "no app called other is running; `curfew ps` lists those that are")
            let asked = AppLookup(verb: "home", server: "work", directory: directory)
            let served = try #require(try asked.target(of: "other"))
            #expect(served.app == "other")
            #expect(served.path == directory.path + "/server/work.sock")
            #expect(served.absence == "no server called work is running; `curfew serve` starts one")
        }
    }

    @Test("One that nobody holds is the usual server's, where there is one")
    func usual() throws {
        try directory([:]) { directory in
            let lookup = AppLookup(verb: "open", directory: directory)
            #expect(try lookup.target(ofAny: "web").app == nil)
            mkdir(directory.serverFolder.path, 0o700)
            let socket = try listening(at: directory.serverSocketPath("home"))
            #expect(try lookup.target(ofAny: "web").app == "web")
            #expect(try lookup.target(ofAny: "web").path == directory.serverSocketPath("home"))
            close(socket)
            #expect(try lookup.target(ofAny: "web").app == nil)
            unlink(directory.serverSocketPath("home"))
            rmdir(directory.serverFolder.path)
        }
    }

    private func listening(at path: String) throws -> Int32 {
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0 && listen(socket, 1) == 0)
        return socket
    }
}
