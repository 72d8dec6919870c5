import Glibc
import Testing

@testable import CurfewManifest

/// Quotations are of the Desktop Entry Specification 1.5.
@Suite("Desktop entries")
struct DesktopTests {
    private static var reader: DesktopReader {
        DesktopReader(locale: "de_AT.UTF-8@euro") { $0 == "/bin/sh" || $0 == "foo" }
    }

    private func read(_ lines: String) -> CheckedDefinition {
        let text =
            "# comment\n\n[Desktop Entry]\nType=Application\nName=Foo\n\(lines)\n[Desktop Action x]\nExec=other\n"
        return Self.reader.read(Array(text.utf8), path: "/a/foo.desktop", id: "foo")
    }

    private func command(_ exec: String, _ more: String = "") -> [String]? {
        read("Exec=\(exec)\n\(more)").definition?.command
    }

    private func complaint(_ lines: String) -> String? { read(lines).problems.first.map { $0.text(in: "foo") } }

    @Test("\"The escape sequences \\s, \\n, \\t, \\r, and \\\\ are supported for values of type string\"")
    func escapes() {
        #expect(command("foo \"a\\sb\\nc\\td\\re\"") == ["foo", "a b\nc\td\re"])
        #expect(complaint("Exec=foo \\q")?.hasPrefix("foo:6: Exec: there is no escape \\q") == true)
    }

    @Test(
        "\"to unambiguously represent a literal backslash character in a quoted argument … requires the use of four successive backslash characters\""
    )
    func backslashes() {
        #expect(command(#"foo "a\\\\b""#) == ["foo", #"a\b"#])
    }

    @Test(
        "\"a literal dollar sign in a quoted argument in a desktop entry file is unambiguously represented with (\"\\\\$\")\""
    )
    func dollars() {
        #expect(command(#"foo "\\$HOME" "\\`x\\`" "\\"""#) == ["foo", "$HOME", "`x`", "\""])
        #expect(command(#"foo "$HOME""#) == nil)
        #expect(command(#"foo "a\\b""#) == nil)
    }

    @Test(
        "\"Arguments may be quoted in whole. If an argument contains a reserved character the argument must be quoted.\""
    )
    func quoting() {
        #expect(command("\"/opt/a b/foo\" x") == ["/opt/a b/foo", "x"])
        #expect(command("foo \"\" \"a;b|c\"") == ["foo", "", "a;b|c"])
        for bad in [
            "foo a;b", "foo 'a'", "foo a\"b\"", "foo \"a\"b", "foo \"a", "foo ~/x", "foo $x", "foo a*", "foo (",
            "foo #",
        ] {
            #expect(command(bad) == nil, "\(bad)")
        }
    }

    @Test("Field codes")
    func fieldCodes() {
        #expect(command("foo %f %F %u %U --x=%u") == ["foo", "--x="])
        #expect(command("foo 100%% %%f") == ["foo", "100%", "%f"])
        #expect(command("foo %k") == ["foo", "/a/foo.desktop"])
    }

    @Test(
        "\"The Icon key of the desktop entry expanded as two arguments, first --icon and then the value of the Icon key. Should not expand to any arguments if the Icon key is empty or missing.\""
    )
    func icon() {
        #expect(command("foo %i x", "Icon=a b") == ["foo", "--icon", "a b", "x"])
        #expect(command("foo %i x", "Icon=") == ["foo", "x"])
        #expect(command("foo %i x") == ["foo", "x"])
        #expect(command("foo -%i", "Icon=a") == nil)
    }

    @Test("\"The translated name of the application\"")
    func translated() {
        #expect(command("foo %c") == ["foo", "Foo"])
        #expect(command("foo %c", "Name[de]=Füh\nName[de_DE]=x") == ["foo", "Füh"])
        #expect(command("foo %c", "Name[de]=a\nName[de_AT]=b") == ["foo", "b"])
        #expect(command("foo %c", "Name[de@euro]=a\nName[de]=b") == ["foo", "a"])
        #expect(DesktopEntry.names(of: "sr_YU@Latn") == ["sr_YU@Latn", "sr_YU", "sr@Latn", "sr"])
        #expect(DesktopEntry.names(of: "C.UTF-8") == [])
    }

    @Test("\"Deprecated field codes should be removed from the command line and ignored.\"")
    func deprecated() {
        #expect(command("foo %d %D %n %N %v %m -x%m") == ["foo", "-x"])
    }

    @Test("\"A command line must not contain a field code that is not listed in this table\"")
    func unknownCode() {
        #expect(complaint("Exec=foo %x") == "foo:6: Exec: there is no field code %x; a % itself is written %%")
        #expect(complaint("Exec=foo %") != nil)
    }

    @Test("\"The %F and %U field codes may only be used as an argument on their own.\"")
    func alone() {
        #expect(complaint("Exec=foo --x=%F") == "foo:6: Exec: %F stands for arguments, and has to be one of its own")
    }

    @Test("\"The name or path of the executable program may not contain the equal sign\"")
    func equalSign() {
        #expect(command("a=b foo") == nil)
        #expect(command("foo a=b") == ["foo", "a=b"])
    }

    @Test("Keys that say whether and where it runs")
    func keys() {
        #expect(read("Exec=foo\nPath=/srv").definition?.directory == "/srv")
        #expect(read("Exec=foo\nTryExec=/bin/sh").definition?.source == .desktopEntry("/a/foo.desktop"))
        #expect(
            complaint("Exec=foo\nTryExec=bar")
                == "foo:7: TryExec: bar isn't there, or can't be executed: the app isn't installed")
        #expect(
            complaint("Exec=foo\nHidden=true") == "foo:7: Hidden: this entry counts as removed, and so does the app")
        #expect(
            complaint("Exec=foo\nTerminal=true")
                == "foo:7: Terminal: it needs a terminal, which a server has none of; use `curfew run --join` in one")
        #expect(complaint("Exec=foo\nTerminal=1") == "foo:7: Terminal: \"1\" isn't true or false")
        #expect(complaint("Exec=foo\nTerminal=false") == nil)
        #expect(
            complaint("DBusActivatable=true")?.hasPrefix("foo:6: DBusActivatable: it is started by D-Bus alone") == true
        )
        #expect(complaint("") == "foo: Exec: it is missing; a command is needed")
        #expect(complaint("nonsense") == "foo:6: is neither [GROUP] nor KEY=VALUE")
        let link = Self.reader.read(Array("[Desktop Entry]\nType=Link\n".utf8), path: "x", id: "x")
        #expect(link.problems.map(\.text) == ["\"Link\" isn't Application, which alone is a program"])
        #expect(
            Self.reader.read(Array("Exec=x\n".utf8), path: "x", id: "x").problems.map(\.text) == [
                "has no group [Desktop Entry]"
            ])
    }

    @Test(
        "\"make its full path relative to the $XDG_DATA_DIRS component …, remove the \"applications/\" prefix, and turn '/' into '-'\""
    )
    func identifiers() throws {
        let scratch = try Scratch()
        let entry = "[Desktop Entry]\nType=Application\nExec=foo "
        try scratch.write("home/applications/foo-bar.desktop", entry + "1")
        try scratch.write("one/applications/foo/bar.desktop", entry + "2")
        try scratch.write("one/applications/foo/baz-q.desktop", entry + "3")
        try scratch.write("two/applications/a-b/c/d.desktop", entry + "4")
        try scratch.write("home/applications/gone.desktop", entry + "5\nHidden=true")
        try scratch.write("one/applications/gone.desktop", entry + "6")
        let variables = [
            "XDG_DATA_HOME": scratch.path + "/home",
            "XDG_DATA_DIRS": "relative:\(scratch.path)/one:\(scratch.path)/two/",
        ]
        let entries = DesktopEntries { variables[$0] }
        func number(_ id: String) -> String? { entries.definition(id: id)?.definition?.command.last }
        #expect(number("foo-bar") == "1")
        #expect(number("foo-bar.desktop") == "1")
        #expect(number("foo-baz-q") == "3")
        #expect(number("a-b-c-d") == "4")
        #expect(entries.definition(id: "gone")?.problems.map(\.key) == ["Hidden"])
        #expect(entries.definition(id: "foo-qux") == nil)
        #expect(entries.definition(id: "../x") == nil)
        #expect(entries.definition(id: "") == nil)
        #expect(entries.definition(id: "a-b-c-d")?.name == "a-b-c-d")
    }
}
