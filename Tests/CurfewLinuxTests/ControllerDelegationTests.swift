import Testing

@testable import CurfewLinux

@Suite("Who may go aside for a controller")
struct ControllerDelegationTests {
    /// Process 10 is the proxy; 11 runs hooks or sources, 12 is the caller's own child that became one of the proxy's.
    private static let parents: [Int32: Int32] = [
        10: 5, 11: 10, 12: 10, 20: 11, 21: 20, 22: 21, 30: 12, 5: 1, 40: 5, 50: 0,
    ]
    private static let names: [Int32: String] = [11: "curfew-source", 12: "tail", 20: "sh", 40: "curfew-source"]

    private static func isRun(_ pid: Int32) -> Bool {
        ControllerDelegation.isRun(pid, by: 10, parent: { parents[$0] }, name: { names[$0] })
    }

    @Test("A process of ours below the proxy, and all below it", arguments: [11, 20, 21, 22] as [Int32])
    func ours(pid: Int32) { #expect(Self.isRun(pid)) }

    @Test("Nobody else's, whatever it is called", arguments: [12, 30, 5, 40, 50] as [Int32])
    func others(pid: Int32) { #expect(!Self.isRun(pid)) }

    @Test("One that is gone is in nobody's way")
    func gone() { #expect(Self.isRun(99)) }

    @Test("A line without an end isn't followed for ever")
    func endless() {
        let most = Int32(ControllerDelegation.mostGenerations)
        func isRun(_ generations: Int32) -> Bool {
            ControllerDelegation.isRun(
                100 + generations, by: 100, parent: { $0 - 1 }, name: { _ in "curfew-source" })
        }
        #expect(isRun(most))
        #expect(!isRun(most + 1))
    }
}
