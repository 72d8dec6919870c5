import CCurfew

/// A file descriptor that this value owns; closed with `close()`, once.
///
/// A plain struct: descriptors live as long as the process here, and a class would cost an allocation each.
public struct Descriptor: Sendable, Hashable {
    public private(set) var number: Int32

    public static let none = Descriptor(-1)

    public init(_ number: Int32) { self.number = number }

    public var isOpen: Bool { number >= 0 }

    public mutating func close() {
        guard number >= 0 else { return }
        _ = curfew_close(number)
        number = -1
    }
}
