import CCurfew
import Glibc

/// A system call that failed: what was done, to what, and the kernel's reason.
public struct KernelError: Error, Sendable, Hashable {
    public var operation: String
    public var subject: String
    /// Above zero, as errno(3) numbers it.
    public var errno: Int32

    public init(_ operation: String, _ subject: String, errno: Int32) {
        self.operation = operation
        self.subject = subject
        self.errno = errno
    }

    /// The kernel's reason in words, as strerror(3) gives it.
    public var reason: String { String(cString: strerror(errno)) }

    /// Whether a call's result says that the kernel, or a sandbox in its place, doesn't have the call: old container runtimes
    /// answer EPERM or EINVAL to what they don't know.
    static func isRefusal(_ result: Int32) -> Bool {
        switch -result {
        case ENOSYS, EPERM, EINVAL: true
        default: false
        }
    }

    public var text: String {
        subject.isEmpty ? "\(operation): \(reason)" : "\(operation) \(subject): \(reason)"
    }
}

/// Turns the C layer's negative errno into an error.
@discardableResult
@inline(__always)
func check(
    _ result: Int32, _ operation: @autoclosure () -> String, _ subject: @autoclosure () -> String
) throws(KernelError) -> Int32 {
    if result < 0 { throw KernelError(operation(), subject(), errno: -result) }
    return result
}
