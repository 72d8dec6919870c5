import CCurfew
import Glibc

extension InputWatch {
    /// Whether duplicates of an app's descriptors can't be had here, as far as that is known before there is an app.
    ///
    /// A filter of system calls refuses even our own; Yama allows our own always, so it is read.
    /// Source: pidfd_getfd(2), "Permission to duplicate"; kernel, Documentation/admin-guide/LSM/Yama.rst: 2 needs CAP_SYS_PTRACE,
    /// 3 refuses everybody.
    public static var areDuplicatesRefused: Bool {
        areOwnRefused || isYamaInTheWay(yamaScope, canTrace: canTrace)
    }

    private static var areOwnRefused: Bool {
        var process = Descriptor(curfew_pidfd_open(getpid()))
        defer { process.close() }
        guard process.isOpen else { return process.number != -EMFILE && process.number != -ENFILE }
        var duplicate = Descriptor(curfew_pidfd_getfd(process.number, process.number))
        defer { duplicate.close() }
        return duplicate.number == -EPERM || duplicate.number == -ENOSYS
    }

    static func isYamaInTheWay(_ scope: UInt64, canTrace: Bool) -> Bool { scope > 2 || scope == 2 && !canTrace }

    /// 0 where there is no Yama.
    private static var yamaScope: UInt64 {
        let scope = SmallFile.withContents(of: "/proc/sys/kernel/yama/ptrace_scope") { text in
            var index = 0
            return text.number(at: &index) ?? 0
        }
        return scope ?? 0
    }

    /// Whether CAP_SYS_PTRACE is there. Source: capabilities(7): it is number 19.
    private static var canTrace: Bool {
        let effective = SmallFile.withContents(of: "/proc/self/status") { $0.hexadecimal(after: "CapEff:") ?? 0 }
        return (effective ?? 0) & 1 << 19 != 0
    }
}
