import CurfewScenarioRun
import Glibc
import Testing

@testable import CurfewTesting

@Suite("In Swift Testing: an app's folder")
struct AppFolderTests {
    private func makeFile(in folder: AppFolder) throws {
        try AppFolder.make([folder.path + "/run"])
        let file = try #require(fopen(folder.path + "/run/file", "w"))
        fclose(file)
    }

    @Test("It is removed with all that is in it")
    func removed() throws {
        let folder = try AppFolder()
        try makeFile(in: folder)
        folder.remove()
        #expect(access(folder.path, F_OK) != 0)
    }

    @Test("It goes when nobody is left who would remove it, as when the tests are killed")
    func abandoned() async throws {
        func abandon() throws -> String {
            let folder = try AppFolder()
            try makeFile(in: folder)
            return folder.path
        }
        let path = try abandon()
        let clock = ContinuousClock()
        let limit = clock.now + .seconds(60)
        while access(path, F_OK) == 0 {
            try #require(clock.now < limit, "\(path) is still there after 60 s")
            try await Task.sleep(for: .milliseconds(10))  // a moment
        }
    }

    @Test("A folder that can't be made is told of")
    func problem() throws {
        #expect(throws: StageProblem.broken("can't make /nonexistent/folder: No such file or directory")) {
            try AppFolder.make(["/nonexistent/folder"])
        }
    }
}
