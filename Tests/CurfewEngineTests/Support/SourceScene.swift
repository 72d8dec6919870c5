import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

@testable import CurfewEngine

/// A server with the apps `backup`, which is in front, and `app-b`; its sources are run by nobody: a test tells what they do.
final class SourceScene: SourceHost {
    let control = ControlScene([.a, .b])
    private(set) lazy var desk = SourceDesk(sources, host: self)
    private var sources: [(plan: SourcePlan, runner: SourceRunner)] = []
    /// What has been told of sources.
    private(set) var told: [String] = []
    /// Whether no connection can be made.
    var isCutOff = false
    private var ends: [Descriptor] = []
    private var pushes: [ControlRequest] = []

    init(_ plans: SourcePlan...) {
        for plan in plans {
            var pair: [Int32] = [-1, -1]
            socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair)
            sources.append((plan, SourceRunner(Descriptor(pair[0]))))
            ends.append(Descriptor(pair[1]))
        }
        control.sources = { [unowned self] in desk.told($0) }
        control.serves = { [unowned self] in hold($0, $1) }
        desk.begin(in: control.loop)
    }

    deinit { for index in ends.indices { ends[index].close() } }

    private func hold(_ request: ControlRequest, _ verb: ControlVerb) -> Bool {
        guard verb == .push else { return false }
        control.control.owe(request)
        pushes.append(request)
        return true
    }

    // MARK: What sources do

    func tell(_ news: SourceNews, of index: Int = 0) {
        let packet = news.packet
        send(ends[index].number, packet, packet.count, Int32(MSG_NOSIGNAL))
    }

    /// Once all is quiet: what was told of meanwhile.
    func write(_ text: String, as index: Int = 0) -> [String] {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            tell(.output(Array(rest.prefix(SourceNews.maximumOutput))), of: index)
            rest = rest.dropFirst(SourceNews.maximumOutput)
        }
        return run()
    }

    /// Its process is gone.
    func lose(_ index: Int = 0) { ends[index].close() }

    /// What the one who runs it was told to do; nil: nothing more.
    func order(_ index: Int = 0) -> String? {
        var packet = [UInt8](repeating: 0, count: SourceRunner.maximumOrder)
        let count = recv(ends[index].number, &packet, packet.count, Int32(MSG_DONTWAIT))
        if count == 0 { return "end" }
        return count < 0 ? nil : String(decoding: packet[..<(count - 1)], as: UTF8.self)
    }

    // MARK: What is pushed

    /// The ids of pushes that wait for an answer, in the order in which they came.
    var pushed: [String] { pushes.compactMap { $0.message["apns-id"] } }

    /// Answers the first; what was told of then. `code`: by which it is refused; nil: it is kept.
    func answerPush(_ code: String? = nil) -> [String] {
        let push = pushes.removeFirst()
        if let code { control.control.refuse(push, code, "no") } else { control.control.accept(push) }
        return run()
    }

    // MARK: Time

    func run() -> [String] {
        control.run()
        defer { told = [] }
        return told
    }

    func pass(_ span: Span) -> [String] {
        control.kernel.clock = control.kernel.clock + span
        desk.timePassed()
        return run()
    }

    var state: String { desk.messages.map(\.line).first ?? "" }

    // MARK: What the desk is told

    var now: Instant { control.kernel.now }
    func sourcesApp(_ told: String) -> String? {
        guard Int32(told) != nil else { return told }
        return control.app(named: told).map { control.name(of: $0) }
    }
    var namesInFront: [String] { control.engine.core.foregroundApps.map { control.name(of: $0) } }
    func connectSource() -> Descriptor {
        var pair: [Int32] = [-1, -1]
        guard !isCutOff, curfew_socketpair(&pair) == 0 else { return .none }
        _ = control.control.addServer(Descriptor(pair[0]))
        return Descriptor(pair[1])
    }
    func complain(_ problem: String) { told.append(problem) }
}
