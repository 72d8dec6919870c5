import CCurfew
import CurfewCore
import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

@Suite("Starting a program with its attributes")
struct LauncherTests {
    private static let signals = CommandSignals(callersMask: 0b101, callerIgnoredChild: true, timeout: nil)

    private let system = FakeLaunchSystem()

    private func start(
        inTimeoutsWords: Bool = false, _ change: (inout LaunchAttributes) -> Void = { _ in }
    ) throws(LaunchError) -> LaunchedProgram {
        var attributes = LaunchAttributes(environment: UnsafePointer(environ), signals: Self.signals)
        attributes.channelNumber = 8
        change(&attributes)
        let launcher = Launcher(
            command: "prog", arguments: UnsafePointer(CommandLine.unsafeArgv), usesTimeoutsWords: inTimeoutsWords,
            system: system)
        return try launcher.start(attributes, in: .tree)
    }

    private func error(inTimeoutsWords: Bool = false) -> LaunchError? {
        do throws(LaunchError) {
            _ = try start(inTimeoutsWords: inTimeoutsWords)
            return nil
        } catch {
            return error
        }
    }

    private func error(_ stage: SpawnError.Stage, _ number: Int32, inTimeoutsWords: Bool = false) -> LaunchError? {
        system.spawnError = SpawnError(stage: stage, errno: number)
        return error(inTimeoutsWords: inTimeoutsWords)
    }

    // MARK: What it asks for

    @Test("A program that runs: its pid, its own group, and both ends of its control pipe")
    func starts() throws {
        let program = try start()
        defer {
            close(system.channel.ours)
            close(system.channel.childs)
        }
        #expect(system.asked == ["awaited?", "channel", "spawn"])
        #expect(program.pid == 7)
        #expect(program.group == 7)
        #expect(program.channel.number == system.channel.ours)
        #expect(program.childsEnd.number == system.channel.childs)
        #expect(system.openEnds == [system.channel.ours, system.channel.childs])
        #expect(system.request?.channel == system.channel.childs)
        #expect(system.request?.channelNumber == 8)
    }

    @Test("Below a reaper it is that one's child; else its starter's")
    func reaper() throws {
        let own = try start { $0.hasChannel = false }
        #expect(own.reaper == 0)
        #expect(system.request?.reaper.image == -1)
        system.reaper = 9
        let program = try start {
            $0.hasChannel = false
            $0.reaper = (4, 5)
        }
        #expect(program.pid == 7)
        #expect(program.reaper == 9)
        #expect(system.request?.reaper.image == 4)
        #expect(system.request?.reaper.channel == 5)
        let refused = "can't start the reaper of prog: Permission denied"
        #expect(error(.reaper, EACCES) == LaunchError(125, refused))
    }

    @Test("Without a life in background there is no control pipe")
    func withoutChannel() throws {
        let program = try start {
            $0.hasChannel = false
            $0.channelNumber = -1
        }
        #expect(system.asked == ["awaited?", "spawn"])
        #expect(!program.channel.isOpen)
        #expect(system.request?.channel == -1)
    }

    @Test("Where the caller has every number open, the pipe is there but isn't handed down")
    func withoutNumber() throws {
        let program = try start { $0.channelNumber = -1 }
        defer {
            close(system.channel.ours)
            close(system.channel.childs)
        }
        #expect(program.channel.isOpen)
        #expect(system.request?.channel == -1)
    }

    @Test("It joins the group of whoever waits for it, or leads one of its own")
    func group() throws {
        let shared = try start {
            $0.hasChannel = false
            $0.hasOwnGroup = false
            $0.sharedGroup = 40
        }
        #expect(shared.group == 0)
        #expect(system.request?.hasOwnProcessGroup == false)
        #expect(system.request?.processGroup == 40)
        _ = try start {
            $0.hasChannel = false
            $0.sharedGroup = 40
        }
        #expect(system.request?.hasOwnProcessGroup == true)
        #expect(system.request?.processGroup == 0)
        #expect(system.request?.hasOwnSession == false)
    }

    @Test("Terminal, signals and privileges are the child's alone")
    func attributes() throws {
        _ = try start {
            $0.hasChannel = false
            $0.terminal = 5
            $0.dropsCapabilities = true
            $0.setsNoNewPrivileges = true
        }
        let request = try #require(system.request)
        #expect(request.terminal == 5)
        #expect(request.signalMask == 0b101)
        #expect(request.defaultSignals == 0)
        #expect(request.ignoredSignals == 1 << UInt64(SIGCHLD - 1))
        #expect(request.dropsCapabilities)
        #expect(request.setsNoNewPrivileges)
        #expect(request.parentDeathSignal == 0)
        #expect(request.cgroup == -1)
        #expect(request.joining == [])
    }

    // MARK: What can go wrong

    @Test("Nobody waits for it any more: nothing is started")
    func notAwaited() {
        system.isThere = false
        #expect(error() == LaunchError(125, "killed before prog was started"))
        #expect(system.asked == ["awaited?"])
    }

    @Test("No control pipe")
    func noChannel() {
        system.channelError = EMFILE
        #expect(error() == LaunchError(125, "make the control pipe: Too many open files"))
        #expect(system.asked == ["awaited?", "channel"])
    }

    @Test("A launch that fails leaves no descriptor open")
    func leavesNothing() {
        #expect(error(.exec, ENOENT) != nil)
        #expect(system.channelPipe != nil)
        #expect(system.openEnds == [])
    }

    @Test("127: not found; 126: can't be executed; in timeout's own words where it is that")
    func unrunnable() {
        #expect(error(.exec, ENOENT) == LaunchError(127, "prog: No such file or directory"))
        #expect(error(.exec, EACCES) == LaunchError(126, "prog: Permission denied"))
        #expect(error(.exec, ENOEXEC) == LaunchError(126, "prog: Exec format error"))
        let words = "failed to run command \(Quoted.text("prog")): "
        #expect(error(.exec, ENOENT, inTimeoutsWords: true) == LaunchError(127, words + "No such file or directory"))
        #expect(error(.exec, EACCES, inTimeoutsWords: true) == LaunchError(126, words + "Permission denied"))
    }

    @Test("125: the machine's want isn't the file's fault", arguments: [ENOMEM, EAGAIN, EMFILE, ENFILE])
    func want(_ number: Int32) {
        let reason = String(cString: strerror(number))
        #expect(error(.exec, number) == LaunchError(125, "can't start prog: \(reason)"))
        for inTimeoutsWords in [false, true] {
            let refused = error(.clone, number, inTimeoutsWords: inTimeoutsWords)
            #expect(refused?.status == 125)
            #expect(refused?.problem == "can't start prog: \(reason)")
            #expect(refused?.lacksProcess == (number == EAGAIN))
        }
    }

    @Test(
        "125: each step before the program is named",
        arguments: [SpawnError.Stage.join, .group, .terminal, .channel, .privileges])
    func preparation(_ stage: SpawnError.Stage) {
        let problem = "can't prepare prog (\(stage)): Operation not permitted"
        #expect(error(stage, EPERM) == LaunchError(125, problem))
        #expect(error(stage, EPERM, inTimeoutsWords: true) == LaunchError(125, problem))
    }

    @Test("A failed system call of Curfew's own is 125, with what of the command line it was for")
    func kernelError() {
        let failed = KernelError("make", "/x", errno: EROFS)
        #expect(LaunchError(failed) == LaunchError(125, "make /x: Read-only file system"))
        #expect(
            LaunchError(failed, for: "--containment tree").problem
                == "--containment tree: make /x: Read-only file system")
    }
}
