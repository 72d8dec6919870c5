import CurfewCore
import CurfewLinux

/// What is told after a look at the file of `--settings`.
struct SettingsNews: Hashable {
    static let eventName = "settingsDidChange"

    /// For the app; nil where the file is as it was.
    var event: PostedEvent?
    /// Why a change could pass unnoticed from now on; nil where none can, or that was told.
    var problem: KernelError?

    /// `exists`: whether it is there, if it has changed; nil: it hasn't. `wasLost`: whether there was a problem before.
    init(path: String, exists: Bool?, wasLost: Bool, problem: KernelError?) {
        if let exists {
            let absence = exists ? [] : [Info("exists", "false")]
            event = PostedEvent(Self.eventName, [Info("path", path)] + absence)
        }
        self.problem = wasLost ? nil : problem
    }
}

extension Instance {
    /// Takes what has happened to its settings; nil where nobody watches any.
    func readSettings() -> SettingsNews? {
        guard let path = manifest.settingsPath, let wasLost = settings?.isLost else { return nil }
        let change = settings?.readChanges()
        return SettingsNews(path: path, exists: change?.exists, wasLost: wasLost, problem: settings?.problem)
    }
}
