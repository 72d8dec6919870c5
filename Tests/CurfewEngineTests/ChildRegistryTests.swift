import CurfewCore
import CurfewLinux
import Testing

@testable import CurfewEngine

@Suite("Whose the children are that have ended")
struct ChildRegistryTests {
    /// Answers one after the other what it is told to; then that there is nothing to tell.
    private final class Kernel {
        var ended: [Int32] = []

        private func pid(of way: Reaping.Way) -> Int32? {
            switch way {
            case .reapAny, .look: ended.first
            case .reap(let pid): ended.contains(pid) ? pid : nil
            }
        }

        func wait(_ way: Reaping.Way) -> Reaping.Result {
            guard let pid = pid(of: way) else { return .nothing }
            if way != .look, let index = ended.firstIndex(of: pid) { ended.remove(at: index) }
            return .report(ChildReport(pid: pid, change: .exited(code: 0), cpuMicroseconds: Int64(pid)))
        }
    }

    private let kernel = Kernel()

    /// `7 of 1`, `8 of nobody`, in the order told.
    private func reap(_ registry: inout ChildRegistry, _ ended: Int32...) -> [String] {
        kernel.ended = ended
        var told: [String] = []
        registry.reap { report, app in
            #expect(report.cpuMicroseconds == Int64(report.pid))
            told.append("\(report.pid) of \(app.map { String($0.rawValue) } ?? "nobody")")
        }
        return told
    }

    private func registry() -> ChildRegistry {
        let kernel = kernel
        return ChildRegistry { kernel.wait($0) }
    }

    @Test("Each is told once, in the order of the kernel, those that nobody registered with no app")
    func whose() {
        var registry = registry()
        registry.register(70, of: AppID(1))
        registry.register(7, of: AppID(2))
        registry.register(71, of: AppID(2))
        #expect(reap(&registry, 71, 8, 70, 7) == ["71 of 2", "8 of nobody", "70 of 1", "7 of 2"])
        #expect(reap(&registry) == [])
    }

    @Test("One by one it can be asked whose it is before it is reaped; then its number is nobody's")
    func oneByOne() {
        var registry = registry()
        #expect(registry.nextEnded == nil)
        registry.register(7, of: AppID(1))
        registry.register(8, of: AppID(2))
        kernel.ended = [7, 9, 8]
        #expect(registry.nextEnded == 7)
        #expect(registry.nextEnded == 7)
        #expect(registry.app(of: 7) == AppID(1))
        // Another may come before it in the meantime.
        kernel.ended = [9, 7, 8]
        #expect(registry.reap(7)?.pid == 7)
        #expect(registry.app(of: 7) == nil)
        #expect(registry.reap(7) == nil)
        #expect(registry.nextEnded == 9)
        #expect(registry.app(of: 9) == nil)
        #expect(registry.reap(9)?.pid == 9)
        #expect(registry.reap(8)?.pid == 8)
        #expect(registry.nextEnded == nil)
    }

    @Test("A number that was reaped is nobody's, until it is registered anew")
    func reused() {
        var registry = registry()
        registry.register(7, of: AppID(1))
        #expect(reap(&registry, 7, 7) == ["7 of 1", "7 of nobody"])
        #expect(registry.app(of: 7) == nil)
        registry.register(7, of: AppID(3))
        #expect(reap(&registry, 7) == ["7 of 3"])
    }

    @Test("What is known at the time is what counts: told of one, its host can register another")
    func registeredLast() {
        var registry = registry()
        registry.register(7, of: AppID(1))
        registry.register(7, of: AppID(2))
        #expect(registry.app(of: 7) == AppID(2))
        registry.forget(7)
        registry.forget(7)
        #expect(registry.app(of: 7) == nil)
    }

    @Test("Registered and forgotten in any order, it knows what a dictionary knows")
    func property() {
        var random = SplitMix64(seed: 3)
        var (registry, model) = (registry(), [Int32: AppID]())
        for _ in 0..<3000 {
            let pid = Int32(1 + random.below(60))
            if random.chance(50) {
                let app = AppID(slot: random.below(9), generation: 1 << 30)
                registry.register(pid, of: app)
                model[pid] = app
            } else {
                registry.forget(pid)
                model[pid] = nil
            }
            let asked = Int32(random.below(62))
            #expect(registry.app(of: asked) == model[asked])
        }
    }
}
