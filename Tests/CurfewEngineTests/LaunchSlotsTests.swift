import CCurfew
import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

@Suite(
    "Low numbers for what a launch hands down",
    .enabled(if: SpawnRequest.canCopyDescriptorsInPart, "close_range(2) is not to be had"))
struct LaunchSlotsTests {
    private func inode(_ number: Int32) -> UInt64 {
        var status = curfew_file_status()
        return curfew_fstat(number, &status) == 0 ? status.inode : 0
    }

    private func request() -> SpawnRequest {
        SpawnRequest(arguments: UnsafePointer(CommandLine.unsafeArgv), environment: UnsafePointer(environ))
    }

    /// Both ends of a pipe, and what is to be called with them.
    private func withPipe(_ body: ([Int32]) throws -> Void) rethrows {
        var ends: [Int32] = [-1, -1]
        _ = ends.withUnsafeMutableBufferPointer { curfew_pipe($0.baseAddress) }
        defer { for end in ends { close(end) } }
        try body(ends)
    }

    @Test("Each is the same under a number below the table's size, until it is let go")
    func placed() throws {
        let slots = try #require(LaunchSlots())
        withPipe { ends in
            var request = request()
            request.streams = (-1, ends[1], ends[1])
            request.channel = ends[0]
            request.joining = [ends[0]]
            let placed = slots.placed(request)
            let numbers = [placed.streams.output, placed.channel, placed.joining[0]]
            #expect(numbers.map(inode) == [inode(ends[1]), inode(ends[0]), inode(ends[0])])
            #expect(numbers.allSatisfy { $0 < placed.tableSize })
            #expect(placed.streams.error == placed.streams.output)
            #expect(placed.streams.input == -1)
            #expect(placed.terminal == -1)
            slots.clear()
            #expect(numbers.allSatisfy { inode($0) != inode(ends[0]) && inode($0) != inode(ends[1]) })
        }
    }

    @Test("What the child needs not is nobody's: an end that is closed here is closed")
    func cleared() throws {
        let slots = try #require(LaunchSlots())
        var ends: [Int32] = [-1, -1]
        _ = ends.withUnsafeMutableBufferPointer { curfew_pipe($0.baseAddress) }
        defer { close(ends[0]) }
        var request = request()
        request.streams = (-1, ends[1], ends[1])
        _ = slots.placed(request)
        slots.clear()
        close(ends[1])
        var byte: UInt8 = 0
        #expect(curfew_read(ends[0], &byte, 1) == 0)
    }

    @Test("More than there are numbers for is handed down as it is")
    func tooMany() throws {
        let slots = try #require(LaunchSlots())
        withPipe { ends in
            var request = request()
            request.channel = ends[0]
            request.joining = Array(repeating: ends[1], count: 40)
            let placed = slots.placed(request)
            #expect(placed.tableSize == 0)
            #expect(placed.channel == ends[0])
            #expect(placed.joining == request.joining)
            slots.clear()
        }
    }

    @Test("What isn't open fails as it would without")
    func closed() throws {
        let slots = try #require(LaunchSlots())
        var request = request()
        request.channel = 999_999
        let placed = slots.placed(request)
        #expect(placed.channel == 999_999)
        #expect(placed.tableSize == 0)
        slots.clear()
    }
}
