import Glibc

/// A process of a test, with its output as lines and an input that it may wait for.
final class Child {
    let pid: pid_t
    private var input: Int32
    private let output: UnsafeMutablePointer<FILE>

    init?(_ words: [String]) {
        let toChild = makePipe()
        let fromChild = makePipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid = pid_t()
        let failed = posix_spawnp(&pid, words[0], &actions, nil, &arguments, environ)
        close(toChild[0])
        close(fromChild[1])
        guard failed == 0, let stream = fdopen(fromChild[0], "r") else { return nil }
        self.pid = pid
        input = toChild[1]
        output = stream
    }

    static func worker(_ words: String...) -> Child? { executable.flatMap { Child([$0] + words) } }

    /// With mounts of its own; by who may.
    static func isolatedWorker(_ words: String...) -> Child? { executable.flatMap { Child(ownMounts + [$0] + words) } }

    /// What it meets at a call.
    enum Fate: String, CaseIterable {
        case killed = "signal=KILL"
        case brokenDisk = "error=EIO"
        case fullDisk = "error=ENOSPC"
    }

    /// At the `number`th call of that name. `trace`: the file in which the tracer tells what it has done.
    static func worker(
        meeting fate: Fate, at call: String, _ number: Int, trace: String, _ words: String...
    ) -> Child? {
        // With --seccomp-bpf a signal comes at some other call.
        let tracer = ["strace", "-f", "-o", trace, "-e", "trace=\(call)"]
        let injection = ["-e", "inject=\(call):\(fate.rawValue):when=\(number)", "--"]
        return executable.flatMap { Child(tracer + injection + [$0] + words) }
    }

    /// Whether a process can be traced here.
    static let canTrace = Child(["strace", "-f", "-qqq", "-o", "/dev/null", "true"])?.wait() == 0

    private static let ownMounts = ["unshare", geteuid() == 0 ? "-m" : "-Urm"]

    /// Whether a process can have mounts of its own here.
    static let canIsolate = Child(ownMounts + ["mount", "-t", "tmpfs", "tmpfs", "/tmp"])?.wait() == 0

    /// The one that is built beside the tests.
    private static var executable: String? {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        guard count > 0 else { return nil }
        let own = String(decoding: path.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return own[..<(own.lastIndex(of: "/") ?? own.startIndex)] + "/store-worker"
    }

    static func python(_ program: String, _ words: String...) -> Child? { Child(["python3", "-c", program] + words) }

    /// nil: it writes no more.
    func line() -> String? {
        var line: UnsafeMutablePointer<CChar>?
        var size = 0
        defer { free(line) }
        let count = getline(&line, &size, output)
        guard count > 0, let line else { return nil }
        return String(decoding: UnsafeRawBufferPointer(start: line, count: count).prefix { $0 != 10 }, as: UTF8.self)
    }

    func lines() -> [String] {
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        return lines
    }

    func endInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    func kill() { _ = Glibc.kill(pid, SIGKILL) }

    /// Its status as waitpid(2) has it.
    @discardableResult func wait() -> Int32 {
        endInput()
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        fclose(output)
        return status
    }
}

/// The reading end and the writing end, which no child inherits.
func makePipe() -> [Int32] {
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return ends
}
