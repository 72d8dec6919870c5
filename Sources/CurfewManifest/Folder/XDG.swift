/// Source: XDG Base Directory Specification 0.8: a path that isn't absolute counts as unset.
enum XDG {
    /// What the variable says, else the folder below HOME; nil where neither leads anywhere.
    static func directory(_ variable: String, below folder: String, _ environment: (String) -> String?) -> String? {
        if let path = absolute(environment(variable)) { return path }
        return absolute(environment("HOME")).map { $0 + "/" + folder }
    }

    private static func absolute(_ path: String?) -> String? {
        guard var path, path.utf8.first == 47 else { return nil }
        while path.utf8.last == 47, path.utf8.count > 1 { path.removeLast() }
        return path
    }
}
