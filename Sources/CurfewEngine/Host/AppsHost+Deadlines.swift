import CCurfew
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

    /// By then the timer has been heeded.
    private static var wakerDelay: Span { .milliseconds(50) }

    /// The timer is made when something is first due, and set only when that changes.
    ///
    /// Returns for how many milliseconds to wait where there is no descriptor for one; -1: until something comes.
    func armTimer() -> Int32 {
        let deadline = timerDeadline
        guard deadline != armedDeadline || !timer.isOpen else { return -1 }
        armedDeadline = deadline
        if !timer.isOpen {
            guard let deadline else { return -1 }
            if !descriptors.isScarce { timer = Descriptor(curfew_timerfd()) }
            guard timer.isOpen else {
                arm(waker: deadline)
                return milliseconds(until: deadline)
            }
            loop.add(timer, Kind.timer.token())
        }
        _ = curfew_timerfd_set(timer.number, deadline.map { max(1, $0.nanoseconds) } ?? 0)
        arm(waker: deadline)
        return -1
    }

    /// Somebody can stop us, and the front as well: then the kernel continues us. In vain once we are late anyway.
    private func arm(waker deadline: Instant?) {
        _ = curfew_set_waker(deadline.map { max(1, ($0 + Self.wakerDelay).nanoseconds) } ?? 0)
    }

    func milliseconds(until deadline: Instant) -> Int32 {
        let (whole, part) = max(0, (deadline - kernel.now).nanoseconds).quotientAndRemainder(dividingBy: 1_000_000)
        return Int32(clamping: part > 0 ? whole + 1 : whole)
    }
}
