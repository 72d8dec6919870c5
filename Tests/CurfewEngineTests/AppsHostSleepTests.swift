import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc
import Testing

@testable import CurfewEngine

@Suite("What comes to apps that may be stopped: settings, and input")
struct AppsHostSleepTests {
    private let scene = HostScene()
    private var host: HostScene.Host { scene.host }

    // MARK: Settings

    /// With a file of settings in the folder.
    private func holdWithSettings(in folder: ScratchFolder) throws -> (instance: Instance, path: String) {
        let path = folder.path + "/app.conf"
        try ScratchFolder.make(path, "one")
        let instance = scene.hold {
            $0.settingsPath = path
            $0.policy.announcesEvents = true
        }
        instance.settings = try host.watchSettings(of: instance.manifest, for: .a)
        return (instance, path)
    }

    private var told: [String] { scene.records().only("delivered settings", "note changeKept", "settingsLost") }

    @Test("A change of its settings wakes the loop, and is posted to the app; what is as it was isn't")
    func settings() throws {
        let folder = ScratchFolder()
        defer { folder.remove() }
        let (instance, path) = try holdWithSettings(in: folder)
        defer { instance.close() }
        host.settingsChanged(of: .a)
        #expect(told == [])
        try ScratchFolder.make(path, "another")
        #expect(host.loop.ready().map(\.token) == [EventLoop.Kind.settings.token(1)])
        host.settingsChanged(of: .a)
        #expect(told.count == 1)
        #expect(told.first?.hasPrefix("delivered settingsDidChange ") == true)
        #expect(host.loop.ready().isEmpty)
    }

    @Test("Kept for one that is stopped; of an app that isn't held, or has none, nothing is told")
    func settingsOfOthers() throws {
        let folder = ScratchFolder()
        defer { folder.remove() }
        let (instance, path) = try holdWithSettings(in: folder)
        defer { instance.close() }
        scene.hold(.b)
        scene.feed(.home(stopped: false, request: nil))
        try ScratchFolder.make(path, "another")
        host.settingsChanged(of: .b)
        host.settingsChanged(of: .c)
        #expect(scene.records(of: .b).only("delivered settings") == [])
        host.settingsChanged(of: .a)
        #expect(told == ["note changeKept(\"settingsDidChange\")"])
    }

    @Test("That they can't be watched any more is told, besides the change")
    func settingsLost() throws {
        let folder = ScratchFolder()
        defer { folder.remove() }
        let (instance, path) = try holdWithSettings(in: folder)
        defer { instance.close() }
        // A link that leads to itself.
        #expect(unlink(path) == 0 && symlink(path, path) == 0)
        host.settingsChanged(of: .a)
        #expect(told.count == 2)
        #expect(told.last?.hasPrefix("settingsLost ") == true)
    }

    @Test("What can't be watched is refused before anything is started")
    func unwatchable() {
        let manifest = Manifest.sample()
        manifest.settingsPath = "/nonexistent/app.conf"
        let error = #expect(throws: LaunchError.self) { try host.watchSettings(of: manifest, for: .a) }
        #expect(error?.status == 125)
        #expect(error?.problem.hasPrefix("--settings /nonexistent/app.conf: ") == true)
    }

    // MARK: Input

    private static let sleep: SleepPolicy = {
        var sleep = SleepPolicy()
        sleep.wakesForInput = true
        return sleep
    }()

    /// A program that listens at a socket, and waits.
    private final class Program {
        let process: Sleeper
        let socket: ListeningSocket
        private let folder = ScratchFolder()

        init() {
            let path = folder.path + "/s"
            let listening = curfew_unix_listen(path, 4)
            var status = curfew_file_status()
            #expect(curfew_fstat(listening, &status) == 0)
            socket = ListeningSocket(inode: status.inode, place: path)
            // The child has it too, and then alone.
            _ = fcntl(listening, F_SETFD, 0)
            process = Sleeper()
            close(listening)
        }

        func connect() -> Descriptor { Descriptor(curfew_unix_connect(socket.place ?? "", 0)) }

        func end() {
            process.end()
            folder.remove()
        }
    }

    /// At home and stopped, with all of its connections waited for.
    private func stopped(_ program: Program, _ change: (Instance) -> Void = { _ in }) -> Instance {
        let instance = scene.hold(leader: program.process.pid, below: getpid()) {
            $0.policy.sleep = Self.sleep
            $0.inputFilter = InputFilter(kinds: .connections)
        }
        scene.feed(.home(stopped: false, request: nil))
        #expect(scene.state() == .suspended)
        change(instance)
        var watching = InputWatching.pending
        // On a busy machine it takes more turns than one.
        for _ in 0..<1_000 where watching == .pending {
            watching = instance.watchInput(getsKeys: true, isAsleep: true) { [host] in host.holdsBack(.a, at: $0) }
        }
        #expect(watching == .watched(obstacle: nil))
        return instance
    }

    @Test("A connection resumes it, by what is told once it goes on")
    func input() {
        let program = Program()
        let instance = stopped(program)
        defer {
            instance.endInputWatch()
            program.end()
        }
        host.inputCame(for: .a)
        #expect(scene.state() == .suspended)
        #expect(instance.inputSeenAt == nil)
        var client = program.connect()
        defer { client.close() }
        host.inputCame(for: .a)
        #expect(scene.journal.take().contains("resume a"))
        #expect(scene.state() == .background)
        #expect(instance.inputSeenAt == host.turnBegan)
        #expect(instance.waking?.cause.hasPrefix("a connection") == true)
    }

    @Test("One to where others accept too has to wait: it resumes nobody, and is looked for later")
    func heldBack() {
        let program = Program()
        let instance = stopped(program) { [scene] _ in scene.feed(.connectionTaken(program.socket)) }
        defer {
            instance.endInputWatch()
            program.end()
        }
        var client = program.connect()
        defer { client.close() }
        host.inputCame(for: .a)
        #expect(scene.state() == .suspended)
        #expect(instance.inputSeenAt == nil)
        scene.kernel[.a].backlog = [program.socket]
        scene.kernel.clock = scene.kernel.clock + .seconds(1)
        host.engine.wake()
        #expect(scene.journal.take().only("connection") == ["connection? a: yes"])
    }

    @Test("Of an app that isn't held, or whose input nobody waits for, nothing comes")
    func noInput() {
        let instance = scene.hold { $0.policy.sleep = Self.sleep }
        scene.feed(.home(stopped: false, request: nil))
        host.inputCame(for: .a)
        host.inputCame(for: .c)
        #expect(scene.state() == .suspended)
        #expect(instance.inputSeenAt == nil)
    }

    @Test("Its own end of its control pipe is known, where input can wake it at all")
    func channel() {
        var ends: [Int32] = [-1, -1]
        _ = ends.withUnsafeMutableBufferPointer { curfew_socketpair($0.baseAddress) }
        defer { for end in ends { close(end) } }
        var status = curfew_file_status()
        #expect(curfew_fstat(ends[1], &status) == 0)
        let waking = scene.hold { $0.policy.sleep = Self.sleep }
        host.noteChannel(.none, of: waking)
        #expect(waking.channelSocket == nil)
        host.noteChannel(Descriptor(ends[1]), of: waking)
        #expect(waking.channelSocket == status.inode)
        let other = scene.hold(.b) { $0.policy.sleep = SleepPolicy() }
        host.noteChannel(Descriptor(ends[1]), of: other)
        #expect(other.channelSocket == nil)
    }

    // MARK: What is shown of that

    private func fields(_ instance: Instance) -> [String] {
        guard let app = host.engine.core.app(instance.id) else { return [] }
        return host.sleepFields(of: app, instance).map { "\($0.key)=\($0.value)" }
    }

    @Test("Nothing is shown of one that never sleeps")
    func neverAsleep() { #expect(fields(scene.hold()) == []) }

    @Test("What would wake it, and after what time it sleeps")
    func wakesFor() {
        let instance = scene.hold {
            $0.policy.sleep = Self.sleep
            $0.policy.sleep?.whenIdle = .seconds(90)
            $0.inputFilter = InputFilter(kinds: [.connections, .pipes], ports: [80])
        }
        #expect(fields(instance) == ["wake-on=connections:80,pipes", "sleep-when-idle=90.000"])
    }

    @Test("Whether it sleeps, for good or until it is woken, and how often it was")
    func asleep() {
        let instance = scene.hold { $0.policy.sleep = SleepPolicy() }
        scene.feed(.sleep(stays: false, request: nil))
        #expect(fields(instance) == ["asleep=true"])
        scene.feed(.sleep(stays: true, request: nil))
        #expect(fields(instance) == ["asleep=until-opened"])
        scene.feed(.open(request: nil))
        #expect(fields(instance) == [])
        instance.wakings.count(Waking(cause: "data", from: "a", resumedIn: .milliseconds(2)))
        #expect(fields(instance).prefix(3) == ["woken=1", "woken-by=data", "woken-from=a"])
    }

    @Test("Who else accepts where it listens, and what keeps it awake")
    func others() {
        let instance = scene.hold {
            $0.policy.sleep = Self.sleep
            $0.policy.sleep?.whenIdle = .seconds(8)
        }
        scene.feed(.connectionTaken(ListeningSocket(inode: 1, place: ":80")))
        scene.feed(.connectionTaken(ListeningSocket(inode: 2, place: ":81")))
        scene.feed(.beginTask(name: "x", owner: TaskOwners.leader, connection: nil, request: RequestID(1)))
        for _ in 0..<10 {
            scene.kernel.clock = scene.kernel.clock + .seconds(1)
            host.engine.wake()
        }
        #expect(
            fields(instance) == [
                "wake-on=none", "sleep-when-idle=8.000", "shared-listeners=at :80 after 1 s, at :81 after 1 s",
                "awake=it holds task 1",
            ])
    }
}
