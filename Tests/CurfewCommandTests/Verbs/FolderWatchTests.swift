import Glibc
import Testing

@testable import CurfewCommand

@Suite("Watching a folder of logs")
struct FolderWatchTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func hasNews(_ watch: FolderWatch) -> Bool {
        var waiting = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, 0) > 0 && watch.wait()
    }

    @Test("A file that comes, grows, or takes another's place is told of; one that is read or goes isn't")
    func changes() throws {
        try scratch.write("old", "x")
        let watch = try #require(FolderWatch(scratch.path))
        #expect(!hasNews(watch))
        try scratch.write("new", "x")
        #expect(hasNews(watch))
        #expect(!hasNews(watch))
        try scratch.write("old", "xy")
        #expect(hasNews(watch))
        rename(scratch.path + "/old", scratch.path + "/new")
        #expect(hasNews(watch))
        let file = try #require(fopen(scratch.path + "/new", "r"))
        _ = fgetc(file)
        fclose(file)
        unlink(scratch.path + "/new")
        #expect(!hasNews(watch))
    }

    @Test("A folder that isn't there can't be watched")
    func absent() { #expect(FolderWatch(scratch.path + "/none") == nil) }
}
