import CurfewLinux
import Glibc

/// The picture of a launch, drawn from its journal by `curfew timeline`.
package enum TimelinePicture {
    /// In milliseconds.
    private static let longestDrawing: Int32 = 30_000

    /// False where it can't be made.
    ///
    /// - Parameters:
    ///   - program: what draws: `curfew`, or what that becomes for `timeline`.
    ///   - streams: where it says why it can't; ours where there are none.
    package static func draw(
        by program: String, _ journal: String, of title: String, to picture: String, streams: Streams? = nil
    ) -> Bool {
        do throws(ChildProcess.Problem) {
            let process = try ChildProcess(
                [program, "timeline", journal, "--title", title, "-o", picture],
                environment: StagePlace.environment([]), ChildProcess.Place(streams: streams, directory: "."))
            var waiting = pollfd(fd: process.pidfd.number, events: Int16(POLLIN), revents: 0)
            // Nobody can interrupt us meanwhile.
            if poll(&waiting, 1, longestDrawing) == 0 { process.kill() }
            while !process.hasEnded() { _ = poll(&waiting, 1, -1) }
            return process.status == 0
        } catch {
            return false
        }
    }
}
