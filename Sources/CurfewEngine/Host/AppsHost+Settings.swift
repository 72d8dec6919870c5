import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire

/// The file of `--settings`: each change of it is posted to the app.
extension AppsHost {
    /// Nil where there is none.
    func watchSettings(of manifest: Manifest, for app: AppID) throws(LaunchError) -> FileWatch? {
        guard let path = manifest.settingsPath else { return nil }
        do throws(KernelError) {
            let watch = try FileWatch(path: path)
            loop.add(watch.descriptor, Kind.settings.token(app.rawValue))
            return watch
        } catch {
            throw LaunchError(125, "--settings \(path): \(error.text); nothing was started")
        }
    }

    func settingsChanged(of app: AppID) {
        guard let news = kernel.instances[app]?.readSettings() else { return }
        if let event = news.event { engine.feed(.app(app, .post(event, request: nil))) }
        if let problem = news.problem { record(.settingsLost(reason: problem.text), of: app) }
    }
}
