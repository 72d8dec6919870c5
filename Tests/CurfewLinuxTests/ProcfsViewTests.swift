import Glibc
import Testing

@testable import CurfewLinux

@Suite("Whose /proc it is")
struct ProcfsViewTests {
    @Test(
        "It is ours if it knows us by our pid",
        arguments: [
            ("41", 41, ProcfsView.own), ("1", 1, .own), ("4", 41, .anothers), ("411", 41, .anothers),
            ("0", 41, .anothers), ("self", 41, .anothers), ("41x", 41, .anothers), ("", 41, .anothers),
        ] as [(String, Int32, ProcfsView)])
    func link(link: String, pid: Int32, view: ProcfsView) {
        var link = link
        #expect(link.withUTF8 { ProcfsView(link: UnsafeRawBufferPointer($0), pid: pid) } == view)
    }

    @Test("The tests' own is theirs")
    func current() {
        #expect(ProcfsView.current == .own)
        #expect(Procfs.isOurs)
    }
}
