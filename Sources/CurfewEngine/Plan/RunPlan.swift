/// All that `curfew run` has decided before it starts anything.
public struct RunPlan {
    public let manifest: Manifest
    public let options: SupervisorOptions

    public init(_ manifest: Manifest, _ options: SupervisorOptions) {
        self.manifest = manifest
        self.options = options
    }
}
