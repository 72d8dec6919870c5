import CurfewWire

/// Reads what `curfew events --json` printed, of one app or of several.
struct EventReader {
    private var recorders: [RunRecorder] = []

    /// Takes one object; nil for one that is no event.
    mutating func take(_ json: JSON) -> Bool {
        guard let happening = Happening(json), case .string(let app)? = json["app"] else { return false }
        if let index = recorders.firstIndex(where: { $0.app == app }) {
            recorders[index].take(happening)
        } else {
            var recorder = RunRecorder(app: app)
            recorder.take(happening)
            recorders.append(recorder)
        }
        return true
    }

    /// The runs in the order in which they are first told of.
    func timeline() -> Timeline { Timeline(clock: .calendar, runs: recorders.map { $0.finished() }) }

    /// Of a file's lines; one that its writer didn't come to the end of is left out.
    static func read(_ lines: FileText) throws(Unreadable) -> Timeline {
        var reader = EventReader()
        for (number, line) in lines.numbered where !line.isBlank {
            let json: JSON
            do throws(JSONError) { json = try JSON.parse(line) } catch {
                if lines.isCut, number == lines.count { break }
                throw Unreadable("it isn't whole JSON: \(error.problem) at byte \(error.offset)", line: number)
            }
            guard reader.take(json) else {
                throw Unreadable("it is no event of `curfew events --json`", line: number)
            }
        }
        return reader.timeline()
    }
}
