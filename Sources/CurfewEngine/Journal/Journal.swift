import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// The file of `--journal`: each input of the core with its instant, and below it the effects it had; between them what was
/// measured for a status.
///
/// Written line by line as it happens, so that it is whole up to the end, however that comes.
final class Journal: JournalWriting {
    static let header = Message("curfew-journal", [Field("version", "1")])

    /// What a line begins with that is neither input nor effect.
    static let measured = "measured"

    private let path: String
    private var descriptor: Descriptor

    /// Neither opening nor writing a pipe may hold up the supervisor.
    static func open(_ path: String?) throws(LaunchError) -> Journal? {
        guard let path else { return nil }
        let number = curfew_open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, 0o600)
        if number < 0 {
            let reason = String(cString: strerror(-number))
            throw LaunchError(125, "--journal \(path): \(reason); nothing was started")
        }
        return Journal(path, Descriptor(number))
    }

    init(_ path: String, _ descriptor: Descriptor) {
        self.path = path
        self.descriptor = descriptor
        var bytes: [UInt8] = []
        Self.header.encode(into: &bytes)
        write(bytes)
    }

    func record(_ input: Input, at now: Moment, _ effects: ArraySlice<Effect>) {
        guard descriptor.isOpen else { return }
        var bytes: [UInt8] = []
        RecordedInput(input: input, at: now).message.encodeWhole(into: &bytes)
        for effect in effects { effect.journalMessage.encodeWhole(into: &bytes) }
        write(bytes)
    }

    /// What was measured for somebody who asked: the core isn't told, and pictures show it.
    func record(_ measures: Measures, of app: AppID, at now: Moment) {
        guard descriptor.isOpen else { return }
        let fields = [
            Field("app", app.rawValue), Field("footprint", String(measures.footprint)),
            Field("cpu", Span.microseconds(Int64(clamping: measures.cpuMicroseconds))),
        ]
        var bytes: [UInt8] = []
        Message(Self.measured, now.journalFields + fields).encodeWhole(into: &bytes)
        write(bytes)
    }

    /// A failure is told once, and ends the journal; nothing else is held up by it.
    private func write(_ bytes: [UInt8]) {
        let result = SmallFile.write(bytes, to: descriptor.number)
        guard result < 0 else { return }
        let reason = String(cString: strerror(-result))
        StandardError.print("curfew: the journal \(path) ends here: \(reason)")
        descriptor.close()
    }
}
