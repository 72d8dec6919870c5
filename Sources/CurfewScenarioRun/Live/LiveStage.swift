import CCurfew
import CurfewLinux
import CurfewWire
import Glibc

/// Real processes: the app under `curfew run`, and helpers beside it.
///
/// One thread, which waits by poll(2). What it starts gets SIGKILL when it ends.
public final class LiveStage: Stage {
    public var record = AppRecord()

    package let place: StagePlace
    private var app: ChildProcess?
    private var supervisor: OwnedDescriptor?
    private var connection: AppConnection?
    private var output: OwnedDescriptor?
    private var input: OwnedDescriptor?
    private var helpers: [LiveHelper] = []
    /// Ends an idle wait.
    private var awakener: Int32?
    /// The newest of this launch's events.
    private var lastEvent = 0
    /// Whether its supervisor has said that the app is gone: it ends itself then.
    private var hasToldEnd = false
    /// Whether only `advance` moves its time: each statement ends by it then.
    private var isTimeHeld = false
    /// Whether the app, and `curfew run` with it, goes on where its supervisor is killed.
    private var outlivesSupervisor = false

    /// Why the output isn't kept whole, in words; nil while it is.
    public private(set) var artifactsProblem: String?
    private var keepsOutput = true

    /// When a supervisor is next to be asked for what its journal is to tell.
    private var nextMeasurement: Int64 = 0
    private static let measurementInterval: Int64 = 1_000_000_000

    /// How long a supervisor may take to answer, or to be there: a busy machine's are slow.
    static let patience: Int64 = 30_000_000_000
    static let batch: Int64 = 20_000_000
    static let longestBatch: Int64 = 1_000_000_000
    /// When something that was waited for last came.
    private var lastArrival: Int64 = .max

    public init(_ place: StagePlace) { self.place = place }

    public var now: Int64 { curfew_monotonic_nanoseconds() }

    // MARK: Launching

    public func launch(_ command: AppCommand) throws(StageProblem) {
        forgetLaunch()
        outlivesSupervisor = command.outlivesSupervisor
        isTimeHeld = command.isTimeHeld
        record.launches.append(AppRecord.Launch())
        place.dropReport(launch: record.launches.count)
        try start(command)
        try meetSupervisor()
    }

    private func start(_ command: AppCommand) throws(StageProblem) {
        do throws(ChildProcess.Problem) {
            let ends = try command.hasTerminal ? Streams.terminal() : Streams.pipes()
            (input, output) = ends.ours
            app = try ChildProcess(
                place.words(command, launch: record.launches.count), environment: place.appEnvironment,
                ChildProcess.Place(streams: ends.child, directory: place.directory, hasSession: true))
        } catch {
            throw .broken("can't start \(place.curfew) with pipes or a terminal: \(error.reason)")
        }
    }

    private func forgetLaunch() {
        // It may hold an app that nobody supervises any more.
        app?.kill()
        app = nil
        supervisor = nil
        connection = nil
        input = nil
        output = nil
        lastEvent = 0
        hasToldEnd = false
        outlivesSupervisor = false
    }

    /// Its socket is there before the program starts, so the first to connect hears all that is kept.
    private func meetSupervisor() throws(StageProblem) {
        let limit = now + Self.patience
        while connection == nil {
            if app?.hasEnded() == true { return try finish() }
            if now > limit { throw .broken("its supervisor can't be reached at \(place.socket)") }
            connection = AppConnection(path: place.socket)
            // Nothing tells when a socket begins to listen.
            if connection == nil { takeIn(timeout: 1) }
        }
        do throws(StageProblem) {
            _ = try ask(Message("events", [Field("follow", "1")]))
            let status = try ask(Message("status")).final
            meet(status)
        } catch .gone {
            return
        }
    }

    private func meet(_ status: Message) {
        let pid = status["pid"].flatMap(Int32.init) ?? 0
        record.changeCurrent { $0.pid = pid }
        if let number = status["supervisor"].flatMap(Int32.init) {
            let pidfd = curfew_pidfd_open(number)
            if pidfd >= 0 { supervisor = OwnedDescriptor(pidfd) }
        }
    }

    // MARK: Asking

    public func ask(_ message: Message) throws(StageProblem) -> (items: [Message], final: Message) {
        guard let connection, !connection.isClosed, connection.send(message) else {
            try finish()
            throw .gone
        }
        // `advance` waits for the app for as long as 10 s before each jump.
        let limit = now + 2 * Self.patience
        while true {
            if let answer = connection.takeAnswer() {
                if hasToldEnd { try finish() }
                if isLast(message) { measure() }
                guard answer.final.verb == "error" else { return answer }
                throw .refused(code: answer.final["code"] ?? "", message: answer.final["message"] ?? "")
            }
            if connection.isClosed {
                try finish()
                throw .gone
            }
            if now > limit { throw .broken("its supervisor hasn't answered `\(message.verb)` in 60 s") }
            takeIn(timeout: 1000)
        }
    }

    /// Whether it is what a statement asks last, and no measurement itself: where time is held that by which the app settles.
    private func isLast(_ message: Message) -> Bool {
        if message.verb == "status" || message.verb == "events" { return false }
        return !isTimeHeld || message.verb == "advance" && message["seconds"] == "0"
    }

    public func wait(until deadline: Int64) throws(StageProblem) -> Bool {
        // What came is searched between two waits: whoever writes without end has at most half the time for that.
        let batch = max(Self.batch, min(Self.longestBatch, now - lastArrival))
        while true {
            if record.isRunning, hasToldEnd || connection?.isClosed == true || app?.hasEnded() == true {
                try finish()
                return true
            }
            let left = deadline - now
            if left <= 0 { return false }
            if now >= nextMeasurement { measure() }
            guard takeIn(timeout: Int32(min(1000, (left + 999_999) / 1_000_000))) else { continue }
            let soon = min(now + batch, max(deadline, now + Self.batch))
            while now < soon, takeIn(timeout: 0) {}
            lastArrival = now
            return true
        }
    }

    /// Takes in whatever comes, while nobody waits for it, until that descriptor can be read: what writes isn't kept waiting.
    package func idle(until descriptor: Int32) {
        awakener = descriptor
        defer { awakener = nil }
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&waiting, 1, 0) == 0 { takeIn(timeout: 1000) }
    }

    /// Has its supervisor look at what the app uses: its journal keeps that for the picture.
    private func measure() {
        guard place.artifacts != nil, record.isRunning, let connection, !connection.isClosed else { return }
        nextMeasurement = now + Self.measurementInterval
        connection.mention(Message("status"))
    }

    /// The connection is closed, or the proxy has ended: the rest of the output, and how it ended.
    private func finish() throws(StageProblem) {
        guard record.isRunning, let app else { return }
        let limit = now + Self.patience
        while !app.hasEnded() {
            if isUnsupervised { return endUnsupervised() }
            if now > limit { throw .broken("`curfew run` hasn't ended though its supervisor has") }
            takeIn(timeout: 10)
        }
        while takeIn(timeout: 0) {}
        let status = app.status ?? 0
        // The connection may have come too late to hear of everything, or have gone before.
        let report = LaunchReport(place.report(launch: record.launches.count))
        report?.events.forEach(heard)
        let told = hasToldEnd ? record.events.last { $0.name == "didEnd" }?["reason"] : nil
        record.changeCurrent {
            if $0.pid == 0, let pid = report?.pid { $0.pid = pid }
            $0.output.finish()
            $0.end = AppRecord.End(status: status, reason: told ?? report?.reason)
        }
        connection = nil
        supervisor = nil
    }

    private var isUnsupervised: Bool {
        guard outlivesSupervisor, !hasToldEnd, let supervisor else { return false }
        var waiting = pollfd(fd: supervisor.number, events: Int16(POLLIN), revents: 0)
        return connection?.isClosed != false && poll(&waiting, 1, 0) > 0
    }

    /// The app goes on, but nothing can be asked of it any more: to the scenario it is gone.
    private func endUnsupervised() {
        record.changeCurrent {
            $0.output.finish()
            $0.end = AppRecord.End(status: AppCommand.unsupervisedStatus, reason: nil)
        }
        connection = nil
        supervisor = nil
    }

    // MARK: Waiting

    /// One look at everything that can bring something; whether something came.
    @discardableResult
    private func takeIn(timeout milliseconds: Int32) -> Bool {
        var waiting: [pollfd] = []
        func watch(_ descriptor: OwnedDescriptor?) {
            if let descriptor { waiting.append(pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)) }
        }
        watch(connection.flatMap { $0.isClosed ? nil : $0.descriptor })
        watch(output)
        if let awakener { waiting.append(pollfd(fd: awakener, events: Int16(POLLIN), revents: 0)) }
        if app?.status == nil { watch(app?.pidfd) }
        for helper in helpers { for descriptor in helper.descriptors { watch(descriptor) } }
        guard poll(&waiting, nfds_t(waiting.count), milliseconds) > 0 else { return false }
        let ready = Set(waiting.filter { $0.revents != 0 }.map(\.fd))
        var hasCome = false
        if let connection, ready.contains(connection.descriptor.number) {
            hasCome = connection.read { heard($0) } || hasCome
        }
        if let output, ready.contains(output.number) { hasCome = readOutput(output) || hasCome }
        if let app, ready.contains(app.pidfd.number) { hasCome = app.hasEnded() || hasCome }
        for helper in helpers { hasCome = helper.takeIn(ready) || hasCome }
        helpers.removeAll { $0.isOver }
        return hasCome
    }

    private func heard(_ message: Message) {
        if let event = AppEvent(message) { heard(event) }
    }

    private func heard(_ event: AppEvent) {
        guard event.number > lastEvent else { return }
        lastEvent = event.number
        record.events.append(event)
        if event.name == "didEnd" { hasToldEnd = true }
    }

    private func readOutput(_ descriptor: OwnedDescriptor) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = bytes.withUnsafeMutableBytes { curfew_read(descriptor.number, $0.baseAddress, $0.count) }
        if count == -EINTR || count == -EAGAIN { return false }
        if count <= 0 {
            // The end: EIO is a terminal's whose other side is closed.
            output = nil
            return false
        }
        if keepsOutput, artifactsProblem == nil { artifactsProblem = place.keep(bytes[..<Int(count)]) }
        record.changeCurrent { $0.output.append(bytes[..<Int(count)]) }
        return true
    }

    public func write(_ bytes: [UInt8]) throws(StageProblem) {
        guard record.isRunning, let input else { throw .gone }
        var rest = bytes[...]
        let limit = now + Self.patience
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { curfew_write(input.number, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(Int(count)) }
            if count == -EPIPE || count == -EIO { throw .broken("it has closed its input") }
            if count < 0, count != -EAGAIN, count != -EINTR {
                throw .broken("writing to its input: \(String(cString: strerror(Int32(-count))))")
            }
            if !rest.isEmpty {
                if now > limit { throw .broken("it doesn't read its input") }
                takeIn(timeout: 5)
            }
        }
    }

    public func killSupervisor() throws(StageProblem) {
        guard record.isRunning, let supervisor else { throw .gone }
        _ = curfew_pidfd_send_signal(supervisor.number, SIGKILL)
    }

    // MARK: Helpers

    public func run(_ command: [String], until deadline: Int64) throws(StageProblem) -> HelperEnd? {
        let helper = try start(command)
        while !helper.hasEnded {
            if now > deadline { return nil }
            takeIn(timeout: Int32(clamping: min(1000, (deadline - now) / 1_000_000 + 1)))
        }
        helper.drain()
        return HelperEnd(status: helper.status ?? 0, output: helper.output.lastLines(5))
    }

    public func begin(_ command: [String]) throws(StageProblem) { _ = try start(command) }

    private func start(_ command: [String]) throws(StageProblem) -> LiveHelper {
        do throws(ChildProcess.Problem) {
            let helper = try LiveHelper(command, place)
            helpers.append(helper)
            return helper
        } catch {
            throw .broken("can't run \(command.first ?? ""): \(error.reason)")
        }
    }

    // MARK: Files

    static let longestFile = 1 << 20

    public func contents(of path: String) throws(StageProblem) -> String? {
        let descriptor = curfew_open_at(AT_FDCWD, place.absolute(path), O_RDONLY | O_NONBLOCK, 0)
        if descriptor == -ENOENT || descriptor == -ENOTDIR { return nil }
        if descriptor < 0 { throw .broken("can't read \(path): \(String(cString: strerror(-descriptor)))") }
        let file = OwnedDescriptor(descriptor)
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < Self.longestFile {
            let got = piece.withUnsafeMutableBytes { curfew_read(file.number, $0.baseAddress, $0.count) }
            if got == -EINTR { continue }
            if got < 0 { throw .broken("can't read \(path): \(String(cString: strerror(Int32(-got))))") }
            if got == 0 { break }
            bytes += piece[..<Int(got)]
        }
        return withExtendedLifetime(file) { String(decoding: bytes, as: UTF8.self) }
    }

    public func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(place.absolute(path), &status) == 0
    }

    // MARK: The end

    /// Ends everything that was started, whatever it does about it: what has hidden itself is for whoever contains us.
    public func close() {
        let isCutOff = record.isRunning
        // What is said of that isn't the scenario's.
        keepsOutput = !isCutOff
        if let supervisor { _ = curfew_pidfd_send_signal(supervisor.number, SIGKILL) } else { app?.kill() }
        // Else `curfew run` clears up, and ends.
        if outlivesSupervisor { app?.kill() }
        for helper in helpers { helper.process.kill() }
        let limit = now + Self.patience
        while record.isRunning, let app, !app.hasEnded(), now < limit { takeIn(timeout: 10) }
        if isCutOff { place.dropReport(launch: record.launches.count) }
    }
}
