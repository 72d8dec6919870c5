/// What an app was launched with. It never changes, so that every copy of an app shares it, and an app is small to move.
final class Terms: Sendable, Hashable {
    let policy: Policy
    let options: LaunchOptions

    init(policy: Policy, options: LaunchOptions) {
        self.policy = policy
        self.options = options
    }

    static func == (left: Terms, right: Terms) -> Bool {
        left === right || left.policy == right.policy && left.options == right.options
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(policy)
        hasher.combine(options)
    }
}
