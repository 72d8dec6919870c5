import CurfewArguments
import CurfewCommand
import Testing

@Suite("The help of timeout")
struct TimeoutHelpTests {
    @Test(
        "It names each option that is read, with its value as GNU programs write it",
        arguments: TimeoutOption.allCases)
    func options(option: TimeoutOption) {
        let words = "\(TimeoutHelp.text)".split { $0 == " " || $0 == "\n" }.map(String.init)
        let name = "--\(option.rawValue)"
        let takesValue = ["kill-after", "signal", "containment", "memory", "profile", "report", "time-scale"]
        if takesValue.contains(option.rawValue) {
            #expect(words.contains { $0.hasPrefix(name + "=") })
        } else {
            #expect(words.contains(name))
        }
    }

    @Test(
        "It tells how it is called, and each status of its own",
        arguments: [
            "DURATION COMMAND [ARG", "-f, --foreground", "-k, --kill-after=DURATION", "-p, --preserve-status",
            "-s, --signal=SIGNAL", "-v, --verbose", "--help", "--version", "  124  ", "  125  ", "  126  ", "  127  ",
            "  137  ",
        ])
    func words(word: String) { #expect("\(TimeoutHelp.text)".contains(word)) }

    @Test("No line is wider than a terminal")
    func width() { for line in "\(TimeoutHelp.text)".split(separator: "\n") { #expect(line.count <= 80, "\(line)") } }

    @Test("`curfew help timeout` prints the same")
    func same() throws { #expect(try HelpRequest.help(["timeout"]).text() == "\(TimeoutHelp.text)") }
}
