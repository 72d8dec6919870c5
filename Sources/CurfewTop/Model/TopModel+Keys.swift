/// What each key does.
extension TopModel {
    /// The list is as the last `settle` has left it.
    public mutating func press(_ key: TopKey) -> TopAction {
        message = nil
        switch mode {
        case .list: return pressInList(key)
        case .filtering:
            pressInFilter(key)
            return .none
        case .confirming(let request):
            mode = .list
            if key == .character("y") || key == .character("Y") { return .ask(request) }
            message = "\(request.app) was left alone"
            return .none
        case .help(let first):
            pressInHelp(key, first)
            return .none
        }
    }

    private mutating func pressInList(_ key: TopKey) -> TopAction {
        switch key {
        case .up, .character("k"): move(by: -1)
        case .down, .character("j"): move(by: 1)
        case .pageUp: move(by: -rows)
        case .pageDown: move(by: rows)
        case .first, .character("g"): move(by: -listed.count)
        case .last, .character("G"): move(by: listed.count)
        case .character("h"): return ask(.home)
        case .character("o"): return ask(.open)
        case .character("w"): return ask(.warn)
        case .character("Q"):
            if case .ask(let request) = ask(.quit) { mode = .confirming(request) }
        case .character("s"): sortByNext()
        case .character("/"): mode = .filtering
        case .character("?"): mode = .help(0)
        case .character("q"): return .leave
        case .character("\u{c}"): return .drawAnew
        case .escape: filter = ""
        case .enter, .backspace: break
        case .character(let other): message = Self.unknown(other)
        }
        return .none
    }

    private static func unknown(_ key: Unicode.Scalar) -> String {
        "\(key.properties.generalCategory == .control ? "that key" : "\(key)") does nothing; ? tells of keys"
    }

    private mutating func ask(_ verb: TopRequest.Verb) -> TopAction {
        guard let selected else {
            message = "no app is selected: none is listed"
            return .none
        }
        return .ask(TopRequest(verb, selected))
    }

    /// More isn't looked for.
    private static let longestFilter = 64

    private mutating func pressInFilter(_ key: TopKey) {
        switch key {
        case .enter: mode = .list
        case .escape:
            filter = ""
            mode = .list
        case .backspace:
            if filter.isEmpty { mode = .list } else { filter.removeLast() }
        case .character(let scalar):
            // The letters of control keys mean nothing here.
            let isText = scalar.properties.generalCategory != .control
            if isText, filter.unicodeScalars.count < Self.longestFilter { filter.unicodeScalars.append(scalar) }
        case .up: move(by: -1)
        case .down: move(by: 1)
        case .pageUp: move(by: -rows)
        case .pageDown: move(by: rows)
        case .first, .last: break
        }
    }

    private mutating func pressInHelp(_ key: TopKey, _ first: Int) {
        switch key {
        case .down, .character("j"): mode = .help(min(first + 1, HelpPage.lines.count - 1))
        case .up, .character("k"): mode = .help(max(0, first - 1))
        case .character, .enter, .escape, .backspace, .pageUp, .pageDown, .first, .last: mode = .list
        }
    }
}
