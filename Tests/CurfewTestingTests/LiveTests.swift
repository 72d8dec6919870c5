import CurfewTesting
import Glibc
import Testing

/// The curfew under test: the environment's, else the one that was built beside these tests.
private let curfew: String? = {
    if let named = getenv("CURFEW") { return String(cString: named) }
    let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
    let built = root + "/.build/debug/curfew"
    return access(built, X_OK) == 0 ? built : nil
}()

/// As `make build` makes it, and the debug build.
private let hasTimeline: Bool = {
    guard let curfew, let real = realpath(curfew, nil) else { return false }
    defer { free(real) }
    let folder = String(cString: real).split(separator: "/").dropLast().map { "/" + $0 }.joined()
    return access(folder + "/curfew-timeline", X_OK) == 0
}()

@Suite(
    "In Swift Testing: real processes",
    .enabled(if: curfew != nil, "CURFEW names no curfew, and there is none in .build/debug"))
struct LiveTests {
    private static let program = """
        trap "exit 3" TERM
        test ! -e "$CURFEW_STATE_DIR/mark" || echo restored; touch "$CURFEW_STATE_DIR/mark"
        echo "up $$"; while read -r line; do echo "got $line"; done
        """

    private func withShell(_ body: (App) async throws -> Void) async throws {
        try await withApp("sh", "-c", Self.program, patience: .seconds(60), curfew: curfew) { app in
            try await app.launch()
            try await app.awaitOutput("^up")
            try await body(app)
        }
    }

    @Test("Home, open, reclaimed, restored, quit")
    func lifecycle() async throws {
        try await withShell { app in
            try await app.home()
            try await app.expectState(.suspended)
            try await app.expectSilence(.milliseconds(50))
            try await app.open()
            try await app.expectPid(.same)
            try await app.send("hello")
            try await app.awaitOutput("got hello")
            try await app.home()
            try await app.reclaim()
            try await app.expectExit(137)
            try await app.open()
            try await app.expectPid(.changed)
            try await app.awaitOutput("^restored$")
            #expect(try await app.awaitOutput(#"^up (\d+)$"#).last == app.pid.map { "\($0)" })
            try await app.quit()
            try await app.expectExit(3)
        }
    }

    @Test("Asleep until its input comes")
    func asleep() async throws {
        try await withApp("cat", options: ["--wake-on", "pipes"], patience: .seconds(60), curfew: curfew) { app in
            try await app.launch()
            try await app.sleep()
            try await app.expectState(.suspended)
            try await app.send("hello")
            try await app.awaitOutput("hello")
            try await app.expectState(.active)
        }
    }

    @Test("Held time is moved")
    func time() async throws {
        try await withApp("sleep", "1000", options: ["--background", "--grace", "5m"], curfew: curfew) { app in
            try await app.launch()
            try await app.expectState(.background)
            try await app.advance(.seconds(299))
            try await app.expectState(.background)
            try await app.advance(.seconds(1))
            try await app.expectState(.suspended)
        }
    }

    @Test("Keys in a terminal")
    func terminal() async throws {
        let script = "test -t 0 && stty size; read x; echo \"got $x\""
        try await withApp("sh", "-c", script, hasTerminal: true, patience: .seconds(60), curfew: curfew) { app in
            try await app.launch()
            try await app.awaitOutput("24 80")
            try await app.key("a", "b", "Enter")
            try await app.awaitOutput("got ab")
            try await app.awaitExit(0)
        }
    }

    @Test("A test that looks away keeps nobody waiting: more output than a pipe holds")
    func chatter() async throws {
        var template = Array("/tmp/curfew-chatter.XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let done = folder + "/done"
        defer {
            unlink(done)
            rmdir(folder)
        }
        let script = "head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last; touch \"$0\"; read x"
        try await withApp("sh", "-c", script, done, patience: .seconds(60), curfew: curfew) { app in
            try await app.launch()
            // Nothing is asked of the app here.
            let clock = ContinuousClock()
            let limit = clock.now + .seconds(60)
            while access(done, F_OK) != 0 {
                try #require(clock.now < limit, "it hasn't written everything in 60 s")
                try await Task.sleep(for: .milliseconds(10))  // a moment
            }
            try await app.awaitOutput("^last$")
        }
    }

    @Test(
        "Of what fails the picture is kept, with journal, report and output",
        .enabled(if: hasTimeline, "there is no curfew-timeline beside curfew"))
    func artifacts() async throws {
        var template = Array("/tmp/curfew-kept.XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let names = ["journal", "output.txt", "report.json", "timeline.svg"]
        defer {
            for name in names { unlink(folder + "/" + name) }
            rmdir(folder)
        }
        try await withKnownIssue {
            try await withApp("sh", "-c", "echo up; exit 3", artifacts: folder, curfew: curfew) { app in
                try await app.launch()
                try await app.awaitExit(4, within: .seconds(60))
            }
        } matching: { issue in
            issue.comments.contains { $0.rawValue.hasSuffix("\n\npicture   \(folder)/timeline.svg") }
        }
        for name in names { #expect(access("\(folder)/\(name)", R_OK) == 0, "\(name)") }
    }

    @Test("What a helper has left behind is ended, and what its supervisor has let go")
    func leftBehind() async throws {
        let left = Left()
        let daemon = "setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo $! >\"$CURFEW_STATE_DIR/daemon\""
        try await withApp(
            "sh", "-c", "echo \"up $CURFEW_STATE_DIR\"; exec sleep 1000", options: ["--on-supervisor-exit", "resume"],
            patience: .seconds(60), curfew: curfew
        ) { app in
            try await app.launch()
            let folder = try await app.awaitOutput(#"^up (\S+)$"#)[1]
            try await app.run("sh", "-c", daemon)
            let daemon = try #require(words(folder + "/daemon")?.first.flatMap { Int32($0.prefix { $0 != "\n" }) })
            left.pids = [try #require(await app.pid), daemon]
            for pid in left.pids { #expect(isAlive(pid)) }
            try await app.killSupervisor()
        }
        #expect(left.pids.count == 2)
        for pid in left.pids { #expect(!isAlive(pid)) }
    }

    @Test("Nothing is left of a test that fails: the app, a daemon of it, a helper, its folder")
    func failure() async throws {
        let left = Left()
        try await withKnownIssue {
            try await withApp(
                "sh", "-c", "trap '' TERM; setsid sleep 1000 & echo \"$! $CURFEW_STATE_DIR\"; cat",
                patience: .seconds(60),
                curfew: curfew
            ) { app in
                try await app.launch()
                let words = try await app.awaitOutput(#"^(\d+) (\S+)$"#)
                left.pids = [try #require(await app.pid), try #require(Int32(words[1]))]
                left.folder = words[2]
                try await app.begin("sleep", "1000")
                try await app.expectState(.suspended)
            }
        } matching: { issue in
            issue.comments.contains {
                $0.rawValue.hasPrefix("expected  the app to be suspended\nseen      it is active")
            }
        }
        #expect(left.pids.count == 2)
        for pid in left.pids { #expect(!isAlive(pid)) }
        #expect(access(left.folder, F_OK) != 0)
    }

    private final class Left {
        var pids: [Int32] = []
        var folder = ""
    }

    /// Of one that is dead and wasn't waited for, too, nothing runs any more.
    private func isAlive(_ pid: Int32) -> Bool {
        guard let words = words("/proc/\(pid)/stat"), words.count > 2 else { return false }
        return words[2] != "Z" && words[2] != "X"
    }

    /// Of the first line; nil when it can't be read.
    private func words(_ path: String) -> [Substring]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [CChar](repeating: 0, count: 256)
        guard fgets(&bytes, Int32(bytes.count), file) != nil else { return nil }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            .split(separator: " ")
    }
}
