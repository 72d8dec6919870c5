import Glibc

/// A line on standard output, at once.
func say(_ text: String) {
    let line = Array((text + "\n").utf8)
    if write(1, line, line.count) < line.count { exit(2) }
}
