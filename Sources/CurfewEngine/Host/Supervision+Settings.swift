import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire

/// The file of `--settings`: each change of it is posted to the app.
extension Supervision {
    static let settingsEvent = "settingsDidChange"

    func watchSettings() throws(LaunchError) {
        guard let path = plan.settingsPath else { return }
        do throws(KernelError) {
            let watch = try FileWatch(path: path)
            loop.add(watch.descriptor, Source.settings.token())
            settings = watch
        } catch {
            throw LaunchError(125, "--settings \(path): \(error.text); nothing was started")
        }
    }

    func settingsChanged() {
        guard let path = plan.settingsPath else { return }
        let wasLost = settings?.isLost == true
        if let change = settings?.readChanges() {
            var info = [Info("path", path)]
            if !change.exists { info.append(Info("exists", "false")) }
            engine.feed(.app(Self.app, .post(PostedEvent(Self.settingsEvent, info), request: nil)))
        }
        if !wasLost, let problem = settings?.problem { record(.settingsLost(reason: problem.text), of: Self.app) }
    }
}
