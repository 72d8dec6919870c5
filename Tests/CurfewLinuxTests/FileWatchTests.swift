import CCurfew
import Glibc
import Testing

@testable import CurfewLinux

/// A directory with a file that is watched, and hands to do things to it.
private struct Scene {
    let scratch = ScratchDirectory()
    var watch: FileWatch

    /// `prepare` sets up what is there at first.
    init(_ file: String = "file", _ prepare: (borrowing Hands) -> Void = { $0.write("file", "one") }) throws {
        prepare(Hands(path: scratch.path))
        watch = try FileWatch(path: scratch.path + "/" + file)
    }

    var hands: Hands { Hands(path: scratch.path) }

    mutating func end() {
        watch.close()
        scratch.remove()
    }

    /// What is told of what has been done, in words; inotify queues an event before the call that caused it returns.
    mutating func told() -> String {
        var told: [String] = []
        while isReadable(watch.descriptor.number, within: 0) {
            if let change = watch.readChanges() { told.append(change.exists ? "changed" : "gone") }
        }
        #expect(watch.exists == hands.exists(watch.path))
        return told.joined(separator: ", ")
    }

    /// The next change, waited for.
    mutating func next() -> FileWatch.Change? {
        let patience: Int64 = 20_000_000_000
        let deadline = curfew_monotonic_nanoseconds() + patience
        while curfew_monotonic_nanoseconds() < deadline, isReadable(watch.descriptor.number, within: patience) {
            if let change = watch.readChanges() { return change }
        }
        return nil
    }
}

/// What programs do to files.
private struct Hands {
    let path: String

    func at(_ name: String) -> String { path + "/" + name }

    func expect(_ result: Int32, _ what: String) {
        #expect(result >= 0, "\(what): \(String(cString: strerror(errno)))")
    }

    func open(_ name: String, _ flags: Int32) -> Descriptor {
        let number = curfew_open_at(AT_FDCWD, at(name), flags, 0o600)
        #expect(number >= 0, "open \(name): \(number)")
        return Descriptor(number)
    }

    func put(_ text: String, in file: Descriptor) {
        #expect(
            Array(text.utf8).withUnsafeBytes { curfew_write(file.number, $0.baseAddress, $0.count) } == text.utf8.count)
    }

    func write(_ name: String, _ text: String) {
        var file = open(name, O_WRONLY | O_CREAT | O_TRUNC)
        put(text, in: file)
        close(&file, name)
    }

    func close(_ file: inout Descriptor, _ name: String) {
        file.close()
        waitUntilClosed(at(name))
    }

    func rename(_ from: String, _ to: String) { expect(Glibc.rename(at(from), at(to)), "rename \(from) to \(to)") }
    func unlink(_ name: String) { expect(Glibc.unlink(at(name)), "unlink \(name)") }
    func link(_ from: String, _ to: String) { expect(Glibc.link(at(from), at(to)), "link \(from) to \(to)") }
    func symlink(_ target: String, _ name: String) { expect(Glibc.symlink(target, at(name)), "symlink \(name)") }
    func mkdir(_ name: String) { expect(Glibc.mkdir(at(name), 0o700), "mkdir \(name)") }
    func rmdir(_ name: String) { expect(Glibc.rmdir(at(name)), "rmdir \(name)") }
    func chmod(_ name: String, _ mode: mode_t) { expect(Glibc.chmod(at(name), mode), "chmod \(name)") }

    /// As `write` to another name, then renamed over it: how most editors save.
    func replace(_ name: String, _ text: String) {
        write(name + ".new", text)
        rename(name + ".new", name)
    }

    /// As `ln -sfn` of careful deployments: made beside, then renamed over.
    func swap(_ name: String, to target: String) {
        symlink(target, name + ".new")
        rename(name + ".new", name)
    }

    /// Sets when it was written.
    func touch(_ name: String, seconds: Int) {
        let time = timespec(tv_sec: seconds, tv_nsec: 0)
        expect(utimensat(AT_FDCWD, at(name), [time, time], 0), "touch \(name)")
    }

    func exists(_ path: String) -> Bool {
        var status = curfew_file_status()
        return curfew_stat_at(AT_FDCWD, path, true, &status) == 0 && status.mode & S_IFMT != S_IFDIR
    }
}

/// Waits until nobody has the file open for writing any more: processes that other tests start meanwhile are born with
/// it, and its close is told when they let go of it. A lease is had only then. Source: fcntl(2), F_RDLCK.
func waitUntilClosed(_ path: String) {
    let setLease: Int32 = 1024
    var file = Descriptor(curfew_open_at(AT_FDCWD, path, O_RDONLY | O_NONBLOCK, 0))
    defer { file.close() }
    guard file.isOpen else { return }
    let isClosed = eventually { fcntl(file.number, setLease, F_RDLCK) == 0 || errno != EAGAIN }
    #expect(isClosed, "\(path) is still open for writing")
    // Here, and not with the close, which somebody born meanwhile can hold up: who breaks a lease sends a signal.
    _ = fcntl(file.number, setLease, F_UNLCK)
}

@Suite("Watching a file")
struct FileWatchTests {
    @Test("Written in place: told when it is closed, and not before")
    func inPlace() throws {
        var scene = try Scene()
        defer { scene.end() }
        #expect(scene.watch.exists)
        #expect(fcntl(scene.watch.descriptor.number, F_GETFD) == FD_CLOEXEC)
        #expect(scene.told() == "")
        var file = scene.hands.open("file", O_WRONLY | O_TRUNC)
        scene.hands.put("two", in: file)
        #expect(scene.told() == "")
        scene.hands.put(" and more", in: file)
        #expect(scene.told() == "")
        scene.hands.close(&file, "file")
        #expect(scene.told() == "changed")
        #expect(scene.told() == "")
    }

    @Test("Written in place by another program, whose close is waited for")
    func otherProgram() throws {
        var scene = try Scene()
        defer { scene.end() }
        let child = try TestChild(
            shell: "echo two >\(scene.watch.path); read line <&8; echo three >\(scene.watch.path)")
        defer { child.end() }
        for _ in 0..<2 {
            #expect(scene.next() == FileWatch.Change(exists: true))
            child.say("on")
        }
        #expect(child.wait() == .exited(code: 0))
    }

    @Test("Written with what has the same size and time")
    func sameLook() throws {
        var scene = try Scene()
        defer { scene.end() }
        scene.hands.touch("file", seconds: 1_000)
        #expect(scene.told() == "changed")
        var file = scene.hands.open("file", O_WRONLY)
        scene.hands.put("two", in: file)
        let time = timespec(tv_sec: 1_000, tv_nsec: 0)
        #expect(futimens(file.number, [time, time]) == 0)
        scene.hands.close(&file, "file")
        #expect(scene.told() == "changed")
    }

    @Test("Written a second time while the first is still told of")
    func twoWriters() throws {
        var scene = try Scene()
        defer { scene.end() }
        var first = scene.hands.open("file", O_WRONLY | O_APPEND)
        var second = scene.hands.open("file", O_WRONLY | O_APPEND)
        scene.hands.put("a", in: first)
        first.close()
        #expect(scene.next() == FileWatch.Change(exists: true))
        scene.hands.put("b", in: second)
        #expect(scene.told() == "")
        scene.hands.touch("file", seconds: 1_000)
        #expect(scene.told() == "changed")
        scene.hands.close(&second, "file")
        #expect(scene.told() == "changed")
    }

    @Test("Nothing is told of what leaves it as it was")
    func unchanged() throws {
        var scene = try Scene()
        defer { scene.end() }
        var file = scene.hands.open("file", O_RDWR)
        scene.hands.close(&file, "file")
        file = scene.hands.open("file", O_RDONLY)
        scene.hands.close(&file, "file")
        #expect(scene.told() == "")
        scene.hands.write("file", "two")
        #expect(scene.told() == "changed")
        file = scene.hands.open("file", O_RDWR)
        scene.hands.close(&file, "file")
        #expect(scene.told() == "")
        scene.hands.chmod("file", 0o644)
        scene.hands.link("file", "other")
        #expect(scene.told() == "")
        scene.hands.unlink("other")
        scene.hands.write("neighbour", "text")
        scene.hands.rename("neighbour", "neighbours")
        scene.hands.unlink("neighbours")
        #expect(scene.told() == "")
        scene.hands.rename("file", "away")
        scene.hands.rename("away", "file")
        #expect(scene.told() == "")
        scene.hands.write("file", "three")
        #expect(scene.told() == "changed")
    }

    @Test("Replaced while it is written: its writer is nobody's business any more")
    func replacedWhileWritten() throws {
        var scene = try Scene()
        defer { scene.end() }
        scene.hands.write("new", "two")
        var writer = scene.hands.open("file", O_WRONLY)
        scene.hands.put("lost", in: writer)
        scene.hands.rename("new", "file")
        #expect(scene.told() == "changed")
        writer.close()
        var file = scene.hands.open("file", O_RDWR)
        scene.hands.close(&file, "file")
        #expect(scene.told() == "")
    }

    @Test("Touched")
    func touched() throws {
        var scene = try Scene()
        defer { scene.end() }
        for seconds in [0, 1, 4_000_000_000] {
            scene.hands.touch("file", seconds: seconds)
            #expect(scene.told() == "changed")
        }
        scene.hands.touch("file", seconds: 4_000_000_000)
        #expect(scene.told() == "")
    }

    @Test("Replaced, again and again, with what has the same size and time")
    func replaced() throws {
        var scene = try Scene()
        defer { scene.end() }
        scene.hands.touch("file", seconds: 1_000)
        #expect(scene.told() == "changed")
        for text in ["two", "thr", "fou"] {
            scene.hands.write("new", text)
            scene.hands.touch("new", seconds: 1_000)
            scene.hands.rename("new", "file")
            #expect(scene.told() == "changed")
        }
        scene.hands.write("file", "in place")
        #expect(scene.told() == "changed")
    }

    @Test("Removed, made anew, removed, linked, moved in")
    func comesAndGoes() throws {
        var scene = try Scene()
        defer { scene.end() }
        scene.hands.unlink("file")
        #expect(scene.told() == "gone")
        scene.hands.write("file", "")
        #expect(scene.told() == "changed")
        scene.hands.write("file", "two")
        #expect(scene.told() == "changed")
        scene.hands.rename("file", "away")
        #expect(scene.told() == "gone")
        scene.hands.write("away", "nobody's business")
        #expect(scene.told() == "")
        scene.hands.link("away", "file")
        #expect(scene.told() == "changed")
        scene.hands.unlink("file")
        scene.hands.rename("away", "file")
        #expect(scene.told() == "")
        scene.hands.write("file", "three")
        #expect(scene.told() == "changed")
    }

    @Test("Removed and made anew before anybody looked: one change, whatever inode and time it has")
    func madeAnew() throws {
        var scene = try Scene()
        defer { scene.end() }
        scene.hands.touch("file", seconds: 1_000)
        #expect(scene.told() == "changed")
        scene.hands.unlink("file")
        scene.hands.write("file", "two")
        scene.hands.touch("file", seconds: 1_000)
        #expect(scene.told() == "changed")
    }

    @Test("Not there at first")
    func notThere() throws {
        var scene = try Scene { _ in }
        defer { scene.end() }
        #expect(!scene.watch.exists)
        #expect(!scene.watch.isLost)
        scene.hands.write("other", "text")
        #expect(scene.told() == "")
        scene.hands.write("file", "one")
        #expect(scene.told() == "changed")
        scene.hands.write("file", "two")
        #expect(scene.told() == "changed")
    }

    @Test("A directory in its place is no file")
    func directoryInItsPlace() throws {
        var scene = try Scene()
        defer { scene.end() }
        scene.hands.unlink("file")
        scene.hands.mkdir("file")
        #expect(scene.told() == "gone")
        scene.hands.write("file/inside", "text")
        #expect(scene.told() == "")
        scene.hands.unlink("file/inside")
        scene.hands.rmdir("file")
        #expect(scene.told() == "")
        scene.hands.write("file", "two")
        #expect(scene.told() == "changed")
    }

    // MARK: Links

    @Test("Behind a link: the link replaced, its target written, replaced, removed, made anew")
    func link() throws {
        var scene = try Scene { hands in
            hands.mkdir("a")
            hands.write("a/target", "one")
            hands.symlink("a/target", "file")
        }
        defer { scene.end() }
        scene.hands.write("a/target", "two")
        #expect(scene.told() == "changed")
        scene.hands.replace("a/target", "three")
        #expect(scene.told() == "changed")
        scene.hands.write("a/target", "in place again")
        #expect(scene.told() == "changed")
        scene.hands.unlink("a/target")
        #expect(scene.told() == "gone")
        scene.hands.write("a/target", "four")
        #expect(scene.told() == "changed")
        scene.hands.write("other", "five")
        scene.hands.swap("file", to: scene.hands.at("other"))
        #expect(scene.told() == "changed")
        scene.hands.write("a/target", "nobody's business")
        scene.hands.unlink("a/target")
        #expect(scene.told() == "")
        scene.hands.write("other", "six")
        #expect(scene.told() == "changed")
        scene.hands.swap("file", to: "./other")
        #expect(scene.told() == "")
    }

    @Test("As Kubernetes mounts a ConfigMap: a link to a link that is swapped")
    func configMap() throws {
        var scene = try Scene { hands in
            hands.mkdir("..1")
            hands.write("..1/file", "one")
            hands.symlink("..1", "..data")
            hands.symlink("..data/file", "file")
        }
        defer { scene.end() }
        for version in 2..<30 {
            scene.hands.mkdir("..\(version)")
            scene.hands.write("..\(version)/file", "\(version)")
            #expect(scene.told() == "")
            scene.hands.swap("..data", to: "..\(version)")
            scene.hands.unlink("..\(version - 1)/file")
            scene.hands.rmdir("..\(version - 1)")
            #expect(scene.told() == "changed")
        }
        scene.hands.write("..29/file", "in place")
        #expect(scene.told() == "changed")
        scene.hands.unlink("..data")
        #expect(scene.told() == "gone")
        scene.hands.symlink("..29", "..data")
        #expect(scene.told() == "changed")
        #expect(scene.watchCount() < 20)
    }

    @Test("In a directory behind a link that is swapped", arguments: [false, true])
    func directoryBehindLink(isAbsolute: Bool) throws {
        var scene = try Scene("current/etc/file") { hands in
            for release in ["1", "2"] {
                hands.mkdir(release)
                hands.mkdir(release + "/etc")
                hands.write(release + "/etc/file", release)
            }
            hands.symlink(isAbsolute ? hands.at("1") : "1", "current")
        }
        defer { scene.end() }
        scene.hands.write("2/etc/file", "nobody's business")
        #expect(scene.told() == "")
        scene.hands.swap("current", to: isAbsolute ? scene.hands.at("2") : "./2/")
        #expect(scene.told() == "changed")
        scene.hands.replace("2/etc/file", "2.1")
        #expect(scene.told() == "changed")
        // What it was led away from wakes us no more.
        scene.hands.replace("1/etc/file", "1.1")
        scene.hands.rename("1/etc", "1/old")
        scene.hands.rename("1/old", "1/etc")
        #expect(!isReadable(scene.watch.descriptor.number, within: 0))
        scene.hands.unlink("current")
        #expect(scene.told() == "gone")
        scene.hands.symlink("nowhere", "current")
        #expect(scene.told() == "")
        scene.hands.rename("1", "nowhere")
        #expect(scene.told() == "changed")
        scene.hands.write("nowhere/etc/file", "1.2")
        #expect(scene.told() == "changed")
    }

    @Test("Over many links, up and down, through the same directory twice")
    func manyLinks() throws {
        var scene = try Scene("x/link") { hands in
            hands.mkdir("a")
            hands.mkdir("a/b")
            hands.write("a/b/file", "one")
            hands.symlink("a/../a/./b//..", "x")
            hands.symlink("../x/second", "a/link")
            hands.symlink(hands.at("third"), "a/second")
            hands.symlink("x/../x/b/file", "third")
        }
        defer { scene.end() }
        #expect(scene.watch.exists)
        scene.hands.write("a/b/file", "two")
        #expect(scene.told() == "changed")
        for link in ["third", "x", "a/link"] {
            scene.hands.rename(link, "kept")
            #expect(scene.told() == "gone", "\(link)")
            scene.hands.rename("kept", link)
            #expect(scene.told() == "changed", "\(link)")
        }
        #expect(scene.watchCount() < 30)
    }

    @Test("A link to nothing, then to itself, then to a file")
    func badLinks() throws {
        var scene = try Scene { $0.symlink("there", "file") }
        defer { scene.end() }
        #expect(!scene.watch.exists)
        scene.hands.write("there", "one")
        #expect(scene.told() == "changed")
        scene.hands.swap("file", to: "file")
        #expect(scene.told() == "gone")
        #expect(scene.watch.isLost)
        scene.hands.swap("file", to: "there/nothing")
        #expect(scene.told() == "")
        #expect(!scene.watch.isLost)
        scene.hands.swap("file", to: "there")
        #expect(scene.told() == "changed")
    }

    @Test("Names that are no UTF-8 are names like others")
    func oddNames() throws {
        var scene = try Scene { $0.write("file", "one") }
        defer { scene.end() }
        let odd = [CChar](scene.hands.at("").utf8CString.dropLast()) + [-1, -2, 0]
        #expect(Glibc.rename(scene.watch.path, odd) == 0)
        #expect(scene.told() == "gone")
        #expect(Glibc.symlink([-1, -2, 0], scene.watch.path) == 0)
        #expect(scene.told() == "changed")
        #expect(Glibc.unlink(odd) == 0)
        #expect(scene.told() == "gone")
    }

    // MARK: Directories that go

    @Test("Its directories removed, one by one, and made anew", arguments: [false, true])
    func directoryRemoved(isHeld: Bool) throws {
        var scene = try Scene("a/b/file") { hands in
            hands.mkdir("a")
            hands.mkdir("a/b")
            hands.write("a/b/file", "one")
        }
        defer { scene.end() }
        for _ in 0..<3 {
            // As by a program whose working directory it is: it goes without a word.
            var held = isHeld ? scene.hands.open("a/b", O_RDONLY | O_DIRECTORY) : .none
            defer { held.close() }
            scene.hands.unlink("a/b/file")
            #expect(scene.told() == "gone")
            scene.hands.rmdir("a/b")
            #expect(scene.told() == "")
            scene.hands.rmdir("a")
            #expect(scene.told() == "")
            #expect(!scene.watch.isLost)
            scene.hands.mkdir("a")
            #expect(scene.told() == "")
            scene.hands.mkdir("a/b")
            #expect(scene.told() == "")
            scene.hands.write("a/b/file", "two")
            #expect(scene.told() == "changed")
            scene.hands.write("a/b/file", "three")
            #expect(scene.told() == "changed")
        }
        #expect(scene.watchCount() < 20)
    }

    @Test("Its directories removed and made anew before anybody looked", arguments: [false, true])
    func directoryMadeAnew(isHeld: Bool) throws {
        var scene = try Scene("a/b/file") { hands in
            hands.mkdir("a")
            hands.mkdir("a/b")
            hands.write("a/b/file", "one")
        }
        defer { scene.end() }
        var held = isHeld ? scene.hands.open("a/b", O_RDONLY | O_DIRECTORY) : .none
        defer { held.close() }
        scene.hands.unlink("a/b/file")
        scene.hands.rmdir("a/b")
        scene.hands.rmdir("a")
        scene.hands.mkdir("a")
        scene.hands.mkdir("a/b")
        #expect(scene.told() == "gone")
        scene.hands.write("a/b/file", "one")
        #expect(scene.told() == "changed")
        scene.hands.unlink("a/b/file")
        scene.hands.rmdir("a/b")
        scene.hands.mkdir("a/b")
        scene.hands.write("a/b/file", "one")
        #expect(scene.told() == "changed")
    }

    @Test("A directory on the way moved off, another moved in, the first again", arguments: ["a", "a/b"])
    func directoryMoved(name: String) throws {
        var scene = try Scene("a/b/file") { hands in
            hands.mkdir("a")
            hands.mkdir("a/b")
            hands.write("a/b/file", "one")
            hands.mkdir("other")
            hands.mkdir("other/b")
            hands.write("other/b/file", "other")
            hands.write("other/file", "other")
        }
        defer { scene.end() }
        scene.hands.rename(name, "away")
        #expect(scene.told() == "gone")
        scene.hands.rename("away", name)
        #expect(scene.told() == "changed")
        scene.hands.rename(name, "away")
        scene.hands.rename("other", name)
        #expect(scene.told() == "changed")
        scene.hands.replace("a/b/file", "two")
        #expect(scene.told() == "changed")
        scene.hands.rename(name, "other")
        scene.hands.rename("away", name)
        #expect(scene.told() == "changed")
        scene.hands.write("a/b/file", "three")
        #expect(scene.told() == "changed")
    }

    @Test("A directory on the way replaced by a link, and by a file")
    func directoryReplaced() throws {
        var scene = try Scene("a/file") { hands in
            hands.mkdir("a")
            hands.write("a/file", "one")
        }
        defer { scene.end() }
        scene.hands.rename("a", "b")
        scene.hands.symlink("b", "a")
        #expect(scene.told() == "")
        scene.hands.write("b/file", "two")
        #expect(scene.told() == "changed")
        scene.hands.unlink("a")
        scene.hands.write("a", "no directory")
        #expect(scene.told() == "gone")
        scene.hands.unlink("a")
        scene.hands.rename("b", "a")
        #expect(scene.told() == "changed")
    }

    @Test("When it is there nothing but its own directories wakes us; when it isn't, the busy ones above do")
    func wakeUps() throws {
        var scene = try Scene("a/b/file") { hands in
            hands.mkdir("a")
            hands.mkdir("a/b")
            hands.write("a/b/file", "one")
        }
        defer { scene.end() }
        func disturb() -> Bool {
            scene.hands.write("above", "text")
            scene.hands.write("a/above", "text")
            scene.hands.unlink("above")
            scene.hands.unlink("a/above")
            let isAwake = isReadable(scene.watch.descriptor.number, within: 0)
            #expect(scene.told() == "")
            return isAwake
        }
        #expect(!disturb())
        scene.hands.unlink("a/b/file")
        #expect(scene.told() == "gone")
        #expect(disturb())
        scene.hands.write("a/b/file", "two")
        #expect(scene.told() == "changed")
        #expect(!disturb())
    }

    // MARK: What can't be watched

    @Test("What can't be watched is told at once")
    func refusals() {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        let hands = Hands(path: scratch.path)
        hands.write("plain", "text")
        hands.symlink("loop", "loop")
        hands.symlink("none/file", "dangling")
        let long = String(repeating: "n", count: 256)
        let refusals = [
            ("", "watch: No such file or directory"),
            (hands.at("none/file"), "watch a file in \(hands.at("none")): No such file or directory"),
            ("/curfew-none", nil),
            (hands.at(""), "watch \(hands.at("")): Is a directory"),
            ("/", "watch /: Is a directory"),
            (".", "watch .: Is a directory"),
            (hands.at("plain/file"), "watch \(hands.at("plain/file")): Not a directory"),
            (hands.at("plain/"), "watch \(hands.at("plain/")): Not a directory"),
            (hands.at("loop"), "watch \(hands.at("loop")): Too many levels of symbolic links"),
            (hands.at(long), "watch \(hands.at(long)): File name too long"),
            (hands.at("dangling"), nil),
        ]
        for (path, refusal) in refusals { #expect(self.refusal(path) == refusal, "\(path)") }
    }

    private func refusal(_ path: String) -> String? {
        do throws(KernelError) {
            var watch = try FileWatch(path: path)
            watch.close()
            return nil
        } catch {
            return error.text
        }
    }

    // Skipped for root, whom no mode keeps out.
    @Test("A directory that may not be read can't be watched", .enabled(if: geteuid() != 0, "root may read everything"))
    func unreadable() throws {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        let hands = Hands(path: scratch.path)
        hands.mkdir("a")
        hands.mkdir("a/b")
        hands.write("a/b/file", "one")
        hands.chmod("a", 0o300)
        var watch = try FileWatch(path: hands.at("a/b/file"))
        // One in between need not be read: the directory above tells of it.
        hands.rename("a", "away")
        #expect(watch.readChanges() == FileWatch.Change(exists: false))
        hands.rename("away", "a")
        #expect(watch.readChanges() == FileWatch.Change(exists: true))
        watch.close()
        hands.chmod("a/b", 0o300)
        #expect(refusal(hands.at("a/b/file")) == "watch \(hands.at("a/b")): Permission denied")
        hands.chmod("a/b", 0o700)
        watch = try FileWatch(path: hands.at("a/b/file"))
        defer { watch.close() }
        hands.rename("a/b/file", "a/b/away")
        hands.chmod("a", 0o700)
        #expect(watch.readChanges() == FileWatch.Change(exists: false))
        hands.rename("a/b/away", "a/b/file")
        #expect(watch.readChanges() == FileWatch.Change(exists: true))

        // One that comes later is told of as lost; the file there still tells what becomes of itself.
        hands.rename("a/b", "a/old")
        hands.mkdir("a/b")
        hands.write("a/b/file", "two")
        hands.chmod("a/b", 0o300)
        #expect(watch.readChanges() == FileWatch.Change(exists: true))
        #expect(watch.problem?.text == "watch \(hands.at("a/b")): Permission denied")
        hands.replace("a/b/file", "three")
        #expect(watch.readChanges() == FileWatch.Change(exists: true))
        hands.write("a/b/file", "four")
        #expect(watch.readChanges() == FileWatch.Change(exists: true))
        hands.unlink("a/b/file")
        #expect(watch.readChanges() == FileWatch.Change(exists: false))
        hands.chmod("a/b", 0o700)
        hands.rename("a/b", "a/c")
        hands.rename("a/old", "a/b")
        #expect(watch.readChanges() == FileWatch.Change(exists: true))
        #expect(!watch.isLost)
    }

    @Test("A way of too many names is walked no further, and that is told; the file there is still seen to come and go")
    func tooLong() throws {
        var scene = try Scene { hands in
            hands.mkdir("d")
            hands.write("target", "one")
            hands.symlink("target", "file")
        }
        defer { scene.end() }
        let long = String(repeating: "d/../", count: 300) + "target"
        #expect(
            refusal(scene.hands.at(long)) == "watch \(scene.scratch.path)/d: Too many levels of symbolic links"
                || refusal(scene.hands.at(long)) == "watch \(scene.scratch.path): Too many levels of symbolic links")
        scene.hands.swap("file", to: long)
        #expect(scene.told() == "")
        #expect(scene.watch.exists && scene.watch.isLost)
        scene.hands.swap("file", to: "nothing")
        #expect(scene.told() == "gone")
        #expect(!scene.watch.isLost)
        scene.hands.swap("file", to: long)
        #expect(scene.told() == "changed")
        #expect(scene.watch.problem?.errno == ELOOP)
    }

    @Test("More events than the kernel keeps: the change is told all the same")
    func overflow() throws {
        var scene = try Scene()
        defer { scene.end() }
        let limit = SmallFile.bytes(of: "/proc/sys/fs/inotify/max_queued_events").flatMap {
            Int(String(decoding: $0, as: UTF8.self).filter(\.isNumber))
        }
        let most = try #require(limit)
        scene.hands.write("a", "")
        for _ in 0...most / 4 {
            scene.hands.rename("a", "b")
            scene.hands.rename("b", "a")
        }
        scene.hands.write("file", "two")
        #expect(scene.told() == "changed")
        scene.hands.write("file", "three")
        #expect(scene.told() == "changed")
    }

    @Test("A path from the working directory means the same for ever")
    func relative() throws {
        var scene = try Scene()
        defer { scene.end() }
        let current = try #require(getcwd(nil, 0))
        defer { free(current) }
        let up = String(repeating: "../", count: String(cString: current).split(separator: "/").count)
        scene.watch.close()
        scene.watch = try FileWatch(path: up + scene.hands.at("file").dropFirst())
        scene.hands.write("file", "two")
        #expect(scene.watch.readChanges() == FileWatch.Change(exists: true))
        scene.hands.unlink("file")
        #expect(scene.watch.readChanges() == FileWatch.Change(exists: false))
    }

    @Test("Once closed it tells nothing")
    func closed() throws {
        var scene = try Scene()
        defer { scene.end() }
        scene.hands.write("file", "two")
        scene.watch.close()
        #expect(scene.watch.readChanges() == nil)
        #expect(!scene.watch.descriptor.isOpen)
    }
}

extension Scene {
    /// How many watches the kernel keeps for it. Source: proc_pid_fdinfo(5).
    fileprivate func watchCount() -> Int {
        let info = SmallFile.bytes(of: "/proc/self/fdinfo/\(watch.descriptor.number)") ?? []
        return String(decoding: info, as: UTF8.self).split(separator: "\n").count { $0.hasPrefix("inotify ") }
    }
}
