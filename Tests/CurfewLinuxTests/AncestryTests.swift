import Glibc
import Testing

@testable import CurfewLinux

@Suite("Where a process stands")
struct AncestryTests {
    /// True when the tests themselves run in an app of Curfew's.
    private let areTestsInAnApp = Ancestry(of: getpid(), root: .descendants(of: nobody), cgroup: nil).isInAnyApp

    @Test("This process isn't in its own app")
    func own() {
        let ancestry = Ancestry(of: getpid(), root: .descendants(of: getpid()), cgroup: nil)
        #expect(!ancestry.isOurs)
        #expect(ancestry.isKnown)
    }

    @Test("Its children and theirs are")
    func descendants() throws {
        let child = try TestChild(shell: "sh -c 'echo $$ >&8; read line <&8; :' & read line <&8; :")
        defer { child.end() }
        for pid in [child.pid, try #require(child.number())] {
            let ancestry = Ancestry(of: pid, root: .descendants(of: getpid()), cgroup: nil)
            #expect(ancestry.isOurs)
            #expect(ancestry.isInAnyApp)
            #expect(ancestry.isKnown)
        }
    }

    @Test("They aren't in the app of a supervisor that isn't above them")
    func strangers() throws {
        let child = try TestChild(shell: TestChild.stay)
        defer { child.end() }
        #expect(child.line() == "ready")
        let ancestry = Ancestry(of: child.pid, root: .descendants(of: nobody), cgroup: nil)
        #expect(!ancestry.isOurs)
        #expect(ancestry.isInAnyApp == areTestsInAnApp)
        #expect(ancestry.isKnown)
    }

    @Test("What has another's supervisor above it is in some app, but the supervisor itself is in none")
    func othersSupervisor() throws {
        let child = try TestChild(
            shell: "printf curfew-sup >/proc/self/comm; sh -c 'echo $$ >&8; read line <&8; :'; :")
        defer { child.end() }
        let inner = try #require(child.number())
        #expect(Procfs.stat(child.pid)?.isSupervisor == true)
        let ancestry = Ancestry(of: inner, root: .descendants(of: nobody), cgroup: nil)
        #expect(ancestry.isInAnyApp)
        #expect(!ancestry.isOurs)
        #expect(Ancestry(of: child.pid, root: .descendants(of: nobody), cgroup: nil).isInAnyApp == areTestsInAnApp)
    }

    @Test("A long line is given up once time is over; of a short one, and of one in our cgroup, nothing is lost")
    func deadline() throws {
        let script = "if [ $1 -gt 0 ]; then sh -c \"$0\" \"$0\" $(($1 - 1)); else echo $$ >&8; read line <&8; fi; :"
        let child = try TestChild(["/bin/sh", "-c", script, script, "100"])
        defer { child.end() }
        let deepest = try #require(child.number())
        #expect(Ancestry(of: deepest, root: .descendants(of: getpid()), cgroup: nil).isOurs)
        let late = Ancestry(of: deepest, root: .descendants(of: getpid()), cgroup: nil, until: 1)
        #expect(!late.isOurs)
        #expect(!late.isKnown)
        #expect(Ancestry(of: child.pid, root: .descendants(of: getpid()), cgroup: nil, until: 1).isOurs)
    }

    @Test("A hidden process's parent is told by its pidfd, as long as it is the parent of what was seen below it")
    func hidden() throws {
        let child = try TestChild(shell: "sh -c 'echo $$ >&8; read line <&8; :' & read line <&8; :")
        defer { child.end() }
        let inner = try #require(child.number())
        guard case .known(let parent) = HiddenProcess.parent(of: child.pid, child: inner) else {
            // Before Linux 6.13.
            return
        }
        #expect(parent == getpid())
        guard case .gone = HiddenProcess.parent(of: getpid(), child: inner) else {
            Issue.record("this process isn't its parent")
            return
        }
        guard case .gone = HiddenProcess.parent(of: nobody, child: 0) else {
            Issue.record("nobody is there")
            return
        }
        #expect(!HiddenProcess.exists(inner))
        #expect(!HiddenProcess.exists(nobody))
    }

    @Test(
        "What a supervisor further inside holds is told apart, and so is that one itself",
        arguments: ["curfew-sup", "curfew-timeout"])
    func furtherInside(name: String) throws {
        let child = try TestChild(shell: "printf \(name) >/proc/self/comm; sh -c 'echo $$ >&8; read line <&8; :'; :")
        defer { child.end() }
        for pid in [child.pid, try #require(child.number())] {
            #expect(ProcessTree.isHeldFurtherInside(pid, supervisor: getpid()))
            // Above ours it is nothing to us.
            #expect(!ProcessTree.isHeldFurtherInside(pid, supervisor: child.pid))
            #expect(!ProcessTree.isHeldFurtherInside(pid, supervisor: nobody))
        }
        let other = try TestChild(shell: TestChild.stay)
        defer { other.end() }
        #expect(!ProcessTree.isHeldFurtherInside(other.pid, supervisor: getpid()))
    }

    @Test("Of several apps below this process it is asked of each process of the line, and of no other")
    func severalTrees() throws {
        let child = try TestChild(shell: "sh -c 'echo $$ >&8; read line <&8; :' & read line <&8; :")
        defer { child.end() }
        let inner = try #require(child.number())
        for pid in [child.pid, inner] {
            let ours = Ancestry(
                of: pid, supervisor: getpid(), ownsCgroup: { _ in false }, ownsTreeOf: { $0 == child.pid })
            #expect(ours.isOurs)
            #expect(ours.isInAnyApp)
            var asked: [Int32] = []
            let others = Ancestry(
                of: pid, supervisor: getpid(), ownsCgroup: { _ in false },
                ownsTreeOf: {
                    asked.append($0)
                    return false
                })
            #expect(!others.isOurs)
            #expect(others.isKnown)
            #expect(asked.starts(with: [inner, child.pid, getpid()].drop { $0 != pid }))
        }
    }

    @Test("Nobody is known of a pid that nobody has", arguments: [nobody, 0, -1, .min])
    func unknown(pid: Int32) {
        let ancestry = Ancestry(of: pid, root: .descendants(of: getpid()), cgroup: nil)
        #expect(!ancestry.isKnown)
        #expect(!ancestry.isOurs)
    }

    // Skipped where no cgroup v2 hierarchy is mounted or this user may make no cgroup in it.
    @Test(
        "What is in our cgroup is ours, whoever its parent; what is in another's isn't",
        .enabled(if: ScratchCgroup.hasUnified, "no cgroup v2 that this user may write to"))
    func cgroups() throws {
        let scratch = try #require(ScratchCgroup(.unified))
        defer { scratch.remove() }
        let cgroup = try Cgroup2(parent: scratch.path, name: "curfew.app.\(nobody)")
        let child = try TestChild(shell: TestChild.stay) { $0.cgroup = cgroup.directory.number }
        defer { child.end() }
        #expect(child.line() == "ready")
        let ours = Ancestry(of: child.pid, root: .descendants(of: nobody), cgroup: cgroup.path)
        #expect(ours.isOurs)
        #expect(ours.isInAnyApp)
        let byCgroup = Ancestry(of: child.pid, root: .cgroup, cgroup: cgroup.path)
        #expect(byCgroup.isOurs)
        let beside = try TestChild(shell: TestChild.stay)
        defer { beside.end() }
        let byCgroupAlone = Ancestry(of: beside.pid, root: .cgroup, cgroup: cgroup.path)
        #expect(!byCgroupAlone.isOurs)
        #expect(byCgroupAlone.isKnown)
        var asked: [Substring] = []
        let ofSeveral = Ancestry(
            of: child.pid, supervisor: getpid(),
            ownsCgroup: {
                asked.append($0)
                return $0 == "curfew.app.\(nobody)"
            },
            ownsTreeOf: { _ in false })
        #expect(ofSeveral.isOurs)
        #expect(asked.last == "curfew.app.\(nobody)")
        for other in [String(cgroup.path.dropLast()), cgroup.path + "1", "/nowhere/curfew.b.1"] {
            let theirs = Ancestry(of: child.pid, root: .descendants(of: nobody), cgroup: other)
            #expect(!theirs.isOurs, "\(other)")
            #expect(theirs.isInAnyApp)
        }
    }
}
