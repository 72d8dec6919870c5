import CurfewCommand

@main
enum Main {
    /// `curfew check …`, or `curfew launch --print-manifest …`, which becomes this with its argv as it is.
    static func main() {
        let (arguments, count) = (CommandLine.unsafeArgv, Int(CommandLine.argc))
        if CommandLine.arguments.dropFirst().first == ManifestVerb.name {
            CommandLineTool.main(ManifestVerb.name, arguments, count: count) { reader throws(UsageError) in
                try ManifestVerb.run(reader)
            }
        }
        CommandLineTool.main(CheckVerb.name, arguments, count: count) { reader throws(UsageError) in
            try CheckVerb.run(reader)
        }
    }
}
