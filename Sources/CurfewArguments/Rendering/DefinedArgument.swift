import CurfewWire

/// An option, a flag or an operand, as the library tells of it.
struct DefinedArgument: Equatable {
    enum Kind: String { case positional, option, flag }

    var kind: Kind
    /// As typed, such as `-h` and `--help`; none for an operand.
    var names: [String] = []
    var valueName = ""
    var abstract = ""
    /// The heading it stands under; empty for the usual one.
    var group = ""
    /// What is accepted, where that is a choice.
    var choices: [String] = []
    var defaultValue: String?
    /// Whether it is another program's command line.
    var isPassthrough = false

    /// Those of a command, in the order of its help; `dump`: what `--experimental-dump-help` prints of it.
    static func read(_ dump: String) -> [DefinedArgument] {
        guard let command = (try? JSON.parse(dump))?["command"] else { return [] }
        return command["arguments"].elements.filter { $0["shouldDisplay"] != .bool(false) }.compactMap(
            DefinedArgument.init)
    }

    private init?(_ json: JSON) {
        guard let kind = Kind(rawValue: json["kind"].text) else { return nil }
        self.kind = kind
        names = json["names"].elements.map { ($0["kind"].text == "long" ? "--" : "-") + $0["name"].text }
        valueName = json["valueName"].text
        abstract = json["abstract"].text
        group = json["sectionTitle"].text
        choices = json["allValues"].elements.map { Optional($0).text }
        if case .string(let value)? = json["defaultValue"] { defaultValue = value }
        isPassthrough = json["parsingStrategy"].text == "allRemainingInput"
    }
}

extension DefinedArgument {
    init(_ kind: Kind, _ names: String..., valueName: String = "", abstract: String = "", group: String = "") {
        self.kind = kind
        self.names = names
        self.valueName = valueName
        self.abstract = abstract
        self.group = group
    }
}

extension JSON? {
    fileprivate var text: String {
        if case .string(let text)? = self { text } else { "" }
    }

    fileprivate var elements: [JSON] {
        if case .array(let elements)? = self { elements } else { [] }
    }
}
