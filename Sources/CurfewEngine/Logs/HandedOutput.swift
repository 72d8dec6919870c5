import CCurfew
import CurfewLinux
import Glibc

/// An app's output on its way to the keeper: what that needs to go on where the server was killed.
struct HandedOutput: Sendable {
    private let proxy: Int32
    private var record = curfew_kept_output()

    /// `slot`: of the app's number.
    init(app: String, run: Int, slot: Int, pid: Int32 = 0, to proxy: Int32) {
        self.proxy = proxy
        record.slot = Int32(clamping: slot)
        record.run = Int32(clamping: run)
        record.pid = pid
        record.seconds = curfew_realtime_nanoseconds() / 1_000_000_000
        withUnsafeMutableBytes(of: &record.app) { name in name.copyBytes(from: app.utf8.prefix(name.count - 1)) }
    }

    /// The proxy has it from now on, whenever it looks; none: its run is over, and nothing of it is left to read. Nothing waits;
    /// where it can't be, the supervisor alone has it.
    func handOver(_ end: Descriptor = .none) {
        var record = record
        guard curfew_hand_over(&record, end.isOpen ? end.number : -1) == 0 else { return }
        if getppid() == proxy { _ = curfew_kill(proxy, Int32(CURFEW_DOORBELL)) }
    }
}

extension LoggedRun {
    /// As the supervisor had it.
    init(_ record: curfew_kept_output) {
        let app = withUnsafeBytes(of: record.app) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        self.init(app: app, number: Int(record.run), pid: record.pid, seconds: record.seconds)
    }
}
