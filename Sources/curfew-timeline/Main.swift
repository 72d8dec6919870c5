import CurfewCommand

@main
enum Main {
    /// `curfew timeline …`, which becomes this with its argv as it is.
    static func main() {
        CommandLineTool.main("timeline", CommandLine.unsafeArgv, count: Int(CommandLine.argc)) {
            reader throws(UsageError) in
            try TimelineVerb.run(reader)
        }
    }
}
