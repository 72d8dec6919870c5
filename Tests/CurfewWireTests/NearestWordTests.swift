import CurfewWire
import Testing

@Suite("Did you mean")
struct NearestWordTests {
    private static let verbs = ["run", "home", "open", "quit", "ps", "status", "events", "task"]
    private static let options = ["--name", "--budget", "--report", "--time-limit", "--time-scale", "--json"]

    @Test(
        "One or two slips",
        arguments: [
            ("statsu", "status"), ("stat", "status"), ("opne", "open"), ("hom", "home"), ("homee", "home"),
            ("rum", "run"), ("runn", "run"), ("urn", "run"), ("event", "events"), ("taks", "task"), ("Quit", "quit"),
            ("--run", "run"), ("psa", "ps"),
        ])
    func verbs(typed: String, meant: String) {
        #expect(NearestWord.nearest(to: typed, among: Self.verbs) == meant)
    }

    @Test(
        "Dashes at the front don't count",
        arguments: [
            ("--bugdet", "--budget"), ("--nmae", "--name"), ("--time_limit", "--time-limit"), ("-json", "--json"),
            ("---json", "--json"), ("--repotr", "--report"), ("name", "--name"),
        ])
    func options(typed: String, meant: String) {
        #expect(NearestWord.nearest(to: typed, among: Self.options) == meant)
    }

    @Test(
        "Nothing near",
        arguments: [
            "", "-", "--", "x", "xy", "sp", "ls", "frobnicate", "runner-up", "abcd", "sttttts",
            String(repeating: "run", count: 100_000),
        ])
    func none(typed: String) {
        #expect(NearestWord.nearest(to: typed, among: Self.verbs) == nil)
    }

    @Test("The nearest wins, and the first of those that are as near")
    func order() {
        #expect(NearestWord.nearest(to: "report", among: ["repair", "reports", "--report"]) == "--report")
        #expect(NearestWord.nearest(to: "boat", among: ["coat", "goat"]) == "coat")
        #expect(NearestWord.nearest(to: "boat", among: []) == nil)
    }
}
