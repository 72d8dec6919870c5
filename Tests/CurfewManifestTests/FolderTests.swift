import Glibc
import Testing

@testable import CurfewManifest

@Suite("The directory of manifests")
struct FolderTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test("It is below XDG_CONFIG_HOME, or below the home")
    func place() {
        #expect(
            AppDefinitionFolder.ofThisUser { ["XDG_CONFIG_HOME": "/c/", "HOME": "/h"][$0] }?.path == "/c/curfew/apps")
        #expect(
            AppDefinitionFolder.ofThisUser { ["XDG_CONFIG_HOME": "c", "HOME": "/h"][$0] }?.path
                == "/h/.config/curfew/apps")
        #expect(AppDefinitionFolder.ofThisUser { ["XDG_CONFIG_HOME": ""][$0] }?.path == nil)
    }

    @Test("One bad file doesn't hurt the others, and what is no manifest is left alone")
    func others() throws {
        try scratch.write("good.toml", "command = \"x\"")
        try scratch.write("bad.toml", "command = ")
        try scratch.write("a b.toml", "command = \"x\"")
        try scratch.write("README", "hello")
        try scratch.write(".hidden.toml", "hello")
        symlink("nowhere", scratch.path + "/lost.toml")
        mkfifo(scratch.path + "/pipe.toml", 0o600)
        mkdir(scratch.path + "/folder.toml", 0o755)
        var folder = AppDefinitionFolder(path: scratch.path)
        let read = try folder.read()
        #expect(
            read.map { String($0.path.dropFirst(scratch.path.count + 1)) } == [
                "a b.toml", "bad.toml", "folder.toml", "good.toml", "lost.toml", "pipe.toml",
            ])
        #expect(read.compactMap(\.definition?.name) == ["good"])
        #expect(read.map(\.problems.count) == [1, 1, 1, 0, 1, 1])
        #expect(read.map(\.name) == [nil, "bad", "folder", "good", "lost", "pipe"])
    }

    @Test("A directory that isn't there has none")
    func absent() throws {
        var folder = AppDefinitionFolder(path: scratch.path + "/none")
        #expect(try folder.read() == [])
    }

    @Test("One that somebody has named has to be a directory that can be read", arguments: ["none", "file", "loop"])
    func named(name: String) throws {
        try scratch.write("file", "")
        symlink("loop", scratch.path + "/loop")
        let problems = [
            "none": "No such file or directory", "file": "Not a directory", "loop": "Too many levels of symbolic links",
        ]
        let why = try #require(problems[name])
        let problem = DefinitionProblem("can't be read: \(why)")
        var folder = AppDefinitionFolder(path: scratch.path + "/" + name, isNamed: true)
        #expect(throws: problem) { try folder.read() }
        var good = AppDefinitionFolder(path: scratch.path, isNamed: true)
        #expect(try good.read() == [])
    }

    @Test("What others can write to is refused, with its mode and what to do", arguments: [0o775, 0o757, 0o1777])
    func untrusted(mode: mode_t) throws {
        try scratch.write("web.toml", "command = \"x\"")
        chmod(scratch.path + "/web.toml", 0o666)
        var folder = AppDefinitionFolder(path: scratch.path)
        let advice = "and could have any program started here; chmod go-w \(scratch.path)"
        #expect(
            try folder.read().map { $0.problems.map(\.text) } == [
                ["others can write to it (mode 0666), \(advice)/web.toml"]
            ])
        chmod(scratch.path, mode)
        #expect(throws: DefinitionProblem("others can write to it (mode 0\(String(mode, radix: 8))), \(advice)")) {
            try folder.read()
        }
    }

    @Test("What has changed is read again, and what hasn't isn't parsed anew")
    func rereading() throws {
        try scratch.write("web.toml", "command = \"x\"")
        var folder = AppDefinitionFolder(path: scratch.path)
        #expect(try folder.read().first?.definition?.command == ["x"])
        // Of the same size, within the same tick of the clock.
        try scratch.write("web.toml", "command = \"y\"")
        #expect(try folder.read().first?.definition?.command == ["y"])
        scratch.age("web.toml")
        #expect(try folder.read().first?.definition?.command == ["y"])
        try scratch.write("web.toml", "command = \"z\"")
        #expect(try folder.read().first?.definition?.command == ["z"])
    }

    @Test("Five thousand are read")
    func many() throws {
        for number in 0..<5_000 {
            try scratch.write("app\(number).toml", "command = [\"sleep\", \"inf\"]\nbudget = \"10m\"\n")
        }
        var folder = AppDefinitionFolder(path: scratch.path)
        #expect(try folder.read().count { $0.definition?.options == ["--budget", "10m"] } == 5_000)
    }
}
