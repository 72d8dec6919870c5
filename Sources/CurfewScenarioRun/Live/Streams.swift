import CCurfew
import CurfewLinux
import Glibc

/// What becomes a child's input, output and error output; ours is closed with it.
package struct Streams {
    private let input, output: OwnedDescriptor

    private init(_ input: OwnedDescriptor, _ output: OwnedDescriptor) {
        self.input = input
        self.output = output
    }

    /// Good for as long as this is held: the child has its own copies then.
    var numbers: (Int32, Int32, Int32) { (input.number, output.number, output.number) }

    /// One pipe to it, and one from it for both outputs.
    package static func pipes() throws(ChildProcess.Problem) -> (
        child: Streams, ours: (input: OwnedDescriptor, output: OwnedDescriptor)
    ) {
        let (inputRead, inputWrite) = try pipe()
        let (outputRead, outputWrite) = try pipe()
        unblock(inputWrite)
        unblock(outputRead)
        return (Streams(inputRead, outputWrite), (inputWrite, outputRead))
    }

    private static func pipe() throws(ChildProcess.Problem) -> (read: OwnedDescriptor, write: OwnedDescriptor) {
        var ends: [Int32] = [-1, -1]
        if Glibc.pipe(&ends) < 0 { throw ChildProcess.Problem(errno: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1]))
    }

    /// A terminal of 80 by 24, for whoever leads a new session.
    package static func terminal() throws(ChildProcess.Problem) -> (
        child: Streams, ours: (input: OwnedDescriptor, output: OwnedDescriptor)
    ) {
        var inner: Int32 = -1
        let number = curfew_terminal_create(&inner)
        guard number >= 0 else { throw ChildProcess.Problem(errno: -number) }
        let ours = OwnedDescriptor(number)
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(number, UInt(TIOCSWINSZ), &size)
        unblock(ours)
        let terminal = OwnedDescriptor(inner)
        return (Streams(terminal, terminal), (ours, ours))
    }

    private static func unblock(_ descriptor: OwnedDescriptor) {
        _ = fcntl(descriptor.number, F_SETFL, fcntl(descriptor.number, F_GETFL) | O_NONBLOCK)
    }
}
