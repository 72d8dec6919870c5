/// What libFuzzer calls for each input; compiled together with the sources of CurfewWire, see `run`.
///
/// The first byte chooses the codec, the rest is its input. Each is held to more than not crashing: what is read must
/// be written and read again as the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    guard count > 1 else { return 0 }
    let bytes = [UInt8](UnsafeBufferPointer(start: start + 1, count: count - 1))
    switch start[0] % 5 {
    case 0: fuzzMessage(bytes)
    case 1: fuzzLines(bytes)
    case 2: fuzzJSON(bytes)
    case 3: fuzzNotifyDatagram(bytes)
    default: fuzzNumbers(String(decoding: bytes, as: UTF8.self))
    }
    return 0
}

private func fuzzMessage(_ line: [UInt8]) {
    let message: Message
    do throws(MalformedLine) {
        guard let parsed = try Message.parse(line) else { return }
        message = parsed
    } catch {
        precondition((0...line.count).contains(error.offset), "offset \(error.offset) of \(line.count)")
        return
    }
    var encoded: [UInt8] = []
    message.encode(into: &encoded)
    precondition((try? Message.parse(encoded)) == message, "\(message) came back otherwise")
    precondition(!encoded.dropLast().contains(10), "a message of two lines")
}

/// The first byte says how long the pieces are that the rest comes in.
private func fuzzLines(_ bytes: [UInt8]) {
    let piece = 1 + Int(bytes[0] % 16)
    let stream = bytes.dropFirst()
    precondition(answers(stream, piece: piece) == answers(stream, piece: stream.count + 1), "pieces of \(piece)")
}

private func answers(_ stream: ArraySlice<UInt8>, piece: Int) -> [LineReader.Next] {
    var reader = LineReader()
    var answers: [LineReader.Next] = []
    var rest = stream
    while !rest.isEmpty {
        reader.append(Array(rest.prefix(piece)))
        rest = rest.dropFirst(piece)
        while true {
            let next = reader.next()
            if next == .none { break }
            answers.append(next)
            if next == .tooLong { return answers }
        }
    }
    return answers
}

private func fuzzJSON(_ bytes: [UInt8]) {
    guard let json = try? JSON.parse(bytes) else { return }
    for indent in [nil, 2] {
        var written: [UInt8] = []
        json.write(into: &written, indent: indent)
        precondition((try? JSON.parse(written)) == json, "JSON came back otherwise")
    }
}

private func fuzzNotifyDatagram(_ bytes: [UInt8]) {
    let fields = NotifyDatagram.parse(bytes)
    precondition(!fields.isEmpty && fields.count < 64, "\(fields.count) fields")
    for case .status(let text) in fields {
        precondition(text.utf8.count <= NotifyDatagram.maximumStatusBytes && !text.contains("\n"), "status \(text)")
    }
}

private func fuzzNumbers(_ text: String) {
    guard let nanoseconds = Seconds.parse(text) else { return }
    let shown = Seconds.text(nanoseconds: nanoseconds)
    precondition(Seconds.parse(shown) != nil, "\(text) is shown as \(shown), which can't be read")
    _ = HumanText.duration(nanoseconds: nanoseconds)
}
