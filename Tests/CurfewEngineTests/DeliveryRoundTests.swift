import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc
import Testing

@testable import CurfewEngine

@Suite("Who hears of an event")
struct DeliveryRoundTests {
    /// Writes down who is told.
    private final class Host: DeliveryHost {
        var hasHooks = true
        var takesHooks = true
        private(set) var lines: [String] = []
        /// What the sessions and the hooks were told last.
        private(set) var told: Message?
        private(set) var handed: Message?

        func tellSessions(_ delivery: Delivery, _ message: Message) {
            lines.append("tell \(delivery.connections.map(\.rawValue))")
            told = message
        }

        func signalMainProcess(of instance: Instance, _ signal: Int32) {
            lines.append("signal \(instance.id.letter) \(signal)")
        }

        func hasHooks(_ instance: Instance) -> Bool { hasHooks }

        func runHooks(of instance: Instance, _ message: Message) -> Bool {
            lines.append("hooks")
            handed = message
            return takesHooks
        }

        func state(of app: AppID) -> LifecycleState { app == .a ? .background : .notRunning }
        func record(_ record: EventRecord, of app: AppID) { lines.append("record \(app.letter) \(record.brief)") }
    }

    // Nobody has such a number.
    private let leader = Int32.max - 20
    private let manifest = Manifest.sample()
    private let instance: Instance
    private let host = Host()

    init() {
        instance = Instance.sample(.a, leader: leader, manifest: manifest)
        manifest.eventSignals = [
            EventSignal(event: "zone", signal: SIGHUP), EventSignal(event: "fetch", signal: SIGUSR1),
            EventSignal(event: "zone", signal: SIGWINCH),
        ]
    }

    private func lines(_ event: Event, to audience: Delivery.Audience = .everybody) -> [String] {
        let delivery = Delivery(
            event: event, sequence: 3, connections: [ConnectionID(5)], info: [Info("n", "1")], audience: audience)
        DeliveryRound(instance: instance, host: host).deliver(delivery)
        return host.lines
    }

    @Test("Everybody: its sessions first, then the main process by the signals for just that event, then hooks")
    func everybody() {
        #expect(lines(.change("zone")) == ["tell [5]", "signal a \(SIGHUP)", "signal a \(SIGWINCH)", "hooks"])
    }

    @Test("What no signal stands for sends none")
    func noSignal() { #expect(lines(.lifecycle(.didEnterBackground)) == ["tell [5]", "hooks"]) }

    @Test("For hooks alone no signal is sent: the program can't have set its own up")
    func hooksAlone() { #expect(lines(.change("zone"), to: .hooks) == ["tell [5]", "hooks"]) }

    @Test("For connections alone neither")
    func connectionsAlone() { #expect(lines(.change("zone"), to: .connections) == ["tell [5]"]) }

    @Test("Hooks are told what the sessions are, and of the app besides, with the process whose end is the run's")
    func message() throws {
        _ = lines(.change("zone"))
        let told = try #require(host.told)
        #expect(told["name"] == "zone" && told["seq"] == "3" && told["info.n"] == "1")
        func about(_ pid: Int32) -> [Field] {
            [Field("app", "app"), Field("pid", String(pid)), Field("state", "background")]
        }
        #expect(host.handed == Message(told.verb, told.fields + about(leader)))
        instance.mainProcess = MainProcess(pid: leader - 1, pidfd: .none)
        _ = lines(.change("zone"))
        #expect(host.handed == Message(told.verb, told.fields + about(leader - 1)))
    }

    @Test("Without hooks nothing is handed over")
    func withoutHooks() {
        host.hasHooks = false
        #expect(lines(.change("fetch")) == ["tell [5]", "signal a \(SIGUSR1)"])
    }

    @Test("What is dropped, for too many wait, is told of by its name")
    func dropped() {
        host.takesHooks = false
        #expect(lines(.wake("push")) == ["tell [5]", "hooks", "record a hookDropped push"])
    }
}
