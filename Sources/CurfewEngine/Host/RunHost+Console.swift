import CurfewCore
import CurfewLinux

/// What job control wants done to the app.
extension RunHost: ConsoleHost {
    var appState: LifecycleState? { engine.core.app(Self.app).map { $0.isAsleep ? .suspended : $0.state } }
    var isAppTerminating: Bool { engine.core.app(Self.app)?.isTerminating == true }
    var isAppAsleep: Bool { engine.core.app(Self.app).map { $0.isAsleep && !$0.sleepsUntilOpened } ?? false }
    var hasSignalOfTerminal: Bool { instance?.tree.hasPending(Instance.terminalSignals) == true }
    var hasEnded: Bool { ending != nil }
    var appGroup: Int32 { instance?.tree.ownGroup ?? 0 }

    func perform(_ action: JobAction) {
        switch action {
        case .home(let stopped): engine.feed(.app(Self.app, .home(stopped: stopped, request: nil)))
        case .open: engine.feed(.app(Self.app, .open(request: nil)))
        case .wakeUp:
            let news = InputNews(kind: "terminal", text: "its terminal")
            engine.feed(.app(Self.app, .inputCame(news)))
        case .quit: engine.feed(.app(Self.app, .quit(request: nil)))
        case .noteStop: engine.feed(.app(Self.app, .stoppedByTerminal))
        case .passOn(let signal, let isHeard): engine.feed(.app(Self.app, .signalled(signal, isHeard: isHeard)))
        case .abandon: engine.feed(.app(Self.app, .abandoned))
        case .endWithoutProxy: endWithoutProxy()
        case .noteIgnored(let signal, let sender): noteIgnored(signal, sender)
        case .continueApp: kernel.continueAfterTerminalStop(Self.app)
        case .signalApp(let signal): instance?.tree.signalOwnGroup(signal)
        case .signalMainProcess(let signal): instance?.signalMainProcess(signal)
        case .giveTerminal, .takeTerminal, .lendTerminal, .stopProxy, .continueProxy, .continueProxyGroup, .askProxy,
            .then:
            break
        }
    }
}
