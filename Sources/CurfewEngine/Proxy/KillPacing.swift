import CurfewCore
import Glibc

/// How soon a kill is repeated where no core says so any more, and for how long: the supervisor's once its proxy is gone, and the
/// keeper's once the supervisor is.
///
/// As long as the core would, and sooner again: nothing else is to be done meanwhile.
struct KillPacing {
    /// In microseconds; each time twice as long.
    private var pause: UInt32
    private let end: Instant

    static func ofSupervisor(at now: Instant) -> KillPacing { KillPacing(firstPause: 100, at: now) }
    static func ofKeeper(at now: Instant) -> KillPacing { KillPacing(firstPause: 200, at: now) }

    private static let longestPause: UInt32 = 50_000
    private static let gentlePause: UInt32 = 1_000

    private init(firstPause: UInt32, at now: Instant) {
        pause = firstPause
        end = now + App.killLimit
    }

    /// Whether it is time for what does harm if whoever kills is killed meanwhile: what is frozen for it would stay so.
    var isInsisting: Bool { pause > Self.gentlePause }

    /// Whether the apps' reapers are still left for last: were we killed, they end what is below them. An app that forks for ever
    /// can take its reaper's name, so not for long.
    var sparesReapers: Bool { pause < Self.longestPause }

    /// How long to sleep before the next round, in microseconds.
    mutating func nextPause() -> UInt32 {
        defer { pause = min(pause * 2, Self.longestPause) }
        return pause
    }

    /// Whether no more rounds follow: SIGKILL can't end everything.
    func isOver(at now: Instant) -> Bool { now >= end }

    /// Round after round, until one leaves nothing, or no more follow. `round`: kills, reaps, and says whether all is gone.
    mutating func killAll(
        now: () -> Instant, sleep: (_ microseconds: UInt32) -> Void = { usleep($0) }, _ round: (KillPacing) -> Bool
    ) {
        repeat {
            if round(self) { return }
            sleep(nextPause())
        } while !isOver(at: now())
    }
}
