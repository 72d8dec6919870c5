import CurfewScenarioRun

/// What an app of a test stands on: the real one, or a test's of this library.
protocol AppStage: Stage {
    /// Takes in whatever comes, while no statement is performed, until that descriptor can be read.
    func idle(until descriptor: Int32)
    /// Ends everything that was started.
    func close()
}

extension LiveStage: AppStage {}
