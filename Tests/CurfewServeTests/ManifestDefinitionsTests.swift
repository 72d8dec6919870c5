import CurfewCore
import CurfewEngine
import CurfewLinux
import CurfewManifest
import Glibc
import Testing

@testable import CurfewServe

@Suite("What a server is told its apps are")
struct ManifestDefinitionsTests {
    private let scratch: Scratch
    private let definitions: ManifestDefinitions

    init() throws {
        scratch = try Scratch()
        try scratch.write("apps/.nothing", "")
        try scratch.write("data/applications/.nothing", "")
        definitions = ManifestDefinitions(
            folder: AppDefinitionFolder(path: scratch.path + "/apps"),
            entries: DesktopEntries(directories: [scratch.path + "/data"], locale: "C", path: "/bin"))
    }

    private func write(_ app: String, _ more: String...) throws {
        let lines = ["command = [\"true\"]"] + more
        try scratch.write("apps/\(app).toml", lines.joined(separator: "\n") + "\n")
    }

    private func writeEntry(_ id: String) throws {
        try scratch.write(
            "data/applications/\(id).desktop", "[Desktop Entry]\nType=Application\nName=Web\nExec=/bin/sh\n")
    }

    /// What is written of it now, as it would be launched.
    private func launched(_ app: String) throws -> ServedDefinition {
        _ = definitions.reload()
        return try #require(try definitions.manifestDefinition(of: app))
    }

    // MARK: Reading

    @Test("Those that can be launched are counted, and what is wrong with the others is told, with file and line")
    func reload() throws {
        try write("mail")
        try write("web", "restart = \"always\"")
        try write("bad", "budget = \"10x\"")
        let read = definitions.reload()
        #expect(read.apps == 2)
        #expect(read.problems.count == 1)
        #expect(read.problems.first?.hasPrefix("\(scratch.path)/apps/bad.toml:2: budget: ") == true)
        #expect(read.warnings.isEmpty)
    }

    @Test("What may not be meant is told of, too, and that app is one")
    func warnings() throws {
        try write("mail", "minimum-fetch-interval = \"1h\"")
        let read = definitions.reload()
        #expect(read.apps == 1)
        #expect(read.problems.isEmpty)
        #expect(read.warnings.count == 1)
    }

    @Test("Those that are launched with the server are named, by name")
    func launchedAtStart() throws {
        try write("web", "launch-at-start = true")
        try write("mail", "launch-at-start = true")
        try write("chat", "launch-at-start = false")
        try write("bad", "launch-at-start = true", "budget = \"10x\"")
        #expect(definitions.reload().launchedAtStart == ["mail", "web"])
    }

    @Test("Of those that fetch it is said how often; an app without the mode for it never does")
    func fetchIntervals() throws {
        let mode = "background-modes = [\"fetch\"]"
        try write("often", mode, "minimum-fetch-interval = \"minimum\"")
        try write("hourly", mode, "minimum-fetch-interval = \"1h\"")
        try write("never", mode, "minimum-fetch-interval = \"never\"")
        try write("silent", mode)
        try write("modeless", "minimum-fetch-interval = \"1h\"")
        #expect(definitions.reload().fetchIntervals == ["often": .zero, "hourly": .seconds(3600)])
    }

    @Test("A folder that can't be trusted any more is told of, and what was read before goes on to hold")
    func untrusted() throws {
        try write("mail", "background-modes = [\"fetch\"]", "minimum-fetch-interval = \"1h\"")
        try write("bad", "budget = \"10x\"")
        _ = definitions.reload()
        chmod(scratch.path + "/apps", 0o777)
        let read = definitions.reload()
        #expect(read.apps == 1)
        #expect(read.problems.count == 1)
        #expect(read.fetchIntervals == ["mail": .seconds(3600)])
        #expect(try definitions.manifestDefinition(of: "mail") != nil)
    }

    @Test("A folder that somebody has named has to be there at the start; gone later, what was read goes on to hold")
    func named() throws {
        let path = scratch.path + "/mine"
        let definitions = ManifestDefinitions(in: path)
        let problem = "\(path): can't be read: No such file or directory"
        #expect(throws: DefinitionRefusal("--apps \(problem)")) { try definitions.load() }
        try scratch.write("mine/mail.toml", "command = [\"true\"]\n")
        #expect(try definitions.load() == ReloadedDefinitions(apps: 1, folder: path))
        #expect(try definitions.manifestDefinition(of: "mail") != nil)
        rename(path, scratch.path + "/away")
        #expect(definitions.reload() == ReloadedDefinitions(apps: 1, problems: [problem], folder: path))
        #expect(try definitions.manifestDefinition(of: "mail") != nil)
    }

    @Test("The usual folder needn't be there")
    func absent() throws {
        let definitions = ManifestDefinitions(
            folder: AppDefinitionFolder(path: scratch.path + "/none"),
            entries: DesktopEntries(directories: [], locale: "C", path: "/bin"))
        #expect(try definitions.load() == ReloadedDefinitions())
        #expect(definitions.reload() == ReloadedDefinitions())
    }

    @Test("Where no home is known there are none")
    func homeless() throws {
        let definitions = ManifestDefinitions(
            folder: nil, entries: DesktopEntries(directories: [], locale: "C", path: "/bin"))
        #expect(definitions.reload() == ReloadedDefinitions())
        #expect(try definitions.manifestDefinition(of: "mail") == nil)
        #expect(try definitions.desktopDefinition(of: "mail") == nil)
    }

    // MARK: One app

    @Test("A manifest and a desktop entry of one name are told apart; who has neither is nobody")
    func sources() throws {
        try write("web")
        try writeEntry("web")
        try writeEntry("vim")
        #expect(try launched("web").source == .manifest)
        #expect(try definitions.desktopDefinition(of: "web")?.source == .desktop)
        #expect(try definitions.manifestDefinition(of: "vim") == nil)
        #expect(try definitions.desktopDefinition(of: "vim")?.source == .desktop)
        #expect(try definitions.manifestDefinition(of: "nobody") == nil)
        #expect(try definitions.desktopDefinition(of: "nobody") == nil)
    }

    @Test("Of entries nothing is remembered: one that has come or gone since is there or isn't")
    func entriesAreReadAnew() throws {
        #expect(try definitions.desktopDefinition(of: "web") == nil)
        try writeEntry("web")
        #expect(try definitions.desktopDefinition(of: "web") != nil)
        unlink(scratch.path + "/data/applications/web.desktop")
        #expect(try definitions.desktopDefinition(of: "web") == nil)
    }

    @Test("A manifest with which something is wrong is refused for that, though an entry of its name is good")
    func broken() throws {
        try write("web", "budget = \"10x\"")
        try writeEntry("web")
        _ = definitions.reload()
        do {
            _ = try definitions.manifestDefinition(of: "web")
            Issue.record("it can be launched")
        } catch {
            #expect(error.problem.hasPrefix("\(scratch.path)/apps/web.toml:2: budget: "))
        }
    }

    @Test("Of two that say the same the words are read once; what they may do in background parts them")
    func shared() throws {
        try write("a")
        try write("b")
        try write("c", "background-modes = [\"fetch\"]")
        let (a, b, c) = (try launched("a"), try launched("b"), try launched("c"))
        #expect(a.plan.manifest === b.plan.manifest)
        #expect(a.plan.manifest !== c.plan.manifest)
        #expect(a.plan.manifest.policy.backgroundModes == BackgroundModes([]))
        #expect(c.plan.manifest.policy.backgroundModes == BackgroundModes([.fetch]))
        #expect([a.name, b.name, c.name] == ["a", "b", "c"])
    }

    private func order(_ fields: [String]) throws -> LaunchOrder {
        try LaunchOrder(fields.flatMap { Array($0.utf8) + [0] })
    }

    @Test("A bare command is called as its program is, has what its caller gave it, and may do what nobody forbids")
    func bare() throws {
        let order = try order([
            "directory=/tmp", "umask=077", "limit.7=64:128", "environment=A=1", "option=--budget", "option=10m",
            "command=/bin/make", "command=-j8",
        ])
        let definition = try definitions.definition(of: order)
        #expect(definition.name == "make")
        #expect(definition.source == .bare)
        #expect(definition.directory == "/tmp")
        #expect(definition.environment == ["A=1"])
        #expect(definition.umask == 0o77)
        #expect(definition.limits == order.limits)
        #expect(definition.plan.manifest.policy.backgroundBudget == .seconds(600))
        #expect(definition.plan.manifest.policy.backgroundModes == nil)
        #expect(definition.restart == .never)
    }

    @Test(
        "It is refused for a name that is none, and for an option that run doesn't take",
        arguments: [
            ["name=../x", "command=make"], ["command=make", "option=--bugdet", "option=1"],
        ])
    func badOrder(fields: [String]) throws {
        let order = try order(fields)
        #expect(throws: DefinitionRefusal.self) { try definitions.definition(of: order) }
    }

    // MARK: What has changed

    @Test(
        "What is written differs once it says something else and was read again",
        arguments: [
            "budget = \"10m\"", "directory = \"/tmp\"", "restart = \"always\"", "background-modes = [\"fetch\"]",
        ])
    func differs(line: String) throws {
        try write("mail")
        let running = try launched("mail")
        #expect(!definitions.differs(from: running))
        try write("mail", line)
        #expect(!definitions.differs(from: running))
        _ = definitions.reload()
        #expect(definitions.differs(from: running))
        let next = try launched("mail")
        #expect(!definitions.differs(from: next))
        try write("mail")
        _ = definitions.reload()
        #expect(!definitions.differs(from: running))
    }

    @Test("A manifest that nobody can read any more differs; one that is gone leaves nothing to differ from")
    func gone() throws {
        try write("mail")
        let running = try launched("mail")
        try write("mail", "budget = \"10x\"")
        _ = definitions.reload()
        #expect(definitions.differs(from: running))
        unlink(scratch.path + "/apps/mail.toml")
        _ = definitions.reload()
        #expect(!definitions.differs(from: running))
    }

    @Test("A bare command differs from nothing; what was a desktop entry does from a manifest of its name")
    func others() throws {
        try write("make")
        try writeEntry("web")
        let web = try #require(try definitions.desktopDefinition(of: "web"))
        #expect(!definitions.differs(from: web))
        try write("web")
        _ = definitions.reload()
        #expect(definitions.differs(from: web))
        let make = try definitions.definition(of: order(["command=make"]))
        #expect(!definitions.differs(from: make))
    }
}
