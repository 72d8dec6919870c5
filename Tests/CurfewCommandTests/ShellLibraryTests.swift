import Testing

@testable import CurfewCommand

@Suite("Where the functions for shells lie")
struct ShellLibraryTests {
    @Test(
        "Beside an installed curfew, and nowhere else",
        arguments: [
            ("/usr/local/bin", "/usr/local/share/curfew/curfew.sh"), ("/bin", "/share/curfew/curfew.sh"),
            ("/opt/a b/bin", "/opt/a b/share/curfew/curfew.sh"), ("/", "/share/curfew/curfew.sh"),
            ("/home/me/built/release", "/home/me/built/share/curfew/curfew.sh"),
        ])
    func installed(folder: String, path: String) {
        #expect(ShellLibrary.paths(from: folder) == [path])
    }

    @Test("In a build folder also in the sources that were built")
    func built() {
        #expect(
            ShellLibrary.paths(from: "/src/curfew/.build-static/x86_64-unknown-linux-gnu/release") == [
                "/src/curfew/.build-static/x86_64-unknown-linux-gnu/share/curfew/curfew.sh",
                "/src/curfew/Sources/clients/shell/curfew.sh",
            ])
        #expect(ShellLibrary.paths(from: "/a/.build/debug").last == "/a/Sources/clients/shell/curfew.sh")
    }
}
