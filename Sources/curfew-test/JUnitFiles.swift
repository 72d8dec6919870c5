import CurfewTestReports

/// Joins the JUnit reports of shards.
enum JUnitFiles {
    /// The status: 2 where a file couldn't be read, joined or written.
    static func join(_ paths: [String], into output: String) -> Int32 {
        var files: [(name: String, bytes: [UInt8])] = []
        for path in paths {
            switch Files.read(path) {
            case .success(let text): files.append((path, Array(text.utf8)))
            case .failure(let problem): return fail(problem.message)
            }
        }
        do throws(JUnitJoin.Problem) {
            let document = try JUnitJoin.join(files)
            return Files.write(document.text, to: output).map(fail) ?? 0
        } catch {
            return fail(error.text)
        }
    }

    private static func fail(_ message: String) -> Int32 {
        Say.error("curfew: test: \(message)")
        return 2
    }
}
