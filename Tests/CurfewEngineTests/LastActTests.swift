import CCurfew
import CurfewCore
import CurfewWire
import Glibc
import Testing

@testable import CurfewEngine
@testable import CurfewLinux

/// What ends a process can't return: each of these runs in a process of its own, which tells what is to be looked at by a line.
@Suite("The last act of a process: all that is the app's ends, and then it does itself")
struct LastActTests {
    @Test("A keeper ends the main process and whoever else there is, and takes the socket away")
    func keeper() async throws {
        let result = try await #require(
            processExitsWith: .exitCode(125), observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let (pages, leader, other) = (SharedPages(), Sleeper(ownGroup: true), Sleeper())
            let folder = Stage.begin(leader.pid, other.pid)
            let socket = RuntimeDirectory(path: folder.path).socketPath("mail")
            var listening = Descriptor(curfew_unix_listen(socket, 16))
            listening.close()
            pages.page.set(.socket, socket)
            pages.noteLaunch(leader.pid, group: leader.pid)
            Keeper(pages.page, plan: RunPlan(Manifest.sample(), SupervisorOptions())).takeOver()
        }
        let words = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(
            words.hasPrefix("curfew: mail: killed: supervisor-exit: the supervisor was killed, so its app was ended\n"))
        try Stage.end(result.standardOutputContent) { #expect($0.names.filter { $0.hasSuffix(".sock") } == []) }
    }

    @Test("Told to resume it continues the main process instead, and ends as that does")
    func resumingKeeper() async throws {
        let result = try await #require(processExitsWith: .signal(SIGTERM), observing: [\.standardOutputContent]) {
            let (pages, leader) = (SharedPages(), Sleeper())
            _ = Stage.begin(leader.pid)
            _ = curfew_kill(leader.pid, SIGSTOP)
            var info = curfew_wait_info()
            _ = curfew_waitid(Int32(P_PID.rawValue), leader.pid, WSTOPPED, &info)
            // It has that once it is continued.
            _ = curfew_kill(leader.pid, SIGTERM)
            pages.noteLaunch(leader.pid, group: 0)
            let options = SupervisorOptions()
            options.onSupervisorExit = .resume
            Keeper(pages.page, plan: RunPlan(Manifest.sample(), options)).takeOver()
        }
        try Stage.end(result.standardOutputContent) { _ in }
    }

    @Test("A server's keeper ends whoever there is, and takes the names of its apps away")
    func serverKeeper() async throws {
        let result = try await #require(
            processExitsWith: .exitCode(125), observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let (pages, app) = (SharedPages(), Sleeper())
            _ = Stage.begin(app.pid)
            let plan = ServerPlan(name: "home", containment: .tree, options: SupervisorOptions())
            ServerKeeper(page: pages.page, plan: plan).takeOver()
        }
        let words = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(words.contains("supervisor-exit: the server home was killed, so its apps were ended"))
        try Stage.end(result.standardOutputContent) { _ in }
    }

    @Test("A supervisor whose proxy is gone kills its app until that has gone, however long it takes")
    func supervisor() async {
        await #expect(processExitsWith: .exitCode(125)) {
            let scene = RunScene()
            scene.leader.end()
            // Were it not killed, it would be there for ever.
            scene.kernel[RunHost.app].dies = .after(2)
            scene.kernel[RunHost.app].leaves = .after(2)
            alarm(Stage.patience)
            scene.hears(Int32(CURFEW_PROXY_GONE_SIGNAL))
        }
    }

    @Test("So does a server, which ends what is known to be no app's as well, and leaves no name")
    func server() async throws {
        let result = try await #require(processExitsWith: .exitCode(125), observing: [\.standardOutputContent]) {
            let (scene, stray) = (ServeScene(), Sleeper())
            if let app = scene.launch("mail") { scene.kernel[app].leaves = .after(2) }
            _ = Stage.begin(stray.pid, in: scene.folder)
            scene.host.endWithoutProxy()
        }
        try Stage.end(result.standardOutputContent) { #expect($0.names.filter { $0.hasPrefix("mail") } == []) }
    }

    // MARK: Ending by itself

    @Test("A server that is over stops its records while its clients wait yet, and leaves no name")
    func overServer() async throws {
        let result = try await #require(
            processExitsWith: .exitCode(0), observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let scene = ServeScene()
            scene.launch("mail")
            let client = scene.client()
            let server = scene.host.directory.serverSocketPath("home")
            scene.host.socket = NamedSocket(name: "home", path: server, descriptor: .none)
            _ = Stage.begin(in: scene.folder)
            scene.records?.whenStopped = {
                _ = client.read()
                Stage.tell(client.isClosed ? "stopped late" : "stopped")
            }
            scene.host.finish()
        }
        #expect(Stage.told(result.standardOutputContent) == ["stopped"])
        try Stage.end(result.standardOutputContent) {
            #expect($0.names.filter { $0.hasSuffix(".sock") } == [])
            #expect(Directory.names(of: $0.path + "/server") == [])
        }
    }

    @Test("Where nothing could be started that is said and reported, with its status, and nothing stays")
    func failedRun() async throws {
        let result = try await #require(
            processExitsWith: .exitCode(127), observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let folder = Stage.begin()
            let report = try ReportFile.open(folder.path + "/report")
            let pages = SharedPages()
            let host = RunHost(
                RunPlan(Manifest.sample(), SupervisorOptions()), page: pages.page, proxy: getppid(), callersMask: 0,
                report: report, journal: nil, channelNumber: 8, machine: FakeKernel(Journal()))
            host.draft.name = "mail"
            if case .claimed(let socket) = try NamedSocket.claim("mail", in: RuntimeDirectory(path: folder.path)) {
                host.socket = socket
            }
            host.fail(LaunchError(127, "nothing: no such command"))
        }
        let words = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(words == "curfew: run: nothing: no such command\n")
        try Stage.end(result.standardOutputContent) {
            #expect($0.names == ["report"])
            let report = try #require(SmallFile.bytes(of: $0.path + "/report"))
            let json = try JSON.parse(report)
            #expect(json["app"] == .string("mail"))
            #expect(json["status"] == .integer(127))
            #expect(json["message"] == .string("nothing: no such command"))
        }
    }

    @Test("A server that can't be started says why, twice where nobody took it at once, and ends with that status")
    func failedServer() async throws {
        let result = try await #require(
            processExitsWith: .exitCode(75), observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let scene = ServeScene()
            let server = scene.host.directory.serverSocketPath("home")
            scene.host.socket = NamedSocket(name: "home", path: server, descriptor: .none)
            _ = Stage.begin(in: scene.folder)
            scene.whenTold = { Stage.tell($0) }
            scene.unreadTries = 1
            scene.host.fail(LaunchError(75, "the server home is running already"))
        }
        #expect(Stage.told(result.standardOutputContent) == ["curfew: run: the server home is running already"])
        try Stage.end(result.standardOutputContent) { #expect(Directory.names(of: $0.path + "/server") == []) }
    }
}

/// What a process that is to end tells of itself, and what is looked at afterwards.
private enum Stage {
    /// After so many seconds it is given up.
    static let patience: UInt32 = 60

    /// Its state and its names go to a folder of its own. Tells of that, and of the processes.
    static func begin(_ pids: Int32..., in folder: ScratchFolder = ScratchFolder()) -> ScratchFolder {
        alarm(patience)
        for name in ["HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"] { setenv(name, folder.path, 1) }
        let line = ([folder.path] + pids.map(String.init)).joined(separator: " ") + "\n"
        _ = line.withCString { write(1, $0, strlen($0)) }
        return folder
    }

    /// More of what is to be looked at, a line.
    static func tell(_ line: String) { _ = (marker + line + "\n").withCString { write(1, $0, strlen($0)) } }

    static func told(_ output: [UInt8]) -> [String] {
        String(decoding: output, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix(marker) }.map {
            String($0.dropFirst(marker.count))
        }
    }

    private static let marker = "told: "

    /// Looks at what is in the folder, and that nobody is left.
    static func end(_ output: [UInt8], _ look: (ScratchFolder) throws -> Void) throws {
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix("/tmp/") })
        let words = line.split(separator: " ")
        for word in words.dropFirst() {
            let pid = try #require(Int32(word))
            #expect(Procfs.stat(pid) == nil, "\(pid) is left")
        }
        let folder = ScratchFolder(at: String(words[0]))
        defer { folder.remove() }
        try look(folder)
    }
}
