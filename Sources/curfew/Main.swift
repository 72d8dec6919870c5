import CurfewCommand

@main
enum Main {
    /// Synchronous on purpose: an async main costs 6 to 10 ms in a static executable.
    static func main() {
        CommandLineTool.main(CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    }
}
