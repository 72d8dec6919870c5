import CCurfew
import CurfewLinux
import Glibc

/// What the front does when the supervisor was killed: no process, no stopped process, no socket, no cgroup stays.
///
/// The app's processes have become the front's children, for it is a subreaper too.
struct Keeper {
    let page: SharedPage
    let plan: RunPlan

    init(_ page: SharedPage, plan: RunPlan) {
        self.page = page
        self.plan = plan
    }

    func takeOver() -> Never {
        let socket = page.path(.socket)
        if !socket.isEmpty { _ = curfew_unlink_at(AT_FDCWD, socket) }
        switch plan.onSupervisorExit {
        case .kill: killAll()
        case .resume: resumeAndWait()
        }
    }

    private func killAll() -> Never {
        let deadline = curfew_monotonic_nanoseconds() + 10_000_000_000
        var pause: UInt32 = 200
        repeat {
            killOnce()
            reapAll()
            if isGone() { break }
            usleep(pause)
            pause = min(pause * 2, 50_000)
        } while curfew_monotonic_nanoseconds() < deadline
        let name = plan.name ?? AppName.fromCommand(plan.command)
        StandardError.print("curfew: \(name): killed: supervisor-exit: the supervisor was killed, so its app was ended")
        curfew_exit(125)
    }

    private func killOnce() {
        writeFile(page.path(.unified), "cgroup.kill", "1")
        let freezer = page.path(.freezer)
        if !freezer.isEmpty {
            for pid in SmallFile.bytes(of: freezer + "/cgroup.procs").map(numbers) ?? [] { _ = curfew_kill(pid, SIGKILL) }
            writeFile(freezer, "freezer.state", "THAWED")
        }
        if page.group > 0 { _ = curfew_kill(-page.group, SIGKILL) }
        ProcessTree.killDescendants(of: getpid())
    }

    private func isGone() -> Bool {
        if Reaping.hasChildren() { return false }
        return cgroups.allSatisfy { curfew_rmdir_at(AT_FDCWD, $0) != -EBUSY }
    }

    private var cgroups: [String] {
        [page.path(.unified), page.path(.freezer), page.path(.memory)].filter { !$0.isEmpty }
    }

    /// Continues everything and ends as the app does.
    private func resumeAndWait() -> Never {
        let lock = curfew_open_at(AT_FDCWD, page.path(.unified), O_RDONLY | O_DIRECTORY, 0)
        if lock >= 0 { _ = curfew_flock(lock, false) }
        writeFile(page.path(.unified), "cgroup.freeze", "0")
        writeFile(page.path(.freezer), "freezer.state", "THAWED")
        for pid in ProcessTree.descendants(of: getpid()).reversed() { _ = curfew_kill(pid, SIGCONT) }
        _ = curfew_set_signal_mask(0, nil)
        var status = ExitStatus.unknown
        while Reaping.hasChildren() {
            var info = curfew_wait_info()
            guard curfew_waitid(Int32(P_ALL.rawValue), 0, WEXITED, &info) == 0 else { continue }
            if info.pid == page.leader { status = ExitStatus(info) }
        }
        for cgroup in cgroups { _ = curfew_rmdir_at(AT_FDCWD, cgroup) }
        status.end()
    }

    private enum ExitStatus {
        case unknown
        case exited(Int32)
        case signaled(Int32)

        init(_ info: curfew_wait_info) {
            self = info.code == Int32(CLD_EXITED) ? .exited(info.status) : .signaled(info.status)
        }

        func end() -> Never {
            switch self {
            case .unknown: curfew_exit(125)
            case .exited(let code): curfew_exit(code)
            case .signaled(let signal): Front.raise(signal)
            }
        }
    }

    private func reapAll() {
        while case .report = Reaping.reapAny() {}
    }

    private func writeFile(_ directory: String, _ file: String, _ text: String) {
        guard !directory.isEmpty else { return }
        _ = curfew_write_file_at(AT_FDCWD, directory + "/" + file, text)
    }

    private func numbers(_ bytes: [UInt8]) -> [Int32] {
        bytes.split(separator: 10).compactMap { Int32(String(decoding: $0, as: UTF8.self)) }
    }
}
