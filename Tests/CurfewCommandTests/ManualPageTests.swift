import Testing

@testable import CurfewArguments
@testable import CurfewCommand

@Suite("Manual pages")
struct ManualPageTests {
    private static let command = CommandDefinition(
        path: ["curfew", "nap"], abstract: "Let an app rest.",
        usage: "curfew nap [-k D] APP [KEY=VALUE…]\ncurfew nap --all",
        discussion: """
            It sleeps for D.

            Example:
              .hidden --x 'y' \\

            Exit status:
               0  done
            """,
        notes: "See also: sleep(1)",
        arguments: [
            DefinedArgument(.positional, valueName: "APP", abstract: "The app's name."),
            DefinedArgument(.option, "-k", "--kill-after", valueName: "D", abstract: "Not before D.", group: "Limits"),
            DefinedArgument(.flag, "-h", "--help", valueName: "help", abstract: "Show help."),
        ],
        relatives: [.init(path: ["curfew"], abstract: "")])

    private static func page(_ command: CommandDefinition) -> String {
        ManualPage(command: command, version: "1.2", date: "2025-11-21").text()
    }

    @Test("A page as a whole")
    func whole() {
        let page = #"""
            .\" Made from the command line's definitions by curfew-help.
            .TH "CURFEW\-NAP" "1" "2025-11-21" "Curfew 1.2" "Curfew\(aqs manual"
            .nh
            .ad l
            .SH "NAME"
            curfew\-nap \- let an app rest
            .SH "SYNOPSIS"
            \fBcurfew nap\fR [\fB\-k\fR \fID\fR] \fIAPP\fR [\fIKEY\fR=\fIVALUE\fR...]
            .br
            \fBcurfew nap\fR \fB\-\-all\fR
            .SH "DESCRIPTION"
            It sleeps for \fID\fR.
            .SH "ARGUMENTS"
            .TP
            \fIAPP\fR
            The app\(aqs name.
            .SH "OPTIONS"
            .SS "Limits"
            .TP
            \fB\-k\fR, \fB\-\-kill\-after\fR \fID\fR
            Not before \fID\fR.
            .SS "Other"
            .TP
            \fB\-h\fR, \fB\-\-help\fR
            Show help.
            .SH "EXIT STATUS"
            .TP
            \fB0\fR
            done
            .SH "EXAMPLES"
            .nf
            \&.hidden \-\-x \(aqy\(aq \(rs
            .fi
            .SH "SEE ALSO"
            \fBcurfew\fR(1),
            \fBsleep\fR(1)

            """#
        #expect(Self.page(Self.command) == page)
    }

    @Test("Choices are told with their default")
    func choices() {
        var command = Self.command
        command.arguments = [DefinedArgument(.option, "--how", valueName: "HOW", abstract: "How.")]
        command.arguments[0].choices = ["a", "b", "c"]
        #expect(Self.page(command).contains(#"How. One of \fBa\fR, \fBb\fR or \fBc\fR."#))
        command.arguments[0].defaultValue = "a"
        #expect(Self.page(command).contains(#"or \fBc\fR; the default is \fBa\fR."#))
        command.arguments[0].choices = []
        #expect(Self.page(command).contains(#"How. The default is \fBa\fR."#))
    }

    @Test("There is a page of every verb, with each of its options", arguments: CommandDefinition.everyPath())
    func pages(path: [String]) throws {
        let name = ManualPage.name(path)
        #expect(try HelpRequest.manualPages.text().split(separator: "\n").map(String.init).contains(name))
        let page = try HelpRequest.manualPage(name, date: "2025-11-21").text()
        let verb = path.dropFirst().joined(separator: " ")
        for option in VerbSyntax.options(of: verb) + ["--help"] {
            #expect(page.contains(Roff.bold(option)), "\(option)")
        }
        for heading in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "SEE ALSO"] {
            #expect(page.contains("\n.SH \"\(heading)\"\n"), "\(heading)")
        }
        #expect(page.contains("\n.SH \"EXIT STATUS\"\n") == (verb != "task"))
    }

    @Test("Groups and defaults are those of the help")
    func definitions() {
        let run = CommandDefinition(["curfew", "run"])
        #expect(run.arguments.first { $0.isPassthrough }?.valueName == "COMMAND")
        let locks = run.arguments.first { $0.names == ["--locks"] }
        #expect(locks?.group == "Resources")
        #expect(locks?.choices == ["report", "kill", "defer", "ignore"])
        #expect(locks?.defaultValue == "report")
        let begin = CommandDefinition(["curfew", "task", "begin"])
        #expect(begin.relatives.map(\.path).prefix(3) == [["curfew"], ["curfew", "task"], ["curfew", "task", "end"]])
    }
}
