/// Who is told how a run goes, and answers what is to be written of it, line feeds included.
///
/// Scenarios that run side by side are told of as they start and finish; one that is broken before it starts is only finished.
public protocol ResultSink: Sendable {
    /// So many will be run; nil where that isn't known.
    mutating func began(_ count: Int?) -> String
    mutating func started(_ id: ScenarioID) -> String
    mutating func finished(_ result: ScenarioResult) -> String
    /// The last it is told.
    mutating func ended(_ summary: Summary) -> String
}
