import CCurfew
import CurfewCore
import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

@Suite("What a keeper goes by when its supervisor was killed")
struct KeeperTests {
    private let pages = SharedPages()

    private func keeper(_ change: (Manifest) -> Void = { _ in }) -> Keeper {
        let manifest = Manifest.sample()
        change(manifest)
        return Keeper(pages.page, plan: RunPlan(manifest, SupervisorOptions()))
    }

    /// `timeout --foreground`.
    private var foreground: Keeper { keeper { $0.policy.timeout = TimeoutPolicy(sparesDescendants: true) } }

    // MARK: Its name

    @Test("It is called as its socket was, for the name that was asked for may have been taken")
    func name() {
        let keeper = keeper { $0.name = "mail" }
        #expect(keeper.name == "mail")
        pages.page.set(.socket, "/run/user/0/curfew/mail-2.sock")
        #expect(keeper.name == "mail-2")
        pages.page.set(.socket, "/run/user/0/curfew/nonsense")
        #expect(keeper.name == "mail")
        pages.page.set(.socket, "")
        #expect(self.keeper().name == AppName.fromCommand(self.keeper().manifest.command))
    }

    // MARK: Whom it ends

    @Test("The command alone is ended under --foreground, once there is one; its group and what it has left aren't")
    func sparesRest() {
        #expect(!foreground.sparesRest)
        pages.noteLaunch(70, group: 0)
        #expect(foreground.sparesRest)
        #expect(!keeper().sparesRest)
        #expect(!keeper { $0.policy.timeout = TimeoutPolicy() }.sparesRest)
    }

    @Test("A main process without a group of its own is signalled by itself")
    func mainProcessAlone() {
        let leader = Sleeper()
        pages.noteLaunch(leader.pid, group: 0)
        keeper().signalHeld(SIGTERM)
        #expect(leader.endingSignal() == SIGTERM)
    }

    @Test("With one, all of that is; the main process once")
    func group() {
        let leader = Sleeper(ownGroup: true)
        let member = Sleeper(group: leader.pid)
        pages.noteLaunch(leader.pid, group: leader.pid)
        keeper().signalHeld(SIGUSR1)
        #expect(leader.endingSignal() == SIGUSR1)
        #expect(member.endingSignal() == SIGUSR1)
    }

    @Test("Under --foreground the rest of its group is spared")
    func sparedGroup() {
        let leader = Sleeper(ownGroup: true)
        let member = Sleeper(group: leader.pid)
        defer { member.end() }
        pages.noteLaunch(leader.pid, group: leader.pid)
        foreground.signalHeld(SIGTERM)
        #expect(leader.endingSignal() == SIGTERM)
        #expect(Procfs.stat(member.pid)?.isGone == false)
    }

    @Test("A main process that has left its group is signalled as well as that")
    func leftGroup() {
        let leader = Sleeper()
        let member = Sleeper(ownGroup: true)
        pages.noteLaunch(leader.pid, group: member.pid)
        keeper().signalHeld(SIGTERM)
        #expect(leader.endingSignal() == SIGTERM)
        #expect(member.endingSignal() == SIGTERM)
    }

    @Test("Whoever isn't its child isn't signalled, whatever number is noted")
    func notOurs() {
        let bystander = Sleeper()
        defer { bystander.end() }
        pages.noteLaunch(0, group: 0)
        keeper().signalHeld(SIGTERM)
        pages.noteLaunch(Int32.max - 3, group: Int32.max - 3)
        keeper().signalHeld(SIGTERM)
        #expect(Procfs.stat(bystander.pid)?.isGone == false)
    }

    @Test("Under --foreground it waits for its command alone")
    func hasChildren() {
        let (leader, other) = (Sleeper(), Sleeper())
        defer { other.end() }
        pages.noteLaunch(leader.pid, group: 0)
        #expect(foreground.hasChildren)
        leader.end()
        #expect(!foreground.hasChildren)
        #expect(keeper().hasChildren)
    }

    // MARK: Cgroups

    @Test("Held by are those of processes, measured by the others; what isn't there isn't looked for")
    func cgroups() {
        let cgroups = NotedCgroups(page: pages.page)
        #expect(cgroups.holding == [])
        #expect(cgroups.measuring == [])
        pages.page.set(.memory, "/m")
        pages.page.set(.cpu, "/c")
        pages.page.set(.freezer, "/f")
        #expect(cgroups.holding == ["/f"])
        #expect(cgroups.measuring == ["/m", "/c"])
        pages.page.set(.unified, "/u")
        #expect(cgroups.holding == ["/u", "/f"])
    }

    @Test("All are removed, and one that can't be is told of, though the others are")
    func removal() {
        let paths: [(SharedPage.Path, String)] = [(.freezer, "/f"), (.memory, "/m"), (.cpu, "/c")]
        for (path, name) in paths { pages.page.set(path, name) }
        var (removed, stuck) = ([String](), "/f")
        let cgroups = NotedCgroups(page: pages.page) { path in
            if path != stuck { removed.append(path) }
            return path != stuck
        }
        let areRemoved = cgroups.remove(endsDelegation: true)
        #expect(!areRemoved)
        #expect(removed == ["/m", "/c"])
        stuck = ""
        let areGone = cgroups.remove(endsDelegation: true)
        #expect(areGone)
        #expect(removed == ["/m", "/c", "/f", "/m", "/c"])
    }
}
