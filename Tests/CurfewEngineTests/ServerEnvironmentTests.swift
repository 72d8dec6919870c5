import CurfewLinux
import Testing

@testable import CurfewEngine

@Suite("The environment of a server's apps")
struct ServerEnvironmentTests {
    private let environment = ServerEnvironment(["PATH=/bin", "EMPTY=", "A=b=c", "PATH=/usr/bin", "nonsense"])

    @Test("It is the server's own, the first of a key")
    func own() { #expect(environment.with([]) == ["PATH=/bin", "EMPTY=", "A=b=c"]) }

    @Test("What is added stands besides, or in place")
    func added() {
        #expect(environment.with([("A", "x"), ("NEW", "y")]) == ["PATH=/bin", "EMPTY=", "A=x", "NEW=y"])
        #expect(environment.with([]) == ["PATH=/bin", "EMPTY=", "A=b=c"])
    }

    @Test("It is bytes, and stays as it is")
    func bytes() {
        let odd = ByteString([88, 61, 0xff, 61])
        #expect(ServerEnvironment([odd]).with([("Y", "z")]) == [odd, "Y=z"])
    }

    @Test("What it is told holds from then on")
    func told() {
        var environment = environment
        environment.set("DISPLAY", ":1")
        environment.set("DISPLAY", ":2")
        #expect(environment.with([]).last == "DISPLAY=:2")
    }
}
