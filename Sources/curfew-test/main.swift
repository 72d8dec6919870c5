import ArgumentParser
import CurfewArguments
import CurfewCommand
import Glibc

// A worker's line is written by us alone: it is read without the library, which takes milliseconds.
if CommandLine.arguments.dropFirst().first == WorkerJob.option { Worker.run() }
// `curfew test …` becomes this with its argv as it is.
CommandLineTool.main("test", CommandLine.unsafeArgv, count: Int(CommandLine.argc)) { reader throws(UsageError) in
    let words = Array(CommandLine.arguments.dropFirst(CommandLine.arguments.dropFirst().first == "test" ? 2 : 1))
    do {
        let (own, run) = TestCommand.split(words)
        try TestCommand.parse(own).perform(run)
        return 0
    } catch let status as ExitCode {
        return status.rawValue
    } catch {
        throw TestUsage.error(error, words)
    }
}
