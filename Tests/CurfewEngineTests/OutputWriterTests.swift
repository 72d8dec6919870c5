import CCurfew
import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

@Suite("Who keeps what apps write")
struct OutputWriterTests {
    /// How long a writer has for its last, in nanoseconds: much longer than it needs.
    private static let patience: Int64 = 30_000_000_000

    private func withWriter(
        limit: Int64 = OutputWriter.defaultLimit, _ body: (OutputWriter, LogScene) throws -> Void
    ) throws {
        let scene = LogScene()
        defer { scene.remove() }
        try body(OutputWriter(folder: scene.folder, limit: limit), scene)
    }

    private func write(_ text: String, to descriptor: Descriptor) {
        #expect(SmallFile.write(Array(text.utf8), to: descriptor.number) == 0)
    }

    /// The program's end of an output, as the program has it.
    private func begin(_ app: String, run: Int, _ writer: OutputWriter) throws -> Descriptor {
        let output = try writer.open(app: app, run: run)
        let copy = Descriptor(dup(output.programsEnd.number))
        writer.began(output, pid: 40 + Int32(run))
        return copy
    }

    @Test("Each app's output is in a log of its own")
    func two() throws {
        try withWriter { writer, scene in
            var first = try begin("backup", run: 3, writer)
            var second = try begin("mail", run: 1, writer)
            write("one\n", to: first)
            write("two\n", to: second)
            write("three", to: first)
            #expect(writer.finish(within: Self.patience))
            #expect(scene.lines(of: "backup") == ["<began 3, pid 43>", "one\n", "three\n"])
            #expect(scene.lines(of: "mail") == ["<began 1, pid 41>", "two\n"])
            #expect(writer.problem == nil)
            first.close()
            second.close()
        }
    }

    @Test("What is written to standard output and to standard error stays in order")
    func order() throws {
        try withWriter { writer, scene in
            var output = try begin("backup", run: 1, writer)
            var error = Descriptor(dup(output.number))
            for number in 0..<500 { write("\(number)\n", to: number % 2 == 0 ? output : error) }
            #expect(writer.finish(within: Self.patience))
            #expect(scene.lines().dropFirst().elementsEqual((0..<500).map { "\($0)\n" }))
            output.close()
            error.close()
        }
    }

    @Test("A flood is held to the bound, and keeps nobody else")
    func flood() throws {
        try withWriter(limit: 64 << 10) { writer, scene in
            var flood = try begin("flood", run: 1, writer)
            var other = try begin("other", run: 1, writer)
            let block = String(repeating: String(repeating: "x", count: 63) + "\n", count: 1024)
            for _ in 0..<64 { write(block, to: flood) }
            write("heard\n", to: other)
            #expect(writer.finish(within: Self.patience))
            #expect(scene.lines(of: "other") == ["<began 1, pid 41>", "heard\n"])
            #expect(scene.bytes(of: "flood").count <= 32 << 10)
            #expect(scene.earlierBytes(of: "flood").count <= 32 << 10)
            #expect(scene.output(of: "flood").count > 32 << 10)
            flood.close()
            other.close()
        }
    }

    @Test("A run that has ended is done with, though something of it holds its pipe")
    func left() throws {
        try withWriter { writer, scene in
            var first = try begin("backup", run: 1, writer)
            write("last", to: first)
            writer.ended(app: "backup", run: 1)
            var second = try begin("backup", run: 2, writer)
            // That the pipe has been closed by then shows in the program's error.
            var entry = pollfd(fd: first.number, events: 0, revents: 0)
            #expect(poll(&entry, 1, Int32(Self.patience / 1_000_000)) == 1)
            #expect(entry.revents & Int16(POLLERR) != 0)
            write("new\n", to: second)
            #expect(writer.finish(within: Self.patience))
            #expect(scene.lines() == ["<began 1, pid 41>", "last\n", "<began 2, pid 42>", "new\n"])
            first.close()
            second.close()
        }
    }

    @Test("A run that nobody writes for any more needs no other end")
    func closed() throws {
        try withWriter { writer, scene in
            var first = try begin("backup", run: 1, writer)
            write("all", to: first)
            first.close()
            writer.ended(app: "backup", run: 1)
            writer.ended(app: "backup", run: 7)
            writer.ended(app: "nobody", run: 1)
            #expect(writer.finish(within: Self.patience))
            #expect(scene.lines() == ["<began 1, pid 41>", "all\n"])
        }
    }

    @Test("Nothing was started: both ends are closed")
    func discarded() throws {
        try withWriter { writer, scene in
            let output = try writer.open(app: "backup", run: 1)
            writer.discard(output)
            #expect(curfew_is_descriptor_open(output.programsEnd.number) == 0)
            #expect(curfew_is_descriptor_open(output.readingEnd.number) == 0)
            #expect(writer.finish(within: Self.patience))
            #expect(Directory.names(of: scene.folder.directory.path) == nil)
        }
    }

    @Test(
        "No name leads out of the folder",
        arguments: [
            "", ".", "..", "../x", "a/b", "/etc/x", ".hidden", "-x", "a b", "a\n", "é",
            String(repeating: "x", count: 65),
        ])
    func names(app: String) throws {
        try withWriter { writer, _ in
            #expect(throws: KernelError("keep the output of", app, errno: EINVAL)) { try writer.open(app: app, run: 1) }
        }
    }

    @Test("Where no descriptor is left, that is said, and what is kept already goes on")
    func descriptors() throws {
        try withWriter { writer, scene in
            var first = try begin("backup", run: 1, writer)
            var outputs: [AppOutput] = []
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limit = rlimit()
            getrlimit(resource, &limit)
            var less = limit
            less.rlim_cur = rlim_t(first.number + 20)
            setrlimit(resource, &less)
            var refusal: KernelError?
            do throws(KernelError) {
                for number in 1...100 { outputs.append(try writer.open(app: "many", run: number)) }
            } catch { refusal = error }
            setrlimit(resource, &limit)
            #expect(refusal == KernelError("make a pipe for", "many", errno: EMFILE))
            for output in outputs { writer.discard(output) }
            write("still here\n", to: first)
            #expect(writer.finish(within: Self.patience))
            #expect(scene.lines() == ["<began 1, pid 41>", "still here\n"])
            first.close()
        }
    }

    @Test("A folder that can't be written to stops no app, and says why")
    func folder() throws {
        try withWriter { writer, scene in
            try ScratchFolder.make(scene.elsewhere + "/state", "no folder")
            var first = try begin("backup", run: 1, writer)
            for _ in 0..<200 { write(String(repeating: "x", count: 4096), to: first) }
            #expect(writer.finish(within: Self.patience))
            #expect(writer.problem?.errno == ENOTDIR)
            first.close()
        }
    }

    @Test("A file that takes no more neither ends the process nor stops the app")
    func full() throws {
        try withWriter { writer, scene in
            var first = try begin("backup", run: 1, writer)
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
            var limit = rlimit()
            getrlimit(resource, &limit)
            var less = limit
            less.rlim_cur = 1 << 20
            setrlimit(resource, &less)
            for _ in 0..<400 { write(String(repeating: "x", count: 4096), to: first) }
            let isFinished = writer.finish(within: Self.patience)
            setrlimit(resource, &limit)
            #expect(isFinished)
            #expect(writer.problem?.errno == EFBIG)
            #expect(scene.bytes().count == 1 << 20)
            first.close()
        }
    }

    @Test("Hundreds of apps hold a descriptor each, and are heard")
    func many() throws {
        try withWriter { writer, scene in
            var ends = try (0..<300).map { try begin("app\($0)", run: 1, writer) }
            for (number, end) in ends.enumerated() { write("\(number)\n", to: end) }
            #expect(writer.finish(within: Self.patience))
            for number in ends.indices {
                #expect(scene.lines(of: "app\(number)") == ["<began 1, pid 41>", "\(number)\n"])
                ends[number].close()
            }
        }
    }

    @Test("Without its owner the thread ends, and keeps what there is")
    func unowned() throws {
        let scene = LogScene()
        defer { scene.remove() }
        var end: Descriptor
        do {
            let writer = try OutputWriter(folder: scene.folder)
            end = try begin("backup", run: 1, writer)
            write("last words\n", to: end)
        }
        var entry = pollfd(fd: end.number, events: 0, revents: 0)
        #expect(poll(&entry, 1, Int32(Self.patience / 1_000_000)) == 1)
        #expect(scene.lines() == ["<began 1, pid 41>", "last words\n"])
        end.close()
    }
}
