/// `curfew task begin [options] NAME`, read.
struct TaskBeginArguments {
    enum Option: String, CaseIterable {
        case owner = "--owner"
        case json = "--json"
    }

    private(set) var name = ""
    /// A pid, or `leader`.
    private(set) var owner = "leader"
    private(set) var asJSON = false

    static func parse(_ reader: ArgumentReader) throws(UsageError) -> TaskBeginArguments {
        var reader = reader
        var arguments = TaskBeginArguments()
        var name: String?
        while let token = try reader.next() {
            switch token {
            case .option(let text):
                guard let option = Option(rawValue: text) else { throw reader.unknown(text) }
                switch option {
                case .owner: arguments.owner = try reader.pid()
                case .json: arguments.asJSON = true
                }
            case .operand(let operand):
                guard name == nil else {
                    throw reader.error("\"\(operand)\" is one too many: a task has one name; quote it if it has blanks")
                }
                name = operand
            }
        }
        guard let name, !name.isEmpty else {
            throw reader.error("a name for the task is needed, such as: curfew task begin upload")
        }
        arguments.name = name
        return arguments
    }
}
