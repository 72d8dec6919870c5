import CurfewWire

/// The lines of the design's transcript, each with what it means.
let transcript: [(line: String, message: Message)] = [
    ("hello version=1 client=upload.sh", Message("hello", [Field("version", "1"), Field("client", "upload.sh")])),
    (
        "ok version=1 app=backup state=active",
        Message("ok", [Field("version", "1"), Field("app", "backup"), Field("state", "active")])
    ),
    (
        "event name=didFinishLaunching seq=1 ack=required",
        Message("event", [Field("name", "didFinishLaunching"), Field("seq", "1"), Field("ack", "required")])
    ),
    ("ack seq=1", Message("ack", [Field("seq", "1")])),
    (#"begin id=7 name="nightly upload""#, Message("begin", [Field("id", "7"), Field("name", "nightly upload")])),
    (
        "ok id=7 task=3 remaining=inf",
        Message("ok", [Field("id", "7"), Field("task", "3"), Field("remaining", "inf")])
    ),
    (
        "event name=didEnterBackground seq=4 ack=required seconds=5.000",
        Message(
            "event",
            [
                Field("name", "didEnterBackground"), Field("seq", "4"), Field("ack", "required"),
                Field("seconds", "5.000"),
            ])
    ),
    ("ack seq=4", Message("ack", [Field("seq", "4")])),
    ("remaining id=8", Message("remaining", [Field("id", "8")])),
    ("ok id=8 seconds=571.204", Message("ok", [Field("id", "8"), Field("seconds", "571.204")])),
    (
        "event name=backgroundTaskWillExpire seq=9 task=3 seconds=5.000",
        Message(
            "event",
            [
                Field("name", "backgroundTaskWillExpire"), Field("seq", "9"), Field("task", "3"),
                Field("seconds", "5.000"),
            ])
    ),
    ("end id=9 task=3", Message("end", [Field("id", "9"), Field("task", "3")])),
    ("ok id=9", Message("ok", [Field("id", "9")])),
    (
        #"error id=12 code=expired message="the background budget is spent""#,
        Message(
            "error",
            [Field("id", "12"), Field("code", "expired"), Field("message", "the background budget is spent")])
    ),
]

/// Messages of every shape the grammar has, many with awkward values.
func randomMessage(_ random: inout SplitMix64) -> Message {
    let fields = (0..<random.below(6)).map { _ in Field(randomName(&random), randomText(&random)) }
    return Message(randomName(&random), fields)
}

private func randomName(_ random: inout SplitMix64) -> String {
    let alphabet = Array("abcxyzABCXYZ0189_.-")
    return String((0...random.below(12)).map { _ in alphabet[random.below(alphabet.count)] })
}

/// Text with control characters, quotes and characters of 1 to 4 bytes.
func randomText(_ random: inout SplitMix64) -> String {
    var text = String.UnicodeScalarView()
    for _ in 0..<random.below(20) { text.append(randomScalar(&random)) }
    return String(text)
}

private func randomScalar(_ random: inout SplitMix64) -> Unicode.Scalar {
    let bounds: [UInt32] = [0x20, 0x80, 0x80, 0x800, 0x11_0000]
    let value = UInt32.random(in: 0..<bounds[random.below(bounds.count)], using: &random)
    return Unicode.Scalar(value) ?? " "
}

extension Message {
    /// Equality of `String` is up to Unicode normal form; a codec has to keep the bytes.
    var bytes: [[UInt8]] { [Array(verb.utf8)] + fields.flatMap { [Array($0.key.utf8), Array($0.value.utf8)] } }
}
