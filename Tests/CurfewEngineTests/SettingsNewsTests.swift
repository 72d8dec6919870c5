import CCurfew
import CurfewCore
import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

@Suite("What is told of settings")
struct SettingsNewsTests {
    private static let problem = KernelError("watch", "/etc", errno: EACCES)

    private func news(exists: Bool? = nil, wasLost: Bool = false, problem: KernelError? = nil) -> SettingsNews {
        SettingsNews(path: "/etc/app.conf", exists: exists, wasLost: wasLost, problem: problem)
    }

    @Test("A change is posted with the path, and where the file is gone that is said")
    func change() {
        #expect(news(exists: true).event == PostedEvent("settingsDidChange", [Info("path", "/etc/app.conf")]))
        let gone = [Info("path", "/etc/app.conf"), Info("exists", "false")]
        #expect(news(exists: false).event == PostedEvent("settingsDidChange", gone))
    }

    @Test("What is as it was isn't posted")
    func noChange() {
        #expect(news().event == nil)
        #expect(news().problem == nil)
    }

    @Test("That it can't be watched any more is told once, until it can again")
    func lost() {
        #expect(news(problem: Self.problem).problem == Self.problem)
        #expect(news(wasLost: true, problem: Self.problem).problem == nil)
        #expect(news(wasLost: true).problem == nil)
    }

    @Test("Both can come at once")
    func lostWithChange() {
        let both = news(exists: false, problem: Self.problem)
        #expect(both.event != nil && both.problem == Self.problem)
    }

    // MARK: A file

    @Test("An app's own file: written, as it was, and gone")
    func file() throws {
        let folder = ScratchFolder()
        defer { folder.remove() }
        let path = folder.path + "/app.conf"
        try ScratchFolder.make(path, "one")
        let manifest = Manifest.sample()
        manifest.settingsPath = path
        let instance = Instance.sample(manifest: manifest)
        instance.settings = try FileWatch(path: path)
        defer { instance.settings?.close() }
        #expect(instance.readSettings() == news(of: path, exists: nil))
        try ScratchFolder.make(path, "another")
        #expect(instance.readSettings() == news(of: path, exists: true))
        #expect(instance.readSettings() == news(of: path, exists: nil))
        #expect(curfew_unlink_at(AT_FDCWD, path) == 0)
        #expect(instance.readSettings() == news(of: path, exists: false))
    }

    private func news(of path: String, exists: Bool?) -> SettingsNews {
        SettingsNews(path: path, exists: exists, wasLost: false, problem: nil)
    }

    @Test("Where none is watched nothing is told")
    func none() throws {
        let instance = Instance.sample()
        #expect(instance.readSettings() == nil)
        instance.manifest.settingsPath = "/etc/app.conf"
        #expect(instance.readSettings() == nil)
    }

    @Test("What stands in the way is told when it is first met")
    func inTheWay() throws {
        let folder = ScratchFolder()
        defer { folder.remove() }
        let path = folder.path + "/app.conf"
        try ScratchFolder.make(path, "one")
        let manifest = Manifest.sample()
        manifest.settingsPath = path
        let instance = Instance.sample(manifest: manifest)
        instance.settings = try FileWatch(path: path)
        defer { instance.settings?.close() }
        // A link that leads to itself.
        #expect(unlink(path) == 0 && symlink(path, path) == 0)
        let first = try #require(instance.readSettings())
        #expect(first.event == news(of: path, exists: false).event)
        #expect(first.problem?.errno == ELOOP)
        #expect(unlink(path) == 0 && symlink("app.conf", path) == 0)
        #expect(instance.readSettings() == news(of: path, exists: nil))
        #expect(instance.settings?.isLost == true)
        #expect(unlink(path) == 0)
        try ScratchFolder.make(path, "two")
        #expect(instance.readSettings() == news(of: path, exists: true))
        #expect(instance.settings?.isLost == false)
    }
}
