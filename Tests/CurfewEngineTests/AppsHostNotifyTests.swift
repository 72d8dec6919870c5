import CCurfew
import CurfewCore
import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

@Suite("What a supervisor makes of what its apps tell by sd_notify")
struct AppsHostNotifyTests {
    private let scene = HostScene()
    private var host: HostScene.Host { scene.host }

    /// What was told of main processes, and of those that are none.
    private var told: [String] { scene.records().only("mainProcess", "notificationIgnored") }

    // MARK: The status

    @Test("A status is kept and told of where it is another than before, be it none")
    func status() {
        let instance = scene.hold()
        for text in ["up", "up", ""] { host.statusTold(.a, text) }
        #expect(scene.records().only("statusText") == ["statusText up", "statusText "])
        #expect(instance.statusText == "")
        host.statusTold(.a, "up")
        #expect(instance.statusText == "up")
    }

    @Test("It is that app's alone, and nobody's where there is none of that number")
    func whoseStatus() {
        scene.hold()
        let other = scene.hold(.b)
        host.statusTold(.b, "up")
        host.statusTold(.c, "up")
        #expect(other.statusText == "up")
        #expect(scene.records().only("statusText") == [])
    }

    // MARK: The main process

    @Test("A process of the app that it names is the main one from then on, and its end wakes the loop")
    func named() {
        let (leader, other) = (Sleeper(), Sleeper())
        defer { leader.end() }
        let instance = scene.hold(leader: leader.pid, below: getpid())
        host.mainProcessNamed(.a, other.pid)
        #expect(instance.mainPid == other.pid)
        #expect(host.children.app(of: other.pid) == .a)
        #expect(host.mainProcesses == [other.pid])
        #expect(told == ["mainProcess \(other.pid)"])
        #expect(host.loop.ready().isEmpty)
        other.end(closing: false)
        #expect(host.loop.ready(within: 10_000).map(\.token) == [EventLoop.Kind.mainProcess.token(Int(other.pid))])
        host.forgetMainProcess(of: instance)
        close(other.pidfd)
    }

    @Test("Another in its place, or the leader again, and the one before isn't held any more, nor known as the app's")
    func renamed() {
        let (leader, first, second) = (Sleeper(), Sleeper(), Sleeper())
        defer { for each in [leader, first, second] { each.end() } }
        let instance = scene.hold(leader: leader.pid, below: getpid())
        host.mainProcessNamed(.a, first.pid)
        host.mainProcessNamed(.a, second.pid)
        #expect(first.holds == 1)
        #expect(host.children.app(of: first.pid) == nil)
        #expect(instance.mainPid == second.pid)
        host.mainProcessNamed(.a, leader.pid)
        #expect(second.holds == 1)
        #expect(host.children.app(of: second.pid) == nil)
        #expect(instance.mainProcess == nil)
        #expect(host.children.app(of: leader.pid) == .a)
        #expect(host.mainProcesses == [first.pid, second.pid, leader.pid])
        #expect(told == host.mainProcesses.map { "mainProcess \($0)" })
    }

    @Test("Named once more, it is no news, be it the leader or another")
    func unchanged() {
        let (leader, other) = (Sleeper(), Sleeper())
        defer {
            leader.end()
            other.end()
        }
        let instance = scene.hold(leader: leader.pid, below: getpid())
        host.mainProcessNamed(.a, leader.pid)
        #expect(told == [])
        for _ in 0..<2 { host.mainProcessNamed(.a, other.pid) }
        #expect(host.mainProcesses == [other.pid])
        #expect(other.holds == 2)
        host.forgetMainProcess(of: instance)
    }

    @Test("A stranger is refused, which is told, and the main process stays what it was")
    func stranger() {
        let leader = Sleeper()
        defer { leader.end() }
        let instance = scene.hold(leader: leader.pid, below: getpid())
        host.mainProcessNamed(.a, getppid())
        #expect(instance.mainPid == leader.pid)
        #expect(host.mainProcesses == [])
        #expect(host.children.app(of: getppid()) == nil)
        #expect(told == ["notificationIgnored MAINPID=\(getppid()) isn't a process of the app"])
    }

    @Test("So is one that no descriptor is left for")
    func noDescriptor() {
        let (leader, other) = (Sleeper(), Sleeper())
        defer {
            leader.end()
            other.end()
        }
        let instance = scene.hold(leader: leader.pid, below: getpid())
        host.descriptors = DescriptorLimit(count: 4)
        host.mainProcessNamed(.a, other.pid)
        #expect(instance.mainPid == leader.pid)
        #expect(other.holds == 1)
    }

    @Test("Of an app that isn't held none is named")
    func unheld() {
        scene.hold()
        host.mainProcessNamed(.c, getppid())
        #expect(host.mainProcesses == [])
        #expect(told == [])
    }

    // MARK: Its end

    /// Its pidfd says that it has ended, and nobody has reaped it yet.
    private func endMain(of instance: Instance) -> Sleeper {
        let main = Sleeper()
        host.mainProcessNamed(instance.id, main.pid)
        _ = curfew_kill(main.pid, SIGKILL)
        #expect(host.loop.ready(within: 10_000).count == 1)
        return main
    }

    @Test("Nobody tells how it ended: the run is over, and nothing is waited for any more")
    func mainEnded() {
        let leader = Sleeper()
        let instance = scene.hold(leader: leader.pid, below: getpid())
        let main = endMain(of: instance)
        defer {
            leader.end()
            main.end()
        }
        scene.kernel[.a].isAlive = false
        host.mainProcessEnded(main.pid)
        #expect(scene.state() == nil)
        #expect(instance.mainProcess == nil)
        #expect(host.children.app(of: main.pid) == nil)
        #expect(host.loop.ready().isEmpty)
    }

    @Test("Where the app's reaper has yet to tell how, it stays the main process, and doesn't wake the loop for ever")
    func mainEndsToBeTold() {
        let leader = Sleeper()
        let instance = scene.hold(leader: leader.pid, below: getpid())
        let main = endMain(of: instance)
        defer {
            instance.subreaper = nil
            host.forgetMainProcess(of: instance)
            leader.end()
            main.end()
        }
        // Whose child it is.
        instance.subreaper = Subreaper(pid: getpid(), channel: .none)
        host.mainProcessEnded(main.pid)
        #expect(scene.state() == .active)
        #expect(instance.mainProcess?.pid == main.pid)
        #expect(host.loop.ready().isEmpty)
    }

    @Test("One that is nobody's by now is a child that may have ended as any other")
    func nobodysEnd() {
        let instance = scene.hold()
        scene.setEnded(HostScene.nobody - 1, code: 3)
        host.mainProcessEnded(HostScene.nobody)
        #expect(instance.leaderOutcome == .exited(code: 3))
        #expect(!instance.hasEnds)
    }
}
