import CurfewCore
import CurfewLinux

/// Waits for children that have ended, and knows whose they are.
///
/// An app is known by its leader, by the main process that it named, and by its own reaper where it has one (`Subreaper`). All
/// others are orphans that came to us, their subreaper, and are told with no app.
struct ChildRegistry {
    /// The number of a process and its app's, in turn, ascending by process. Numbers only: no type is made for them.
    private var known: [Int] = []
    private let wait: (Reaping.Way) -> Reaping.Result

    /// `wait`: waits for a child that has ended; the kernel's, but in tests.
    init(wait: @escaping (Reaping.Way) -> Reaping.Result = { Reaping.wait($0) }) { self.wait = wait }

    // MARK: Who is whose

    mutating func register(_ pid: Int32, of app: AppID) {
        let place = place(of: pid)
        if holds(pid, at: place) {
            known[place + 1] = app.rawValue
        } else {
            known.insert(Int(pid), at: place)
            known.insert(app.rawValue, at: place + 1)
        }
    }

    /// Its number is another's from now on.
    mutating func forget(_ pid: Int32) {
        let place = place(of: pid)
        if holds(pid, at: place) { known.removeSubrange(place...place + 1) }
    }

    func app(of pid: Int32) -> AppID? {
        let place = place(of: pid)
        return holds(pid, at: place) ? AppID(known[place + 1]) : nil
    }

    private func holds(_ pid: Int32, at place: Int) -> Bool { place < known.count && known[place] == Int(pid) }

    /// Where it is, or belongs.
    private func place(of pid: Int32) -> Int {
        var (low, high) = (0, known.count / 2)
        while low < high {
            let middle = (low + high) / 2
            if known[2 * middle] < Int(pid) { low = middle + 1 } else { high = middle }
        }
        return 2 * low
    }

    // MARK: Reaping

    /// Reaps all that have ended, and tells each with its app; a number that was reaped is nobody's then.
    mutating func reap(_ tell: (ChildReport, AppID?) -> Void) {
        while case .report(let report) = wait(.reapAny) {
            let app = app(of: report.pid)
            if app != nil { forget(report.pid) }
            tell(report, app)
        }
    }
    // MARK: One by one

    /// One that has ended and isn't reaped yet, so that it can be asked whose it is; nil where none has.
    var nextEnded: Int32? {
        guard case .report(let report) = wait(.look) else { return nil }
        return report.pid
    }

    /// Reaps that one; its number is nobody's then. Nil where it can't be.
    mutating func reap(_ pid: Int32) -> ChildReport? {
        guard case .report(let report) = wait(.reap(pid)) else { return nil }
        forget(pid)
        return report
    }
}
