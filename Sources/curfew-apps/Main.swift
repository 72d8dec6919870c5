import CurfewCommand

@main
enum Main {
    /// `curfew check …`, which becomes this with its argv as it is.
    static func main() {
        CommandLineTool.main(CheckVerb.name, CommandLine.unsafeArgv, count: Int(CommandLine.argc)) {
            reader throws(UsageError) in
            try CheckVerb.run(reader)
        }
    }
}
