import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire

/// The file of `--settings`: each change of it is posted to the app.
extension RunHost {
    static let settingsEvent = "settingsDidChange"

    /// Nil where there is none.
    func watchSettings() throws(LaunchError) -> FileWatch? {
        guard let path = manifest.settingsPath else { return nil }
        do throws(KernelError) {
            let watch = try FileWatch(path: path)
            loop.add(watch.descriptor, Source.settings.token(Self.app.rawValue))
            return watch
        } catch {
            throw LaunchError(125, "--settings \(path): \(error.text); nothing was started")
        }
    }

    func settingsChanged(of app: AppID) {
        guard let instance = kernel.instances[app], let path = instance.manifest.settingsPath else { return }
        let wasLost = instance.settings?.isLost == true
        if let change = instance.settings?.readChanges() {
            var info = [Info("path", path)]
            if !change.exists { info.append(Info("exists", "false")) }
            engine.feed(.app(app, .post(PostedEvent(Self.settingsEvent, info), request: nil)))
        }
        if !wasLost, let problem = instance.settings?.problem { record(.settingsLost(reason: problem.text), of: app) }
    }
}
