import CurfewClient
import Glibc

/// indexer FILE: asks to be launched for some work, does it in the background until FILE is there, and ends when it is told to.
@main
struct Indexer {
    static func main() async {
        let application = CurfewApplication.shared
        let file = CommandLine.arguments.dropFirst().first ?? "indexed"
        application.register(forTaskWithIdentifier: "index") { task in
            // Whoever wants to come again asks again.
            askForTime(application)
            say("works")
            let work = Task {
                while access(file, F_OK) != 0, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(100)) }
                if !Task.isCancelled { say("has done it") }
                // It may be stopped as soon as it has said so.
                task.setTaskCompleted(success: !Task.isCancelled)
            }
            task.expirationHandler = {
                say("has to end")
                work.cancel()
            }
        }
        askForTime(application)
        say("ready")
        for await event in application.events where event.kind == .willTerminate { return }
    }

    private static func askForTime(_ application: CurfewApplication) {
        let inAnHour = FireDate(secondsSince1970: Double(time(nil)) + 3600)
        do {
            try application.submit(TaskRequest(.processing, identifier: "index", earliestBeginDate: inAnHour))
        } catch { say(error.code) }
    }

    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
