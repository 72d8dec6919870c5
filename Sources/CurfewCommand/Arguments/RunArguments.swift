import CurfewCore
import CurfewEngine
import CurfewLinux
import CurfewWire

/// `curfew run [options] [--] COMMAND [ARG…]`, read into a plan.
///
/// A class, as `Manifest` is.
public final class RunArguments {
    private var profile = Profile.ios4
    // What is given on its own goes before the profile's numbers, wherever --profile stands. No key paths into a
    // policy: making them costs a launch 50,000 instructions.
    private var backgroundBudget: Span?
    private var expirationLead: Span?
    private var enterBackgroundLimit: Span?
    private var terminateLimit: Span?
    private var launchLimit: Span?
    private var wakeLimit: Span?
    private var processingLimit: Span?
    private var timeLimit = Span.infinite
    private var grace: Span?
    private var idleTime: (span: Span, isForced: Bool)?
    private var idleCPU: Int?
    private var wakeOn: InputFilter?
    private var quiet: Span?
    private var scale = 1.0
    private var requiresHello = false
    private var waitsForTree = false
    private var terminateSuspended = TerminateSuspended.kill
    private var name: String?
    private var startsInBackground = false
    private var containment = ContainmentKind.auto
    private var suspension = SuspensionMethod.both
    private var memory = MemoryLimits()
    private var backgroundMemory: UInt64?
    private var backgroundMemoryHigh: UInt64?
    private var memoryLow: Amount?
    private var diskLow: Amount?
    private var backgroundCPU: CPUPolicy?
    private var hasNoCPULimit = false
    private var cpuLimitAction = CPULimitAction.kill
    private var backgroundPriority = BackgroundPriority.normal
    private var locks = LockPolicy.report
    private var lockWait: Span?
    private var pageOutDelay: Span?
    private var pageOutThreshold: UInt64?
    private var resumeLimit: RateArgument.Rate?
    private var isStrict = false
    private var reportPath: String?
    private var onSupervisorExit = OnSupervisorExit.kill
    private var dropsCapabilities = false
    private var setsNoNewPrivileges = false
    private var wakingEvent: String?
    private var launchInfo: [Info] = []
    private var stateDirectory: String?
    private var exitsOnSuspend = false
    private var eventSignals: [EventSignal] = []
    private var eventHooks: [EventHook] = []
    private var settingsPath: String?
    private var hasSettingsSignal = false
    private var watchdogInterval: Span?
    private var journalPath: String?
    private var holdsTime = false
    private var joins = false
    private var server: String?

    /// Throws for an unknown option, a bad value, or no command.
    public static func parse(_ reader: ArgumentReader) throws(UsageError) -> RunPlan {
        var reader = reader
        let arguments = RunArguments()
        while let token = try reader.next() {
            guard case .option(let text) = token else {
                reader.endOptions()
                break
            }
            guard let option = RunOption.named(text) else { throw reader.unknown(text) }
            try arguments.read(option, &reader)
        }
        return try arguments.plan(reader)
    }

    func read(_ option: RunOption, _ reader: inout ArgumentReader) throws(UsageError) {
        switch option {
        case .name: name = try reader.appName()
        case .background: startsInBackground = true
        case .aware: requiresHello = true
        case .waitAll: waitsForTree = true
        case .report: reportPath = try reader.path()
        case .profile: profile = try reader.choice()
        case .budget: backgroundBudget = try reader.span()
        case .expirationLead: expirationLead = try reader.span()
        case .grace: grace = try reader.span()
        case .sleepWhenIdle: idleTime = try reader.idleTime()
        case .idleCPU: idleCPU = try reader.idleCPU()
        case .wakeOn: wakeOn = try reader.inputFilter()
        case .quiet: quiet = try reader.span()
        case .enterBackgroundLimit: enterBackgroundLimit = try reader.span()
        case .terminateLimit: terminateLimit = try reader.span()
        case .launchLimit: launchLimit = try reader.span()
        case .wakeLimit: wakeLimit = try reader.span()
        case .processingLimit: processingLimit = try reader.span()
        case .timeLimit:
            // As GNU timeout has it, 0 is no limit.
            let limit = try reader.span()
            timeLimit = limit == .zero ? .infinite : limit
        case .timeScale: scale = try reader.scale()
        case .memory: memory.fatal = try reader.size()
        case .memoryHigh: memory.soft = try reader.size()
        case .backgroundMemory: backgroundMemory = try reader.size() ?? .max
        case .backgroundMemoryHigh: backgroundMemoryHigh = try reader.size() ?? .max
        case .memoryLow: memoryLow = try reader.amount()
        case .backgroundCPU:
            backgroundCPU = try reader.cpuLimit()
            hasNoCPULimit = backgroundCPU == nil
        case .cpuLimitAction: cpuLimitAction = try reader.choice()
        case .backgroundPriority: backgroundPriority = try reader.choice()
        case .locks: locks = try reader.choice()
        case .lockWait: lockWait = try reader.span()
        case .pageOut: pageOutDelay = try reader.span()
        case .pageOutAbove: pageOutThreshold = try reader.size() ?? .max
        case .resumeLimit: resumeLimit = try reader.rate()
        case .diskLow: diskLow = try reader.amount()
        case .strict: isStrict = true
        case .containment: containment = try reader.choice()
        case .suspend: suspension = try reader.choice()
        case .terminateSuspended: terminateSuspended = try reader.choice()
        case .onSupervisorExit: onSupervisorExit = try reader.choice()
        case .dropCaps: dropsCapabilities = true
        case .noNewPrivs: setsNoNewPrivileges = true
        case .wake: wakingEvent = try reader.postedEvent()
        case .launchOption: try reader.addInfo(to: &launchInfo)
        case .stateDirectory: stateDirectory = try reader.directory()
        case .exitsOnSuspend: exitsOnSuspend = true
        case .on: try reader.addSignal(to: &eventSignals)
        case .execOn: try reader.addHook(to: &eventHooks)
        case .settings: settingsPath = try reader.path()
        case .settingsSignal:
            try reader.setSettingsSignal(in: &eventSignals)
            hasSettingsSignal = true
        case .watchdog:
            let interval = try reader.span()
            watchdogInterval = interval == .zero || interval.isInfinite ? nil : interval
        case .journal: journalPath = try reader.path()
        case .manualClock: holdsTime = true
        case .join: joins = true
        case .server: server = try reader.serverName()
        }
    }

    /// Throws where options that were read need others, or contradict each other.
    func check(_ reader: ArgumentReader) throws(UsageError) {
        if hasSettingsSignal, settingsPath == nil { throw reader.error(Self.settingsNeeded) }
        if pageOutThreshold != nil, pageOutDelay == nil { throw reader.error(Self.pageOutNeeded) }
        if lockWait != nil, locks != .defer { throw reader.error(Self.deferNeeded) }
        if idleCPU != nil || quiet != nil, idleTime == nil, wakeOn == nil { throw reader.error(Self.sleepNeeded) }
        if server != nil, !joins { throw reader.error(Self.joinNeeded) }
        try checkSoftLimits(reader)
    }

    private func plan(_ reader: ArgumentReader) throws(UsageError) -> RunPlan {
        let command = reader.rest
        guard command.count > 0 else {
            throw reader.error("no command given; usage: curfew run [options] [--] COMMAND [ARG…]")
        }
        try check(reader)
        let manifest = Manifest(
            arguments: UnsafePointer(command.arguments), argumentCount: command.count, policy: policy)
        let options = SupervisorOptions()
        manifest.name = name
        manifest.launch = try launch(reader)
        manifest.containment = containment
        manifest.suspension = suspension
        manifest.inputFilter = inputFilter
        manifest.memory = memory
        manifest.backgroundMemory = backgroundMemory
        manifest.backgroundMemoryHigh = backgroundMemoryHigh
        options.memoryLow = memoryLow
        options.diskLow = diskLow
        options.timeScale = scale
        options.isStrict = isStrict
        options.reportPath = reportPath
        options.journalPath = journalPath
        options.holdsTime = holdsTime
        manifest.stateDirectory = stateDirectory
        manifest.settingsPath = settingsPath
        manifest.eventSignals = eventSignals
        manifest.eventHooks = eventHooks
        options.onSupervisorExit = onSupervisorExit
        if joins { options.joinedServer = try AppLookup(verb: reader.verb, server: server).chosenServer() }
        manifest.dropsCapabilities = dropsCapabilities
        manifest.setsNoNewPrivileges = setsNoNewPrivileges
        return RunPlan(manifest, options)
    }

    static let settingsNeeded = "--settings-signal needs --settings FILE, the file whose changes it tells of"

    static let pageOutNeeded = "--page-out-above needs --page-out D, how long after its suspension an app is paged out"
    static let sleepNeeded =
        "--idle-cpu and --quiet need --sleep-when-idle D or --wake-on KINDS, whose idleness they are about"
    static let joinNeeded = "--server needs --join, to take part in that server's front"
    static let deferNeeded = "--lock-wait needs --locks defer, which waits"

    /// A soft limit above the fatal one would never be told of.
    private func checkSoftLimits(_ reader: ArgumentReader) throws(UsageError) {
        try check(reader, .memoryHigh, memory.soft, isAtMost: .memory, memory.fatal)
        if let backgroundMemory {
            try check(
                reader, .backgroundMemoryHigh, backgroundMemoryHigh, isAtMost: .backgroundMemory, backgroundMemory)
        } else {
            try check(reader, .backgroundMemoryHigh, backgroundMemoryHigh, isAtMost: .memory, memory.fatal)
        }
    }

    private func check(
        _ reader: ArgumentReader, _ soft: RunOption, _ softLimit: UInt64?, isAtMost fatal: RunOption,
        _ fatalLimit: UInt64?
    ) throws(UsageError) {
        guard let softLimit, let fatalLimit, softLimit != .max, softLimit > fatalLimit else { return }
        throw reader.error(
            "\(soft.rawValue) \(HumanText.size(bytes: softLimit)) is above \(fatal.rawValue) "
                + "\(HumanText.size(bytes: fatalLimit)): it would never warn")
    }

    private func launch(_ reader: ArgumentReader) throws(UsageError) -> LaunchOptions {
        do throws(BadValue) { try InfoArgument.checkLaunch(launchInfo, wake: wakingEvent) } catch {
            throw reader.error("\(RunOption.launchOption.rawValue): \(error.problem)")
        }
        return LaunchOptions(
            inBackground: startsInBackground, wakingEvent: wakingEvent.map { PostedEvent($0) }, info: launchInfo)
    }

    private var policy: Policy {
        var policy = Policy(profile: profile)
        if let backgroundBudget { policy.backgroundBudget = backgroundBudget }
        if let expirationLead { policy.expirationLead = expirationLead }
        if let enterBackgroundLimit { policy.enterBackgroundLimit = enterBackgroundLimit }
        if let terminateLimit { policy.terminateLimit = terminateLimit }
        if let launchLimit { policy.launchLimit = launchLimit }
        if let wakeLimit { policy.wakeLimit = wakeLimit }
        if let processingLimit { policy.processingLimit = processingLimit }
        policy.timeLimit = timeLimit
        setResources(of: &policy)
        policy.grace = grace
        policy.handlerGrace = hearsOfHome ? policy.enterBackgroundLimit : nil
        policy.requiresHello = requiresHello
        policy.waitsForTree = waitsForTree
        policy.terminateSuspended = terminateSuspended
        policy.exitsOnSuspend = exitsOnSuspend
        policy.watchdogInterval = watchdogInterval
        policy.announcesEvents = !eventSignals.isEmpty || !eventHooks.isEmpty
        if let signal = signal(for: .willTerminate) { policy.terminateSignal = signal }
        return scale == 1 ? policy : policy.scaled(by: scale)
    }

    private func setResources(of policy: inout Policy) {
        if !hasNoCPULimit {
            var limits = backgroundCPU ?? .standard
            limits.action = cpuLimitAction
            limits.processors = Processors.count
            policy.backgroundCPU = limits
        }
        policy.yieldsInBackground = backgroundPriority == .low
        policy.locks = locks
        if let lockWait { policy.lockWait = lockWait }
        policy.sleep = sleep
        if let pageOutDelay {
            policy.pageOut = PageOutPolicy(
                delay: pageOutDelay, threshold: pageOutThreshold ?? PageOutPolicy.defaultThreshold)
        }
        if let resumeLimit {
            policy.resumeLimit = resumeLimit.count
            policy.resumeWindow = resumeLimit.span
        }
    }

    /// By default what has fallen asleep by itself wakes by itself too.
    private var inputFilter: InputFilter {
        wakeOn ?? InputFilter(kinds: idleTime == nil ? [] : [.connections, .terminal, .pipes])
    }

    private var sleep: SleepPolicy? {
        guard idleTime != nil || wakeOn != nil || memoryLow != nil else { return nil }
        var policy = SleepPolicy()
        policy.whenIdle = idleTime?.span
        policy.isForced = idleTime?.isForced == true
        if let idleCPU { policy.idleCPU = idleCPU }
        if let quiet { policy.quiet = quiet }
        policy.wakesForInput = !inputFilter.kinds.isEmpty
        policy.countsResumptions = resumeLimit != nil
        policy.exitsWhenIdle = memoryLow != nil
        return policy
    }

    /// Whether the program is told by a signal: it needs time for that, or would be stopped before its handler runs.
    private var hearsOfHome: Bool { signal(for: .willResignActive) != nil || signal(for: .didEnterBackground) != nil }

    private func signal(for event: LifecycleEvent) -> Int32? {
        for signal in eventSignals where signal.event == event.rawValue { return signal.signal }
        return nil
    }
}
