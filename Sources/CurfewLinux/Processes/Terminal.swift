import CCurfew
import Glibc

/// The controlling terminal, as job control uses it. Every call needs SIGTTOU blocked.
public struct Terminal: Sendable {
    public let descriptor: Descriptor

    /// The controlling terminal; nil when there is none.
    public static func controlling() -> Terminal? {
        let number = curfew_terminal_open()
        return number >= 0 ? Terminal(descriptor: Descriptor(number)) : nil
    }

    public var foregroundGroup: Int32 { curfew_terminal_foreground_group(descriptor.number) }

    /// False when there is no such group in this session, or the terminal is gone.
    @discardableResult
    public func setForegroundGroup(_ group: Int32) -> Bool {
        curfew_terminal_set_foreground_group(descriptor.number, group) == 0
    }

    public var attributes: termios? {
        var attributes = termios()
        return tcgetattr(descriptor.number, &attributes) == 0 ? attributes : nil
    }

    /// At once, where shells wait for the output to drain: on a terminal stopped by Ctrl-S that takes for ever, and
    /// whoever enforces must not wait.
    public func setAttributes(_ attributes: termios?) {
        guard var attributes else { return }
        _ = tcsetattr(descriptor.number, TCSANOW, &attributes)
    }

    /// Whether a program started now should have a process group of its own and the terminal: stdin and stdout are
    /// terminals, and `leader` leads the group in front.
    ///
    /// In a pipeline, a script or a background job it shares the caller's group, or its neighbours would lose the
    /// terminal.
    public func shouldBeHandedOver(toGroupLedBy leader: Int32, group: Int32) -> Bool {
        guard curfew_is_terminal(0) == 1, curfew_is_terminal(1) == 1 else { return false }
        return group == leader && foregroundGroup == group
    }
}

extension Terminal {
    /// Another number when the terminal that our standard input or output is was read or written; every 8 s at most.
    ///
    /// /dev/tty itself, which `descriptor` is, has the times of every terminal of the machine.
    /// Source: kernel, drivers/tty/tty_io.c, tty_update_time().
    public var stamp: UInt64 {
        for number: Int32 in 0...1 where curfew_is_terminal(number) == 1 {
            var status = Glibc.stat()
            guard fstat(number, &status) == 0 else { continue }
            return UInt64(bitPattern: Int64(status.st_atim.tv_sec)) << 32
                ^ UInt64(bitPattern: Int64(status.st_mtim.tv_sec))
        }
        return 0
    }
}
