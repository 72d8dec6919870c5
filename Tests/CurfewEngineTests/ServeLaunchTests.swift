import CurfewLinux
import Glibc
import Testing

@testable import CurfewCore
@testable import CurfewEngine

@Suite("What a server launches, with which options, and what it refuses to")
struct ServeLaunchTests {
    private let scene = ServeScene()
    private var host: ServeHost { scene.host }

    /// Refused with that code and those words; nothing was started.
    private func isRefused(_ request: String, _ code: String, _ words: String) -> Bool {
        let started = scene.programs.started
        let answer = scene.ask(request).last ?? ""
        return answer.hasPrefix("error id=1 code=\(code) ") && answer.contains(words)
            && scene.programs.started == started
    }

    /// Those of the app that runs.
    private func options(of name: String) -> LaunchOptions? {
        host.app(called: name).flatMap { host.engine.core.app($0)?.options }
    }

    // MARK: Options

    private static func pairs(_ numbers: Range<Int>) -> String { numbers.map { " option.k\($0)=v" }.joined() }

    @Test("What a launch says comes with what the app is always told, and in its place under the same key")
    func options() {
        scene.definitions.define("tool", manifest: { $0.launch.info = [Info("mode", "plain"), Info("size", "7")] })
        #expect(scene.code("launch id=1 app=tool option.mode=quick option.file=x background=1") == nil)
        #expect(options(of: "tool")?.info == [Info("size", "7"), Info("mode", "quick"), Info("file", "x")])
        #expect(options(of: "tool")?.inBackground == true)
        #expect(options(of: "tool")?.wakingEvent == nil)
    }

    @Test("Sixteen pairs are told and no more, those that it is always told among them")
    func mostPairs() {
        scene.definitions.define("tool")
        scene.definitions.define("full", manifest: { $0.launch.info = (0..<16).map { Info("k\($0)", "x") } })
        #expect(isRefused("launch id=1 app=tool" + Self.pairs(0..<17), "invalid", "at most 16 pairs"))
        #expect(scene.code("launch id=1 app=tool" + Self.pairs(0..<16)) == nil)
        #expect(isRefused("launch id=1 app=full option.more=v", "invalid", "at most 16 pairs"))
        #expect(scene.code("launch id=1 app=full option.k3=v") == nil)
    }

    @Test("What wouldn't fit the line by which the app is told is refused before it is launched")
    func tooLong() {
        scene.definitions.define("tool")
        let (most, more) = (String(repeating: "x", count: 3900), String(repeating: "x", count: 4040))
        #expect(isRefused("launch id=1 app=tool option.a=\(more)", "invalid", "don't fit a line of 4096 bytes"))
        #expect(scene.code("launch id=1 app=tool option.a=\(most)") == nil)
    }

    @Test("An event that takes a background mode launches only who has that mode, into background")
    func missingMode() {
        scene.definitions.define("tool", manifest: { $0.policy.backgroundModes = BackgroundModes([.voip]) })
        #expect(
            isRefused("launch id=1 app=tool wake=fetch", "no-background-mode", "tool has no background mode fetch"))
        scene.definitions.define("tool", manifest: { $0.policy.backgroundModes = BackgroundModes([.voip, .fetch]) })
        #expect(scene.code("launch id=1 app=tool wake=fetch") == nil)
        #expect(options(of: "tool")?.wakingEvent?.name == "fetch")
        #expect(scene.front == [])
    }

    // MARK: What there can be

    @Test("No more run than the least of the limits allows; once one has ended there is room for another")
    func mostApps() {
        host.processLimit = ProcessLimit(count: 10, name: "RLIMIT_NPROC")
        for name in ["mail", "music"] { scene.launch(name) }
        scene.definitions.define("news")
        #expect(isRefused("launch id=1 app=news", "limit", "2 apps run, as many as RLIMIT_NPROC allows"))
        #expect(isRefused("open id=1 app=news", "limit", "2 apps run"))
        scene.end("mail")
        #expect(scene.code("launch id=1 app=news") == nil)
    }

    @Test("Where the last one has taken what others need, none is launched before one has ended")
    func mostDescriptors() {
        scene.launch("mail")
        scene.definitions.define("news")
        host.lastDescriptor = Int32(clamping: host.descriptors.count)
        #expect(isRefused("launch id=1 app=news", "limit", "1 apps run, and hold as many descriptors"))
        scene.end("mail")
        #expect(scene.code("launch id=1 app=news") == nil)
    }

    @Test("All apps are held in one way; who asks for another is refused, who asks for none or that one isn't")
    func containment() throws {
        host.cgroups = try ServerCgroups.make(.tree, name: "test", proxy: getppid()) { _, _ in }
        for kind in [ContainmentKind.cgroup2, .cgroup1] {
            scene.definitions.define("tool", manifest: { $0.containment = kind })
            #expect(isRefused("launch id=1 app=tool", "invalid", "--containment \(kind.rawValue): "))
        }
        for kind in [ContainmentKind.auto, .tree] {
            scene.definitions.define("tool", manifest: { $0.containment = kind })
            #expect(scene.code("launch id=1 app=tool") == nil)
            scene.end("tool")
        }
    }

    @Test("Where the kernel has no process left the limit is looked at anew, and named; any other failure is one")
    func lackOfProcesses() {
        scene.definitions.define("mail")
        host.processLimit = ProcessLimit(count: 1 << 30, name: "of before")
        scene.programs.error = SpawnError(stage: .clone, errno: ENOMEM)
        #expect(isRefused("launch id=1 app=mail", "failed", "can't start program"))
        #expect(host.processLimit?.name == "of before")
        scene.programs.error = SpawnError(stage: .clone, errno: EAGAIN)
        #expect(isRefused("launch id=1 app=mail", "limit", ": there can't be more processes"))
        #expect(host.processLimit == ProcessLimit.least())
    }

    @Test("What a dead supervisor has left, and can't be taken away, is in its name's way until it can be")
    func blocked() {
        let folder = host.directory.path
        #expect(symlink("server/gone.sock", host.directory.socketPath("mail")) == 0)
        scene.definitions.define("mail")
        // Not ours alone, it isn't trusted, and so not locked.
        #expect(chmod(folder, 0o755) == 0)
        #expect(isRefused("launch id=1 app=mail", "busy", "a dead supervisor's socket is in the way"))
        #expect(scene.listed == [])
        #expect(chmod(folder, 0o700) == 0)
        #expect(scene.code("launch id=1 app=mail") == nil)
        #expect(scene.linked == ["mail"])
    }

    // MARK: Again

    @Test("Of those whose pause is over four are launched in a turn, and the next turn comes at once")
    func restartsInTurns() throws {
        let names = ["a", "b", "c", "d", "e", "f"]
        for name in names {
            scene.launch(name, restart: .always)
            scene.end(name)
        }
        #expect(host.apps.runningCount == 0)
        scene.pass(.seconds(1))
        #expect(host.apps.runningCount == 4)
        #expect(try #require(host.hostsDeadline) <= scene.kernel.clock)
        scene.pass(.zero)
        #expect(host.apps.runningCount == 6)
    }
}
