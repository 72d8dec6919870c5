import Glibc

/// Draws docs/states.md, docs/states.svg and docs/learned-day.svg from what the core itself says; `make states` writes them,
/// `make check` compares.
@main
enum Main {
    static func main() {
        switch CommandLine.arguments.dropFirst() {
        case ["text"]: print(StateText.document, terminator: "")
        case ["picture"]: print(StatePicture.document, terminator: "")
        case ["learned-day"]: print(LearnedDayPicture.document, terminator: "")
        default:
            let usage = "usage: curfew-states text|picture|learned-day\n"
            write(2, usage, usage.utf8.count)
            exit(64)
        }
    }
}
