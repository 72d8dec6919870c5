import CCurfew
import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

@Suite("One app's log")
struct AppLogTests {
    private func withScene(mostOpen: Int = 16, _ body: (LogScene) throws -> Void) rethrows {
        let scene = LogScene(mostOpen: mostOpen)
        defer { scene.remove() }
        try body(scene)
    }

    /// Why it wasn't written; nil when it was.
    private func refusal(_ log: AppLog, _ text: String, _ run: inout LoggedRun) -> KernelError? {
        do throws(KernelError) {
            try log.append(text, of: &run)
            return nil
        } catch { return error }
    }

    // MARK: What stands in it

    @Test("A mark, and then the app's own bytes, whatever they are")
    func bytes() throws {
        try withScene { scene in
            var run = scene.run(3)
            let bytes = (0..<1000).flatMap { _ in (0...255).map { UInt8($0) } }
            try scene.log().append(bytes, of: &run)
            let mark = LogMark(.began(pid: 43), run: 3, seconds: LogScene.seconds).line(at: 0)
            #expect(scene.bytes() == mark + bytes)
        }
    }

    @Test("The folder is this user's alone, and so is the file")
    func permissions() throws {
        try withScene { scene in
            var run = scene.run()
            try scene.log().append("x\n", of: &run)
            #expect(ScratchFolder.mode(scene.folder.directory.path) == 0o700)
            #expect(ScratchFolder.mode(scene.folder.path(of: "backup")) == 0o600)
        }
    }

    @Test("A run that has written nothing leaves nothing")
    func silent() throws {
        try withScene { scene in
            try scene.log().finish(scene.run(), at: LogScene.seconds)
            #expect(ScratchFolder.mode(scene.folder.directory.path) == nil)
        }
    }

    @Test("Runs are told apart, and the last line of one is ended")
    func runs() throws {
        try withScene { scene in
            let log = scene.log()
            var (first, second) = (scene.run(1), scene.run(2))
            try log.append("one\nhalf", of: &first)
            try log.finish(first, at: LogScene.seconds)
            try log.append("two", of: &second)
            try log.finish(second, at: LogScene.seconds)
            try log.finish(second, at: LogScene.seconds)
            #expect(
                scene.lines()
                    == ["<began 1, pid 41>\n", "one\n", "half\n", "<began 2, pid 42>\n", "two\n"].map(unmarked))
        }
    }

    /// Marks have no line's end in a scene's lines.
    private func unmarked(_ line: String) -> String { line.hasPrefix("<") ? String(line.dropLast()) : line }

    @Test("Where a run's server was killed in mid-line, the next run's mark begins a line all the same")
    func killed() throws {
        try withScene { scene in
            var (first, second) = (scene.run(1), scene.run(2))
            try scene.log().append("half", of: &first)
            try scene.log().append("two\n", of: &second)
            #expect(scene.lines() == ["<began 1, pid 41>", "half\n", "<began 2, pid 42>", "two\n"])
        }
    }

    @Test("What of an earlier run writes on is told apart")
    func interleaved() throws {
        try withScene { scene in
            let log = scene.log()
            var (first, second) = (scene.run(1), scene.run(2))
            try log.append("a\n", of: &first)
            try log.append("b", of: &second)
            try log.append("c\n", of: &first)
            try log.append("d\n", of: &second)
            #expect(
                scene.lines() == [
                    "<began 1, pid 41>", "a\n", "<began 2, pid 42>", "b\n", "<continued 1>", "c\n", "<continued 2>",
                    "d\n",
                ])
            // The end of a line of its own is no longer owed.
            try log.finish(first, at: LogScene.seconds)
            #expect(scene.lines().last == "d\n")
        }
    }

    @Test("At most once a minute, and never within a line, a mark tells the time")
    func time() throws {
        try withScene { scene in
            let log = scene.log()
            var run = scene.run()
            try log.append("a\n", of: &run)
            try log.append("b\n", of: &run, later: 59)
            try log.append("c", of: &run, later: 60)
            try log.append("d\n", of: &run, later: 400)
            try log.append("e\n", of: &run, later: 401)
            try log.append("f\n", of: &run, later: 402)
            // A clock that was put back.
            try log.append("g\n", of: &run, later: 5)
            #expect(
                scene.lines() == [
                    "<began 1, pid 41>", "a\n", "b\n", "<time 1, 60 s>", "cd\n", "<time 1, 401 s>", "e\n", "f\n",
                    "<time 1, 5 s>", "g\n",
                ])
        }
    }

    // MARK: Its bound

    @Test("A full file becomes the earlier one; lines stay whole, and no more than two files are kept")
    func rotation() throws {
        try withScene { scene in
            let log = scene.log(mostBytes: 8192)
            var run = scene.run()
            var written: [UInt8] = []
            for number in 0..<3000 {
                let line = Array("line \(number)\n".utf8)
                written += line
                try log.append(line, of: &run)
                #expect(scene.bytes().count <= 8192)
            }
            #expect(scene.earlierBytes().count <= 8192)
            #expect(scene.earlierBytes().count > 8192 - 256)
            #expect(scene.earlierLines().first == "<continued 1>")
            #expect(scene.lines().first == "<continued 1>")
            #expect(scene.earlierBytes().last == 10)
            let kept = scene.output()
            #expect(written.suffix(kept.count).elementsEqual(kept))
            #expect(Directory.names(of: scene.folder.directory.path)?.sorted() == ["backup.log", "backup.log.1"])
        }
    }

    @Test("More at once than both files hold: the last of it is kept")
    func flood() throws {
        try withScene { scene in
            var run = scene.run()
            let written = Array((0..<20000).map { "line \($0)\n" }.joined().utf8)
            try scene.log(mostBytes: 8192).append(written, of: &run)
            let kept = scene.output()
            #expect(kept.count > 8192)
            #expect(written.suffix(kept.count).elementsEqual(kept))
        }
    }

    @Test("A line longer than a file goes on in the next")
    func endless() throws {
        try withScene { scene in
            var run = scene.run()
            let written = [UInt8](repeating: 120, count: 20000)
            let log = scene.log(mostBytes: 8192)
            for start in stride(from: 0, to: written.count, by: 1000) {
                try log.append(Array(written[start..<start + 1000]), of: &run)
            }
            let kept = scene.output()
            #expect(kept.count > 8192)
            #expect(kept.allSatisfy { $0 == 120 })
            #expect(scene.bytes().count <= 8192)
            #expect(scene.earlierBytes().count <= 8192)
        }
    }

    @Test("A file from before with a larger bound is the earlier one at once")
    func smallerBound() throws {
        try withScene { scene in
            var (first, second) = (scene.run(1), scene.run(2))
            try scene.log().append([UInt8](repeating: 10, count: 50000), of: &first)
            try scene.log(mostBytes: 8192).append("x\n", of: &second)
            #expect(scene.earlierBytes().count > 50000)
            #expect(scene.lines() == ["<continued 2>", "x\n"])
        }
    }

    @Test("Of many logs few are open, and none of them says anew whose its lines are")
    func few() throws {
        try withScene(mostOpen: 2) { scene in
            let names = (0..<5).map { "app\($0)" }
            let logs = names.map { scene.log($0) }
            var runs = names.map { scene.run(1, of: $0) }
            for round in 0..<3 {
                for index in names.indices { try logs[index].append("\(round)\n", of: &runs[index]) }
            }
            #expect(scene.openLogs.count == 2)
            for name in names { #expect(scene.lines(of: name) == ["<began 1, pid 41>", "0\n", "1\n", "2\n"]) }
        }
    }

    // MARK: What others do to it

    @Test("Taken away, moved, emptied: the next output makes it anew or goes on, and says whose it is")
    func byHand() throws {
        try withScene { scene in
            let path = scene.folder.path(of: "backup")
            let log = scene.log()
            var run = scene.run()
            try log.append("a\n", of: &run)
            #expect(unlink(path) == 0)
            try log.append("b", of: &run)
            #expect(scene.lines() == ["<continued 1>", "b"])
            #expect(rename(path, path + ".old") == 0)
            try log.append("c\n", of: &run)
            #expect(scene.lines() == ["<continued 1>", "c\n"])
            #expect(truncate(path, 0) == 0)
            try log.append("d\n", of: &run)
            #expect(scene.lines() == ["<continued 1>", "d\n"])
            #expect(rename(scene.folder.directory.path, scene.elsewhere + "/old") == 0)
            try log.append("e\n", of: &run)
            #expect(scene.lines() == ["<continued 1>", "e\n"])
        }
    }

    @Test("A link, a folder and a pipe in its place are left alone; what they would have got is counted")
    func strange() throws {
        try withScene { scene in
            let log = scene.log()
            var run = scene.run()
            let path = scene.folder.path(of: "backup")
            try log.append("a\n", of: &run)
            for (make, errno) in [
                ({ symlink(scene.elsewhere + "/target", path) }, ELOOP), ({ mkdir(path, 0o700) }, EISDIR),
                ({ mkfifo(path, 0o600) }, EPERM),
            ] {
                #expect(remove(path) == 0)
                #expect(make() == 0)
                #expect(refusal(log, "12345", &run)?.errno == errno)
            }
            #expect(ScratchFolder.mode(scene.elsewhere + "/target") == nil)
            #expect(unlink(path) == 0)
            try log.append("b\n", of: &run)
            #expect(scene.lines() == ["<continued 1>", "<lost 15 of 1: Too many levels of symbolic links>", "b\n"])
        }
    }

    @Test("A folder that others can write to isn't written to")
    func untrusted() throws {
        try withScene { scene in
            let log = scene.log()
            var run = scene.run()
            try log.append("a\n", of: &run)
            log.close()
            #expect(chmod(scene.folder.directory.path, 0o722) == 0)
            #expect(refusal(log, "b\n", &run)?.errno == EPERM)
            #expect(scene.lines() == ["<began 1, pid 41>", "a\n"])
            #expect(chmod(scene.folder.directory.path, 0o700) == 0)
            try log.append("c\n", of: &run)
            #expect(
                scene.lines() == ["<began 1, pid 41>", "a\n", "<lost 2 of 1: Operation not permitted>", "c\n"])
        }
    }

    // MARK: Without room

    /// A disk that takes so many bytes of each file: writes beyond get EFBIG, as others ENOSPC. Source: getrlimit(2), RLIMIT_FSIZE.
    private func withFileLimit(_ bytes: UInt, _ body: () throws -> Void) rethrows {
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        var limit = rlimit()
        getrlimit(resource, &limit)
        let handler = signal(SIGXFSZ, SIG_IGN)
        var less = limit
        less.rlim_cur = bytes
        setrlimit(resource, &less)
        defer {
            setrlimit(resource, &limit)
            signal(SIGXFSZ, handler)
        }
        try body()
    }

    @Test("What there is no room for is counted, and told once there is some")
    func full() throws {
        try withScene { scene in
            let log = scene.log(mostBytes: 8 << 20)
            var run = scene.run()
            let line = Array((String(repeating: "x", count: 1023) + "\n").utf8)
            var kept = 0
            withFileLimit(1 << 20) {
                for _ in 0..<1100 {
                    do throws(KernelError) {
                        try log.append(line, of: &run)
                        kept += 1
                    } catch { #expect(error.errno == EFBIG) }
                }
            }
            #expect(kept == 1023)
            #expect(scene.bytes().count == 1 << 20)
            #expect(log.owesMark)
            try log.append("again\n", of: &run)
            #expect(!log.owesMark)
            let lost = 1100 * 1024 - scene.output().filter { $0 == 120 || $0 == 10 }.count + 2
            #expect(scene.lines().suffix(2) == ["<lost \(lost) of 1: File too large>", "again\n"])
        }
    }

    @Test("What a run has lost is told at its end, if there is room by then, else before the next run")
    func fullAtEnd() throws {
        try withScene { scene in
            let log = scene.log()
            var (first, second, third) = (scene.run(1), scene.run(2), scene.run(3))
            try log.append("a\n", of: &first)
            let path = scene.folder.path(of: "backup")
            #expect(rename(path, path + ".old") == 0)
            #expect(mkdir(path, 0o700) == 0)
            #expect(refusal(log, "lost\n", &first)?.errno == EISDIR)
            #expect(throws: KernelError.self) { try log.finish(first, at: LogScene.seconds) }
            #expect(rmdir(path) == 0)
            try log.append("b\n", of: &second)
            #expect(scene.lines() == ["<lost 5 of 1: Is a directory>", "<began 2, pid 42>", "b\n"])
            log.close()
            #expect(unlink(path) == 0)
            #expect(mkdir(path, 0o700) == 0)
            #expect(refusal(log, "gone", &third)?.errno == EISDIR)
            #expect(rmdir(path) == 0)
            try log.finish(third, at: LogScene.seconds)
            #expect(scene.lines() == ["<lost 4 of 3: Is a directory>"])
            #expect(!log.owesMark)
        }
    }
}
