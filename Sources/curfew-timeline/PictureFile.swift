import CCurfew
import CurfewCommand
import CurfewLinux
import CurfewTimeline
import Glibc

/// Writes a timeline in the form that was asked for.
struct PictureFile {
    let form: PictureForm

    /// `path`: nil for standard output.
    func write(_ timeline: Timeline, to path: String?) throws(TimelineVerb.Failure) {
        let whole = text(of: timeline)
        guard let path else { return Output.print(document: String(whole.dropLast())) }
        let number = curfew_open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0o666)
        if number < 0 { throw failure(path, number) }
        let written = SmallFile.write(Array(whole.utf8), to: number)
        // Some file systems tell only now that there is no room. Source: close(2), NOTES.
        let closed = curfew_close(number)
        if written < 0 || closed < 0 { throw failure(path, min(written, closed)) }
    }

    private func failure(_ path: String, _ result: Int32) -> TimelineVerb.Failure {
        TimelineVerb.Failure("can't write \(path): \(String(cString: strerror(-result)))")
    }

    /// Ended by a line feed.
    private func text(of timeline: Timeline) -> String {
        switch form {
        case .svg: SVGPicture(timeline).text
        case .html: HTMLPage(timeline).text
        case .json: ChromeTrace(timeline).text
        }
    }
}
