import CurfewScenarioRun
import Glibc

/// The executables that a run needs, beside this one or where they are installed.
struct Tools {
    var curfew: String
    var itself: String
    /// Nil where it isn't installed: then there are no pictures.
    var timeline: String?

    typealias Problem = Files.Problem

    static func find() throws(Problem) -> Tools {
        guard let real = realpath("/proc/self/exe", nil) else { throw Problem(message: "/proc can't be read") }
        defer { free(real) }
        let itself = String(cString: real)
        let folder = itself.lastIndex(of: "/").map { String(itself[..<$0]) } ?? "."
        let curfews = ["\(folder)/curfew", "\(folder)/../../bin/curfew"]
        guard let curfew = curfews.first(where: { access($0, X_OK) == 0 }) else {
            throw Problem(message: "there is no \(curfews[1]); reinstall Curfew")
        }
        let timeline = "\(folder)/curfew-timeline"
        return Tools(curfew: curfew, itself: itself, timeline: access(timeline, X_OK) == 0 ? timeline : nil)
    }

    /// The picture of a launch, from its journal; false where it can't be made, and then it says why.
    func draw(_ journal: String, of title: String, to picture: String) -> Bool {
        timeline.map { TimelinePicture.draw(by: $0, journal, of: title, to: picture) } ?? false
    }
}
