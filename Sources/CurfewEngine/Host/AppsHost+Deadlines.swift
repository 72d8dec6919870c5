import CurfewCore
import CurfewLinux

/// When something is due, the timer that tells of it, and what is done then.
extension AppsHost {
    /// When the engine, or a kill to come, has to be seen to.
    var appsDeadline: Instant? {
        var deadline = engine.nextDeadline
        if let hostsDeadline { deadline = deadline.map { min($0, hostsDeadline) } ?? hostsDeadline }
        if let own = control?.deadline { deadline = deadline.map { min($0, own) } ?? own }
        guard let foreseen else { return deadline }
        return foreseen.reporter.wakeUp(before: killToForesee(of: foreseen), or: deadline)
    }

    /// The same, or when what dead supervisors have left has its turn.
    var timerDeadline: Instant? {
        guard let turn = staleSweep.nextTurn.map({ Instant(nanoseconds: $0) }) else { return appsDeadline }
        return appsDeadline.map { min($0, turn) } ?? turn
    }

    /// Looks at an app that is about to be killed for time.
    func foreseeKill() {
        if let foreseen { foreseen.reporter.foresee(killToForesee(of: foreseen)) }
    }

    func killToForesee(of instance: Instance) -> Instant? {
        instance.isLookedAtBeforeKill ? engine.running(engine.core.nextKill(of: instance.id)) : nil
    }

    // MARK: What is due

    func handleDeadline() {
        guard let turn = staleSweep.nextTurn, turn <= turnBegan.nanoseconds else { return handleAppsDeadline() }
        // Not for the sweep alone: each would be a tick in the journal.
        if let deadline = appsDeadline, deadline <= kernel.now { handleAppsDeadline() }
        // Last: nobody waits for it.
        staleSweep.goOn()
    }

    private func handleAppsDeadline() {
        control?.timePassed()
        foreseeKill()
        engine.wake()
        hostsTimeCame()
    }

    // MARK: The timer

    /// As `DeadlineTimer.arm`.
    func armTimer() -> Int32 {
        timer.arm(timerDeadline, in: loop, isScarce: descriptors.isScarce) { kernel.now }
    }
}
