import CCurfew
import CurfewCore
import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

@Suite("An app's reaper that somebody has stopped goes on")
struct AppsHostReaperTests {
    private let scene = HostScene()
    private var host: HostScene.Host { scene.host }

    init() { host.hasReapers = true }

    /// An app whose reaper is a process that does nothing.
    private func hold(_ id: AppID = .a) -> (instance: Instance, reaper: Sleeper) {
        let (instance, reaper) = (scene.hold(id), Sleeper())
        instance.subreaper = Subreaper(pid: reaper.pid, channel: .none)
        host.children.register(reaper.pid, of: id)
        return (instance, reaper)
    }

    private func stop(_ process: Sleeper) {
        var info = curfew_wait_info()
        #expect(curfew_kill(process.pid, SIGSTOP) == 0)
        #expect(curfew_waitid(Int32(P_PID.rawValue), process.pid, WSTOPPED | WNOWAIT, &info) == 0)
    }

    private func isStopped(_ process: Sleeper) -> Bool { Procfs.stat(process.pid)?.isStopped == true }

    private func isStopToldYet(of process: Sleeper) -> Bool {
        var info = curfew_wait_info()
        _ = curfew_waitid(Int32(P_PID.rawValue), process.pid, WSTOPPED | WNOHANG | WNOWAIT, &info)
        return info.pid == process.pid
    }

    private func stopsTold(of app: AppID) -> Int { scene.records(of: app).only("supervisorStopped").count }

    @Test("All that were stopped are continued, and each is told of its own app")
    func continued() {
        let ((_, first), (_, second), (_, other)) = (hold(), hold(.b), hold(.c))
        defer { for each in [first, second, other] { each.end() } }
        for each in [first, second] { stop(each) }
        host.continueReapers()
        #expect(!isStopped(first))
        #expect(!isStopped(second))
        #expect([AppID.a, .b, .c].map { stopsTold(of: $0) } == [1, 1, 0])
        host.continueReapers()
        #expect(stopsTold(of: .a) == 1)
    }

    @Test("Stopped again at once it goes on, and isn't told once more")
    func again() {
        let (instance, reaper) = hold()
        defer { reaper.end() }
        // As if it had been told in a second to come.
        _ = instance.subreaperStops.isTold(at: host.kernel.now + .seconds(1000))
        stop(reaper)
        host.continueReapers()
        #expect(!isStopped(reaper))
        #expect(stopsTold(of: .a) == 0)
    }

    @Test("Any other child stays stopped: it is the app's own, or its terminal's doing")
    func others() {
        let (child, (_, reaper)) = (Sleeper(), hold())
        defer { for each in [child, reaper] { each.end() } }
        host.children.register(child.pid, of: .a)
        stop(child)
        stop(reaper)
        host.continueReapers()
        #expect(isStopped(child))
        #expect(!isStopped(reaper))
        #expect(stopsTold(of: .a) == 1)
    }

    @Test("Where apps have none nobody is looked for: what a stop means job control has to be told yet")
    func noReapers() {
        let (_, reaper) = hold()
        defer { reaper.end() }
        host.hasReapers = false
        stop(reaper)
        host.continueReapers()
        #expect(isStopped(reaper))
        #expect(isStopToldYet(of: reaper))
    }
}
