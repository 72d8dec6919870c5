import CurfewLinux
import Glibc

/// Words laid out as an argv, for what reads one; freed with this object.
public final class OwnedArguments {
    private let strings: OwnedStrings

    public var pointer: ArgumentReader.Arguments { strings.pointer }
    public var count: Int { strings.count }

    /// A word ends at its first NUL, as any argument does.
    public init(_ words: [String]) { strings = OwnedStrings(words) }

    public init(_ words: [ByteString]) { strings = OwnedStrings(words) }

    /// A reader of all the words, as what follows `verb`; it reads from this object, which has to outlive it.
    public func reader(verb: String) -> ArgumentReader { ArgumentReader(verb: verb, pointer, count: count, from: 0) }
}
