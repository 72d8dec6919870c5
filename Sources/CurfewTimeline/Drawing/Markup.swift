import CurfewWire

/// The text of an SVG document, element by element.
struct Markup {
    private(set) var text = ""

    /// An element without anything in it but a title, which is shown where the pointer rests.
    mutating func element(_ name: String, _ attributes: [(String, String)], title: String = "") {
        open(name, attributes)
        if title.isEmpty {
            text.removeLast()
            text += "/>\n"
        } else {
            text += "<title>\(Self.escape(title))</title></\(name)>\n"
        }
    }

    mutating func label(
        _ words: String, x: Double, y: Double, kind: String = "", anchor: String = "", title: String = ""
    ) {
        open("text", [("x", Self.number(x)), ("y", Self.number(y)), ("class", kind), ("text-anchor", anchor)])
        if !title.isEmpty { text += "<title>\(Self.escape(title))</title>" }
        text += Self.escape(words) + "</text>\n"
    }

    mutating func rectangle(
        x: Double, y: Double, width: Double, height: Double, kind: String, title: String = ""
    ) {
        let place = [("x", x), ("y", y), ("width", width), ("height", height)].map { ($0.0, Self.number($0.1)) }
        element("rect", place + [("class", kind)], title: title)
    }

    mutating func path(_ points: [(x: Double, y: Double)], kind: String, title: String = "") {
        let steps = points.enumerated().map { index, point in
            "\(index == 0 ? "M" : "L")\(Self.number(point.x)) \(Self.number(point.y))"
        }
        element("path", [("d", steps.joined()), ("class", kind)], title: title)
    }

    /// Attributes without a value are left out.
    mutating func open(_ name: String, _ attributes: [(String, String)]) {
        text += "<" + name
        for (key, value) in attributes where !value.isEmpty { text += " \(key)=\"\(Self.escape(value))\"" }
        text += ">"
    }

    mutating func raw(_ text: String) { self.text += text }

    /// A coordinate with one decimal at most.
    static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        let sign = tenths < 0 ? "-" : ""
        return "\(sign)\(abs(tenths) / 10)" + (tenths % 10 == 0 ? "" : ".\(abs(tenths) % 10)")
    }

    /// Much of what is drawn was named by an app: it can't end an element, nor turn a line about.
    ///
    /// Source: Extensible Markup Language 1.0, 2.2, "Char".
    static func escape(_ text: String) -> String {
        var result = ""
        for scalar in Printable.text(text).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\u{fffe}", "\u{ffff}": result += "\u{fffd}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
