import Glibc

/// Those of our descriptors that go on to whom we start: what we were handed ourselves, for all that we open closes on exec.
///
/// Looked for once. A server of thousands of apps has thousands of its own: to go through them for each app took 25 ms of
/// each launch with 5,000, nearly all of it to list them.
enum HandedDownDescriptors {
    /// What was handed to us has low numbers, and they are listed in order.
    static let mostDescriptors = 1024

    static let numbers = find()

    static func find() -> [Int32] {
        var numbers: [Int32] = []
        MemoryFiles.withDescriptors(of: getpid()) { directory in
            Directory.forEachName(in: directory.number, upTo: mostDescriptors) { name in
                let number = atoi(name)
                let flags = fcntl(number, F_GETFD)
                if flags >= 0, flags & FD_CLOEXEC == 0 { numbers.append(number) }
            }
        }
        return numbers
    }
}
