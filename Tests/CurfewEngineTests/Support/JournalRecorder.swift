import CurfewCore
import CurfewWire

@testable import CurfewEngine

/// Keeps a journal as the lines that a file would hold.
final class JournalRecorder: JournalWriting {
    private(set) var lines = [text(CurfewEngine.Journal.header)]

    func record(_ input: Input, at now: Moment, _ effects: ArraySlice<Effect>) {
        lines.append(text(RecordedInput(input: input, at: now).message))
        for effect in effects { lines.append(text(effect.journalMessage)) }
    }
}

/// A message as its line, without the line feed.
func text(_ message: Message) -> String {
    var bytes: [UInt8] = []
    message.encodeWhole(into: &bytes)
    return String(decoding: bytes.dropLast(), as: UTF8.self)
}
