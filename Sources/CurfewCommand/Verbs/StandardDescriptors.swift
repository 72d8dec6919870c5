import CCurfew
import CurfewLinux
import Glibc

/// Descriptors 0 to 2, of which the caller may have closed any.
enum StandardDescriptors {
    /// Takes those that are closed, so that no socket or report gets their numbers and what is printed for people.
    ///
    /// Using them still fails as if they were closed, and the command finds them closed.
    static func fillGaps() {
        for number in Int32(0)...2 where curfew_is_descriptor_open(number) == 0 {
            _ = curfew_open_at(AT_FDCWD, "/dev/null", number == 0 ? O_WRONLY : O_RDONLY, 0)
        }
    }
}
