import CurfewClientTestKit
import Testing
import Uploading

@Suite("The upload under a fake that expires everything")
struct UploadTests {
    @Test("It is paused when its time is over, goes on later, and leaks nothing")
    func pausesAndGoesOn() async throws {
        try await withFakeApplication { application in
            let upload = Upload(pages: 3) { page in
                if page == 2 { application.expireBackgroundTasks() }
            } save: { _ in
                // Saved while the task was still held.
                #expect(application.openTasks.map(\.name) == ["upload"])
            }
            #expect(await upload.run(on: application) == false)
            application.refusesTasks = false
            #expect(await upload.run(on: application))
        }
    }

    @Test("It ends its task whatever happens", arguments: FakeApplication.Expiration.allCases)
    func alwaysEnds(expiration: FakeApplication.Expiration) async throws {
        struct Offline: Error {}
        try await withFakeApplication(expiring: expiration) { application in
            let upload = Upload(pages: 3, send: { _ in throw Offline() }, save: { _ in })
            #expect(await upload.run(on: application) == false)
        }
    }
}
