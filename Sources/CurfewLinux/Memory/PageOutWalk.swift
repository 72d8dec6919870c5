import CCurfew
import Glibc

/// A walk through the memory of some processes, each step of which asks for some of it to go to swap.
struct PageOutWalk: Sendable {
    /// Of the address spaces, so far.
    private(set) var asked: UInt64 = 0
    /// Why one of them, or a part, couldn't be asked for.
    private(set) var failure: KernelError?

    private var pids: ArraySlice<Int32>
    /// Of the process that is walked now.
    private var pid: Int32 = 0
    private var pidfd = Descriptor.none
    private var ranges: ArraySlice<curfew_range> = []

    /// What one call takes: the kernel's bounds are 1,024 ranges and 2 GiB less a page. A step blocks for as long as so
    /// much takes to be written, some 50 ms with zram.
    private static let rangesPerStep = 512
    static let bytesPerStep: UInt64 = 32 << 20

    init(_ pids: [Int32]) { self.pids = pids[...] }

    /// False once there is nothing left.
    mutating func step() -> Bool {
        if ranges.isEmpty, !openNext() { return false }
        do throws(KernelError) { try ask() } catch {
            failure = error
            ranges = []
        }
        return true
    }

    /// The next process that can be walked.
    private mutating func openNext() -> Bool {
        while let next = pids.popFirst() {
            pidfd.close()
            pid = next
            do throws(KernelError) {
                // Before the map is read: should another process get the pid meanwhile, nothing happens to it.
                pidfd = Descriptor(try check(curfew_pidfd_open(pid), "open process", decimal(Int(pid))))
                ranges = try Paging.swappableRanges(of: pid)[...]
                if !ranges.isEmpty { return true }
            } catch {
                failure = error
            }
        }
        end()
        return false
    }

    mutating func end() {
        pidfd.close()
        ranges = []
        pids = []
    }

    private mutating func ask() throws(KernelError) {
        let batch = batch
        let result = ranges.withUnsafeBufferPointer { curfew_page_out(pidfd.number, $0.baseAddress, batch.count) }
        // The first is locked, or unmapped since: the others still count.
        if result == -EINVAL || result == -ENOMEM || result == -EAGAIN {
            ranges.removeFirst()
            return
        }
        try check(result, "page out", "process \(pid)")
        asked += UInt64(result)
        ranges = result == Int32(batch.bytes) ? ranges.dropFirst(batch.count) : dropped(UInt64(result))
    }

    private var batch: (count: Int, bytes: UInt64) {
        var bytes: UInt64 = 0
        var count = 0
        for range in ranges.prefix(Self.rangesPerStep) {
            if count > 0, bytes + range.length > Self.bytesPerStep { break }
            bytes += range.length
            count += 1
        }
        return (count, bytes)
    }

    /// What is left after so many bytes, and after the range that failed then.
    private func dropped(_ bytes: UInt64) -> ArraySlice<curfew_range> {
        var left = bytes
        var rest = ranges
        while let range = rest.first, left >= range.length {
            left -= range.length
            rest.removeFirst()
        }
        return rest.dropFirst()
    }
}
