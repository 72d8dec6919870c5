import Testing

@testable import CurfewArguments

@Suite("A discussion's sections")
struct HelpSectionTests {
    @Test("Each part goes where its heading says, in the order of a manual page")
    func sections() {
        let text = """
            What it does.

            Examples:
              curfew x  # two  blanks
                more
              curfew y

            Exit status: the command's own, or
                0  done
               64  wrong usage
            Anything else is a bug.

            And what it doesn't.
            Nor this.

            See also: timeout(1), nohup(1)
            """
        #expect(
            HelpSection.read(text) == [
                HelpSection(
                    title: .description,
                    blocks: [
                        .paragraph("What it does."), .paragraph("And what it doesn't."), .paragraph("Nor this."),
                    ]),
                HelpSection(
                    title: .exitStatus,
                    blocks: [
                        .paragraph("the command's own, or"),
                        .list([.init(term: "0", text: "done"), .init(term: "64", text: "wrong usage")]),
                        .paragraph("Anything else is a bug."),
                    ]),
                HelpSection(
                    title: .examples, blocks: [.literal(["curfew x  # two  blanks", "  more", "curfew y"])]),
                HelpSection(title: .seeAlso, blocks: [.paragraph("timeout(1), nohup(1)")]),
            ])
    }

    @Test("What stands in a heading counts")
    func intro() {
        #expect(
            HelpSection.read("Examples, in a script:\n  x y") == [
                HelpSection(title: .examples, blocks: [.paragraph("In a script:"), .literal(["x y"])])
            ])
        #expect(
            HelpSection.read("Files:\n  ~/x y  a folder") == [
                HelpSection(title: .files, blocks: [.literal(["~/x y  a folder"])])
            ])
    }

    @Test("Values are explained where several are, and nothing else is")
    func values() {
        #expect(
            HelpSection.read("D is a duration.\nSIZE is an amount.") == [
                HelpSection(
                    title: .values,
                    blocks: [.list([.init(term: "D", text: "a duration."), .init(term: "SIZE", text: "an amount.")])])
            ])
        for text in ["FILE is a journal.", "Exits as it is.", "Examples are dull.\nD is a duration."] {
            #expect(HelpSection.read(text).map(\.title) == [.description], "\(text)")
        }
    }

    @Test("Nothing comes of nothing", arguments: ["", "\n\n", "  \n"])
    func nothing(text: String) { #expect(HelpSection.read(text) == []) }
}
