/// `curfew task run NAME [--] COMMAND [ARG…]`, read.
struct TaskRunArguments {
    let name: String
    /// The command as the kernel wants it.
    let command: ArgumentReader.Arguments
    /// For messages.
    let commandName: String

    static func parse(_ reader: ArgumentReader) throws(UsageError) -> TaskRunArguments {
        var reader = reader
        let name = try operand(&reader)
        guard let name, !name.isEmpty else {
            throw reader.error("a name for the task is needed; usage: curfew task run NAME [--] COMMAND [ARG…]")
        }
        guard let commandName = try operand(&reader) else {
            throw reader.error("no command given; usage: curfew task run NAME [--] COMMAND [ARG…]")
        }
        reader.endOptions()
        return TaskRunArguments(name: name, command: reader.rest.arguments, commandName: commandName)
    }

    private static func operand(_ reader: inout ArgumentReader) throws(UsageError) -> String? {
        switch try reader.next() {
        case .option(let option)?: throw reader.unknown(option)
        case .operand(let operand)?: operand
        case nil: nil
        }
    }
}
