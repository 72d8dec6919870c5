import CurfewClient
import Glibc
import Uploading

/// uploader PAGES: pretends to upload, tells what happens, and ends when it is asked to, or when nobody could suspend it.
@main
struct Uploader {
    static func main() async {
        let application = CurfewApplication.shared
        let pages = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 5
        let upload = Upload(pages: pages) { page in
            // Not a sleep that a cancellation cuts short: a page once begun is sent.
            await Task { try? await Task.sleep(for: .milliseconds(100)) }.value
            say("page \(page)")
        } save: { nextPage in
            say(nextPage > pages ? "uploaded" : "paused")
        }
        guard application.isMultitaskingSupported else {
            say("no supervisor")
            _ = await upload.run(on: application)
            return
        }
        // Each event is acknowledged when the loop asks for the next one.
        for await event in application.events {
            say(event.name)
            switch event.kind {
            case .didFinishLaunching, .willEnterForeground: Task { await upload.run(on: application) }
            case .willTerminate: return
            default: break
            }
        }
    }

    /// A line at once, also into a file.
    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
