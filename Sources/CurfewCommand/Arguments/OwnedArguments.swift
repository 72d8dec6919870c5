import Glibc

/// Words laid out as an argv, for what reads one; freed with this object.
public final class OwnedArguments {
    public let pointer: ArgumentReader.Arguments
    public let count: Int

    /// A word ends at its first NUL, as any argument does.
    public init(_ words: [String]) {
        count = words.count
        pointer = .allocate(capacity: count + 1)
        for (index, word) in words.enumerated() { pointer[index] = strdup(word) }
        pointer[count] = nil
    }

    deinit {
        for index in 0..<count { free(pointer[index]) }
        pointer.deallocate()
    }

    /// A reader of all the words, as what follows `verb`; it reads from this object, which has to outlive it.
    public func reader(verb: String) -> ArgumentReader { ArgumentReader(verb: verb, pointer, count: count, from: 0) }
}
