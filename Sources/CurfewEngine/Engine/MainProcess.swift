import CCurfew
import CurfewLinux

/// The process that `MAINPID=` named; the app's run is over when it ends.
struct MainProcess {
    let pid: Int32
    var pidfd: Descriptor

    /// What becomes of a name.
    enum Naming {
        /// It is the main process already.
        case unchanged
        /// The leader, again.
        case leader
        case process(MainProcess)
        case refused
        /// Nobody can be watched here.
        case unwatchable
    }

    /// `current`: the main process so far. `leader`: nil once it is gone, when its number is no more than a name.
    /// `keeps`: whether a descriptor may be kept; `isOfApp`: asked while it is held.
    static func naming(
        _ pid: Int32, current: Int32?, leader: Int32?, keeps: (Descriptor) -> Bool, isOfApp: (Int32) -> Bool
    ) -> Naming {
        guard pid != current else { return .unchanged }
        if pid == leader { return .leader }
        var pidfd = Descriptor(curfew_pidfd_open(pid))
        if !pidfd.isOpen, ProcessTree.arePidfdsRefused { return .unwatchable }
        guard pidfd.isOpen, keeps(pidfd), isOfApp(pid) else {
            pidfd.close()
            return .refused
        }
        return .process(MainProcess(pid: pid, pidfd: pidfd))
    }
}
