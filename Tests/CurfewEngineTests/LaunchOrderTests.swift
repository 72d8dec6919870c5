import CurfewLinux
import Testing

@testable import CurfewEngine

@Suite("An order for a bare command")
struct LaunchOrderTests {
    private func order(_ fields: String...) throws(DefinitionRefusal) -> LaunchOrder {
        try LaunchOrder(fields.flatMap { Array($0.utf8) + [0] })
    }

    @Test("All that its caller gives")
    func all() throws {
        let order = try order(
            "name=web", "directory=/tmp", "umask=027", "limit.7=200:300", "option=--budget", "option=10m", "command=sh",
            "command=-c", "command=a=b", "environment=K=V=W", "environment=E=")
        #expect(order.name == "web")
        #expect(order.directory == "/tmp")
        #expect(order.umask == 0o27)
        #expect(order.limits == [ResourceLimit(resource: 7, soft: 200, hard: 300)])
        #expect(order.options == ["--budget", "10m"])
        #expect(order.command == ["sh", "-c", "a=b"])
        #expect(order.environment == ["K=V=W", "E="])
    }

    @Test("A command, a directory and an environment are bytes, whatever these are; all else has to be UTF-8")
    func bytes() throws {
        func field(_ key: String, _ value: [UInt8]) -> [UInt8] { Array("\(key)=".utf8) + value + [0] }
        let odd: [UInt8] = [47, 0xff, 0xc3, 61, 10]
        let order = try LaunchOrder(
            field("command", Array("sh".utf8)) + field("command", odd) + field("directory", odd)
                + field("environment", odd))
        #expect(order.command == ["sh", ByteString(odd)])
        #expect(order.directory == ByteString(odd))
        #expect(order.environment == [ByteString(odd)])
        for key in ["option", "name"] {
            let refused = #expect(throws: DefinitionRefusal.self) {
                try LaunchOrder(field("command", odd) + field(key, odd))
            }
            #expect(refused?.problem.hasPrefix("\(key)=") == true)
        }
    }

    @Test("A command is all that it needs")
    func least() throws {
        let order = try order("command=true")
        #expect(order.name == nil)
        #expect(order.directory == nil)
        #expect(order.umask == nil)
        #expect(order.limits.isEmpty)
    }

    @Test(
        "What is no order",
        arguments: [
            "name", "=", "bogus=1", "directory=tmp", "umask=8", "umask=1000", "umask=-1", "limit.7=1", "limit.7=2:1",
            "limit.x=1:1", "limit.-1=1:1", "limit.7=1:1:1", "limit.7=:", "limit=1:1",
        ])
    func refused(field: String) {
        #expect(throws: DefinitionRefusal.self) { try order("command=true", field) }
    }

    @Test("Without a command it is none")
    func empty() {
        #expect(throws: DefinitionRefusal.self) { try LaunchOrder([]) }
        #expect(throws: DefinitionRefusal.self) { try order("name=web") }
    }
}
