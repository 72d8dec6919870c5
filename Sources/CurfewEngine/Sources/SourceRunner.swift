import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// The server's hold on the process that runs one source.
final class SourceRunner {
    static let startVerb = "start"
    /// Bytes; the variables of `curfew reload --environment` are in it.
    static let maximumOrder = 64 << 10
    /// Bytes of its output that wait for the server, or so; more waits in the source's own pipe, and then the source waits.
    private static let mostUnread: Int32 = 32 << 10

    private(set) var descriptor: Descriptor

    /// `descriptor`: of packets; whoever runs the source has the other end.
    init(_ descriptor: Descriptor) { self.descriptor = descriptor }

    /// Forks one for each, in order; to be called before this process becomes a subreaper. `besides`: of processes outside that were
    /// started before.
    static func startAll(
        _ plans: [SourcePlan], server: String, callersMask: UInt64, besides outside: [Descriptor]
    ) throws(LaunchError) -> [SourceRunner] {
        var runners: [SourceRunner] = []
        for plan in plans {
            let others = outside + runners.map(\.descriptor)
            runners.append(try start(plan, server: server, callersMask: callersMask, besides: others))
        }
        return runners
    }

    private static func start(
        _ plan: SourcePlan, server: String, callersMask: UInt64, besides others: [Descriptor]
    ) throws(LaunchError) -> SourceRunner {
        let process = OutsideProcess(name: SourceProcess.name, mostUnread: mostUnread, others: others)
        do throws(OutsideProcess.Problem) {
            return SourceRunner(
                try process.start {
                    SourceProcess(plan, server: server, socket: $0, callersMask: callersMask).serve()
                })
        } catch {
            throw LaunchError(125, "--source \(plan.name): \(error.text)")
        }
    }

    // MARK: Orders

    /// To be called once it has told of an end, or never before. `variables`: in its environment, besides the server's.
    func start(_ variables: [Field]) {
        var bytes: [UInt8] = []
        Message(Self.startVerb, variables).encodeWhole(into: &bytes)
        _ = curfew_send(descriptor.number, bytes, bytes.count)
    }

    /// The source is asked to end, and made to three seconds later; then its process ends as well, once all that it has written
    /// is read.
    func end() { _ = shutdown(descriptor.number, Int32(SHUT_WR)) }

    func close() { descriptor.close() }

    // MARK: News

    enum Next: Equatable {
        case news(SourceNews)
        case none
        /// Its process is no more.
        case gone
    }

    func next() -> Next {
        withUnsafeTemporaryAllocation(byteCount: SourceNews.maximumOutput + 1, alignment: 8) { buffer in
            while true {
                let count = recv(descriptor.number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                if count < 0, errno == EINTR { continue }
                if count < 0, errno == EAGAIN { return .none }
                guard count > 0 else { return .gone }
                if let news = SourceNews(packet: Array(buffer[..<count])[...]) { return .news(news) }
            }
        }
    }
}
