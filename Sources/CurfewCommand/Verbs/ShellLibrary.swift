import CCurfew
import CurfewEngine
import Glibc

/// `curfew --shell-library`: where the functions for shell scripts lie.
enum ShellLibrary {
    static let option = "--shell-library"

    static func printPath(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        var reader = reader
        if let token = try reader.next() { throw surplus(token) }
        let folder = OwnExecutable.folder()
        let candidates = paths(from: folder)
        guard let path = candidates.first(where: { access($0, R_OK) == 0 }) else {
            StandardError.print("curfew: \(option): there is no \(candidates[0]); reinstall Curfew")
            return ExitStatus.unavailable
        }
        Output.print(document: path)
        return ExitStatus.success
    }

    private static func surplus(_ token: ArgumentReader.Token) -> UsageError {
        switch token {
        case .option(let text), .operand(let text): UsageError("", "\(option) takes no more; it was given \"\(text)\"")
        }
    }

    /// Installed beside `folder`; else, where it is part of a build folder, in the sources that were built.
    ///
    /// Nowhere else: what is found is run by whoever asked.
    static func paths(from folder: String) -> [String] {
        let parts = folder.split(separator: "/")
        func path(_ parts: ArraySlice<Substring>, _ rest: String) -> String {
            parts.map { "/" + $0 }.joined() + "/" + rest
        }
        let installed = path(parts.dropLast(), "share/curfew/curfew.sh")
        guard let build = parts.lastIndex(where: { $0.hasPrefix(".build") }) else { return [installed] }
        return [installed, path(parts[..<build], "Sources/clients/shell/curfew.sh")]
    }
}
