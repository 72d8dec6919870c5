/// Kinds of input that can wake a sleeping app.
public struct InputKinds: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// What comes by sockets, Internet and Unix ones: a connection, data, a datagram.
    public static let connections = InputKinds(rawValue: 1)
    /// A line typed, or a key where the terminal is raw.
    public static let terminal = InputKinds(rawValue: 2)
    /// Data in pipes, FIFOs, and from pseudo-terminals that the app made.
    public static let pipes = InputKinds(rawValue: 4)
    /// The time of a timerfd.
    public static let timers = InputKinds(rawValue: 8)
    public static let all: InputKinds = [.connections, .terminal, .pipes, .timers]

    private static let named: [(name: String, kind: InputKinds)] = [
        ("connections", .connections), ("terminal", .terminal), ("pipes", .pipes), ("timers", .timers),
    ]

    /// The name of each, in the order in which they are told.
    public static let names = named.map(\.name)

    /// One by its name, or `all`; nil for any other name.
    public init?(name: String) {
        if name == "all" {
            self = .all
        } else if let known = Self.named.first(where: { $0.name == name }) {
            self = known.kind
        } else {
            return nil
        }
    }

    /// The names of those that it has.
    public var names: [String] { Self.named.filter { contains($0.kind) }.map(\.name) }
}

/// What counts of the input that can wake a sleeping app.
public struct InputFilter: Sendable, Hashable {
    public var kinds: InputKinds
    /// Local ports of the sockets that count; empty: any socket counts, and Unix ones only then.
    public var ports: [UInt16]

    public init(kinds: InputKinds, ports: [UInt16] = []) {
        self.kinds = kinds
        self.ports = ports
    }
}
