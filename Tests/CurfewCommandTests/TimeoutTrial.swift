import CCurfew
import CurfewCore
import CurfewLinux
import Testing

@testable import CurfewCommand
@testable import CurfewEngine

/// A recorded row, run in process: the real reading of its words, the real engine over the real core, a clock that moves from
/// deadline to deadline, and a machine in which there is nothing but the row's command.
final class TimeoutTrial {
    private let plan: RunPlan
    private let command: StagedCommand
    /// Signals that whoever starts it ignores, or blocks.
    private let unheard: Set<Int32>
    private lazy var engine = Engine(kernel: self, host: self)
    private var clock = Instant(nanoseconds: 1_000_000_000_000)
    private var errors: [String] = []
    private var ending: Ending?

    /// As `curfew timeout`, or by a link of that name; nil where it takes a real process.
    static func answer(_ row: ConformanceRow, asLink isLink: Bool) -> ConformanceAnswer? {
        guard let at = row.words.firstIndex(of: "timeout") else { return nil }
        let start = isLink ? ["timeout"] : ["curfew", "timeout"]
        let argv = Argv(start + row.words[(at + 1)...])
        defer { withExtendedLifetime(argv) {} }
        do throws(UsageError) {
            switch try TimeoutArguments.parse(argv.pointer, count: argv.count, from: start.count) {
            case .help, .version:
                return ConformanceAnswer(status: .exits(0), output: [ConformanceAnswer.something])
            case .run(let plan):
                // The proxy leads a group of its own, or doesn't, before anything is read here.
                let isForeground = curfew_timeout_is_foreground(Int32(argv.count), argv.pointer, Int32(start.count))
                #expect(isForeground == plan.manifest.policy.timeout?.sparesDescendants)
                return TimeoutTrial(plan, callersWords: Array(row.words[..<at]))?.run(row.script)
            }
        } catch {
            let lines = error.lines.flatMap { $0.split(separator: "\n").map(String.init) }
            return ConformanceAnswer(status: .exits(error.status), errors: lines)
        }
    }

    private init?(_ plan: RunPlan, callersWords: [String]) {
        let blocked = Self.signals(callersWords, "--block-signal=")
        guard let command = StagedCommand(plan.manifest.commandLine, blocked: blocked) else { return nil }
        self.plan = plan
        self.command = command
        unheard = blocked.union(Self.signals(callersWords, "--ignore-signal="))
    }

    // MARK: Signals

    private static func signals(_ words: [String], _ option: String) -> Set<Int32> {
        Set(words.filter { $0.hasPrefix(option) }.map { signal(String($0.dropFirst(option.count))) })
    }

    static func signal(_ name: String) -> Int32 { SignalName.number(of: name) ?? 0 }
    static func name(_ signal: Int32) -> String { SignalName.of(signal) }

    // MARK: Its course

    private func run(_ script: [ConformanceRow.Step]) -> ConformanceAnswer {
        engine.launch(.init(1), plan.manifest.policy, plan.manifest.launch)
        engine.feed(.app(.init(1), .started))
        let exit = clock + command.lasts
        settle()
        for step in script { perform(step) }
        var wakeUps = 0
        while ending == nil, let next = [engine.nextDeadline, isOver ? nil : exit].compactMap({ $0 }).min() {
            wakeUps += 1
            if wakeUps > 1_000 {
                Issue.record("the engine wants to be woken for ever")
                break
            }
            clock = max(clock, next)
            if clock >= exit { command.exit() }
            engine.wake()
            settle()
        }
        return ConformanceAnswer(status: ending.map(status), output: command.output, errors: errors)
    }

    private var isOver: Bool { command.outcome != nil }

    private func status(_ ending: Ending) -> ConformanceAnswer.Status {
        switch ending.status {
        case .exit(let code): .exits(code)
        case .raise(let signal): .dies(signal)
        }
    }

    private func perform(_ step: ConformanceRow.Step) {
        switch step {
        case .awaits(let line): #expect(command.output.last == line)
        case .sendsToCommand(let signal): command.get(signal)
        case .sends(let signal):
            guard plan.manifest.policy.timeout?.passesOn(signal) == true, !unheard.contains(signal) else { return }
            engine.feed(.app(.init(1), .signalled(signal, isHeard: false)))
        }
        settle()
    }

    private var isReaped = false

    /// What SIGCHLD tells.
    private func settle() {
        if !isReaped, let outcome = command.outcome {
            isReaped = true
            engine.feed(.app(.init(1), .leaderExited(outcome)))
        }
        engine.childrenChanged()
    }
}

extension TimeoutTrial: EngineHost {
    func deliver(_ delivery: Delivery, to app: AppID) {}
    func reply(_ reply: Reply, to request: RequestID) {}
    func record(_ record: EventRecord, of app: AppID) {}
    func willEnd(_ app: AppID, _ report: KillReport) {}
    func pressureChanged(to level: PressureLevel, available: UInt64?) {}
    func stateChanged(_ app: AppID, from: LifecycleState, to: LifecycleState) {}
    func ended(_ app: AppID, _ ending: Ending) { self.ending = ending }

    func willSignal(_ app: AppID, _ signal: Int32) {
        if plan.options.isVerbose { errors.append(plan.options.telling(ofSignal: signal, to: plan.manifest.command)) }
    }
}

extension TimeoutTrial: Kernel {
    var now: Instant { clock }

    func signal(_ app: AppID, _ signal: Int32, mainProcessOnly: Bool) {
        command.get(signal)
        if !mainProcessOnly { command.get(SIGCONT) }
    }

    func kill(_ app: AppID) { command.get(SIGKILL) }
    func release(_ app: AppID) {}
    func isGone(_ app: AppID) -> Bool { isOver }

    // What no row does.
    func suspend(_ app: AppID, includingStopped: Bool) -> Bool { true }
    func confirmSuspension(_ app: AppID) -> Bool { true }
    func isStopping(_ app: AppID) -> Bool { false }
    func pendingSuspension(_ app: AppID) -> [PendingProcess] { [] }
    func resume(_ app: AppID, sending signal: Int32?) -> [ListeningSocket] { [] }
    func continueAfterTerminalStop(_ app: AppID) {}
    func survivors(_ app: AppID) -> [PendingProcess] { [] }
    func footprint(_ app: AppID, limit: UInt64?) -> UInt64 { 0 }
    func limitMemory(of app: AppID, _ enforcement: MemoryEnforcement) -> Bool { true }
    func availableMemory() -> UInt64 { .max }
    func freeDisk() -> UInt64 { .max }
    func locks(of app: AppID, anew: Bool) -> [FileLock]? { [] }
    func beginPageOut(_ app: AppID, from threshold: UInt64) -> Bool { false }
    func continuePageOut(_ app: AppID) -> PageOutResult? { nil }
    func throttle(_ app: AppID, _ limits: CPUPolicy?) {}
    func setPriority(of app: AppID, isLowered: Bool) {}
    func isTraced(_ app: AppID) -> Bool { false }
    func watchInput(_ app: AppID, afresh: Bool) -> InputWatching { .watched(obstacle: nil) }
    func unwatchInput(_ app: AppID) {}
    func connection(to app: AppID, at socket: ListeningSocket) -> InputNews? { nil }
    func idleSample(of app: AppID, sinceLast: Bool) -> IdleSample {
        IdleSample(cpuTime: .zero, written: 0, processes: 0)
    }
    func named(_ sample: IdleSample, of app: AppID) -> IdleSample { sample }
    func hasRunSinceLook(_ app: AppID) -> Bool { false }
    func cpuMicroseconds(of app: AppID) -> UInt64 { 0 }
    var isAtWork: Bool { false }
    func goOn() {}
}
