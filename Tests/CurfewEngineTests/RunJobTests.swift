import CCurfew
import CurfewCore
import Glibc
import Testing

@testable import CurfewEngine
@testable import CurfewLinux

@Suite("What a supervisor of one app does for the shell that it was started by")
struct RunJobTests {
    private let job = ShellJob()
    private var proxy: Sleeper { job.proxy }
    private var terminal: Terminal { job.terminal }

    private func end() { job.end() }

    /// With a terminal, unless it is said; its leader leads a group that can be stopped by one.
    private func scene(
        hasTerminal: Bool = true, _ change: (Manifest, SupervisorOptions) -> Void = { _, _ in }
    ) -> RunScene {
        let scene = RunScene(proxy: proxy.pid, leader: Sleeper(ownGroup: true), change)
        scene.host.console = job.console(
            scene.host.manifest, page: scene.pages.page, hasTerminal: hasTerminal, host: scene.host)
        return scene
    }

    // MARK: A stop by the terminal

    /// Once it is; nobody has taken that yet.
    private func stop(_ process: Sleeper, by signal: Int32 = SIGTSTP) {
        #expect(curfew_kill(process.pid, signal) == 0)
        #expect(waitid(process, WSTOPPED | WNOWAIT) == Int32(CLD_STOPPED))
    }

    /// What became of it; nil where nothing has that is asked for.
    private func waitid(_ process: Sleeper, _ options: Int32) -> Int32? {
        var info = curfew_wait_info()
        #expect(curfew_waitid(Int32(P_PID.rawValue), process.pid, options, &info) == 0)
        return info.pid == process.pid ? info.code : nil
    }

    private func isStopToldYet(of process: Sleeper) -> Bool { waitid(process, WSTOPPED | WNOHANG | WNOWAIT) != nil }

    @Test("Stopped by its terminal the app goes home, and the proxy stops as the shell is to see")
    func stopped() {
        defer { end() }
        let scene = scene()
        stop(scene.leader)
        scene.host.noteStop(of: scene.instance)
        #expect(scene.state == .suspended)
        #expect(scene.pages.wish.signal == SIGTSTP)
        #expect(!isStopToldYet(of: scene.leader))
    }

    @Test("What hasn't stopped since is at no home")
    func notStopped() {
        defer { end() }
        let scene = scene()
        scene.host.noteStop(of: scene.instance)
        #expect(scene.state == .active)
        #expect(scene.pages.wish.signal == 0)
    }

    @Test("Once the leader is gone, a stop of what it has left in its group is the app's")
    func leftStopped() {
        defer { end() }
        let scene = scene()
        let left = Sleeper(group: proxy.pid)
        defer { left.end() }
        scene.instance.reaped(ChildReport(pid: scene.leader.pid, change: .exited(code: 0), cpuMicroseconds: 0))
        stop(left)
        scene.host.noteStop(of: scene.instance)
        #expect(scene.state == .suspended)
    }

    @Test("Without a terminal, or a lifecycle, a stop means nothing, and isn't looked for", arguments: [false, true])
    func stopIgnored(hasTerminal: Bool) {
        defer { end() }
        let scene = scene(hasTerminal: hasTerminal) { manifest, _ in manifest.hasLifecycle = !hasTerminal }
        stop(scene.leader)
        scene.host.noteStop(of: scene.instance)
        #expect(isStopToldYet(of: scene.leader))
        #expect(scene.pages.wish.signal == 0)
    }

    // MARK: Home without a key

    @Test("Sent home by a client, the proxy stops as after the stop key; what is in front yet keeps it")
    func clientSentHome() {
        defer { end() }
        let scene = scene()
        scene.host.clientSentHome(RunHost.app)
        #expect(scene.pages.wish.signal == 0)
        scene.host.engine.feed(.app(RunHost.app, .home(stopped: false, request: nil)))
        #expect(scene.pages.wish.signal == 0)
        scene.host.clientSentHome(RunHost.app)
        #expect(scene.pages.wish.signal == SIGTSTP)
    }

    @Test("Asleep until it is opened the shell gets its prompt, as at home; asleep for a while it doesn't")
    func asleep() {
        defer { end() }
        for stays in [false, true] {
            let scene = scene()
            scene.host.engine.feed(.app(RunHost.app, .sleep(stays: stays, request: nil)))
            #expect(scene.host.isAppAsleep == !stays)
            #expect(scene.state == .suspended)
            #expect(scene.pages.wish.signal == (stays ? SIGTSTP : 0))
        }
    }

    // MARK: What its program gets

    private func attributes(_ scene: RunScene, ownsTerminal: Bool = true) throws -> LaunchAttributes {
        let console = try #require(scene.host.console)
        // As if the shell had put the proxy in front, of a real terminal.
        var setting = console.job.setting
        (setting.ownsTerminal, setting.givesOwnGroup) = (ownsTerminal, true)
        console.job = JobControl(setting)
        let signals = CommandSignals(callersMask: 0, callerIgnoredChild: false, timeout: nil)
        return scene.host.attributes(signals, console, nil)
    }

    @Test("Launched in front it takes the terminal, launched in background it gets it when it is opened")
    func terminalAtLaunch() throws {
        defer { end() }
        #expect(try attributes(scene()).terminal == terminal.descriptor.number)
        let behind = scene { manifest, _ in manifest.launch.inBackground = true }
        #expect(try attributes(behind).terminal == -1)
        #expect(try attributes(behind).hasOwnGroup)
        #expect(try attributes(behind).signals.resets(SIGTTIN))
        #expect(try attributes(scene()).signals.resets(SIGTTIN))
        #expect(try !attributes(scene(), ownsTerminal: false).signals.resets(SIGTTIN))
        #expect(try attributes(scene()).sharedGroup == proxy.pid)
    }

    @Test("What has no lifecycle has no control pipe, and what it was asked to go without it goes without")
    func otherAttributes() throws {
        defer { end() }
        let usual = try attributes(scene())
        #expect(usual.hasChannel)
        #expect(usual.channelNumber == 8)
        #expect(!usual.dropsCapabilities)
        #expect(!usual.setsNoNewPrivileges)
        let plain = try attributes(
            scene { manifest, _ in
                manifest.hasLifecycle = false
                manifest.dropsCapabilities = true
            })
        #expect(!plain.hasChannel)
        #expect(plain.dropsCapabilities)
        #expect(!plain.setsNoNewPrivileges)
        #expect(try attributes(scene { manifest, _ in manifest.setsNoNewPrivileges = true }).setsNoNewPrivileges)
    }

    @Test("The pipe's number is one that its caller doesn't have open, of a single digit, as far as there is one")
    func channelNumber() {
        defer { end() }
        var open: Set<Int32> = []
        var found: [Int32] = []
        while case let number = RunHost.freeChannelNumber(isOpen: { open.contains($0) }), number >= 0 {
            found.append(number)
            guard open.insert(number).inserted else { break }
        }
        #expect(found == [8, 9, 7, 6, 5, 4])
        let ours = RunHost.freeChannelNumber()
        #expect(ours < 0 || fcntl(ours, F_GETFD) < 0)
    }

    // MARK: As under timeout(1)

    private func timeout(sparesDescendants: Bool = false) -> (Manifest, SupervisorOptions) -> Void {
        { manifest, _ in
            manifest.hasLifecycle = false
            manifest.policy.timeout = TimeoutPolicy(sparesDescendants: sparesDescendants)
        }
    }

    /// The group that is signalled whole.
    private func group(_ proxy: Sleeper, _ change: (Manifest, SupervisorOptions) -> Void) -> Int32? {
        let scene = RunScene(proxy: proxy.pid, change)
        scene.host.prepareSignals(of: scene.instance)
        return scene.instance.ledByProxy
    }

    @Test("The proxy's group is signalled whole where the proxy leads it and nobody is to be spared; else none is")
    func signalledGroup() {
        defer { end() }
        let member = Sleeper(group: proxy.pid)
        defer { member.end() }
        #expect(group(proxy, timeout()) == proxy.pid)
        #expect(group(proxy, timeout(sparesDescendants: true)) == nil)
        #expect(group(member, timeout()) == nil)
        #expect(group(proxy) { _, _ in } == nil)
    }

    @Test("What is sent to the command is told in timeout's words, to who has asked to be told")
    func toldSignals() async throws {
        defer { end() }
        let result = try await #require(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            // It was started by its whole path, however this process was.
            let line = "command: " + Quoted.text(Manifest.sample().command) + "\n"
            _ = line.withCString { write(1, $0, strlen($0)) }
            for isVerbose in [false, true] {
                let scene = RunScene { _, options in
                    options.isVerbose = isVerbose
                    options.caller = "timeout"
                }
                scene.host.willSignal(RunHost.app, SIGTERM)
                scene.host.willSignal(AppID(7), SIGINT)
            }
        }
        let lines = String(decoding: result.standardOutputContent, as: UTF8.self).split(separator: "\n")
        let command = try #require(lines.first { $0.hasPrefix("command: ") }).dropFirst("command: ".count)
        let words = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(words == "timeout: sending signal TERM to command \(command)\n")
    }
}
