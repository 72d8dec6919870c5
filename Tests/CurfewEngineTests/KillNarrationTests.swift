import CurfewCore
import Testing

@testable import CurfewEngine

@Suite("Why an app was killed, in one sentence")
struct KillNarrationTests {
    private static let fiveTasks = [
        TaskAge.sample(1, "a", seconds: 700), .sample(2, "b", seconds: 60), .sample(4, "c d", seconds: 5),
        .sample(9, "e", seconds: 1), .sample(10, "f", seconds: 0),
    ]

    private static let sentences: [(KillReport, String)] = [
        (
            .sample(.launchWatchdog) { $0.limit = .seconds(20) },
            "launch-watchdog (0x8badf00d): it said neither hello nor READY=1 within 20 s of its launch"
        ),
        (
            .sample(.launchWatchdog) {
                $0.limit = .milliseconds(1500)
                $0.event = .lifecycle(.didFinishLaunching)
            }, "launch-watchdog (0x8badf00d): didFinishLaunching wasn't acknowledged within 1.5 s"
        ),
        (
            .sample(.sceneUpdateWatchdog) {
                $0.limit = .seconds(5)
                $0.event = .lifecycle(.didEnterBackground)
            }, "scene-update-watchdog (0x8badf00d): didEnterBackground wasn't acknowledged within 5 s"
        ),
        (
            .sample(.sceneUpdateWatchdog),
            "scene-update-watchdog (0x8badf00d): an event wasn't acknowledged within some time"
        ),
        (
            .sample(.sceneUpdateWatchdog) {
                $0.limit = .seconds(5)
                $0.elapsed = .milliseconds(5_002)
                $0.cpuTime = .milliseconds(20)
                $0.event = .lifecycle(.didEnterBackground)
            },
            "scene-update-watchdog (0x8badf00d): didEnterBackground wasn't acknowledged within 5 s; "
                + "in 5 s it used 20 ms of CPU time: it was waiting"
        ),
        (
            .sample(.sceneUpdateWatchdog) {
                $0.limit = .seconds(5)
                $0.elapsed = .seconds(5)
                $0.cpuTime = .seconds(2)
                $0.event = .lifecycle(.didEnterBackground)
            },
            "scene-update-watchdog (0x8badf00d): didEnterBackground wasn't acknowledged within 5 s; "
                + "in 5 s it used 2 s of CPU time"
        ),
        (
            .sample(.backgroundFetchTimeout) {
                $0.limit = .seconds(30)
                $0.elapsed = .seconds(30)
                $0.cpuTime = .seconds(58)
                $0.event = .wake("fetch")
            },
            "background-fetch-timeout (0x2182bad4): the waking event fetch wasn't handled within 30 s; "
                + "in 30 s it used 58 s of CPU time: it was computing"
        ),
        (
            .sample(.watchdog) { $0.limit = .seconds(10) },
            "watchdog (0x8badf00d): it gave no sign of life (WATCHDOG=1) for 10 s"
        ),
        (.sample(.watchdog), "watchdog (0x8badf00d): it reported itself broken (WATCHDOG=trigger)"),
        (
            .sample(.processExitWatchdog) { $0.limit = .seconds(5) },
            "process-exit-watchdog (0x8badf00d): it hadn't ended 5 s after willTerminate"
        ),
        (
            .sample(.backgroundTaskTimeout) {
                $0.limit = .seconds(30)
                $0.tasks = [.sample(3, "upload", seconds: 35)]
            },
            "background-task-timeout (0x2182bad2): task 3 \"upload\" (begun 35 s ago) was still open when the background budget of 30 s was over"
        ),
        (
            .sample(.backgroundTaskTimeout) {
                $0.limit = .seconds(600)
                $0.tasks = fiveTasks
            },
            "background-task-timeout (0x2182bad2): task 1 \"a\" (begun 11 min 40 s ago), "
                + "task 2 \"b\" (begun 1 min ago), task 4 \"c d\" (begun 5 s ago), and 2 more were still open "
                + "when the background budget of 10 min was over"
        ),
        (
            .sample(.memoryLimit) {
                $0.footprint = 209_715_200
                $0.memoryLimit = 200 << 20
            }, "memory-limit (jetsam 7): its footprint reached 200 MiB; the limit is 200 MiB"
        ),
        (
            .sample(.memoryLimit), "memory-limit (jetsam 7): its footprint reached more than allowed; the limit is none"
        ),
        (.sample(.tooManyTasks), "too-many-tasks (0xd00d2bad): it began more than 1000 background tasks"),
        (.sample(.userQuit), "user-quit (0xdeadfa11): it was quit"),
        (.sample(.userQuit) { $0.state = .suspended }, "user-quit (0xdeadfa11): it was quit while suspended"),
        (
            .sample(.timeLimit) {
                $0.limit = .seconds(90)
                $0.elapsed = .milliseconds(90_012)
            }, "time-limit: it ran for 1 min 30 s; the limit is 1 min 30 s"
        ),
        (
            .sample(.memoryHighwater) {
                $0.footprint = 120 << 20
                $0.memoryLimit = 100 << 20
                $0.available = 900 << 20
                $0.availableLimit = 1 << 30
            },
            "memory-highwater (jetsam 2): the machine has only 900 MiB of memory left (1 GiB are wanted), and its "
                + "footprint of 120 MiB is over its soft limit of 100 MiB"
        ),
        (
            .sample(.memoryPressure) {
                $0.available = 900 << 20
                $0.availableLimit = 1 << 30
                $0.band = .suspended
            },
            "memory-pressure (jetsam 4): the machine has only 900 MiB of memory left (1 GiB are wanted), and it was the "
                + "first to go (suspended)"
        ),
        (
            .sample(.memoryPressure) {
                $0.state = .suspended
                $0.isReclaimedByHand = true
            }, "memory-pressure (jetsam 4): it was reclaimed while suspended"
        ),
        (
            .sample(.memoryPressure) {
                $0.state = .suspended
                $0.band = .suspended
            },
            "memory-pressure (jetsam 4): the machine is taken to be short of memory, as it was told, and it was the first to go "
                + "(suspended)"
        ),
        (
            .sample(.idleExit) {
                $0.available = 900 << 20
                $0.availableLimit = 1 << 30
            },
            "idle-exit (jetsam 9): the machine has only 900 MiB of memory left (1 GiB are wanted) for long, and it was "
                + "suspended and idle"
        ),
        (
            .sample(.cpuLimit) {
                $0.cpuTime = .milliseconds(48_100)
                $0.elapsed = .seconds(54)
                $0.cpuLimit = .seconds(48)
                $0.limit = .seconds(60)
            },
            "cpu-limit: it used 48 s of CPU time in 54 s (89 %) in background; the limit is 48 s in 1 min (80 %)"
        ),
        (
            .sample(.suspendedWithLockedFile) {
                $0.locks = [
                    FileLock(path: "/a.db", kind: "POSIX", isWrite: true, pid: 7, isWaitedFor: false),
                    FileLock(path: "/b", kind: "OFD", isWrite: false, pid: 8, isWaitedFor: true),
                ]
            },
            "suspended-with-locked-file (0xdead10cc): it was suspended while it held a lock on /a.db (POSIX, pid 7), "
                + "/b (OFD read lock, pid 8, waited for by another program)"
        ),
        (
            .sample(.resumedTooOften) {
                $0.count = 16
                $0.limit = .seconds(300)
            }, "resumed-too-often (0xbad22222): it was resumed 16 times within 5 min while it was suspended"
        ),
        (
            .sample(.diskSpace) {
                $0.available = 100 << 20
                $0.availableLimit = 1 << 30
            }, "disk-space (0xbaddd15c): only 100 MiB of disk are free; 1 GiB are wanted"
        ),
        (.sample(.supervisorExit), "supervisor-exit: its supervisor ended"),
    ]

    @Test("Each names the culprit", arguments: sentences)
    func texts(report: KillReport, sentence: String) { #expect(KillNarration.text(report) == sentence) }

    @Test("No reason is without its sentence", arguments: KillReason.allCases)
    func complete(reason: KillReason) {
        #expect(Self.sentences.contains { $0.0.reason == reason })
        #expect(KillNarration.text(.sample(reason)).hasPrefix(reason.rawValue))
    }
}
