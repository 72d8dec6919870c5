/// Background tasks: one clock for all of them.
extension App {
    mutating func beginTask(
        name: String, owner: OwnerID, connection: ConnectionID?, request: RequestID, at now: Moment,
        into effects: inout [Effect]
    ) {
        if let rejection = rejectionOfBegin(at: now) {
            effects.append(.reply(request, .rejected(rejection)))
            if rejection == .tooManyTasks { kill(killReport(.tooManyTasks, at: now), at: now, into: &effects) }
            return
        }
        let task = backgroundTasks.begin(name: name, owner: owner, connection: connection, at: now)
        effects.append(.note(id, .taskBegun(task.id, name: name)))
        effects.append(.reply(request, .taskBegun(task.id, remaining: remaining(at: now))))
        if isAsleep {
            wakeUp(for: "a background task", at: now, into: &effects)
        } else if isSuspending {
            returnToBackground(at: now, into: &effects)
            announceLaunch(at: now, into: &effects)
            deliverKeptChanges(at: now, into: &effects)
        } else {
            continueIfStopped(at: now, into: &effects)
        }
        proceed(at: now, into: &effects)
    }

    private func rejectionOfBegin(at now: Moment) -> Rejection? {
        if end != nil { return .terminating }
        if phase.isOver { return .notRunning }
        if hasExpired(at: now) { return .expired }
        return tasks.count >= Policy.maximumOpenTasks ? .tooManyTasks : nil
    }

    mutating func endTask(_ task: TaskID, request: RequestID, at now: Moment, into effects: inout [Effect]) {
        guard let ended = backgroundTasks.end(task) else {
            effects.append(.note(id, .unknownTaskEnded(task)))
            effects.append(.reply(request, .taskEnded(task, known: false)))
            return
        }
        effects.append(.note(id, .taskEnded(task, name: ended.name)))
        effects.append(.reply(request, .taskEnded(task, known: true)))
        proceed(at: now, into: &effects)
    }

    /// A task whose owner died is released.
    mutating func ownerExited(_ owner: OwnerID, at now: Moment, into effects: inout [Effect]) {
        let released = backgroundTasks.release(ownedBy: owner)
        if released.isEmpty { return }
        for task in released { effects.append(.note(id, .taskReleased(task.id, name: task.name))) }
        proceed(at: now, into: &effects)
    }

    /// Warns every open task; what it is owed from now on starts to run.
    mutating func warn(at now: Moment, into effects: inout [Effect]) {
        continueIfStopped(at: now, into: &effects)
        let owed = min(policy.expirationLead, policy.backgroundBudget)
        let owing = countdown(owed, at: now)
        phase.away?.budget.warn(owing: owing)
        effects.append(.note(id, .expirationWarning(tasks.map(\.id))))
        let left = phase.away?.budget.killInstant.map { $0 - now.lifecycle } ?? owed
        for task in tasks { deliverExpiration(of: task, left: left, into: &effects) }
    }

    /// Goes to the app's aware connections and to the one that began the task, `hello` or not.
    private mutating func deliverExpiration(of task: BackgroundTask, left: Span, into effects: inout [Effect]) {
        let listeners = channel.listeners(with: task.connection)
        guard !listeners.isEmpty || policy.announcesEvents else { return }
        var delivery = Delivery(
            event: .lifecycle(.backgroundTaskWillExpire), sequence: channel.nextSequence(), connections: listeners)
        delivery.limit = left
        delivery.task = task.id
        effects.append(.deliver(id, delivery))
    }
}
