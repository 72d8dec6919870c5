import CCurfew
import CurfewLinux
import Glibc

/// A small swap device of a test's own, in memory; taken away with the test.
///
/// A shell of its own makes it and takes it away: once the test lets go of it, and so too when the tests are killed.
/// One at a time on a machine: swap is everybody's, and to take a device away brings back what another test has paged out to it.
struct ScratchSwap {
    private let shell: TestChild
    /// Its number: it is /dev/zramNUMBER.
    private let device: Int32

    /// Takes it away; swapoff gives up when memory is short for a moment, or a signal comes, and a device is busy while
    /// somebody looks at what has just come or gone.
    private static let taking = """
        PATH=$PATH:/usr/sbin:/sbin
        end() {
            for try in 1 2 3 4 5 6 7 8 9 10; do
                grep -q "^/dev/zram$device " /proc/swaps || break
                swapoff "/dev/zram$device" && break
                sleep 0.1
            done
            for try in 1 2 3 4 5 6 7 8 9 10; do
                echo 1 > "/sys/block/zram$device/reset" && echo "$device" > /sys/class/zram-control/hot_remove &&
                    echo gone >&8 && break
                sleep 0.1
            done
        }

        """

    private static let making =
        taking + """
            exec 9< /sys/class/zram-control && flock -w 120 9 || exit
            read device < /sys/class/zram-control/hot_add || exit
            trap end EXIT
            echo 134217728 > "/sys/block/zram$device/disksize" &&
                mkswap "/dev/zram$device" > /dev/null && swapon "/dev/zram$device" && echo "$device" >&8 || exit
            read line <&8
            """

    /// Nil where none can be made.
    init?() {
        guard Self.problem == nil, let shell = try? TestChild(shell: Self.making) else { return nil }
        guard let device = shell.number() else {
            _ = shell.wait()
            shell.end()
            return nil
        }
        self.shell = shell
        self.device = device
    }

    /// No test makes one, of whatever process, until whoever keeps them from it is ended; nil where they couldn't be kept.
    static func keptOff() -> TestChild? {
        let keeping = """
            if [ -e /sys/class/zram-control ]; then exec 9< /sys/class/zram-control && flock -w 120 9 || exit; fi
            echo kept >&8; read line <&8
            """
        guard let shell = try? TestChild(shell: keeping) else { return nil }
        if shell.line() == "kept" { return shell }
        shell.end()
        return nil
    }

    /// Whether it is gone.
    func remove() -> Bool {
        shell.say("")
        let isGone = shell.line() == "gone"
        _ = shell.wait()
        shell.end()
        return isGone || removeOtherwise()
    }

    /// Should something have happened to the shell.
    private func removeOtherwise() -> Bool {
        guard let shell = try? TestChild(shell: Self.taking + "device=\(device); end") else { return false }
        defer { shell.end() }
        let isGone = shell.line() == "gone"
        _ = shell.wait()
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
