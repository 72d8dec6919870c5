/// What job control wants done; its console does it, in order.
enum JobAction: Hashable {
    // To the app as a whole

    /// `stopped`: the terminal has stopped it already.
    case home(stopped: Bool)
    case open
    /// It is asleep, and something of the terminal's is for it.
    case wakeUp
    case quit
    /// A terminal has stopped it in background.
    case noteStop
    /// As timeout(1) does; `isHeard`: the command has had it too.
    case passOn(Int32, isHeard: Bool)
    /// Whoever waited for it is gone: as `curfew timeout` does at its limit, and at once.
    case abandon
    case endWithoutProxy
    /// The signal may not drive it.
    case noteIgnored(Int32, from: SignalSender)

    // To its processes

    /// What the terminal has stopped goes on.
    case continueApp
    /// To the app's own group.
    case signalApp(Int32)
    /// To its main process alone.
    case signalMainProcess(Int32)

    // The terminal

    case giveTerminal
    /// Back to the proxy's group, as that had it.
    case takeTerminal
    /// To the proxy's group while the app sleeps, and everything else stays as the app has it.
    case lendTerminal

    // The proxy

    /// `number`: a wish of another number is another wish.
    case stopProxy(by: Int32, number: UInt32)
    case continueProxy(number: UInt32)
    case continueProxyGroup
    case askProxy(UInt32)

    /// To be decided anew by what is so then.
    case then(JobInput)
}
