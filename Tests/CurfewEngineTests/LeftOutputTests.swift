import CCurfew
import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

@Suite("What a server that was killed hadn't read of its apps' output")
struct LeftOutputTests {
    /// A pipe that holds this.
    private func withPipe(_ text: String, _ body: (Descriptor) throws -> Void) throws {
        var ends: [Int32] = [-1, -1]
        try #require(ends.withUnsafeMutableBufferPointer { curfew_pipe($0.baseAddress) } == 0)
        defer { for end in ends { close(end) } }
        #expect(SmallFile.write(Array(text.utf8), to: ends[1]) == 0)
        try body(Descriptor(ends[0]))
    }

    private func withScene(_ body: (LogScene) throws -> Void) throws {
        let scene = LogScene()
        defer { scene.remove() }
        try body(scene)
    }

    private func keep(_ run: LoggedRun, _ pipe: Descriptor, _ scene: LogScene, limit: Int64 = 4 << 20) throws {
        try LeftOutput(folder: scene.folder, limit: limit).keep(run, from: pipe)
    }

    @Test("It stands behind what the run has in its log, with its last line ended")
    func goesOn() throws {
        try withScene { scene in
            var run = scene.run()
            let log = scene.log()
            try log.append("one\n", of: &run)
            log.close()
            try withPipe("two\nthree") { try keep(scene.run(), $0, scene) }
            #expect(scene.lines() == ["<began 1, pid 41>", "one\n", "<continued 1>", "two\n", "three\n"])
        }
    }

    @Test("A run that nothing was read of has its first mark")
    func first() throws {
        try withScene { scene in
            var earlier = scene.run(1)
            let log = scene.log()
            try log.append("one\n", of: &earlier)
            log.close()
            try withPipe("two\n") { try keep(scene.run(2), $0, scene) }
            #expect(scene.lines() == ["<began 1, pid 41>", "one\n", "<began 2, pid 42>", "two\n"])
        }
    }

    @Test("Its mark is found in the earlier file, too, and not in a line that only looks like one")
    func marks() throws {
        try withScene { scene in
            var run = scene.run(2)
            let log = scene.log(mostBytes: 300)
            try log.append("=== curfew: began at=9 run=3 time=2025-01-01T00:00:00Z pid=7\n", of: &run)
            try log.append(String(repeating: "x", count: 250) + "\n", of: &run)
            log.close()
            #expect(!scene.earlierBytes().isEmpty)
            _ = unlink(scene.folder.path(of: "backup"))
            try withPipe("two\n") { try keep(scene.run(2), $0, scene) }
            #expect(scene.lines() == ["<continued 2>", "two\n"])
            try withPipe("three\n") { try keep(scene.run(3), $0, scene) }
            #expect(scene.lines().suffix(2) == ["<began 3, pid 43>", "three\n"])
        }
    }

    @Test("Nothing left, nothing written")
    func nothing() throws {
        try withScene { scene in
            try withPipe("") { try keep(scene.run(), $0, scene) }
            #expect(scene.bytes().isEmpty)
        }
    }

    @Test("A log can't grow past its bound by it")
    func bound() throws {
        try withScene { scene in
            let text = String(repeating: String(repeating: "x", count: 99) + "\n", count: 600)
            try withPipe(text) { try keep(scene.run(), $0, scene, limit: 32 << 10) }
            #expect(scene.bytes().count <= 16 << 10)
            #expect(scene.earlierBytes().count <= 16 << 10)
        }
    }

    @Test("Where it can't be written that is told, and nobody waits")
    func unwritable() throws {
        try withScene { scene in
            _ = try scene.folder.directory.opened()
            try #require(mkdir(scene.folder.path(of: "backup"), 0o700) == 0)
            try withPipe("two\n") { pipe in
                #expect(throws: KernelError.self) { try keep(scene.run(), pipe, scene) }
            }
        }
    }

    @Test("What is handed over says whose it is, and a name that is none is passed over")
    func record() throws {
        var record = curfew_kept_output()
        record.run = 3
        record.pid = 43
        record.seconds = LogScene.seconds
        let name = String(repeating: "n", count: 64)
        withUnsafeMutableBytes(of: &record.app) { $0.copyBytes(from: name.utf8) }
        #expect(LoggedRun(record) == LoggedRun(app: name, number: 3, pid: 43, seconds: LogScene.seconds))
        try withScene { scene in
            try withPipe("x\n") { try keep(LoggedRun(app: "../x", number: 1, pid: 1, seconds: 0), $0, scene) }
            #expect(scene.bytes(of: "../x").isEmpty)
        }
    }
}
