import CurfewClient
import Glibc
import Uploading

/// uploader PAGES: pretends to upload, tells what happens, and ends when it is asked to, or when nobody could suspend it.
@main
struct Uploader {
    static func main() async {
        let application = CurfewApplication.shared
        let pages = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 5
        let bookmark = Bookmark(in: application.stateDirectory)
        guard application.isMultitaskingSupported else {
            say("no supervisor")
            _ = await upload(pages, from: 1, bookmark).run(on: application)
            return
        }
        var upload: Upload?
        // Each event is acknowledged when the loop asks for the next one.
        for await event in application.events {
            say(event.name)
            switch event.kind {
            case .didFinishLaunching, .willEnterForeground:
                // Ended while it was suspended, it goes on where it was; ended by its user, it begins anew.
                let first = event.launchOptions?.isRestored == true ? bookmark.page ?? 1 : 1
                let current = upload ?? Uploader.upload(pages, from: first, bookmark)
                upload = current
                Task { await current.run(on: application) }
            case .willTerminate: return
            default: break
            }
        }
    }

    private static func upload(_ pages: Int, from first: Int, _ bookmark: Bookmark) -> Upload {
        Upload(pages: pages, from: first) { page in
            // Not a sleep that a cancellation cuts short: a page once begun is sent.
            await Task { try? await Task.sleep(for: .milliseconds(100)) }.value
            say("page \(page)")
        } save: { nextPage in
            bookmark.save(nextPage)
            if nextPage <= pages { say("\(nextPage) comes next") }
            say(nextPage > pages ? "uploaded" : "paused")
        }
    }

    /// A line at once, also into a file.
    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
