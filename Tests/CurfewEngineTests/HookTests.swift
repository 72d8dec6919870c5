import CCurfew
import CurfewLinux
import CurfewWire
import Glibc
import Testing

@testable import CurfewEngine

@Suite("Commands that are run outside the app")
struct HookTests {
    // MARK: What they find

    private func entries(_ fields: [Field], inherited: [String] = []) -> [ByteString] {
        let inherited = OwnedStrings(inherited)
        defer { withExtendedLifetime(inherited) {} }
        return HookEnvironment(Message("event", fields), inherited: inherited.pointer).entries
    }

    @Test("An event's fields are variables; what is nothing to a hook is none")
    func variables() {
        let fields = [
            Field("name", "didEnterBackground"), Field("app", "mail"), Field("pid", "7"), Field("state", "background"),
            Field("seq", "3"), Field("hook", "0"), Field("time", "1"), Field("info.a-b.c", "x=y"),
        ]
        #expect(
            entries(fields) == [
                "CURFEW_EVENT=didEnterBackground", "CURFEW_APP=mail", "CURFEW_PID=7", "CURFEW_STATE=background",
                "CURFEW_SEQ=3", "CURFEW_INFO_a_b_c=x=y",
            ])
    }

    @Test("What an app around this one was told is left out, and nothing else")
    func inherited() {
        let inherited = [
            "PATH=/bin", "CURFEW_EVENT=wake", "CURFEW_EVENTS=x", "CURFEW_INFO_k=v", "CURFEW_INFORM=x", "CURFEW_FD=8",
        ]
        #expect(
            entries([Field("app", "mail")], inherited: inherited) == [
                "PATH=/bin", "CURFEW_EVENTS=x", "CURFEW_INFORM=x", "CURFEW_FD=8", "CURFEW_APP=mail",
            ])
    }

    @Test("What is inherited needn't be UTF-8; a value that no variable can have is left out")
    func bytes() {
        let odd = ByteString(Array("X=".utf8) + [0xff, 0xfe])
        let inherited = OwnedStrings([odd])
        let message = Message("event", [Field("info.k", "a\0b"), Field("task", "2")])
        #expect(HookEnvironment(message, inherited: inherited.pointer).entries == [odd, "CURFEW_TASK=2"])
        withExtendedLifetime(inherited) {}
    }

    // MARK: What is handed over

    /// A runner, and the other end of its socket.
    private final class Scene {
        let runner: HookRunner
        private var end: Descriptor

        init(_ events: String...) {
            var ends: [Int32] = [-1, -1]
            #expect(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
            runner = HookRunner(events.map { EventHook(event: $0, command: "true") }, Descriptor(ends[0]))
            end = Descriptor(ends[1])
        }

        deinit { end.close() }

        /// What has come so far.
        func read() -> [String] {
            var packets: [String] = []
            var bytes = [UInt8](repeating: 0, count: 4096)
            while case let count = recv(end.number, &bytes, bytes.count, Int32(MSG_DONTWAIT)), count > 0 {
                packets.append(String(decoding: bytes[..<count], as: UTF8.self))
            }
            return packets
        }

        func close() { end.close() }
    }

    @Test("Each hook of an event is told of it, by its number; of other events none is")
    func handedOver() {
        let scene = Scene("didEnterBackground", "willTerminate", "didEnterBackground")
        let isTaken = scene.runner.run(Message("event", [Field("name", "didEnterBackground"), Field("app", "mail")]))
        #expect(isTaken)
        #expect(
            scene.read() == [
                "hook hook=0 name=didEnterBackground app=mail\n", "hook hook=2 name=didEnterBackground app=mail\n",
            ])
        let isOther = scene.runner.run(Message("event", [Field("name", "didBecomeActive")]))
        #expect(isOther)
        #expect(scene.read() == [])
    }

    @Test("Once too many wait an event is dropped, and said to be")
    func dropped() {
        let scene = Scene("wake")
        let event = Message("event", [Field("name", "wake")])
        let taken = (0..<100_000).prefix { _ in scene.runner.run(event) }
        #expect(taken.count > 0)
        #expect(taken.count < 100_000)
        #expect(scene.read().count == taken.count)
        let isTakenAgain = scene.runner.run(event)
        #expect(isTakenAgain)
    }

    @Test("At the end nothing more is sent, and it is waited for whoever runs them")
    func finished() {
        let scene = Scene("wake")
        scene.close()
        scene.runner.finish()
        let isTaken = scene.runner.run(Message("event", [Field("name", "wake")]))
        #expect(!isTaken)
    }

    @Test("Without hooks nobody is started")
    func none() throws {
        #expect(try HookRunner.start([], callersMask: 0) == nil)
    }
}
