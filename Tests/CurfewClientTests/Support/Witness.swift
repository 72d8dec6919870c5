import Testing

@testable import CurfewClient

/// What was seen, in its order; threads add to it, and a test waits for it.
final class Witness<Element: Sendable>: Sendable {
    private let seen: Monitor<[Element]> = Monitor([])

    var all: [Element] { seen.withLock { $0 } }

    func add(_ element: Element) { seen.withLock { $0.append(element) } }

    /// Waits until so many were added.
    @discardableResult
    func wait(count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws -> [Element] {
        try await offThePool { try self.wait(count: count, sourceLocation: sourceLocation) }
    }

    /// As the other, for a test that needs no task of the pool to go on meanwhile.
    @discardableResult
    func wait(count: Int, sourceLocation: SourceLocation = #_sourceLocation) throws -> [Element] {
        let found = seen.wait(seconds: FakeSupervisor.patience) { $0.count >= count ? $0 : nil }
        return try #require(found, "\(count) were expected, seen: \(all)", sourceLocation: sourceLocation)
    }
}

/// Runs a body on a thread of its own, as a program's own threads do.
func onThread(_ body: @escaping @Sendable () -> Void) throws {
    let hasStarted = SystemThread.start(body)
    try #require(hasStarted)
}

/// Does on a thread of its own what would block one of the pool that tasks need to go on.
func offThePool<Success: Sendable>(_ body: @escaping @Sendable () throws -> Success) async throws -> Success {
    try await withCheckedThrowingContinuation { continuation in
        let hasStarted = SystemThread.start { continuation.resume(with: Result(catching: body)) }
        #expect(hasStarted)
    }
}
