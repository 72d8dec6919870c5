import Glibc

/// Draws docs/states.md and docs/states.svg from the core's own table; `make states` writes them, `make check` compares.
@main
enum Main {
    static func main() {
        switch CommandLine.arguments.dropFirst() {
        case ["text"]: print(StateText.document, terminator: "")
        case ["picture"]: print(StatePicture.document, terminator: "")
        default:
            let usage = "usage: curfew-states text|picture\n"
            write(2, usage, usage.utf8.count)
            exit(64)
        }
    }
}
