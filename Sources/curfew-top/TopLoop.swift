import CCurfew
import CNcurses
import CurfewCommand
import CurfewEngine
import CurfewTop
import Glibc

/// The process that has the terminal: waits for keys, supervisors, signals and the clock, and draws what has changed.
final class TopLoop {
    private let isUnicode: Bool
    private var model = TopModel()
    private var supervisors = Supervisors()
    /// When the clock alone changes the screen.
    private var nextChange: Int64?
    private var lastDrawn = Int64.min
    private var mustDraw = true

    /// However much happens, the screen is drawn no more often than this; keys show at once.
    private static let drawInterval: Int64 = 50_000_000
    private static let heard = SignalSet.ending + [SIGTSTP, SIGCONT, SIGWINCH]
    private static let mask = SignalSet.mask(heard + [SIGTTOU])

    init(isUnicode: Bool) { self.isUnicode = isUnicode }

    private var now: Int64 { curfew_monotonic_nanoseconds() }

    /// The status to end with.
    func run() -> Int32 {
        let isStoppable = curfew_signal_is_ignored(SIGTSTP) == 0
        // Where nobody else handles SIGTSTP, ncurses ignores it while it draws, and that discards one that has come just before.
        // Source: ncurses 6.4, lib_tstp.c, _nc_signal_handler; POSIX, sigaction(3p).
        if isStoppable { _ = Glibc.signal(SIGTSTP) { _ in } }
        _ = curfew_set_signal_mask(Self.mask, nil)
        let signals = curfew_signalfd(SignalSet.mask(Self.heard))
        guard let screen = CursesScreen(isUnicode: isUnicode) else {
            StandardError.print("curfew: top: the terminal can't be used")
            return ExitStatus.failure
        }
        supervisors.look(&model, at: now)
        while true {
            draw(on: screen)
            let ready = wait([0, signals] + supervisors.descriptors)
            let moment = now
            if ready.contains(signals), let status = takeSignals(signals, screen, isStoppable) {
                return end(screen, status)
            }
            supervisors.take(ready, &model, at: moment)
            supervisors.askForStatus(of: model.due(at: moment), at: moment)
            if !ready.isEmpty || (nextChange ?? .max) <= moment { mustDraw = true }
            if ready.contains(0), !takeKeys(screen) { return end(screen, ExitStatus.success) }
        }
    }

    private func end(_ screen: CursesScreen, _ status: Int32) -> Int32 {
        screen.end()
        return status
    }

    // MARK: Waiting

    private func wait(_ descriptors: [Int32]) -> Set<Int32> {
        var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let drawDue = mustDraw ? lastDrawn + Self.drawInterval : nextChange
        let due = [drawDue, model.nextDue(), supervisors.nextDue].compactMap { $0 }.min()
        _ = poll(&polled, nfds_t(polled.count), due.map(milliseconds) ?? -1)
        return Set(polled.filter { $0.revents != 0 }.map(\.fd))
    }

    /// Not a moment too early.
    private func milliseconds(until due: Int64) -> Int32 {
        let moment = now
        return due <= moment ? 0 : Int32(clamping: (due - moment - 1) / 1_000_000 + 1)
    }

    // MARK: Drawing

    private func draw(on screen: CursesScreen) {
        let moment = now
        guard mustDraw, lastDrawn == .min || moment - lastDrawn >= Self.drawInterval else { return }
        model.machine = MachineLook.memory()
        let layout = screen.layout
        model.settle(rows: layout.listRows, at: moment)
        screen.draw(layout.lines(of: model, at: moment))
        nextChange = layout.nextChange(of: model, at: moment)
        lastDrawn = moment
        mustDraw = false
    }

    // MARK: Keys

    /// False when it is to end: by a key, or since the terminal is gone.
    private func takeKeys(_ screen: CursesScreen) -> Bool {
        let keys = screen.keys()
        if keys.isEmpty, isTerminalGone { return false }
        for key in keys {
            model.settle(rows: screen.layout.listRows, at: now)
            switch model.press(key) {
            case .none: break
            case .leave: return false
            case .ask(let request): supervisors.ask(request, at: now)
            case .drawAnew: screen.drawAnew()
            }
        }
        lastDrawn = .min
        return true
    }

    private var isTerminalGone: Bool {
        var terminal = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        return poll(&terminal, 1, 0) > 0 && Int32(terminal.revents) & (POLLHUP | POLLERR | POLLNVAL) != 0
    }

    // MARK: Signals

    private func resume(_ screen: CursesScreen) {
        StopSignal.awaitForeground(blocking: Self.mask)
        screen.resume()
    }

    /// The status to end with, if one of them says so.
    private func takeSignals(_ descriptor: Int32, _ screen: CursesScreen, _ isStoppable: Bool) -> Int32? {
        var info = curfew_signal_info()
        while curfew_signalfd_read(descriptor, &info) == 1 {
            switch info.signal {
            case SIGWINCH: screen.resize()
            case SIGCONT: resume(screen)
            case SIGTSTP where !isStoppable: continue
            case SIGTSTP:
                screen.end()
                StopSignal.stop(blocking: Self.mask)
                resume(screen)
            default: return TerminalGuard.signalled + info.signal
            }
            lastDrawn = .min
            mustDraw = true
        }
        return nil
    }
}
