import CCurfew
import Glibc

/// What a supervisor with privileges keeps of them: it runs with what it was given, and gives up what it doesn't use.
public enum Capabilities {
    /// To remove the app's cgroups, whose parents' mode is 0555; to signal processes of the app that have become another
    /// user, and to read what /proc tells of them.
    /// Source: capabilities(7), CAP_DAC_OVERRIDE, CAP_KILL; proc(5), ptrace access mode checks.
    private static let used: (Int32, Int32, Int32) = (
        1 /* CAP_DAC_OVERRIDE */, 5 /* CAP_KILL */, 19 /* CAP_SYS_PTRACE */
    )

    /// Source: capabilities(7), CAP_SYS_NICE; process_madvise(2).
    private static let setsPriorities: Int32 = 23

    /// To be called once the app has been started; without privileges it does nothing.
    ///
    /// `forPriorities`: to give nice values back, and to page processes out.
    public static func keepWhatIsUsed(forPriorities: Bool = false) {
        // Not an array, whose type the runtime would make: a thirtieth of a launch's instructions.
        let kept = (used.0, used.1, used.2, setsPriorities)
        _ = withUnsafeBytes(of: kept) {
            curfew_capabilities_keep($0.assumingMemoryBound(to: Int32.self).baseAddress, forPriorities ? 4 : 3)
        }
    }

    /// Whether CAP_SYS_NICE is there and counts.
    public static var canSetPriorities: Bool { SchedulingPriority.canRestoreNice() }
}
