import CurfewWire

/// How answers of many lines are put together; each line is made when it is its turn.
extension ControlServer {
    /// Those, and then that one.
    static func lines(_ lines: @escaping ControlSession.Lines, then final: Message) -> ControlSession.Lines {
        self.lines(lines, then: { final })
    }

    /// `final`: made once the others are all made.
    static func lines(
        _ lines: @escaping ControlSession.Lines, then final: @escaping () -> Message
    ) -> ControlSession.Lines {
        var isOver = false
        return {
            if let line = lines() { return line }
            defer { isOver = true }
            return isOver ? nil : final()
        }
    }

    /// The lines of one after the other, until `next` has no more.
    static func joined(_ next: @escaping () -> ControlSession.Lines?) -> ControlSession.Lines {
        var current = next()
        return {
            while let lines = current {
                if let line = lines() { return line }
                current = next()
            }
            return nil
        }
    }

    /// As they are sent to whoever has asked.
    static func marked(_ lines: @escaping ControlSession.Lines, for request: ControlRequest) -> ControlSession.Lines {
        { lines().map { request.marked($0) } }
    }
}
