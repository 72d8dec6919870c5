import CCurfew
import CurfewLinux
import Glibc

/// A reaper that a test plays: its end of the channel. The process that has its number does nothing.
final class ReaperEnd {
    let subreaper: Subreaper
    private let process = Sleeper()
    private var end: Descriptor
    private var isEnded = false

    init() throws {
        let ends = try Subreaper.makeChannel()
        subreaper = Subreaper(pid: process.pid, channel: ends.ours)
        end = ends.reapers
    }

    deinit {
        end.close()
        if !isEnded { process.end() }
    }

    /// `pid`: 0: no child is left; -1: no other has ended.
    func tell(_ pid: Int32, code: Int32 = 0) {
        var news = curfew_reaper_news()
        news.pid = pid
        news.code = Int32(CLD_EXITED)
        news.status = code
        _ = withUnsafeBytes(of: &news) { curfew_send(end.number, $0.baseAddress, $0.count) }
    }

    /// Which was let go since; nil: none.
    func letGo() -> Int32? {
        var pid: Int32 = 0
        let count = recv(end.number, &pid, MemoryLayout<Int32>.size, Int32(MSG_DONTWAIT))
        return count == MemoryLayout<Int32>.size ? pid : nil
    }

    func close() { end.close() }

    /// The signal that has ended its process.
    func endingSignal() -> Int32? {
        isEnded = true
        return process.endingSignal()
    }
}
