import CurfewLinux
import Glibc
import Testing

@Suite("What a tree has done since its start")
struct TreeWorkTests {
    @Test("What it reads counts as moved, and not as written")
    func moved() throws {
        let puppet = try Puppet()
        defer { puppet.child.end() }
        let tree = ProcessTree(
            containment: .tree, leader: puppet.pid, ownGroup: puppet.pid, method: .both,
            root: .descendants(of: getpid()))
        let before = tree.work
        try puppet.run("os.read(os.open('/dev/zero', os.O_RDONLY), 4096)")
        let after = tree.work
        #expect(after.moved - after.written >= before.moved - before.written + 4096)
        #expect(after.written - before.written < 4096)
    }
}
