import CurfewLinux
import Testing

extension TestChild {
    static let pythonPath = "/usr/bin/python3"
    static let hasPython = SmallFile.withContents(of: pythonPath) { _ in true } ?? false

    /// A Python program that can `say` a line, `stay` until it is let go, and take locks of each kind.
    convenience init(python script: String, _ arguments: String...) throws {
        try self.init([Self.pythonPath, "-c", Self.prelude + script] + arguments)
    }

    private static let prelude = """
        import fcntl, os, sqlite3, struct, sys
        def say(what): os.write(8, f"{what}\\n".encode())
        def stay(): os.read(8, 1)
        def opened(path): return open(path, "a+")
        def posix(file, how, length=0, start=0): fcntl.lockf(file, how, length, start)
        def ofd(file, how, start=0, length=0):
            fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack("hhqqi", how, 0, start, length, 0))
        here = sys.argv[1] if len(sys.argv) > 1 else ""

        """
}
