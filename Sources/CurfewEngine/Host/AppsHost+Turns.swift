import CCurfew
import CurfewCore
import CurfewLinux

/// Whose turn it is, of those that have come at once.
extension AppsHost {
    /// A client that goes on and on waits for all others that have come, and of several such clients one is next: what it asks for
    /// can take some milliseconds each, a launch for instance.
    func handleAll(_ ready: UnsafeBufferPointer<curfew_ready>) {
        let next = Self.longestWaiting(of: ready.count) { lastTurn(of: ready[$0]) }
        for each in ready where !isOver && (next == nil || lastTurn(of: each) == nil) { handle(each) }
        if let next, !isOver { handle(ready[next]) }
    }

    /// Nil for what isn't a client that had a turn and has gone on since.
    private func lastTurn(of ready: curfew_ready) -> Int64? {
        guard let (kind, number) = EventLoop.Kind.of(ready.token), kind == .connection else { return nil }
        return control?.lastTurn(of: ConnectionID(number), events: ready.events)
    }

    /// The one whose last turn is over longest; nil where none has had any.
    static func longestWaiting(of count: Int, lastTurn: (Int) -> Int64?) -> Int? {
        var found: (index: Int, turn: Int64)?
        for index in 0..<count {
            if let turn = lastTurn(index), turn < found?.turn ?? .max { found = (index, turn) }
        }
        return found?.index
    }
}
