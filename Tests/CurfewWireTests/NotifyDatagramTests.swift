import CurfewWire
import Testing

@Suite("Datagrams of sd_notify")
struct NotifyDatagramTests {
    private func parse(_ text: String) -> [NotifyField] { NotifyDatagram.parse(Array(text.utf8)) }

    @Test(
        "Each field",
        arguments: [
            ("READY=1", .ready),
            ("STOPPING=1", .stopping),
            ("STATUS=Completed 66% of file system check…", .status("Completed 66% of file system check…")),
            ("STATUS=", .status("")),
            ("STATUS=a=b", .status("a=b")),
            ("STATUS= a ", .status(" a ")),
            ("MAINPID=4711", .mainPid(4711)),
            ("MAINPID=1", .mainPid(1)),
            ("MAINPID=2147483647", .mainPid(.max)),
            ("MAINPID=007", .mainPid(7)),
            ("EXTEND_TIMEOUT_USEC=1", .extendTimeout(nanoseconds: 1_000)),
            ("EXTEND_TIMEOUT_USEC=20000000", .extendTimeout(nanoseconds: 20_000_000_000)),
            ("EXTEND_TIMEOUT_USEC=9223372036854775", .extendTimeout(nanoseconds: 9_223_372_036_854_775_000)),
            ("EXTEND_TIMEOUT_USEC=9223372036854776", .extendTimeout(nanoseconds: .max)),
            ("EXTEND_TIMEOUT_USEC=18446744073709552", .extendTimeout(nanoseconds: .max)),
            ("EXTEND_TIMEOUT_USEC=18446744073709551614", .extendTimeout(nanoseconds: .max)),
            ("WATCHDOG=1", .watchdog),
            ("WATCHDOG=trigger", .watchdogTrigger),
            ("WATCHDOG_USEC=3", .watchdogInterval(nanoseconds: 3_000)),
            ("WATCHDOG_USEC=0", .watchdogInterval(nanoseconds: 0)),
            ("WATCHDOG_USEC=18446744073709551614", .watchdogInterval(nanoseconds: .max)),
            ("WATCHDOG_USEC=18446744073709551615", .watchdogInterval(nanoseconds: 0)),
            ("BARRIER=1", .barrier),
        ] as [(String, NotifyField)])
    func fields(text: String, field: NotifyField) {
        #expect(parse(text) == [field])
    }

    @Test("However the lines end", arguments: ["", "\n", "\r\n", "\n\n", "\0", "\n\0", "\r"])
    func ends(end: String) {
        #expect(parse("READY=1" + end) == [.ready])
        #expect(parse("BARRIER=1" + end) == [.barrier])
        #expect(parse(end + "READY=1") == (end.contains("\0") ? [.malformed(.nul)] : [.ready]))
    }

    @Test("Several come in one order, whatever theirs was")
    func several() {
        let lines = ["MAINPID=5", "READY=1", "STOPPING=1", "STATUS=s", "EXTEND_TIMEOUT_USEC=6", "WATCHDOG=1"]
        let fields: [NotifyField] = [
            .mainPid(5), .ready, .stopping, .status("s"), .extendTimeout(nanoseconds: 6_000), .watchdog,
            .watchdogInterval(nanoseconds: 7_000), .unknown(key: "X_ONE"), .malformed(.noEquals),
        ]
        let all = lines + ["WATCHDOG_USEC=7", "X_ONE=1", "nonsense"]
        #expect(parse(all.joined(separator: "\n")) == fields)
        #expect(parse(all.reversed().joined(separator: "\n")) == fields)
    }

    @Test(
        "Of two with one key the first counts, even if its value is no good",
        arguments: [
            ("STATUS=a\nSTATUS=b", [.status("a")]),
            ("STATUS=\nSTATUS=b", [.status("")]),
            ("MAINPID=1\nMAINPID=2", [.mainPid(1)]),
            ("MAINPID=x\nMAINPID=2", [.malformed(.mainPid)]),
            ("WATCHDOG=1\nWATCHDOG=trigger", [.watchdog]),
            ("WATCHDOG=trigger\nWATCHDOG=1", [.watchdogTrigger]),
            ("WATCHDOG=0\nWATCHDOG=1", [.unknown(key: "WATCHDOG")]),
            ("WATCHDOG_USEC=\nWATCHDOG_USEC=1", [.malformed(.watchdogInterval)]),
            ("EXTEND_TIMEOUT_USEC=0\nEXTEND_TIMEOUT_USEC=1", [.malformed(.extendTimeout)]),
            ("EXTEND_TIMEOUT_USEC=2\nEXTEND_TIMEOUT_USEC=1", [.extendTimeout(nanoseconds: 2_000)]),
        ] as [(String, [NotifyField])])
    func doubled(text: String, fields: [NotifyField]) {
        #expect(parse(text) == fields)
    }

    @Test("READY=1 and STOPPING=1 count on any line", arguments: ["READY=1\nREADY=0", "READY=0\nREADY=1\nREADY=1"])
    func anyLine(text: String) {
        #expect(parse(text) == [.ready, .unknown(key: "READY")])
        let stopping = text.split(separator: "\n").map { "STOPPING" + $0.dropFirst(5) }.joined(separator: "\n")
        #expect(parse(stopping) == [.stopping, .unknown(key: "STOPPING")])
    }

    @Test(
        "Other keys and values mean nothing",
        arguments: [
            ("RELOADING=1", "RELOADING"), ("FDSTORE=1", "FDSTORE"), ("X_=", "X_"), ("READY=", "READY"),
            ("READY=11", "READY"), ("READY= 1", "READY"), ("READY=1 ", "READY"), ("READY=yes", "READY"),
            (" READY=1", " READY"), ("ready=1", "ready"), ("READY =1", "READY "), ("STOPPING=0", "STOPPING"),
            ("BARRIER=0", "BARRIER"), ("WATCHDOG=", "WATCHDOG"), ("WATCHDOG=Trigger", "WATCHDOG"),
            ("STATUS =s", "STATUS "), ("WATCHDOG_USE=1", "WATCHDOG_USE"), ("WATCHDOG_USECS=1", "WATCHDOG_USECS"),
            ("\u{1b}[2J=1", "\u{fffd}[2J"),
        ])
    func unknown(text: String, key: String) {
        #expect(parse(text) == [.unknown(key: key)])
    }

    @Test("Only so many that mean nothing are told of, each once, and what they hide is found")
    func manyUnknown() {
        let keys = (0..<40).map { "X_\($0)" }
        let lines = keys.flatMap { ["\($0)=1", "\($0)=2"] } + ["READY=1"]
        let told = keys.prefix(NotifyDatagram.maximumUnknown).map { NotifyField.unknown(key: $0) }
        #expect(parse(lines.joined(separator: "\n")) == [.ready] + told)
    }

    @Test(
        "Numbers are digits and nothing else",
        arguments: [
            "", "+1", "-1", " 1", "1 ", "1s", "0x10", "1.0", "1e3", "٣", "18446744073709551616",
            "99999999999999999999999999", "NaN",
        ])
    func numbers(text: String) {
        #expect(parse("MAINPID=" + text) == [.malformed(.mainPid)])
        #expect(parse("EXTEND_TIMEOUT_USEC=" + text) == [.malformed(.extendTimeout)])
        #expect(parse("WATCHDOG_USEC=" + text) == [.malformed(.watchdogInterval)])
    }

    @Test("Numbers that no process has", arguments: ["0", "00", "2147483648", "4294967297", "18446744073709551615"])
    func processNumbers(text: String) {
        #expect(parse("MAINPID=" + text) == [.malformed(.mainPid)])
    }

    @Test("A transition can't be given no time, nor all of it", arguments: ["0", "000", "18446744073709551615"])
    func noExtension(text: String) {
        #expect(parse("EXTEND_TIMEOUT_USEC=" + text) == [.malformed(.extendTimeout)])
    }

    @Test(
        "What can't be read",
        arguments: [
            ("", [.malformed(.empty)]),
            ("\n", [.malformed(.empty)]),
            ("\r\n\n", [.malformed(.empty)]),
            ("\0", [.malformed(.empty)]),
            ("\0\0", [.malformed(.nul)]),
            ("READY=1\0\n", [.malformed(.nul)]),
            ("READY=1\0STOPPING=1", [.malformed(.nul)]),
            ("READY", [.malformed(.noEquals)]),
            (" ", [.malformed(.noEquals)]),
            ("=1", [.malformed(.noKey)]),
            ("=", [.malformed(.noKey)]),
            ("a\nb\n=\n=c\nREADY=1", [.ready, .malformed(.noEquals), .malformed(.noKey)]),
        ] as [(String, [NotifyField])])
    func unreadable(text: String, fields: [NotifyField]) {
        #expect(parse(text) == fields)
    }

    @Test(
        "A barrier stands alone, or all is ignored",
        arguments: ["BARRIER=1\nREADY=1", "X=1\nBARRIER=1", "BARRIER=1\nBARRIER=1", "BARRIER=1\nnonsense"])
    func barrier(text: String) {
        #expect(parse(text) == [.malformed(.barrierNotAlone)])
    }

    @Test("The longest datagram is read, a longer one is not")
    func longest() {
        let status = "STATUS=" + String(repeating: "a", count: 256)
        let line = "READY=1\n" + status + "\nX="
        let longest = line + String(repeating: "x", count: NotifyDatagram.maximumBytes - line.utf8.count)
        let expected: [NotifyField] = [
            .ready, .status(String(repeating: "a", count: 256)), .unknown(key: "X"),
        ]
        #expect(parse(longest) == expected)
        #expect(parse(longest + "x") == [.malformed(.tooLong)])
        #expect(NotifyProblem.tooLong.rawValue.contains(String(NotifyDatagram.maximumBytes)))
    }

    @Test(
        "A status is cut where a character begins, at most at 256 bytes", arguments: ["a", "é", "…", "👍", "\u{7f}"])
    func cut(character: String) {
        let shown = character == "\u{7f}" ? "\u{fffd}" : character
        for start in 0..<4 {
            let before = String(repeating: "x", count: start)
            let whole = (256 - start) / shown.utf8.count
            let status = before + String(repeating: character, count: 300)
            #expect(
                parse("STATUS=" + status) == [.status(before + String(repeating: shown, count: whole))], "\(start)")
        }
        let key = String(repeating: character, count: 300)
        #expect(parse(key + "=1") == [.unknown(key: String(repeating: shown, count: 256 / shown.utf8.count))])
    }

    @Test(
        "What isn't UTF-8, and what isn't for one line, is replaced",
        arguments: [
            ([0x61, 0xff, 0x62], "a\u{fffd}b"),
            ([0xc3], "\u{fffd}"),
            ([0xe2, 0x80], "\u{fffd}\u{fffd}"),
            ([0xed, 0xa0, 0x80], "\u{fffd}\u{fffd}\u{fffd}"),
            ([0xc0, 0x80], "\u{fffd}\u{fffd}"),
            ([0xc3, 0x61], "\u{fffd}a"),
            (Array("\u{1}\t\u{1b}[0m".utf8), "\u{fffd}\u{fffd}\u{fffd}[0m"),
            (Array("\u{7f}\u{80}\u{85}\u{9f}\u{a0}".utf8), "\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{a0}"),
            (Array("\u{2027}\u{2028}\u{2029}\u{202a}".utf8), "\u{2027}\u{fffd}\u{fffd}\u{202a}"),
            (Array("e\u{301}👩‍👩‍👧".utf8), "e\u{301}👩‍👩‍👧"),
        ] as [([UInt8], String)])
    func cleaned(bytes: [UInt8], text: String) {
        #expect(NotifyDatagram.parse(Array("STATUS=".utf8) + bytes) == [.status(text)])
    }

    /// Seeded, so that a failure, which names its seed, can be repeated.
    @Test("Random bytes never crash, and what is read keeps to its bounds", arguments: 0..<8 as Range<UInt64>)
    func randomBytes(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<2_000 { check(random.bytes(upTo: 60), seed) }
        for _ in 0..<20 { check(random.bytes(upTo: 5_000), seed) }
    }

    @Test("Random lines of the protocol", arguments: 0..<8 as Range<UInt64>)
    func randomLines(seed: UInt64) {
        let tokens = [
            "READY", "STOPPING", "STATUS", "MAINPID", "EXTEND_TIMEOUT_USEC", "WATCHDOG", "WATCHDOG_USEC", "BARRIER",
            "=",
            "=", "=", "1", "1", "0", "18446744073709551615", "trigger", "\n", "\n", "\r", "\0", " ", "é", "\u{85}",
            "X_",
        ]
        var random = SplitMix64(seed: seed)
        for _ in 0..<2_000 {
            let text = (0..<random.below(20)).map { _ in tokens[random.below(tokens.count)] }.joined()
            check(Array(text.utf8), seed)
        }
        for _ in 0..<20 {
            let text = (0..<random.below(1_000)).map { _ in tokens[random.below(tokens.count)] }.joined()
            check(Array(text.utf8), seed)
        }
    }

    private func check(_ bytes: [UInt8], _ seed: UInt64) {
        let fields = NotifyDatagram.parse(bytes)
        let context: Comment = "seed \(seed): \(bytes)"
        #expect(!fields.isEmpty && fields.count <= 40 && Set(fields).count == fields.count, context)
        if bytes.count > NotifyDatagram.maximumBytes { #expect(fields == [.malformed(.tooLong)], context) }
        if fields.contains(.barrier) { #expect(fields == [.barrier], context) }
        for field in fields {
            switch field {
            case .mainPid(let pid): #expect(pid > 0, context)
            case .extendTimeout(let time): #expect(time > 0, context)
            case .watchdogInterval(let time): #expect(time >= 0, context)
            case .status(let text): checkText(text, context)
            case .unknown(let key):
                #expect(!key.isEmpty, context)
                checkText(key, context)
            case .barrier, .ready, .stopping, .watchdog, .watchdogTrigger, .malformed: break
            }
        }
    }

    private func checkText(_ text: String, _ context: Comment) {
        #expect(text.utf8.count <= NotifyDatagram.maximumStatusBytes, context)
        #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control }, context)
    }
}
