import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

@Suite("Orders that nobody asks for")
struct OrderSweepTests {
    private let scratch = ScratchFolder()
    private static let now: Int64 = 5_000_000_000_000
    /// In nanoseconds since 1970.
    private static let calendar: Int64 = 1_700_000_000_000_000_000

    private func leave(_ name: String, age: Int64) {
        let path = scratch.path + "/" + name
        close(open(path, O_WRONLY | O_CREAT, 0o600))
        let seconds = (Self.calendar / 1_000_000_000) - age
        let times = [timespec(tv_sec: Int(seconds), tv_nsec: 0), timespec(tv_sec: Int(seconds), tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
    }

    private var names: [String] { (Directory.names(of: scratch.path) ?? []).sorted() }

    @Test("Those that are old are taken away, and it is known when the next will be")
    func old() {
        defer { scratch.remove() }
        leave("1.order", age: 100)
        leave("2.order", age: 99)
        leave("young", age: 3)
        leave("future", age: -101)
        leave("soon", age: -7)
        var sweep = OrderSweep(folder: RuntimeDirectory(path: scratch.path))
        #expect(sweep.next == nil)
        sweep.look(at: Self.now, calendar: Self.calendar)
        #expect(names == ["2.order", "soon", "young"])
        // Not of the youngest: each look takes away what is old by then.
        #expect(sweep.next == Self.now + 1_000_000_000)
        sweep.look(at: Self.now + 1_000_000_000, calendar: Self.calendar + 1_000_000_000)
        #expect(names == ["soon", "young"])
        #expect(sweep.next == Self.now + 1_000_000_000 + 96_000_000_000)
    }

    @Test("What is no order stays, and where nothing is left there is nothing to do")
    func others() {
        defer { scratch.remove() }
        leave(".1234", age: 1_000)
        let path = scratch.path
        #expect(symlink("nowhere", path + "/link") == 0)
        #expect(mkdir(path + "/folder", 0o700) == 0)
        #expect(mkfifo(path + "/home.sock", 0o600) == 0)
        var sweep = OrderSweep(folder: RuntimeDirectory(path: path))
        sweep.look(at: Self.now, calendar: Self.calendar)
        #expect(names == [".1234", "folder", "home.sock", "link"])
        #expect(sweep.next == nil)
        var missing = OrderSweep(folder: RuntimeDirectory(path: path + "/none"))
        missing.look(at: Self.now, calendar: Self.calendar)
        #expect(missing.next == nil)
    }
}
