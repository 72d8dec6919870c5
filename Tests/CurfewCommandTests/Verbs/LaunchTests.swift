import CurfewLinux
import CurfewWire
import Glibc
import Testing

@testable import CurfewCommand

@Suite("Launching an app of a server")
struct LaunchTests {
    private func arguments(_ words: String...) throws -> LaunchArguments {
        try Argv.withReader("launch", words) { reader throws(UsageError) in try LaunchArguments.parse(reader) }
    }

    private func line(_ arguments: LaunchArguments, order: String? = nil) -> String {
        arguments.request(order: order).line.trimmingLineFeed
    }

    @Test("What is asked for an app by name")
    func named() throws {
        #expect(try line(arguments("mail")) == "launch id=1 app=mail")
        #expect(try line(arguments("mail", "--background")) == "launch id=1 app=mail background=1")
        #expect(
            try line(arguments("--wake", "fetch", "mail", "--launch-option", "from=a b", "--launch-option=k=v"))
                == "launch id=1 app=mail background=1 wake=fetch option.from=\"a b\" option.k=v")
    }

    @Test("A command is asked for by the name of its order; what it is stands there")
    func command() throws {
        let arguments = try arguments(
            "--name", "build", "--budget", "10m", "--background", "--locks=kill", "--wait-all", "--server", "work",
            "--", "make",
            "-j8", "--", "--json")
        #expect(line(arguments, order: "7.order") == "launch id=1 order=7.order background=1")
        #expect(arguments.options == ["--budget", "10m", "--locks=kill", "--wait-all"])
        #expect(arguments.command == ["make", "-j8", "--", "--json"])
        #expect(arguments.name == "build")
        #expect(arguments.server == "work")
        #expect(!arguments.asJSON)
    }

    @Test("What a manifest is made of has every option of run, and nothing else")
    func words() throws {
        let arguments = try arguments(
            "--print-manifest", "--name", "build", "--wake=fetch", "--json", "--budget", "10m", "--", "make", "--json")
        #expect(arguments.printsManifest)
        #expect(
            try arguments.manifestWords() == [
                "--name", "build", "--wake=fetch", "--budget", "10m", "--", "make", "--json",
            ])
        #expect(throws: UsageError.self) { try self.arguments("--print-manifest", "mail") }
    }

    @Test("Files that its options name stand where the caller is, whatever the server's directory is")
    func files() throws {
        func read(_ words: String..., in directory: ByteString?) throws -> LaunchArguments {
            try Argv.withReader("launch", words + ["--", "make", "--settings", "b"]) { reader throws(UsageError) in
                try LaunchArguments.parse(reader, in: directory)
            }
        }
        let words = ["--settings", "a.conf", "--settings-signal", "HUP", "--state-dir=state/x"]
        let arguments = try read(words[0], words[1], words[2], words[3], words[4], in: "/home/me")
        let absolute = ["--settings", "/home/me/a.conf", "--settings-signal", "HUP", "--state-dir=/home/me/state/x"]
        #expect(arguments.options.map(\.text) == absolute)
        #expect(arguments.command == ["make", "--settings", "b"])
        #expect(try arguments.manifestWords() == absolute + ["--", "make", "--settings", "b"])
        let odd = ByteString([47, 0xff])
        #expect(try read("--settings=a", in: odd).options == [ByteString("--settings=".utf8 + [47, 0xff, 47, 97])])
        #expect(
            try read("--settings=/a", "--state-dir", "/b", in: "/c").options == ["--settings=/a", "--state-dir", "/b"])
        // Where its directory is gone, the server says what is wrong with them.
        #expect(try read("--settings", "a", in: nil).options == ["--settings", "a"])
    }

    private func fields(_ arguments: LaunchArguments) -> [String] {
        CommandOrder(arguments).bytes.split(separator: 0, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("An order has all that a command needs, each ended by NUL")
    func order() throws {
        let fields = fields(try arguments("--name=build", "--budget", "10m", "--", "make", "", "-j8"))
        #expect(fields.first == "name=build")
        #expect(fields.last == "")
        #expect(fields.filter { $0.hasPrefix("option=") } == ["option=--budget", "option=10m"])
        #expect(fields.filter { $0.hasPrefix("command=") } == ["command=make", "command=", "command=-j8"])
        #expect(fields.contains("environment=PATH=" + String(cString: try #require(getenv("PATH")))))
        #expect(fields.filter { $0.hasPrefix("directory=/") }.count == 1)
        let mask = try #require(fields.first { $0.hasPrefix("umask=") }?.dropFirst(6))
        #expect(Int(mask, radix: 8).map { (0...0o777).contains($0) } == true)
        #expect(fields.filter { $0.hasPrefix("limit.") }.count == 16)
        #expect(fields.contains { $0.hasPrefix("limit.7=") && $0.contains(":") })
    }

    @Test("Without a name the server chooses one")
    func unnamed() throws {
        #expect(fields(try arguments("--", "make")).first?.hasPrefix("directory=") == true)
    }

    @Test("The order's file is this user's alone, and goes")
    func file() throws {
        var template = Array("/tmp/curfew-order-XXXXXX".utf8CString)
        let folder = RuntimeDirectory(path: String(cString: try #require(mkdtemp(&template))))
        defer { rmdir(folder.path) }
        let order = CommandOrder(try arguments("--", "make"))
        let name = try OrderFile.write(order.bytes, in: folder)
        // One that was left is taken away.
        #expect(try OrderFile.write(order.bytes, in: folder) == name)
        #expect(name == "\(getpid()).order")
        var status = stat()
        #expect(stat(folder.path + "/" + name, &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o600)
        #expect(Int(status.st_size) == order.bytes.count)
        OrderFile.remove(name, in: folder)
        #expect(stat(folder.path + "/" + name, &status) == -1)
    }

    @Test("The answer, as JSON")
    func json() throws {
        let answer = try #require(try Message.parse("ok id=1 app=make pid=42 state=active"))
        #expect(LaunchVerb.json(answer).text == #"{"app":"make","pid":42,"state":"active"}"#)
    }
}

extension JSON {
    /// In one line.
    var text: String {
        var bytes: [UInt8] = []
        write(into: &bytes, indent: nil)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension String {
    fileprivate var trimmingLineFeed: String { hasSuffix("\n") ? String(dropLast()) : self }
}
