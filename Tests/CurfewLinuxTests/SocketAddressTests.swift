import Glibc
import Testing

@testable import CurfewLinux

@Suite("Addresses of sockets")
struct SocketAddressTests {
    private func ip4(_ address: [UInt8], port: UInt16) -> SocketAddress? {
        address4(address, port).withUnsafeBytes { SocketAddress($0) }
    }

    private func address4(_ address: [UInt8], _ port: UInt16) -> [UInt8] {
        [UInt8(AF_INET), 0, UInt8(port >> 8), UInt8(port & 255)] + address + [UInt8](repeating: 0, count: 8)
    }

    private func ip6(_ groups: [UInt16], port: UInt16, scope: UInt8 = 0) -> SocketAddress? {
        let start = [UInt8(AF_INET6), 0, UInt8(port >> 8), UInt8(port & 255), 0, 0, 0, 0]
        let bytes = start + groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } + [scope, 0, 0, 0]
        return bytes.withUnsafeBytes { SocketAddress($0) }
    }

    private func unix(_ name: [UInt8]) -> SocketAddress? {
        ([UInt8(AF_UNIX), 0] + name).withUnsafeBytes { SocketAddress($0) }
    }

    @Test("IPv4, and the place that is every address")
    func ip4() {
        #expect(ip4([127, 0, 0, 1], port: 6379)?.text == "127.0.0.1:6379")
        #expect(ip4([127, 0, 0, 1], port: 6379)?.place == "127.0.0.1:6379")
        #expect(ip4([0, 0, 0, 0], port: 6379)?.place == ":6379")
        #expect(ip4([255, 254, 0, 9], port: 65535)?.text == "255.254.0.9:65535")
        #expect(ip4([0, 0, 0, 0], port: 0) == nil)
    }

    @Test(
        "IPv6 as RFC 5952 has it",
        arguments: [
            ([0, 0, 0, 0, 0, 0, 0, 1], "[::1]:80"),
            ([0, 0, 0, 0, 0, 0, 0, 0], "[::]:80"),
            ([0x2001, 0xdb8, 0, 0, 1, 0, 0, 1], "[2001:db8::1:0:0:1]:80"),
            ([0x2001, 0xdb8, 0, 1, 1, 1, 1, 1], "[2001:db8:0:1:1:1:1:1]:80"),
            ([0x2001, 0xDB8, 0, 0, 0, 0, 0, 0xABCD], "[2001:db8::abcd]:80"),
            ([1, 0, 0, 2, 0, 0, 0, 3], "[1:0:0:2::3]:80"),
        ] as [([UInt16], String)])
    func ip6(groups: [UInt16], text: String) {
        #expect(ip6(groups, port: 80)?.text == text)
        #expect(ip6(groups, port: 80)?.place == text)
    }

    @Test("What stands for IPv4 is that; a link's own address says which link")
    func special() {
        #expect(ip6([0, 0, 0, 0, 0, 0xffff, 0x7f00, 1], port: 80) == ip4([127, 0, 0, 1], port: 80))
        #expect(ip6([0xfe80, 0, 0, 0, 0, 0, 0, 1], port: 80, scope: 3)?.text == "[fe80::1%3]:80")
        #expect(ip6([0, 0, 0, 0, 0, 0, 0, 0], port: 0) == nil)
    }

    @Test("Unix sockets: by path, abstract, without a name")
    func unix() {
        #expect(unix(Array("/run/x.sock".utf8) + [0, 0, 0])?.text == "/run/x.sock")
        #expect(unix([0] + Array("name".utf8))?.text == "@name")
        #expect(unix([0, 97, 0, 98])?.text == "@a@b")
        #expect(unix([]) == nil)
        #expect(unix([0, 97]) != unix([0, 97, 0]))
        #expect(unix(Array("/a".utf8) + [0]) == unix(Array("/a".utf8)))
    }

    @Test("Other families, and addresses that are cut")
    func others() {
        #expect([16, 0, 0, 0, 1, 0, 0, 0].withUnsafeBytes { SocketAddress($0) } == nil)
        #expect(SocketAddress(UnsafeRawBufferPointer(start: nil, count: 0)) == nil)
        for length in 0..<8 {
            let cut = address4([1, 2, 3, 4], 5)[..<length]
            #expect(cut.withUnsafeBytes { SocketAddress($0) } == nil)
        }
    }

    @Test("What a socket that listens accepts")
    func accepts() throws {
        let local = try #require(ip4([127, 0, 0, 1], port: 80))
        let local6 = try #require(ip6([0, 0, 0, 0, 0, 0, 0, 1], port: 80))
        let any = try #require(ip4([0, 0, 0, 0], port: 80))
        let any6 = try #require(ip6([0, 0, 0, 0, 0, 0, 0, 0], port: 80))
        let path = try #require(unix(Array("/a".utf8)))
        let other = try #require(ip4([127, 0, 0, 1], port: 81))
        #expect(local.accepts(local) && any.accepts(local) && any6.accepts(local))
        #expect(local6.accepts(local6) && any6.accepts(local6) && path.accepts(path))
        for listener in [local, local6, any, any6, path] { #expect(!listener.accepts(other)) }
        #expect(!any.accepts(local6) && !local.accepts(any) && !any.accepts(path) && !any6.accepts(path))
    }
}
