import Testing

@testable import CurfewEngine

@Suite("What the process that runs a source tells")
struct SourceNewsTests {
    @Test(
        "What is told arrives",
        arguments: [
            SourceNews.started(pid: 4711), .output([]), .output([0, 10, 255]), .output(Array("home\n".utf8)),
            .ended(.exited(0)), .ended(.exited(127)), .ended(.killed(signal: 9)), .ended(.closedOutput),
            .ended(.notStarted("can't start sh: \"No\" such\nfile")),
        ])
    func arrives(news: SourceNews) { #expect(SourceNews(packet: news.packet[...]) == news) }

    @Test("What is none is none", arguments: ["", "\n", "started", "started pid=x", "ended", "ended status=", "home"])
    func none(packet: String) { #expect(SourceNews(packet: Array(packet.utf8)[...]) == nil) }

    @Test("Ends, for people")
    func ends() {
        #expect(SourceEnd.exited(3).text == "ended with status 3")
        #expect(SourceEnd.killed(signal: 11).text == "was ended by SIGSEGV")
        #expect(SourceEnd.closedOutput.text == "has closed its output, and was ended")
        #expect(SourceEnd.notStarted("no room").text == "couldn't be started: no room")
    }
}

@Suite("What a source is called")
struct SourcePlanTests {
    @Test(
        "As the program that its command begins with",
        arguments: [
            ("mqtt.sh -h broker", "mqtt"), ("/usr/share/curfew/sources/x11.sh", "x11"), ("exec ./watch --all", "watch"),
            ("LC_ALL=C A=b tail -f log", "tail"), ("'/a/b c.sh' x", "b"), ("yes", "yes"), ("exec", "exec"),
            ("exec sh /a/logind.sh", "logind"), ("bash x", "x"), ("sh -c 'echo a'", "echo"), ("", "source"),
            ("7", "_7"), (".sh", "source"), ("a\tb", "a"), ("ü", "__"),
        ])
    func name(command: String, name: String) { #expect(SourcePlan.name(of: command, besides: []) == name) }

    @Test("No two have one name")
    func numbered() {
        #expect(SourcePlan.name(of: "a.sh 1", besides: ["a"]) == "a-2")
        #expect(SourcePlan.name(of: "a", besides: ["a", "a-2", "b"]) == "a-3")
    }
}
