import CCurfew
import CurfewLinux
import CurfewWire
import Glibc
import Testing

@testable import CurfewEngine

@Suite("What a report is called")
struct ReportIDTests {
    @Test(
        "The moment is in UTC",
        arguments: [
            (0, "19700101T000000Z"), (1_763_729_109, "20251121T124509Z"), (1_709_164_799, "20240228T235959Z"),
            (1_709_164_800, "20240229T000000Z"), (253_402_300_799, "99991231T235959Z"),
        ])
    func stamp(seconds: Int64, stamp: String) {
        let id = ReportID(app: "backup", seconds: seconds, pid: 41207)
        #expect(id.text == "backup-\(stamp)-41207")
        #expect(id.seconds == seconds)
    }

    @Test(
        "It is read back, whatever the app is called",
        arguments: ["a", "a-b", "a-7", "job-20251121T124509Z-1", "a--b", "x.json", "_@+", "a-20251121T124509Z"])
    func parsed(app: String) throws {
        for end in ["1", "2147483647", "5-2", "5-17"] {
            let text = "\(app)-20251121T124509Z-\(end)"
            let id = try #require(ReportID(text))
            #expect(id.app == app)
            #expect(id.stamp == "20251121T124509Z")
            #expect(id.pid == Int32(end.prefix { $0 != "-" }))
            #expect(id.text == text)
            #expect(ReportID(fileName: text + ".json") == id)
        }
    }

    @Test(
        "Other names aren't ours",
        arguments: [
            "", "-", "a", "a-1", "a-20251121T124509Z", "-20251121T124509Z-1", "20251121T124509Z-1",
            "a-20251121T124509Z-", "a-20251121T124509Z-x", "a-20251121T124509Z-01", "a-20251121T124509Z--1",
            "a-20251121T124509Z-1-1", "a-20251121T124509Z-1-2-3", "a-20251121T124509Z-99999999999",
            "a-20251121t124509Z-1", "a-2025-11-21-1", "a-20251121T12450Z-1", "a/b-20251121T124509Z-1",
            ".a-20251121T124509Z-1", "7-20251121T124509Z-1", "a b-20251121T124509Z-1", "é-20251121T124509Z-1",
            "a-２0251121T124509Z-1",
        ])
    func others(text: String) {
        #expect(ReportID(text) == nil)
        #expect(ReportID(fileName: text + ".json") == nil)
    }

    @Test("A file has the ending, a temporary one the beginning")
    func files() {
        let name = "a-20251121T124509Z-1"
        #expect(ReportID(fileName: name) == nil)
        #expect(ReportID(fileName: name + ".JSON") == nil)
        #expect(ReportID.isTemporaryName(".tmp-" + name))
        #expect(!ReportID.isTemporaryName(name))
        #expect(!ReportID.isTemporaryName(".tmp-x"))
    }
}

@Suite("The reports that kills leave")
struct ReportStoreTests {
    private static let now: Int64 = 1_763_729_109
    private static let nanoseconds = now * 1_000_000_000
    private let sample = JSON.object([("version", .integer(1)), ("app", .string("backup"))])

    private func withStore(_ body: (ReportStore, ScratchFolder) throws -> Void) throws {
        let scratch = ScratchFolder()
        defer { scratch.remove() }
        try body(ReportStore(path: scratch.path + "/state/curfew/reports"), scratch)
    }

    private func ids(_ store: ReportStore) throws -> [String] { try store.list().map(\.id.text) }

    private func names(_ store: ReportStore) -> Set<String> { Set(Directory.names(of: store.path) ?? []) }

    private func refusal(_ store: ReportStore, app: String = "backup") -> KernelError? {
        do throws(KernelError) {
            _ = try store.write(sample, app: app, pid: 7, at: Self.nanoseconds)
            return nil
        } catch {
            return error
        }
    }

    private static func id(_ seconds: Int64, _ pid: Int32 = 1) -> ReportID {
        ReportID(app: "old", seconds: seconds, pid: pid)
    }

    /// Puts a report there that was written at `seconds`.
    private func plant(_ id: ReportID, _ store: ReportStore, at seconds: Int64) throws {
        try ScratchFolder.make(store.path + "/" + id.fileName, modified: Int(seconds))
    }

    @Test("One is written, listed and read; nobody else may read it")
    func written() throws {
        try withStore { store, scratch in
            #expect(try store.list() == [])
            let id = try store.write(sample, app: "backup", pid: 41207, at: Self.nanoseconds)
            #expect(id == "backup-20251121T124509Z-41207")
            let file = "\(store.path)/\(id).json"
            for folder in ["/state", "/state/curfew", "/state/curfew/reports"] {
                #expect(ScratchFolder.mode(scratch.path + folder) == 0o700)
            }
            #expect(ScratchFolder.mode(file) == 0o600)
            #expect(names(store) == [id + ".json"])
            let entry = try #require(try store.list().first)
            #expect(entry.id.text == id)
            #expect(entry.path == file)
            #expect(entry.size == 38)
            #expect(abs(entry.modified - curfew_realtime_nanoseconds()) < 60_000_000_000)
            #expect(try store.contents(of: entry.id) == sample)
        }
    }

    @Test("The second of the same second and pid has another id")
    func repeated() throws {
        try withStore { store, _ in
            let written = try (1...3).map { number in
                try store.write(.object([("n", .integer(number))]), app: "a", pid: 5, at: Self.nanoseconds)
            }
            let first = "a-20251121T124509Z-5"
            #expect(written == [first, first + "-2", first + "-3"])
            for (index, text) in written.enumerated() {
                let id = try #require(ReportID(text))
                #expect(try store.contents(of: id)["n"] == .integer(Int64(index + 1)))
            }
        }
    }

    @Test("One that is being written has its id already")
    func reserved() throws {
        try withStore { store, _ in
            _ = try store.write(sample, app: "other", pid: 5, at: Self.nanoseconds)
            let temporary = "\(store.path)/.tmp-a-20251121T124509Z-5"
            try ScratchFolder.make(temporary, "half")
            #expect(try store.write(sample, app: "a", pid: 5, at: Self.nanoseconds) == "a-20251121T124509Z-5-2")
            #expect(ScratchFolder.mode(temporary) == 0o600)
            #expect(try ids(store).sorted() == ["a-20251121T124509Z-5-2", "other-20251121T124509Z-5"])
        }
    }

    @Test("Those older than 30 days go at the next write")
    func age() throws {
        try withStore { store, _ in
            _ = try store.write(sample, app: "first", pid: 1, at: Self.nanoseconds)
            let limit = Self.now - ReportStore.maximumAge
            try plant(Self.id(1), store, at: limit - 1)
            try plant(Self.id(2), store, at: limit)
            #expect(try ids(store).count == 3)
            let id = try store.write(sample, app: "next", pid: 1, at: Self.nanoseconds)
            #expect(Set(try ids(store)) == [id, "first-20251121T124509Z-1", Self.id(2).text])
        }
    }

    @Test("Beyond 100 the oldest go, and none but ours")
    func number() throws {
        try withStore { store, _ in
            _ = try store.write(sample, app: "first", pid: 1, at: Self.nanoseconds)
            for age in 1...110 as ClosedRange<Int64> { try plant(Self.id(age), store, at: Self.now - age) }
            let others = [
                "notes.json", "a-b.json", "README", "old-20251121T124509Z-1.json.bak", "old-20251121T124509Z-x.json",
            ]
            for name in others { try ScratchFolder.make(store.path + "/" + name, modified: 1) }
            let id = try store.write(sample, app: "next", pid: 1, at: Self.nanoseconds)
            let left = try ids(store)
            #expect(left.count == ReportStore.maximumCount)
            // These two were written just now, by the machine's clock.
            #expect(Set(left.prefix(2)) == [id, "first-20251121T124509Z-1"])
            #expect(left.dropFirst(2) == (1...98).map { Self.id($0).text }[...])
            #expect(names(store).isSuperset(of: others))
        }
    }

    @Test("The one just written stays, even where all others seem newer")
    func clockPutBack() throws {
        try withStore { store, _ in
            _ = try store.write(sample, app: "first", pid: 1, at: Self.nanoseconds)
            let later = curfew_realtime_nanoseconds() / 1_000_000_000 + 1_000_000
            for number in 1...100 as ClosedRange<Int64> { try plant(Self.id(number), store, at: later + number) }
            let id = try store.write(sample, app: "next", pid: 1, at: Self.nanoseconds)
            #expect(try ids(store).last == id)
            #expect(!(try ids(store).contains("first-20251121T124509Z-1")))
        }
    }

    @Test("What a writer that died has left goes after an hour")
    func temporary() throws {
        try withStore { store, _ in
            _ = try store.write(sample, app: "first", pid: 1, at: Self.nanoseconds)
            let old = ".tmp-" + Self.id(1).text
            let young = ".tmp-" + Self.id(2).text
            try ScratchFolder.make(store.path + "/" + old, "ha", modified: Int(Self.now) - 3601)
            try ScratchFolder.make(store.path + "/" + young, "ha", modified: Int(Self.now) - 3600)
            try ScratchFolder.make(store.path + "/.tmp-mine", "ha", modified: 1)
            #expect(try ids(store).count == 1)
            _ = try store.write(sample, app: "next", pid: 1, at: Self.nanoseconds)
            #expect(!names(store).contains(old))
            #expect(names(store).isSuperset(of: [young, ".tmp-mine"]))
        }
    }

    @Test("Writers at the same time lose nothing and leave nothing half done")
    func concurrent() async throws {
        let scratch = ScratchFolder()
        defer { scratch.remove() }
        let store = ReportStore(path: scratch.path + "/state/curfew/reports")
        let sample = sample
        let ids = await withTaskGroup(of: [String].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<10).compactMap { _ in
                        try? store.write(sample, app: "same", pid: 1, at: Self.nanoseconds)
                    }
                }
            }
            return await group.reduce(into: [String]()) { $0 += $1 }
        }
        #expect(ids.count == 80)
        #expect(Set(ids).count == 80)
        #expect(Set(try store.list().map(\.id.text)) == Set(ids))
        for entry in try store.list() { #expect(try store.contents(of: entry.id) == sample) }
        #expect(names(store).allSatisfy { $0.hasSuffix(".json") })
    }

    @Test("Pruning at the same time keeps the bound")
    func concurrentPruning() async throws {
        let scratch = ScratchFolder()
        defer { scratch.remove() }
        let store = ReportStore(path: scratch.path + "/reports")
        _ = try store.write(sample, app: "first", pid: 1, at: Self.nanoseconds)
        for age in 1...150 as ClosedRange<Int64> { try plant(Self.id(age), store, at: Self.now - age) }
        let sample = sample
        let failures = await withTaskGroup(of: Int.self) { group in
            for writer in 0..<4 as Range<Int32> {
                group.addTask {
                    (0..<10).count { _ in
                        (try? store.write(sample, app: "w", pid: writer, at: Self.nanoseconds)) == nil
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(failures == 0)
        #expect(try store.list().count == ReportStore.maximumCount)
    }

    // MARK: Refusals

    @Test("A name that is no app's is refused before anything is made", arguments: ["", "../x", "a/b", ".x", "7"])
    func badName(app: String) throws {
        try withStore { store, scratch in
            #expect(refusal(store, app: app)?.errno == EINVAL)
            #expect(Directory.names(of: scratch.path) == [])
        }
    }

    @Test("A directory that others may write to isn't trusted; one that they may read is the owner's wish")
    func writable() throws {
        try withStore { store, _ in
            #expect(refusal(store) == nil)
            #expect(chmod(store.path, 0o755) == 0)
            #expect(refusal(store) == nil)
            for mode in [0o720, 0o702, 0o1777] as [mode_t] {
                #expect(chmod(store.path, mode) == 0)
                #expect(
                    refusal(store)?.text == """
                        trust (it must be a directory that only this user can write to) \(store.path): Operation not \
                        permitted
                        """)
            }
            #expect(names(store).count == 2)
        }
    }

    // Skipped for anybody but root, who alone can give a directory away.
    @Test("Somebody else's isn't trusted", .enabled(if: geteuid() == 0, "only root can give a directory away"))
    func somebodyElses() throws {
        try withStore { store, _ in
            #expect(refusal(store) == nil)
            #expect(chown(store.path, 65534, 65534) == 0)
            #expect(refusal(store)?.errno == EPERM)
        }
    }

    @Test("A symbolic link isn't followed, wherever it leads", arguments: ["/tmp", "there", "nowhere"])
    func link(target: String) throws {
        let scratch = ScratchFolder()
        defer { scratch.remove() }
        #expect(mkdir(scratch.path + "/there", 0o700) == 0)
        let store = ReportStore(path: scratch.path + "/reports")
        #expect(symlink(target, store.path) == 0)
        #expect(refusal(store)?.errno == EPERM)
        #expect(refusal(store)?.subject == store.path)
        #expect(Directory.names(of: scratch.path + "/there") == [])
    }

    @Test("A file where a directory should be is named")
    func file() throws {
        let scratch = ScratchFolder()
        defer { scratch.remove() }
        try ScratchFolder.make(scratch.path + "/state")
        let above = ReportStore(path: scratch.path + "/state/curfew/reports")
        #expect(refusal(above)?.text == "open \(above.path): Not a directory")
        let itself = ReportStore(path: scratch.path + "/state")
        #expect(refusal(itself)?.text == "open \(itself.path): Not a directory")
        #expect(throws: KernelError("read", itself.path, errno: ENOTDIR)) { try itself.list() }
    }

    @Test("A home that isn't there isn't made")
    func home() throws {
        let scratch = ScratchFolder()
        defer { scratch.remove() }
        let home = scratch.path + "/home"
        let store = ReportStore(path: home + "/.local/state/curfew/reports", below: home)
        #expect(refusal(store)?.text == "make \(home)/.local: No such file or directory")
        #expect(mkdir(home, 0o755) == 0)
        #expect(refusal(store) == nil)
        #expect(ScratchFolder.mode(home) == 0o755)
        #expect(ScratchFolder.mode(home + "/.local") == 0o700)
    }

    /// Has this thread's rights to files be another user's: the kernel keeps them for each thread. Source: setfsuid(2),
    /// which Swift's module of the C library leaves out.
    private func becomeForFiles(_ user: UInt32) {
        typealias Function = @convention(c) (UInt32) -> Int32
        guard let symbol = dlsym(nil, "setfsuid") else {
            Issue.record("no setfsuid")
            return
        }
        _ = unsafeBitCast(symbol, to: Function.self)(user)
    }

    @Test("Where it may not write, that is told", .enabled(if: geteuid() == 0, "needs root: it becomes another user"))
    func denied() throws {
        try withStore { store, scratch in
            #expect(refusal(store) == nil)
            #expect(chmod(scratch.path, 0o755) == 0)
            #expect(mkdir(scratch.path + "/open", 0o755) == 0)
            becomeForFiles(65534)
            let (inside, beside) = (refusal(store), refusal(ReportStore(path: scratch.path + "/open/reports")))
            becomeForFiles(0)
            #expect(inside?.text == "open \(store.path): Permission denied")
            #expect(beside?.text == "make \(scratch.path)/open/reports: Permission denied")
        }
    }

    /// Calls `body` with a store in a tiny file system of its own.
    private func withTinyDisk(_ body: (ReportStore, String) throws -> Void) throws {
        let scratch = ScratchFolder()
        defer { scratch.remove() }
        let disk = scratch.path + "/disk"
        #expect(mkdir(disk, 0o700) == 0)
        guard mount("tmpfs", disk, "tmpfs", 0, "size=64k") == 0 else {
            throw KernelError("mount", disk, errno: errno)
        }
        defer { #expect(umount2(disk, Int32(MNT_DETACH)) == 0) }
        try body(ReportStore(path: disk + "/reports"), disk)
    }

    /// Whether a file system can be mounted here.
    private static let canMount: Bool = {
        let scratch = ScratchFolder()
        defer { scratch.remove() }
        guard mount("tmpfs", scratch.path, "tmpfs", 0, "size=64k") == 0 else { return false }
        return umount2(scratch.path, 0) == 0
    }()

    @Test("On a full disk nothing half is left", .enabled(if: canMount, "needs root: it mounts a small file system"))
    func full() throws {
        try withTinyDisk { store, _ in
            let id = try store.write(sample, app: "first", pid: 1, at: Self.nanoseconds)
            let long = JSON.string(String(repeating: "x", count: 100_000))
            let expected = KernelError("write", "\(store.path)/backup-20251121T124509Z-7.json", errno: ENOSPC)
            #expect(throws: expected) {
                try store.write(.object([("x", long)]), app: "backup", pid: 7, at: Self.nanoseconds)
            }
            #expect(names(store) == [id + ".json"])
            #expect(refusal(store) == nil)
        }
    }

    @Test("On a disk that can't be written", .enabled(if: canMount, "needs root: it mounts a small file system"))
    func readOnly() throws {
        try withTinyDisk { store, disk in
            let id = try store.write(sample, app: "first", pid: 1, at: Self.nanoseconds)
            #expect(mount(nil, disk, nil, UInt(MS_REMOUNT | MS_RDONLY), nil) == 0)
            #expect(refusal(store)?.errno == EROFS)
            #expect(refusal(store)?.text.hasPrefix("make \(store.path)/.tmp-backup-") == true)
            #expect(refusal(ReportStore(path: disk + "/other/reports"))?.text.hasPrefix("make \(disk)/other") == true)
            #expect(try ids(store) == [id])
        }
    }

    // MARK: Reading

    private func problem(_ store: ReportStore, _ id: ReportID) -> String? {
        do throws(ReportStore.Unreadable) {
            _ = try store.contents(of: id)
            return nil
        } catch {
            return error.problem
        }
    }

    @Test(
        "A damaged one is told",
        arguments: [
            ("", "it isn't whole JSON: a value is missing at byte 0"),
            ("{\"version\": 1, \"app\": \"ba", "it isn't whole JSON: a string is not closed at byte 22"),
            ("[]", "it isn't a JSON object"), ("null", "it isn't a JSON object"),
        ])
    func damaged(text: String, expected: String) throws {
        try withStore { store, _ in
            _ = try store.write(sample, app: "first", pid: 1, at: Self.nanoseconds)
            try ScratchFolder.make("\(store.path)/\(Self.id(1).fileName)", text)
            #expect(problem(store, Self.id(1)) == expected)
            #expect(try ids(store).count == 2)
        }
    }

    @Test("A pipe, a folder, a link, an endless file and none at all keep nobody")
    func strange() throws {
        try withStore { store, _ in
            _ = try store.write(sample, app: "first", pid: 1, at: Self.nanoseconds)
            func path(_ number: Int64) -> String { "\(store.path)/\(Self.id(number).fileName)" }
            #expect(mkfifo(path(1), 0o600) == 0)
            #expect(mkdir(path(2), 0o700) == 0)
            #expect(symlink("/dev/zero", path(3)) == 0)
            try ScratchFolder.make(path(4))
            #expect(truncate(path(4), off_t(ReportStore.maximumBytes + 1)) == 0)
            #expect(problem(store, Self.id(1)) == "it is no ordinary file")
            #expect(problem(store, Self.id(2)) == "it is no ordinary file")
            #expect(problem(store, Self.id(3)) == "Too many levels of symbolic links")
            #expect(problem(store, Self.id(4)) == "it is too long for a report")
            #expect(problem(store, Self.id(5)) == "No such file or directory")
        }
    }

    // MARK: Where it is

    private func path(state: String?, home: String?, passwords: String = "/nonexistent") -> String? {
        StateDirectory.ofThisUser("curfew/reports", state: state, home: home, passwords: passwords)?.path
    }

    @Test("Under the state's home, else the home, else the home in the password file")
    func place() throws {
        let scratch = ScratchFolder()
        defer { scratch.remove() }
        let (state, home) = (scratch.path + "/a/state", scratch.path)
        let below = "/.local/state/curfew/reports"
        #expect(path(state: state, home: home) == state + "/curfew/reports")
        #expect(path(state: home + "/", home: home) == home + "/curfew/reports")
        for unset in [nil, "", "state", "./state", "/"] {
            #expect(path(state: unset, home: home) == home + below)
            #expect(path(state: unset, home: unset) == nil)
        }
        // Nor is it asked where it leads through what is no directory.
        #expect(path(state: "/dev/null/none", home: home) == nil)
        let passwords = scratch.path + "/passwd"
        try ScratchFolder.make(
            passwords,
            """
            # a line that is none
            x:x:\(geteuid() + 1):0::/somewhere:
            me:x:\(geteuid()):0:Me, myself:\(home):/bin/sh
            again:x:\(geteuid()):0::/elsewhere:
            """)
        #expect(path(state: nil, home: nil, passwords: passwords) == home + below)
        try ScratchFolder.make(passwords, "me:x:\(geteuid()):0::/nonexistent:/bin/sh\n")
        #expect(path(state: nil, home: nil, passwords: passwords) == nil)
        try ScratchFolder.make(passwords, "me:x:\(geteuid()):0::relative:/bin/sh\nme:x:\(geteuid())\n")
        #expect(path(state: nil, home: nil, passwords: passwords) == nil)
    }

    @Test(
        "Another user's home, as sudo can leave it in the environment, isn't written to",
        .enabled(if: geteuid() == 0, "only root can give a directory away"))
    func anothersHome() throws {
        let scratch = ScratchFolder()
        defer { scratch.remove() }
        let passwords = scratch.path + "/passwd"
        let (own, others) = (scratch.path + "/root", scratch.path + "/alice")
        for home in [own, others] { #expect(mkdir(home, 0o700) == 0) }
        #expect(chown(others, 65534, 65534) == 0)
        try ScratchFolder.make(passwords, "root:x:0:0::\(own):/bin/sh\n")
        let expected = own + "/.local/state/curfew/reports"
        #expect(path(state: others, home: others, passwords: passwords) == expected)
        #expect(path(state: others + "/not/yet", home: others, passwords: passwords) == expected)
        #expect(path(state: nil, home: others, passwords: passwords) == expected)
    }
}
