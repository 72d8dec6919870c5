import CurfewLinux
import Testing

@testable import CurfewEngine

@Suite("Environments that are in memory already")
struct RecentEnvironmentsTests {
    /// Where its strings stand.
    private func place(_ environment: [ByteString]) -> UnsafeRawPointer? {
        environment.withUnsafeBytes { $0.baseAddress }
    }

    private func environment(_ number: Int) -> [ByteString] { ["PATH=/bin", "NUMBER=\(number)"] }

    @Test("The same is the one that was given before")
    func same() {
        var recent = RecentEnvironments()
        let first = recent.shared(environment(1))
        #expect(place(recent.shared(environment(1))) == place(first))
        _ = recent.shared(environment(2))
        #expect(place(recent.shared(environment(1))) == place(first))
    }

    @Test("Another is another, whatever was given before")
    func others() {
        var recent = RecentEnvironments()
        for number in 0..<20 { #expect(recent.shared(environment(number)) == environment(number)) }
    }

    @Test("The oldest is given up for the latest")
    func bounded() {
        var recent = RecentEnvironments()
        let first = recent.shared(environment(0))
        for number in 1...RecentEnvironments.most { _ = recent.shared(environment(number)) }
        #expect(place(recent.shared(environment(0))) != place(first))
    }
}
