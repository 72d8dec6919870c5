import CCurfew
import Glibc

extension SmallFile {
    /// Calls `body` with each line, without its end, until it answers false; a line of more than 4,096 bytes is
    /// passed over.
    ///
    /// For lists, which the kernel gives in pieces: what changes between two of them can be missed.
    static func forEachLine(of descriptor: Descriptor, _ body: (UnsafeRawBufferPointer) -> Bool) {
        withUnsafeTemporaryAllocation(byteCount: bufferSize, alignment: 8) { buffer in
            guard let base = buffer.baseAddress else { return }
            var used = 0
            var isInLongLine = false
            while true {
                let count = Int(curfew_read(descriptor.number, base + used, bufferSize - used))
                let end = used + max(count, 0)
                var line = 0
                while let newline = memchr(base + line, 10, end - line) {
                    let next = newline - UnsafeMutableRawPointer(base) + 1
                    let text = UnsafeRawBufferPointer(rebasing: buffer[line..<(next - 1)])
                    if !isInLongLine, !body(text) { return }
                    isInLongLine = false
                    line = next
                }
                guard count > 0 else {
                    // What has no end of line is a line too.
                    if line < end, !isInLongLine { _ = body(UnsafeRawBufferPointer(rebasing: buffer[line..<end])) }
                    return
                }
                used = end - line
                if used == bufferSize {
                    isInLongLine = true
                    used = 0
                }
                memmove(base, base + line, used)
            }
        }
    }
}
