import CurfewEngine
import CurfewLinux
import Testing

@testable import CurfewCommand

@Suite("What `curfew serve` is to read its manifests in")
struct ServeArgumentsTests {
    private static func apps(_ words: String...) throws -> String? {
        let owner = OwnedArguments(words)
        return try withExtendedLifetime(owner) { try ServeArguments.parse(owner.reader(verb: "serve")).apps }
    }

    @Test("Unless a folder is named it is the usual one; the last counts")
    func named() throws {
        #expect(try Self.apps() == nil)
        #expect(try Self.apps("--name", "work") == nil)
        #expect(try Self.apps("--apps", "/srv/apps") == "/srv/apps")
        #expect(try Self.apps("--apps=/srv/apps", "--name=work", "--apps", "/srv/more") == "/srv/more")
        let accepted = "the path of a directory"
        #expect(throws: UsageError("serve", "--apps: \"\" isn't \(accepted)")) { try Self.apps("--apps", "") }
        #expect(throws: UsageError("serve", "--apps needs a value: \(accepted)")) { try Self.apps("--apps") }
    }

    @Test("Where memory and the disk are short")
    func machine() throws {
        let owner = OwnedArguments(["--memory-low", "1G", "--disk-low=12.5%"])
        let options = try withExtendedLifetime(owner) {
            try ServeArguments.parse(owner.reader(verb: "serve")).plan.options
        }
        #expect(options.memoryLow == .bytes(1 << 30))
        #expect(options.diskLow == .percent(12.5))
        #expect(throws: UsageError("serve", "--disk-low: \"x\" isn't \(AmountArgument.accepted)")) {
            try Self.apps("--disk-low", "x")
        }
    }

    @Test("A relative one counts from the caller's directory")
    func relative() throws {
        let here = try #require(ByteString.currentDirectory?.exactText)
        #expect(try Self.apps("--apps", "mine") == ServeArguments.wholePath("mine"))
        #expect(try Self.apps("--apps=.") == here)
    }

    @Test(
        "Its path is told whole",
        arguments: [
            ("apps", "/home/ann/apps"), ("./apps/", "/home/ann/apps"), (".", "/home/ann"),
            ("a//b/./c", "/home/ann/a/b/c"), ("../apps", "/home/ann/../apps"), (".apps", "/home/ann/.apps"),
            ("/srv//apps/.", "/srv/apps"), ("/", "/"), ("\u{301}x", "/home/ann/\u{301}x"),
        ])
    func whole(typed: String, told: String) {
        #expect(ServeArguments.wholePath(typed, in: "/home/ann") == told)
    }

    @Test("Where the caller's directory is gone, or has no name in UTF-8, it is left as it was typed")
    func nowhere() {
        #expect(ServeArguments.wholePath("apps", in: nil) == "apps")
        #expect(ServeArguments.wholePath("apps", in: ByteString([47, 0xff])) == "apps")
        #expect(ServeArguments.wholePath("/srv/apps", in: nil) == "/srv/apps")
    }
}
