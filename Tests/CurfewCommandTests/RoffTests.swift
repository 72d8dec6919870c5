import Testing

@testable import CurfewArguments

@Suite("What a manual page is written in")
struct RoffTests {
    @Test(
        "Text is printed as it is",
        arguments: [
            ("plain text, 80% of it; $HOME/x | y", "plain text, 80% of it; $HOME/x | y"), ("a-b", #"a\-b"#),
            ("--memory", #"\-\-memory"#), (#"\n"#, #"\(rsn"#), ("isn't", #"isn\(aqt"#), ("`x`", #"\(gax\(ga"#),
            ("^~\"", #"\(ha\(ti\(dq"#), ("ARG…", "ARG..."), ("é", #"\[u00E9]"#), ("→", #"\[u2192]"#),
            ("😀", #"\[u1F600]"#), ("", ""),
        ])
    func escape(text: String, roff: String) { #expect(Roff.escape(text) == roff) }

    @Test(
        "No line of text is a request",
        arguments: [(".profile", #"\&.profile"#), ("'tis", #"\(aqtis"#), ("a.b", "a.b"), ("...", #"\&..."#)])
    func lines(text: String, line: String) {
        var roff = Roff()
        roff.line(Roff.escape(text))
        #expect(roff.text == line + "\n")
    }

    @Test("A macro's argument is one, whatever is in it")
    func macros() {
        var roff = Roff()
        roff.macro("SH", #"SEE "ALSO" \ -x"#)
        roff.macro("PP")
        #expect(roff.text == ".SH \"SEE \\(dqALSO\\(dq \\(rs \\-x\"\n.PP\n")
    }

    @Test(
        "Fonts",
        arguments: [
            ("see --grace.", #"see \fB\-\-grace\fR."#), ("(-h, --help)", #"(\fB\-h\fR, \fB\-\-help\fR)"#),
            ("a - b -1", #"a \- b \-1"#), ("run `curfew ps`: now", #"run \fBcurfew ps\fR: now"#),
            ("one ` alone", #"one \(ga alone"#), ("`a` and `b", #"\fBa\fR and \(gab"#), ("``", ""),
            ("of NAME, SIZE", #"of \fINAME\fR, SIZE"#), ("NAMES", "NAMES"), ("what -- ends", #"what \fB\-\-\fR ends"#),
        ])
    func styled(text: String, roff: String) { #expect(Roff.styled(text, values: ["NAME"]) == roff) }
}
