/// Something is in front of the app for a while: a phone call, a sheet pulled down.
extension App {
    /// An app that isn't active has nothing to be interrupted in.
    mutating func interrupt(request: RequestID?, at now: Moment, into effects: inout [Effect]) {
        defer { answerState(request, into: &effects) }
        // One that falls asleep counts as active until it is known to be stopped, and is to hear nothing.
        guard case .foreground(isActive: true) = phase.place, end == nil else { return }
        enterForeground(isActive: false, at: now, into: &effects)
        deliver(.interruption, at: now, into: &effects)
    }

    /// The interruption is ignored: no background events at all.
    mutating func dismiss(request: RequestID?, at now: Moment, into effects: inout [Effect]) {
        defer { answerState(request, into: &effects) }
        guard state == .inactive, end == nil else { return }
        enterForeground(isActive: true, at: now, into: &effects)
        deliver(.interruptionIgnored, at: now, into: &effects)
    }
}
