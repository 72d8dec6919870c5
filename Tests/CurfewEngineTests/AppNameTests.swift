import CurfewEngine
import Testing

@Suite("Names of apps")
struct AppNameTests {
    @Test(
        "Letters, digits and a few signs make a name",
        arguments: [
            "a", "Z", "backup", "a.b", "a-b", "a_b", "a+b", "a@b", "7zip", "1a", "_", "_.", "+", "@", "0.1", "1-2",
            String(repeating: "x", count: 64),
        ])
    func valid(name: String) { #expect(AppName.isValid(name)) }

    @Test(
        "What couldn't be a file's name, an option, or a pid does not",
        arguments: [
            "", ".", "..", ".a", "-", "-a", "--", "a b", "a/b", "/", "a\n", "\0", "a\0b", "ä", "a:b", "a,b", "a*",
            "a\\",
            "0", "1", "42", "0123456789", "１", String(repeating: "x", count: 65),
            String(repeating: "1", count: 64),
        ])
    func invalid(name: String) { #expect(!AppName.isValid(name)) }

    @Test(
        "A command's basename, where it is a name",
        arguments: [
            ("make", "make"), ("/usr/bin/make", "make"), ("./run.sh", "run.sh"), ("../a/b+c", "b+c"), ("a//b", "b"),
            ("python3.11", "python3.11"), ("7z", "7z"),
        ])
    func basename(command: String, name: String) { #expect(AppName.fromCommand(command) == name) }

    @Test(
        "What a name can't have becomes an underscore",
        arguments: [
            ("/opt/my app/run me", "run_me"), (".hidden", "_hidden"), ("-x", "_x"), ("123", "_123"), ("a:b", "a_b"),
            ("[", "_"), ("é", "__"), ("", "_"), ("/", "_"), ("bin/", "_"), ("..", "_."), ("a\nb", "a_b"), ("~", "_"),
        ])
    func repaired(command: String, name: String) { #expect(AppName.fromCommand(command) == name) }

    @Test("A long basename is cut, so that a pid still fits behind it")
    func long() {
        for length in 45...70 {
            let name = AppName.fromCommand("/bin/" + String(repeating: "x", count: length))
            #expect(name == String(repeating: "x", count: min(length, 52)))
            #expect(AppName.isValid(name + "-4194304"))
        }
        #expect(AppName.fromCommand(String(repeating: "1", count: 80)).utf8.count == 53)
        #expect(AppName.isValid(AppName.fromCommand(String(repeating: "1", count: 80))))
    }

    @Test("Whatever the command, its name is one", arguments: 0..<4 as Range<UInt64>)
    func always(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let pieces = ["/", ".", "-", "1", "a", " ", "é", "\n", "%", "🙂", "_", "\u{301}", "//"]
        for _ in 0..<5_000 {
            let command = (0..<random.below(70)).map { _ in random.pick(pieces) }.joined()
            let name = AppName.fromCommand(command)
            #expect(AppName.isValid(name), "seed \(seed): \(command.debugDescription) gave \(name.debugDescription)")
        }
    }
}
