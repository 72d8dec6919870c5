/// Which device nodes are terminals, by their numbers. Source: kernel, Documentation/admin-guide/devices.txt.
enum TerminalDevice {
    /// As stat(2) has it. Source: makedev(3); glibc, bits/sysmacros.h.
    private static func major(_ node: UInt64) -> UInt64 { node >> 8 & 0xfff | node >> 32 & ~0xfff }
    private static func minor(_ node: UInt64) -> UInt64 { node & 0xff | node >> 12 & 0xffff_ff00 }

    /// Consoles and serial lines, pseudo-terminals, and names for one of them.
    static func isTerminal(_ node: UInt64) -> Bool {
        switch major(node) {
        case 5: minor(node) != 2
        case 3, 4, 136...143, 166, 188, 204, 229: true
        default: false
        }
    }

    /// /dev/ptmx, and the old ones.
    static func isMaster(_ node: UInt64) -> Bool {
        major(node) == 5 && minor(node) == 2 || major(node) == 2 || (128...135).contains(major(node))
    }

    /// /dev/tty: the terminal of who opens it.
    static func isAlias(_ node: UInt64) -> Bool { major(node) == 5 && minor(node) == 0 }
}
