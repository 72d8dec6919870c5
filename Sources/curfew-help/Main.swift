import CurfewArguments
import CurfewCommand

@main
enum Main {
    /// Prints help, the version or a completion script; it never runs anything.
    static func main() {
        do throws(UsageError) {
            Output.print(document: try HelpRequest.read(Array(CommandLine.arguments.dropFirst())).text())
        } catch {
            CommandLineTool.exit(error)
        }
    }
}
