import Glibc

/// The number of the page that comes next, kept in the app's state directory; where there is none, nothing is kept.
struct Bookmark {
    private let path: String?

    init(in directory: String?) { path = directory.map { $0 + "/page" } }

    /// Nil where nothing was saved.
    var page: Int? {
        guard let path, let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 32)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        return Int(String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    /// The app may be ended in the middle of this, too: what is there is whole, the old or the new.
    func save(_ page: Int) {
        guard let path, let file = fopen(path + ".new", "w") else { return }
        fputs(String(page), file)
        fclose(file)
        rename(path + ".new", path)
    }
}
