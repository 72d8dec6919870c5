import CurfewWire

/// Of one connection, answers that wait for an earlier one which is still owed: they come in the order of the requests.
///
/// As long as none is owed nothing waits, and nothing is kept.
struct AnswerOrder {
    /// What an answer is made of.
    enum Piece {
        case message(Message)
        /// Made as the client reads them. Called once it is their turn; the lines are what holds then.
        case lines(begin: () -> ControlSession.Lines)
    }

    private struct Slot {
        let request: Int
        var pieces: [Piece] = []
        var isDone = false
    }

    /// The first is owed, and nothing that there is of it waits.
    private var slots: [Slot] = []

    /// How many answers are owed, or wait for one that is.
    var count: Int { slots.count }

    /// The answer to this request, by its number on the connection, comes later; those to later ones come after it.
    mutating func owe(_ request: Int) {
        if !slots.contains(where: { $0.request == request }) { slots.append(Slot(request: request)) }
    }

    /// Some more of an answer, with `isLast` the rest of it. Returns what goes out now, in order. What is answered by and by has to
    /// be owed before, or others come in between.
    mutating func add(_ piece: Piece, to request: Int, isLast: Bool) -> [Piece] {
        if slots.isEmpty { return [piece] }
        guard let index = slots.firstIndex(where: { $0.request == request }) else {
            slots.append(Slot(request: request, pieces: [piece], isDone: isLast))
            return []
        }
        slots[index].pieces.append(piece)
        slots[index].isDone = isLast
        return index == 0 ? takeReady() : []
    }

    private mutating func takeReady() -> [Piece] {
        var ready: [Piece] = []
        while !slots.isEmpty {
            ready += slots[0].pieces
            slots[0].pieces = []
            guard slots[0].isDone else { break }
            slots.removeFirst()
        }
        return ready
    }
}

extension AnswerOrder.Piece {
    /// One after the other, as lines.
    static func lines(of pieces: [AnswerOrder.Piece]) -> ControlSession.Lines {
        var left = pieces[...]
        return ControlServer.joined {
            switch left.popFirst() {
            case .message(let message):
                var message: Message? = message
                return {
                    defer { message = nil }
                    return message
                }
            case .lines(let begin): return begin()
            case nil: return nil
            }
        }
    }
}

extension Message {
    /// Whether an answer ends with it.
    var isFinal: Bool { verb == "ok" || verb == "error" }
}
