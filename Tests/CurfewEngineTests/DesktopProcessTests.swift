import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc
import Testing

@testable import CurfewEngine

@Suite("The process that shows notifications, and how long it waits for their buttons")
final class DesktopProcessTests {
    /// Stays until it is told what was pressed.
    private static let program = """
        #!/bin/sh
        read -r word < "$FAKE_ANSWERS"
        echo "$word"
        """
    private static let hour: Int64 = 3_600_000_000_000

    private let folder = ScratchFolder()
    private var server: Descriptor
    private var processes: Descriptor
    /// What the program reads.
    private var answers = Descriptor.none
    private var process: DesktopProcess
    private let clock = Clock()

    private final class Clock {
        var nanoseconds: Int64 = 5_000_000_000
    }

    init() throws {
        var ends: [Int32] = [-1, -1]
        let made = socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
        try #require(made == 0)
        server = Descriptor(ends[0])
        processes = Descriptor(ends[1])
        process = DesktopProcess(socket: ends[1], callersMask: 0, now: { [clock] in clock.nanoseconds })
        try ScratchFolder.make(folder.path + "/notify-send", Self.program)
        _ = chmod(folder.path + "/notify-send", 0o700)
        _ = mkfifo(folder.path + "/answers", 0o600)
        // Open for both, so that neither side waits for the other.
        answers = Descriptor(curfew_open_at(AT_FDCWD, folder.path + "/answers", O_RDWR, 0))
        try #require(answers.isOpen)
    }

    deinit {
        answers.close()
        server.close()
        processes.close()
        folder.remove()
    }

    /// It is shown once this returns.
    private func show(_ number: Int, action: String? = "Open") {
        let notice = DesktopNotice(number: number, app: "mail", title: "A", body: "", action: action)
        let environment = [
            (key: "PATH", value: folder.path + ":/usr/bin:/bin"),
            (key: "FAKE_ANSWERS", value: folder.path + "/answers"),
        ]
        let runner = DesktopRunner(server)
        let isSent = runner.show(notice, environment)
        let goesOn = process.waitOnce()
        #expect(isSent && goesOn)
    }

    /// To the program that reads next.
    private func press(_ word: String) throws {
        let written = (word + "\n").withCString { curfew_write(answers.number, $0, strlen($0)) }
        try #require(written == word.utf8.count + 1)
    }

    /// What has become of one, once something has.
    private func answer() -> DesktopAnswer? {
        let runner = DesktopRunner(server)
        for _ in 0..<5_000 {
            if let answer = runner.takeAnswers()?.first { return answer }
            let goesOn = process.waitOnce()
            if !goesOn { return nil }
        }
        return nil
    }

    @Test("It waits for a button until an hour is over, and no longer")
    func hour() {
        show(1)
        #expect(process.millisecondsToPatiencesEnd == 3_600_001)
        clock.nanoseconds += Self.hour - 1
        #expect(process.millisecondsToPatiencesEnd == 1)
        _ = process.waitOnce()
        #expect(process.millisecondsToPatiencesEnd == 1)
        clock.nanoseconds += 1
        let answer = answer()
        #expect(answer == .closed(1))
        #expect(process.millisecondsToPatiencesEnd == -1)
    }

    @Test("Its button works to the last, and one that was shown later has its own hour")
    func pressed() throws {
        show(1)
        clock.nanoseconds += Self.hour - 1_000_000_000
        try press("default")
        let first = answer()
        #expect(first == .chosen(1))
        show(2)
        clock.nanoseconds += 2_000_000_000
        show(3)
        clock.nanoseconds += Self.hour - 2_000_000_000
        let second = answer()
        #expect(second == .closed(2))
        #expect(process.millisecondsToPatiencesEnd == 2_001)
        clock.nanoseconds += 2_000_000_000
        let third = answer()
        #expect(third == .closed(3))
    }

    @Test("One without a button isn't waited for longer either")
    func passing() {
        show(1, action: nil)
        clock.nanoseconds += Self.hour
        let answer = answer()
        #expect(answer == .closed(1))
    }
}
