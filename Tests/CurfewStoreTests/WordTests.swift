import CurfewLinux
import Testing

@testable import CurfewStore

@Suite("Words that are kept")
struct WordTests {
    @Test("They are kept byte for byte, UTF-8 or not")
    func bytes() throws {
        let folder = Folder()
        defer { folder.remove() }
        let odd = ByteString([47, 0xff, 0xc3, 0x28, 10])
        var apps = [StoredApp.sample("plain"), StoredApp.sample("odd"), StoredApp.sample("none")]
        apps[0].command = ["sh", "", "{\"hex\": \"ff\"}", "\u{FFFD}"]
        apps[1].command = ["sh", odd, ByteString([0x80])]
        apps[1].directory = odd
        apps[2].directory = nil
        let writer = try folder.writer()
        for app in apps {
            _ = writer.perform([StoreWriter.Job(ticket: nil, request: .change(.appLaunched(app, toFront: true)))])
        }
        writer.close()
        let next = try folder.writer()
        defer { next.close() }
        let kept = Dictionary(uniqueKeysWithValues: next.load().apps.map { ($0.name, $0) })
        for app in apps {
            #expect(kept[app.name]?.command == app.command)
            #expect(kept[app.name]?.directory == app.directory)
        }
        #expect(next.takeNews() == [])
    }

    @Test("A word of bytes tells its text, and whether that is all of it")
    func text() {
        #expect(ByteString("a b").exactText == "a b")
        #expect(ByteString([0xff]).exactText == nil)
        #expect(ByteString([0x61, 0xff]).text == "a\u{FFFD}")
        #expect(ByteString("\u{FFFD}").exactText == "\u{FFFD}")
        #expect("a".withCString { ByteString(cString: $0) } == "a")
        #expect("".withCString { ByteString(cString: $0) } == "")
    }
}
