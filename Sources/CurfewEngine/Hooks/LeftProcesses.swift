import CurfewLinux
import Glibc

/// What a command that this process has started leaves behind below it; this process is a subreaper, and has nothing else below it.
enum LeftProcesses {
    /// Kills all of it and reaps it, within a second.
    ///
    /// Not by `KillPacing`, which goes on for ten seconds, as the core would: here what comes next waits. So it is counted in
    /// rounds.
    static func end() {
        ProcessTree.killDescendants(of: getpid())
        var pause: UInt32 = 100
        // What SIGKILL doesn't end in a second is left to whoever comes after.
        for _ in 0..<16 {
            while case .report = Reaping.wait(.reapAny) {}
            if !Reaping.hasChildren() { return }
            usleep(pause)
            pause = min(pause * 2, 100_000)
            ProcessTree.killDescendants(of: getpid())
        }
    }
}
