import CurfewCommand
import CurfewCore
import CurfewLinux
import Testing

@testable import CurfewManifest

@Suite("What is shown of manifests")
struct DocumentsTests {
    /// The package's own folder, by where this file was compiled.
    private static let root = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }

    private static func text(_ name: String) throws -> String {
        String(decoding: try DefinitionFile.read(root + "/" + name).get(), as: UTF8.self)
    }

    @Test("Each key is in docs/manifests.md", arguments: ManifestKey.accepted)
    func keys(key: String) throws {
        #expect(try Self.text("docs/manifests.md").contains("| `\(key)` |"))
    }

    @Test("Each mode is in docs/manifests.md", arguments: BackgroundMode.allCases)
    func modes(mode: BackgroundMode) throws {
        #expect(try Self.text("docs/manifests.md").contains("| `\"\(mode.rawValue)\"` |"))
    }

    @Test("The examples are manifests")
    func examples() throws {
        let folder = Self.root + "/examples/apps"
        let files = try #require(Directory.names(of: folder)).sorted()
        #expect(files.count >= 5)
        for file in files {
            let path = folder + "/" + file
            let read = ManifestReader.read(try DefinitionFile.read(path).get(), path: path)
            #expect(read.problems == [], "\(file)")
            #expect(read.definition != nil, "\(file)")
        }
    }
}
