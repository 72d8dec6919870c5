import CurfewLinux
import Glibc
import Testing

@Suite("Kernel errors")
struct KernelErrorTests {
    @Test("The text says what was done, to what, and the kernel's reason")
    func text() {
        #expect(
            KernelError("make cgroup", "/sys/fs/cgroup/curfew.x", errno: EACCES).text
                == "make cgroup /sys/fs/cgroup/curfew.x: Permission denied")
        #expect(KernelError("eventfd", "", errno: EMFILE).text == "eventfd: Too many open files")
        #expect(KernelError("a", "b", errno: ENOENT).reason == "No such file or directory")
    }

    @Test("A number the C library has no word for is still told")
    func unknown() { #expect(KernelError("a", "b", errno: 5555).text == "a b: Unknown error 5555") }
}

@Suite("Numbers in decimal")
struct DecimalTests {
    @Test("Every length and both signs", arguments: [0, 1, 9, 10, 99, 100, 4_194_304, -1, -10, .max, .min])
    func decimals(number: Int) { #expect(decimal(number) == "\(number)") }
}
