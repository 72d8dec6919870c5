import CurfewLinux

/// How many apps a server can run at once, and by which limit.
struct AppCapacity: Hashable {
    let count: Int
    /// As the kernel calls it.
    let limit: String

    /// What is kept of each: its control pipe, its output, and what kills it.
    static let descriptorsOfApp = 3
    /// For clients, and for what lasts a moment.
    private static let descriptorsForClients = 256
    /// The same, and the server's own.
    static let descriptorsForOthers = descriptorsForClients + 64
    /// The server's own two, and their threads. What else takes of it isn't known: then the kernel refuses.
    static let processesForOthers = 8

    /// `processesOfApp`: the least that each has.
    init(_ descriptors: DescriptorLimit, _ processes: ProcessLimit?, processesOfApp: Int = 1) {
        let byDescriptors = max(1, (descriptors.count - Self.descriptorsForOthers) / Self.descriptorsOfApp)
        let byProcesses = processes.map { max(1, ($0.count - Self.processesForOthers) / processesOfApp) }
        if let byProcesses, let processes, byProcesses < byDescriptors {
            count = byProcesses
            limit = processes.name
        } else {
            count = byDescriptors
            limit = "RLIMIT_NOFILE"
        }
    }

    /// Whether what is for others is still free. `number`: the lowest that was.
    static func leavesEnough(_ descriptors: DescriptorLimit, taken number: Int32) -> Bool {
        Int(number) < max(descriptorsOfApp, descriptors.count - descriptorsForClients)
    }

    /// Why one more isn't launched although fewer run than could.
    static func refusal(running: Int) -> String {
        "\(running) apps run, and hold as many descriptors as RLIMIT_NOFILE allows (`ulimit -Hn`)"
    }

    /// What a server says when it starts.
    var text: String { "at most \(count) apps run at once, as \(limit) allows\(advice)" }

    /// Why one more isn't launched.
    var refusal: String { "\(count) apps run, as many as \(limit) allows\(advice)" }

    private var advice: String {
        switch limit {
        case "RLIMIT_NOFILE": " (`ulimit -Hn`)"
        case "RLIMIT_NPROC": " (`ulimit -u`)"
        default: ""
        }
    }
}
