import CCurfew
import Glibc

/// The folder of one run, gone with it even if it is killed: a child waits for that and clears up.
struct RunFolder {
    let path: String
    private var cleaner: (pid: Int32, pipe: Int32) = (-1, -1)

    typealias Problem = Files.Problem

    /// Where sockets' paths are short enough: 108 bytes with all that comes behind.
    static let longestParent = 40

    init() throws(Problem) {
        let wanted = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let parent = wanted.utf8.count <= Self.longestParent && wanted.hasPrefix("/") ? wanted : "/tmp"
        var template = Array("\(parent)/curfew-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Problem(message: "can't make a folder in \(parent): \(Files.reason())")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try leaveCleaner()
    }

    /// Forked while there is one thread: it waits until the last copy of the pipe's other end is closed, ours, and those of
    /// nobody else, for they aren't inherited through execve.
    private mutating func leaveCleaner() throws(Problem) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Problem(message: "can't make a pipe: \(Files.reason())") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let child = curfew_fork(SIGCHLD)
        if child < 0 { throw Problem(message: "can't fork: \(Files.reason(-child))") }
        if child == 0 { clean(ends) }
        close(ends[0])
        cleaner = (child, ends[1])
    }

    private func clean(_ ends: [Int32]) -> Never {
        setsid()
        close(ends[1])
        // Whoever reads what we were to write isn't kept waiting by this.
        for number: Int32 in 0..<3 { close(number) }
        var byte: UInt8 = 0
        while read(ends[0], &byte, 1) != 0 {}
        clearUp()
        curfew_exit(0)
    }

    /// The workers' processes are killed at the same time, and may still be making files: it has to stay away for a while.
    private func clearUp() {
        var absences = 0
        for _ in 0..<Self.looks {
            Files.remove(path)
            absences = access(path, F_OK) == 0 ? 0 : absences + 1
            if absences == Self.absences { break }
            usleep(50_000)
        }
    }

    /// A busy machine's processes take their time to die: a minute in all, and a second without anything new.
    private static let looks = 1_200
    private static let absences = 20

    /// The child has nothing left to do, and leaves nobody a zombie.
    func remove() {
        Files.remove(path)
        kill(cleaner.pid, SIGKILL)
        close(cleaner.pipe)
        var info = curfew_wait_info()
        while curfew_waitid(Int32(P_PID.rawValue), cleaner.pid, WEXITED, &info) == -EINTR {}
    }
}
