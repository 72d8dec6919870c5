import CurfewCommand

@main
enum Main {
    /// `curfew top`, which becomes this with its argv as it is.
    static func main() {
        CommandLineTool.main("top", CommandLine.unsafeArgv, count: Int(CommandLine.argc)) {
            reader throws(UsageError) in
            try TopVerb.run(reader)
        }
    }
}
