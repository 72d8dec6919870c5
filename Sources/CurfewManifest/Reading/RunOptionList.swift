import CurfewCommand

/// Options with their values, as words.
enum RunOptionList {
    typealias Item = (option: RunOption, value: String?)

    /// In the order of `RunOption`; what is given more than once keeps its own.
    static func words(_ options: [Item]) -> [String] {
        RunOption.allCases.flatMap { option in
            options.filter { $0.option == option }.flatMap { [option.rawValue] + ($0.value.map { [$0] } ?? []) }
        }
    }

    /// Of words that `words(_:)` made, or that `run` has accepted.
    static func items(_ words: [String]) -> [Item] {
        var items: [Item] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            let equals = word.utf8.firstIndex(of: UInt8(ascii: "="))
            guard let option = RunOption(rawValue: String(word[..<(equals ?? word.endIndex)])) else { continue }
            let takesValue = RunArguments.accepted(by: option) != nil
            let inline = equals.map { String(word[word.utf8.index(after: $0)...]) }
            items.append((option, takesValue ? inline ?? rest.popFirst() ?? "" : nil))
        }
        return items
    }
}
