import CurfewCore
import CurfewLinux
import Testing

@testable import CurfewEngine

@Suite("Whose the children are that have ended")
struct ReaperTests {
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
    private func reap(_ reaper: inout Reaper, _ ended: Int32...) -> [String] {
        kernel.ended = ended
        var told: [String] = []
        reaper.reap { report, app in
            #expect(report.cpuMicroseconds == Int64(report.pid))
            told.append("\(report.pid) of \(app.map { String($0.rawValue) } ?? "nobody")")
        }
        return told
    }

    private func reaper() -> Reaper {
        let kernel = kernel
        return Reaper { kernel.wait($0) }
    }

    @Test("Each is told once, in the order of the kernel, those that nobody registered with no app")
    func whose() {
        var reaper = reaper()
        reaper.register(70, of: AppID(1))
        reaper.register(7, of: AppID(2))
        reaper.register(71, of: AppID(2))
        #expect(reap(&reaper, 71, 8, 70, 7) == ["71 of 2", "8 of nobody", "70 of 1", "7 of 2"])
        #expect(reap(&reaper) == [])
    }

    @Test("One by one it can be asked whose it is before it is reaped; then its number is nobody's")
    func oneByOne() {
        var reaper = reaper()
        #expect(reaper.nextEnded == nil)
        reaper.register(7, of: AppID(1))
        reaper.register(8, of: AppID(2))
        kernel.ended = [7, 9, 8]
        #expect(reaper.nextEnded == 7)
        #expect(reaper.nextEnded == 7)
        #expect(reaper.app(of: 7) == AppID(1))
        // Another may come before it in the meantime.
        kernel.ended = [9, 7, 8]
        #expect(reaper.reap(7)?.pid == 7)
        #expect(reaper.app(of: 7) == nil)
        #expect(reaper.reap(7) == nil)
        #expect(reaper.nextEnded == 9)
        #expect(reaper.app(of: 9) == nil)
        #expect(reaper.reap(9)?.pid == 9)
        #expect(reaper.reap(8)?.pid == 8)
        #expect(reaper.nextEnded == nil)
    }

    @Test("A number that was reaped is nobody's, until it is registered anew")
    func reused() {
        var reaper = reaper()
        reaper.register(7, of: AppID(1))
        #expect(reap(&reaper, 7, 7) == ["7 of 1", "7 of nobody"])
        #expect(reaper.app(of: 7) == nil)
        reaper.register(7, of: AppID(3))
        #expect(reap(&reaper, 7) == ["7 of 3"])
    }

    @Test("What is known at the time is what counts: told of one, its host can register another")
    func registeredLast() {
        var reaper = reaper()
        reaper.register(7, of: AppID(1))
        reaper.register(7, of: AppID(2))
        #expect(reaper.app(of: 7) == AppID(2))
        reaper.forget(7)
        reaper.forget(7)
        #expect(reaper.app(of: 7) == nil)
    }

    @Test("Registered and forgotten in any order, it knows what a dictionary knows")
    func property() {
        var random = SplitMix64(seed: 3)
        var (reaper, model) = (reaper(), [Int32: AppID]())
        for _ in 0..<3000 {
            let pid = Int32(1 + random.below(60))
            if random.chance(50) {
                let app = AppID(slot: random.below(9), generation: 1 << 30)
                reaper.register(pid, of: app)
                model[pid] = app
            } else {
                reaper.forget(pid)
                model[pid] = nil
            }
            let asked = Int32(random.below(62))
            #expect(reaper.app(of: asked) == model[asked])
        }
    }
}
