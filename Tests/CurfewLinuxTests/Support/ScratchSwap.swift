import CCurfew
import CurfewLinux
import Glibc

/// A small swap device of a test's own, in memory; taken away with the test.
///
/// A shell of its own makes it and takes it away: once the test lets go of it, and so too when the tests are killed.
struct ScratchSwap {
    private let shell: TestChild

    private static let script = """
        device=
        end() {
            [ -n "$device" ] || exit
            swapoff "/dev/zram$device"
            echo 1 > "/sys/block/zram$device/reset"
            echo "$device" > /sys/class/zram-control/hot_remove && echo gone >&8
        }
        trap end EXIT
        PATH=$PATH:/usr/sbin:/sbin
        read device < /sys/class/zram-control/hot_add || exit
        echo 134217728 > "/sys/block/zram$device/disksize" &&
            mkswap "/dev/zram$device" > /dev/null && swapon "/dev/zram$device" && echo ready >&8 || exit
        read line <&8
        """

    /// Nil where none can be made.
    init?() {
        guard Self.problem == nil, let shell = try? TestChild(shell: Self.script) else { return nil }
        guard shell.line() == "ready" else {
            _ = shell.wait()
            shell.end()
            return nil
        }
        self.shell = shell
    }

    /// Whether it is gone.
    func remove() -> Bool {
        shell.say("")
        let isGone = shell.line() == "gone"
        _ = shell.wait()
        shell.end()
        return isGone
    }

    /// Why there can be none here; nil if there can.
    static let problem: String? = {
        if geteuid() != 0 { return "only root can make a swap device" }
        if access("/sys/class/zram-control/hot_add", R_OK) != 0 { return "the kernel has no zram" }
        if access("/usr/sbin/mkswap", X_OK) != 0, access("/sbin/mkswap", X_OK) != 0 { return "there is no mkswap" }
        return nil
    }()
}
