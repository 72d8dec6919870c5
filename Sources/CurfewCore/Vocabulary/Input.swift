/// Everything the core can be told; inputs arrive in the order of time.
public enum Input: Sendable, Hashable {
    case app(AppID, AppInput)
    case machine(MachineInput)

    /// The app it is about; nil where it is about none.
    public var app: AppID? { if case .app(let id, _) = self { id } else { nil } }
}
