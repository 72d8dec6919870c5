/// An element of a document, with its text where it holds no elements.
struct XMLElement: Hashable {
    var name: String
    var attributes: [String: String] = [:]
    var children: [XMLElement] = []
    var text = ""
    /// Where it begins, for errors.
    var line = 0
    var column = 0

    func problem(_ message: String) -> FileProblem { FileProblem(line: line, column: column, message) }
}

/// Reads the XML that `JUnitDocument` writes, and refuses all other: comments, CDATA, entities of a document's own, text among elements.
struct XMLReader {
    /// Elements in elements: ours are four, and the reader calls itself for each.
    private static let maximumDepth = 8
    private static let prolog = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0
    /// The line that `counted` is in, and where it begins.
    private var line = 1
    private var lineStart = 0
    private var counted = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The element that the document is.
    static func read(_ bytes: [UInt8]) throws(FileProblem) -> XMLElement {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw FileProblem("it isn't UTF-8") }
        var reader = XMLReader(bytes)
        guard reader.take(prolog) else { throw reader.foreign("it doesn't begin with \(prolog)") }
        reader.skipBlanks()
        let element = try reader.element()
        reader.skipBlanks()
        guard reader.byte == nil else { throw reader.problem("something follows </\(element.name)>") }
        return element
    }
}

// What is where.
extension XMLReader {
    private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ text: String) -> Bool {
        guard bytes[position...].starts(with: text.utf8) else { return false }
        position += text.utf8.count
        return true
    }

    /// Whether any was there.
    @discardableResult
    private mutating func skipBlanks() -> Bool {
        let start = position
        while let byte, byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d { position += 1 }
        return position > start
    }

    /// Goes on from where it was last counted, so that all of a file is counted once.
    private mutating func place() -> (line: Int, column: Int) {
        while counted < position {
            if bytes[counted] == 0x0a {
                line += 1
                lineStart = counted + 1
            }
            counted += 1
        }
        return (line, position - lineStart + 1)
    }

    private func problem(_ message: String) -> FileProblem {
        var copy = self
        let place = copy.place()
        return FileProblem(line: place.line, column: place.column, message)
    }

    private func foreign(_ what: String) -> FileProblem {
        problem("\(what): only files that curfew test has written can be joined")
    }
}

// Elements.
extension XMLReader {
    private mutating func element() throws(FileProblem) -> XMLElement {
        guard depth < XMLReader.maximumDepth else { throw foreign("elements are nested too deep") }
        depth += 1
        defer { depth -= 1 }
        var element = try opening()
        if take("/>") { return element }
        guard take(">") else { throw problem("a > is missing") }
        try contents(of: &element)
        guard take(element.name), take(">") else { throw problem("</\(element.name)> is missing") }
        return element
    }

    /// Up to the name of what closes it.
    private mutating func contents(of element: inout XMLElement) throws(FileProblem) {
        while true {
            let text = try text(until: 0x3c)
            element.text += text
            guard byte != nil else { throw problem("</\(element.name)> is missing") }
            if take("</") { break }
            element.children.append(try self.element())
        }
        guard !element.children.isEmpty else { return }
        guard element.text.utf8.allSatisfy({ $0 == 0x20 || $0 == 0x0a }) else {
            throw element.problem("<\(element.name)> has text among its elements")
        }
        element.text = ""
    }

    private mutating func opening() throws(FileProblem) -> XMLElement {
        let here = place()
        guard take("<") else { throw problem("an element is missing") }
        if byte == 0x21 || byte == 0x3f { throw foreign("it has a comment, CDATA, a DOCTYPE or an instruction") }
        var element = XMLElement(name: try name("an element"), line: here.line, column: here.column)
        while skipBlanks(), let byte, byte != 0x3e, byte != 0x2f {
            let key = try name("an attribute")
            guard take("=\"") else { throw problem("=\" is missing after \(key)") }
            guard element.attributes[key] == nil else { throw problem("\(key) is there twice") }
            element.attributes[key] = try text(until: 0x22)
            guard take("\"") else { throw problem("a quote is not closed") }
        }
        return element
    }

    private mutating func name(_ what: String) throws(FileProblem) -> String {
        let start = position
        while let byte, isName(byte) { position += 1 }
        guard position > start else { throw problem("the name of \(what) is missing") }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7a, 0x41...0x5a, 0x30...0x39, 0x2d, 0x2e, 0x3a, 0x5f: true
        default: false
        }
    }
}

// Text.
extension XMLReader {
    /// Up to this byte, or the end; references are what they stand for.
    private mutating func text(until end: UInt8) throws(FileProblem) -> String {
        var text: [UInt8] = []
        while let byte, byte != end {
            switch byte {
            case 0x26: text.append(contentsOf: String(try reference()).utf8)
            case 0x3c: throw problem("a < stands in an attribute")
            case 0x09, 0x0a, 0x20...:
                text.append(byte)
                position += 1
            default: throw problem("a control character that XML can't hold")
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static let named: [String: Unicode.Scalar] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]

    private mutating func reference() throws(FileProblem) -> Unicode.Scalar {
        let rest = bytes[(position + 1)...].prefix(12)
        guard let end = rest.firstIndex(of: 0x3b) else { throw problem("a & has no ;") }
        let name = String(decoding: rest[..<end], as: UTF8.self)
        guard let scalar = XMLReader.named[name] ?? XMLReader.numbered(name), XML.isAllowed(scalar) else {
            throw problem("there is no &\(name);")
        }
        position = end + 1
        return scalar
    }

    /// `#10` or `#xa`.
    private static func numbered(_ name: String) -> Unicode.Scalar? {
        guard name.hasPrefix("#") else { return nil }
        let isHex = name.hasPrefix("#x")
        return UInt32(name.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init)
    }
}
