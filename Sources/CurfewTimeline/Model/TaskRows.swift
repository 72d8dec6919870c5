/// Which row each background task is drawn in, so that no two overlap.
enum TaskRows {
    /// The first row that is free, for each in the order of their begins.
    static func pack(_ tasks: [AppRun.TaskBar]) -> [Int] {
        var ends: [Int64] = []
        return tasks.map { task in
            if let row = ends.firstIndex(where: { $0 <= task.from }) {
                ends[row] = max(task.to, task.from)
                return row
            }
            ends.append(task.to)
            return ends.count - 1
        }
    }
}
