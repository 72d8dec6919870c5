import CurfewCore
import CurfewLinux
import CurfewWire

/// Programs of desktop entries that go on where no server holds them: told in a line, for nothing can be done about it.
extension ServeHost {
    /// Whoever ends so soon, by itself and well, can have handed over to one of its kind that ran already.
    private static let soon = Span.seconds(5)

    /// At its end.
    func tellOfHandOver(_ ending: Ending, of instance: Instance) {
        guard let entry = apps[instance.id], entry.definition?.source == .desktop, entry.request == nil, !isEnding,
            ending.kill == nil, ending.terminateSignal == nil, ending.leader == .exited(code: 0), ending.isComplete
        else { return }
        // Without the time that was waited for what it had started.
        let life = kernel.now - instance.startedAt - (ending.restKilledAfter ?? .zero)
        guard life < Self.soon else { return }
        let ended = "\(instance.name): ended with status 0 after \(HumanText.duration(nanoseconds: life.nanoseconds))"
        guard !ending.restWasAsked else {
            return complain(
                "\(ended), and what it had started was ended with it: a manifest with wait-all = true waits for all of it"
            )
        }
        complain(
            "\(ended): if one of its kind ran already, it has handed over to that, which is no app of this server")
    }

    /// When it is suspended: what a service manager has put into a scope of its own was not.
    func tellOfLeaving(_ app: AppID) {
        guard let instance = kernel.instances[app], instance.tree.root == .cgroup, !instance.hasLeft,
            apps[app]?.definition?.source == .desktop, instance.tree.processes().isEmpty,
            let cgroup = CgroupMounts.unifiedPath(of: instance.mainPid),
            // Its own can be one whose list can't be read.
            !instance.tree.containment.paths.contains(where: { $0.hasSuffix(cgroup) })
        else { return }
        instance.hasLeft = true
        complain(
            "\(instance.name): has left its cgroup for \(Printable.text(cgroup)), as what a service manager puts into a scope"
                + " does: it isn't suspended, limited or ended with its app")
    }
}
