import CCurfew
import Glibc
import Testing

@testable import CurfewLinux

@Suite("What /proc says of real processes")
struct ProcfsTests {
    @Test("This process: its parent, its group, its threads, running")
    func ownStat() throws {
        let stat = try #require(Procfs.stat(getpid()))
        #expect(stat.parent == getppid())
        #expect(stat.processGroup == getpgrp())
        #expect(stat.threads >= 1)
        #expect(stat.startTime > 0)
        #expect(!stat.isGone)
        #expect(!stat.isStopped)
        #expect(!stat.isSupervisor)
    }

    @Test("A pid that nobody has gives nothing, and no trap")
    func nobodysPid() {
        #expect(Procfs.stat(nobody) == nil)
        #expect(Procfs.children(of: nobody) == [])
        #expect(Procfs.tracer(of: nobody) == 0)
        #expect(Procfs.anonymousResident(nobody) == nil)
        #expect(Procfs.proportionalFootprint(nobody) == nil)
        #expect(Procfs.unifiedCgroup(of: nobody) == nil)
        #expect(Procfs.waitChannel(nobody) == nil)
        #expect(Procfs.commandName(nobody) == nil)
    }

    @Test("A child that ended and wasn't waited for is gone, and has its name until it is")
    func zombie() throws {
        let child = try TestChild(["/bin/true"])
        defer { child.end() }
        #expect(eventually { Procfs.stat(child.pid)?.isGone == true })
        #expect(Procfs.commandName(child.pid) == "true")
        #expect(child.wait() == .exited(code: 0))
        #expect(Procfs.stat(child.pid) == nil)
    }

    @Test("Its name, its tracer, what it waits in")
    func details() throws {
        let child = try TestChild(shell: TestChild.stay)
        defer { child.end() }
        #expect(child.line() == "ready")
        #expect(Procfs.commandName(child.pid) == "sh")
        #expect(Procfs.tracer(of: child.pid) == 0)
        #expect(eventually { Procfs.stat(child.pid)?.state == UInt8(ascii: "S") })
        // Nil where the kernel tells it to nobody but root.
        if let channel = Procfs.waitChannel(child.pid) {
            #expect(channel.utf8.allSatisfy { $0 > 32 && $0 < 127 }, "\(channel)")
        }
    }

    @Test("A child of another thread is found: it hangs on the thread that made it")
    func childrenOfThreads() throws {
        var found = (all: false, mainThreadsOnly: true)
        try onThreadOfItsOwn {
            let child = try TestChild(shell: TestChild.stay)
            defer { child.end() }
            #expect(child.line() == "ready")
            found.all = Procfs.children(of: getpid()).contains(child.pid)
            let own = SmallFile.bytes(of: "/proc/self/task/\(getpid())/children") ?? []
            found.mainThreadsOnly = String(decoding: own, as: UTF8.self).split(separator: " ").contains("\(child.pid)")
        }
        #expect(found.all)
        #expect(!found.mainThreadsOnly)
    }

    @Test("Memory that was written counts; what nobody could have is not told")
    func footprints() throws {
        let size = 32 << 20
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 4096)
        defer { memory.deallocate() }
        memset(memory, 1, size)
        let cheap = try #require(Procfs.anonymousResident(getpid()))
        #expect(cheap.anonymous >= size)
        #expect(cheap.anonymous <= cheap.resident)
        #expect(cheap.resident < 1 << 40)
        let exact = try #require(Procfs.proportionalFootprint(getpid()))
        #expect(exact.anonymous >= size)
        #expect(exact.total < 1 << 40)
    }

    @Test("Descendants come top down, and only those")
    func descendants() throws {
        let child = try TestChild(shell: "sh -c 'echo $$ >&8; read line <&8; :' & read line <&8; :")
        defer { child.end() }
        let grandchild = try #require(child.number())
        #expect(ProcessTree.descendants(of: child.pid) == [grandchild])
        let all = ProcessTree.descendants(of: getpid())
        let parent = try #require(all.firstIndex(of: child.pid))
        #expect(try #require(all.firstIndex(of: grandchild)) > parent)
    }

    @Test("Killing the descendants of a process spares the process")
    func killDescendants() throws {
        let child = try TestChild(shell: "sh -c 'echo $$ >&8; exec sleep 1000' & wait; echo over >&8; read line <&8")
        defer { child.end() }
        let grandchild = try #require(child.number())
        ProcessTree.killDescendants(of: child.pid)
        #expect(child.line() == "over")
        #expect(Procfs.stat(grandchild) == nil)
        #expect(Procfs.stat(child.pid)?.isGone == false)
    }

    @Test("Spared children are left alone, with all below them")
    func sparing() throws {
        let child = try TestChild(
            shell: "sh -c 'echo $$ >&8; sleep 1000 & echo $! >&8; read line <&8; :' & read line <&8; :")
        defer { child.end() }
        let spared = try #require(child.number())
        let below = try #require(child.number())
        #expect(ProcessTree.descendants(of: child.pid) { $0 == spared } == [])
        ProcessTree.killDescendants(of: child.pid) { $0 == spared }
        #expect(ProcessTree.descendants(of: child.pid) == [spared, below])
        #expect(Procfs.stat(below)?.isGone == false)
    }

    @Test("A group is the app's while its leader isn't reaped, or one below us is in it; a stranger's never is")
    func holdsGroup() throws {
        let child = try TestChild(shell: "sh -c 'echo $$ >&8; read line <&8; :' & read line <&8; wait")
        let stranger = try TestChild(shell: TestChild.stay)
        defer { stranger.end() }
        #expect(stranger.line() == "ready")
        let member = try #require(child.number())
        #expect(ProcessTree.holdsGroup(child.pid, ancestor: getpid()))
        // Its leader isn't below it, but a member is.
        #expect(ProcessTree.holdsGroup(child.pid, ancestor: child.pid))
        #expect(!ProcessTree.holdsGroup(child.pid, ancestor: child.pid) { $0 == member })
        #expect(!ProcessTree.holdsGroup(stranger.pid, ancestor: child.pid))
        signal(member, SIGKILL)
        signal(child.pid, SIGKILL)
        // A leader that has ended keeps its pid, and so its group's number, until it is reaped.
        #expect(eventually { Procfs.stat(child.pid)?.isGone == true })
        #expect(ProcessTree.holdsGroup(child.pid, ancestor: getpid()))
        #expect(child.wait() == .killed(signal: SIGKILL, dumpedCore: false))
        #expect(!ProcessTree.holdsGroup(child.pid, ancestor: getpid()))
        child.end()
    }

    @Test("A stop of a child is reported once")
    func stopReport() throws {
        let child = try TestChild(shell: TestChild.stay)
        defer { child.end() }
        #expect(child.line() == "ready")
        #expect(Reaping.stopReport(of: child.pid) == nil)
        signal(child.pid, SIGTSTP)
        #expect(eventually { isStopped(child.pid) })
        #expect(Reaping.stopReport(of: child.pid)?.change == .stopped(signal: SIGTSTP))
        #expect(Reaping.stopReport(of: child.pid) == nil)
        #expect(Reaping.hasChildren())
    }
}
