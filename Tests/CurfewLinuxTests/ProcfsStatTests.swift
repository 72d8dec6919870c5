import Testing

@testable import CurfewLinux

@Suite("Reading /proc/PID/stat")
struct ProcfsStatTests {
    private func parsed(_ text: String) -> Procfs.Stat? { Array(text.utf8).withUnsafeBytes { Procfs.Stat($0) } }

    /// `1234 (NAME) S 1 1234 …`, as a kernel writes it.
    private func line(_ name: String) -> String {
        "1234 (\(name)) S 17 1230 1229 34816 1240 4194304 1063 2270 1 2 33 44 5 6 20 0 3 0 8126 8511488 1331 "
            + "18446744073709551615 94 95 140 0 0 0 0 3670020 1266777851 1 0 0 17 1 0 0 0 0 0\n"
    }

    @Test("An ordinary process")
    func ordinary() throws {
        let stat = try #require(parsed(line("bash")))
        #expect(stat.state == UInt8(ascii: "S"))
        #expect(stat.parent == 17)
        #expect(stat.processGroup == 1230)
        #expect(stat.cpuTicks == 77)
        #expect(stat.waitedCPUTicks == 11)
        #expect(stat.threads == 3)
        #expect(stat.startTime == 8126)
        #expect(!stat.isSupervisor)
        #expect(!stat.isStopped)
        #expect(!stat.isGone)
    }

    @Test(
        "A name may hold blanks, brackets, newlines, a whole line of its own, or nothing",
        arguments: ["tmux: server", "(sd-pam)", "a) R 1 (b", ")", "(", "))))", "a\nb", "", " ", "x) Z 1 1 1 1", "é🙂"])
    func names(name: String) throws {
        let stat = try #require(parsed(line(name)))
        #expect(stat.parent == 17)
        #expect(stat.state == UInt8(ascii: "S"))
        #expect(stat.startTime == 8126)
    }

    @Test("A process without a terminal: -1 as its group, 0 as its terminal")
    func negativeFields() throws {
        let stat = try #require(
            parsed("2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 5 0 0 20 -5 1 0 7 0 0 18446744073709551615 0\n"))
        #expect(stat.parent == 0)
        #expect(stat.processGroup == 0)
        #expect(stat.cpuTicks == 5)
        #expect(stat.startTime == 7)
    }

    @Test("Numbers as large as the kernel has")
    func hugeNumbers() throws {
        let most = "18446744073709551615"
        let stat = try #require(
            parsed(
                "4194304 (x) R 4194303 4194303 1 0 -1 \(most) \(most) \(most) \(most) \(most) 9223372036854775807 1 "
                    + "-9223372036854775808 0 20 0 4194303 0 \(most) \(most)"))
        #expect(stat.parent == 4_194_303)
        #expect(stat.cpuTicks == 9_223_372_036_854_775_808)
        #expect(stat.threads == 4_194_303)
        #expect(stat.startTime == .max)
    }

    @Test("Each state's letter", arguments: zip("RSDTtZXI", [0, 0, 0, 1, 0, 2, 2, 0]))
    func states(letter: Character, kind: Int) throws {
        let stat = try #require(parsed(line("x").replacing(") S", with: ") \(letter)")))
        #expect(stat.isStopped == (kind == 1))
        #expect(stat.isGone == (kind == 2))
    }

    @Test("A supervisor is known by its whole name")
    func supervisor() throws {
        #expect(parsed(line("curfew-sup"))?.isSupervisor == true)
        for name in ["curfew-su", "curfew-supe", "(curfew-sup)", "curfew-sup ", "x(curfew-sup"] {
            #expect(parsed(line(name))?.isSupervisor == false, "\(name)")
        }
    }

    @Test("A line cut short of the start time is none, and no cut is a trap")
    func truncated() {
        let whole = Array(line("a b").utf8)
        let text = line("a b")
        let needed = text.utf8.distance(from: text.startIndex, to: text.range("8126").upperBound)
        for length in 0...whole.count {
            let found = whole.prefix(length).withUnsafeBytes { Procfs.Stat($0) }
            if length < needed - 3 { #expect(found == nil, "\(length)") }
            if length >= needed { #expect(found?.startTime == 8126, "\(length)") }
        }
    }

    @Test(
        "What is no such line is none", arguments: ["", "(", ")", "1", "1 (a", "1 a)", "1 (a)", "1 (a) ", "1 (a) S x"])
    func garbage(text: String) { #expect(parsed(text) == nil) }
}

extension String {
    /// Where the one piece is.
    fileprivate func range(_ piece: String) -> Range<String.Index> { firstRange(of: piece) ?? startIndex..<startIndex }
}

@Suite("Numbers in the kernel's small files")
struct SmallFileTests {
    private func number(_ text: String, after key: StaticString) -> UInt64? {
        Array(text.utf8).withUnsafeBytes { $0.number(after: key) }
    }

    @Test("The number after a key at a line's start")
    func keys() {
        let events = "low 0\nhigh 12\nmax 3\noom 4\noom_kill 5\noom_group_kill 6\n"
        #expect(number(events, after: "oom ") == 4)
        #expect(number(events, after: "oom_kill ") == 5)
        #expect(number(events, after: "low ") == 0)
        #expect(number(events, after: "kill ") == nil)
        #expect(number("TracerPid:\t77\n", after: "TracerPid:") == 77)
        #expect(number("Pss_Anon:            1024 kB\n", after: "Pss_Anon:") == 1024)
    }

    @Test("No key, no number, no text: nil")
    func absent() {
        #expect(number("", after: "a") == nil)
        #expect(number("a", after: "ab") == nil)
        #expect(number("max max\n", after: "max ") == nil)
        #expect(number("memory.max", after: "memory.max") == nil)
    }

    @Test("A file that isn't there is nil, a long one is whole")
    func files() throws {
        #expect(SmallFile.bytes(of: "/nonexistent") == nil)
        #expect(SmallFile.withContents(of: "/nonexistent", { $0.count }) == nil)
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        let path = scratch.path + "/long"
        let text = String(repeating: "0123456789", count: 1000)
        var made = try ScratchDirectory.touch(path)
        made.close()
        try SmallFile.write(text, to: path)
        #expect(SmallFile.bytes(of: path)?.count == 10_000)
        #expect(SmallFile.withContents(of: path, { $0.count }) == 4096)
        #expect(throws: KernelError.self) { try SmallFile.write("x", to: scratch.path) }
    }
}
