import CurfewScenarioRun

/// What an app of a test stands on: the real one, or a test's of this library.
protocol AppStage: Stage {
    /// Takes in whatever comes, while no statement is performed, until that descriptor can be read.
    func idle(until descriptor: Int32)
    /// Ends everything that was started.
    func close()
    /// Once it is closed: of each launch, beside its journal. The last one's path; nil where there is none.
    func drawPictures() -> String?
}

extension LiveStage: AppStage {
    func drawPictures() -> String? {
        guard let artifacts = place.artifacts else { return nil }
        var last: String?
        for (journal, picture) in StagePlace.journals(in: artifacts) {
            // What it has to say, as that it isn't installed, is nobody's business here.
            let ends = try? Streams.pipes()
            let title = artifacts.split(separator: "/").last.map(String.init) ?? artifacts
            if TimelinePicture.draw(by: place.curfew, journal, of: title, to: picture, streams: ends?.child) {
                last = picture
            }
        }
        return last
    }
}
