import CurfewWire

/// An object of a report, read with care: what is missing, null or of another kind is nil.
struct ReportFields {
    let json: JSON

    var members: [(key: String, value: JSON)] {
        if case .object(let members) = json { return members }
        return []
    }

    func object(_ key: String) -> ReportFields? {
        guard case .object? = json[key] else { return nil }
        return json[key].map { ReportFields(json: $0) }
    }

    /// The objects of an array.
    func objects(_ key: String) -> [ReportFields] {
        guard case .array(let elements)? = json[key] else { return [] }
        return elements.compactMap { element in
            if case .object = element { return ReportFields(json: element) }
            return nil
        }
    }

    /// As it was written; nil for none and an empty one.
    func plain(_ key: String) -> String? {
        guard case .string(let text)? = json[key], !text.isEmpty else { return nil }
        return text
    }

    /// For a person's terminal.
    func text(_ key: String) -> String? { plain(key).map { Printable.text($0) } }

    /// The words of a command, for a person's terminal.
    func command(_ key: String) -> String? {
        guard case .array(let elements)? = json[key] else { return nil }
        let words = elements.compactMap { element in
            if case .string(let word) = element { return word }
            return nil
        }
        return words.isEmpty ? nil : Printable.text(words.joined(separator: " "))
    }

    func isTrue(_ key: String) -> Bool { json[key] == .bool(true) }

    func integer(_ key: String) -> String? {
        if case .integer(let number)? = json[key] { return String(number) }
        return nil
    }

    /// Seconds since 1970, or a duration's.
    func seconds(_ key: String) -> Double? { json[key].flatMap { Self.number($0) } }

    func duration(_ key: String) -> String? { json[key].flatMap { Self.duration($0) } }

    func size(_ key: String) -> String? { json[key].flatMap { Self.size($0) } }

    // MARK: Values

    private static func number(_ value: JSON) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .number(let number): number
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// Rounded to microseconds: a number of seconds since 1970 is no more exact. Nil for what 64 bits can't hold.
    static func nanoseconds(_ seconds: Double) -> Int64? {
        guard let microseconds = Int64(exactly: (seconds * 1e6).rounded()) else { return nil }
        let (nanoseconds, overflows) = microseconds.multipliedReportingOverflow(by: 1000)
        return overflows ? nil : nanoseconds
    }

    static func duration(_ value: JSON) -> String? {
        number(value).flatMap { nanoseconds($0) }.map { HumanText.duration(nanoseconds: $0) }
    }

    static func size(_ value: JSON) -> String? {
        number(value).flatMap { UInt64(exactly: $0.rounded(.down)) }.map { HumanText.size(bytes: $0) }
    }

    /// A part of one, as percent.
    static func share(_ value: JSON) -> String? {
        guard let tenths = number(value).flatMap({ Int(exactly: ($0 * 1000).rounded()) }) else { return nil }
        return "\(tenths / 10)" + (tenths % 10 == 0 ? "" : ".\(abs(tenths % 10))") + " %"
    }

    /// Any value, for a person's terminal; nil for null.
    static func shown(_ value: JSON) -> String? {
        switch value {
        case .null: nil
        case .bool(let isTrue): isTrue ? "yes" : "no"
        case .string(let text): text.isEmpty ? nil : Printable.text(text)
        case .integer, .number, .array, .object: Printable.text(value.text)
        }
    }
}
