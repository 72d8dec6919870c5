import CurfewClient

/// An upload that can be interrupted between two pages, and goes on there later.
public actor Upload {
    private let pages: Int
    private var nextPage: Int
    private let send: @Sendable (Int) async throws -> Void
    private let save: @Sendable (Int) -> Void

    /// `first`: the page to begin with. `send`: sends one page. `save`: keeps the number of the next one, whenever the upload stops.
    public init(
        pages: Int, from first: Int = 1, send: @escaping @Sendable (Int) async throws -> Void,
        save: @escaping @Sendable (Int) -> Void
    ) {
        self.pages = pages
        nextPage = first
        self.send = send
        self.save = save
    }

    /// Sends what is left, under a background task: in the background it may go on until the budget is nearly over.
    ///
    /// - Returns: whether all is sent; if not, the next call goes on.
    public func run(on application: some BackgroundTaskScheduling) async -> Bool {
        // When the time is nearly over, the page at hand is finished; to be suspended at once leave `onExpiration` out.
        try? await withBackgroundTask(named: "upload", on: application, onExpiration: .awaitOperation) {
            try await self.sendPages()
        }
        return nextPage > pages
    }

    /// What has to be done before a suspension is done in here: after it the task is ended.
    private func sendPages() async throws {
        defer { save(nextPage) }
        while nextPage <= pages, !Task.isCancelled {
            try await send(nextPage)
            nextPage += 1
        }
    }
}
