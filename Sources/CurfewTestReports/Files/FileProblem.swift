import CurfewWire

/// Why a file that `curfew test` reads can't be used, or what of it was passed over.
public struct FileProblem: Error, Sendable, Hashable {
    /// From 1; 0 where it is the whole file.
    public var line: Int
    /// From 1, in bytes; 0 where it is the whole line.
    public var column: Int
    /// One sentence, without a full stop.
    public var message: String

    public init(line: Int = 0, column: Int = 0, _ message: String) {
        self.line = line
        self.column = column
        self.message = message
    }

    /// `FILE:LINE:COLUMN: MESSAGE`, without what is 0.
    public func text(in file: String) -> String {
        var place = Printable.text(file)
        if line > 0 { place += ":\(line)" }
        if line > 0, column > 0 { place += ":\(column)" }
        return "\(place): \(Printable.text(message))"
    }
}
