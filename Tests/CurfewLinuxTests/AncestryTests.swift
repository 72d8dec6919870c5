import CurfewLinux
import Glibc
import Testing

@Suite("Where a process stands")
struct AncestryTests {
    /// True when the tests themselves run in an app of Curfew's.
    private let areTestsInAnApp = Ancestry(of: getpid(), supervisor: nobody, cgroup: nil).isInAnyApp

    @Test("This process isn't in its own app")
    func own() {
        let ancestry = Ancestry(of: getpid(), supervisor: getpid(), cgroup: nil)
        #expect(!ancestry.isOurs)
        #expect(ancestry.isKnown)
    }

    @Test("Its children and theirs are")
    func descendants() throws {
        let child = try TestChild(shell: "sh -c 'echo $$ >&8; read line <&8; :' & read line <&8; :")
        defer { child.end() }
        for pid in [child.pid, try #require(child.number())] {
            let ancestry = Ancestry(of: pid, supervisor: getpid(), cgroup: nil)
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
        let ancestry = Ancestry(of: child.pid, supervisor: nobody, cgroup: nil)
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
        let ancestry = Ancestry(of: inner, supervisor: nobody, cgroup: nil)
        #expect(ancestry.isInAnyApp)
        #expect(!ancestry.isOurs)
        #expect(Ancestry(of: child.pid, supervisor: nobody, cgroup: nil).isInAnyApp == areTestsInAnApp)
    }

    @Test("Nobody is known of a pid that nobody has", arguments: [nobody, 0, -1, .min])
    func unknown(pid: Int32) {
        let ancestry = Ancestry(of: pid, supervisor: getpid(), cgroup: nil)
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
        let ours = Ancestry(of: child.pid, supervisor: nobody, cgroup: cgroup.path)
        #expect(ours.isOurs)
        #expect(ours.isInAnyApp)
        for other in [String(cgroup.path.dropLast()), cgroup.path + "1", "/nowhere/curfew.b.1"] {
            let theirs = Ancestry(of: child.pid, supervisor: nobody, cgroup: other)
            #expect(!theirs.isOurs, "\(other)")
            #expect(theirs.isInAnyApp)
        }
    }
}
