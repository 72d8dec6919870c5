import CurfewCore
import CurfewWire

/// `curfew wake APP NAME [KEY=VALUE…]` and `curfew post …`, read.
struct PostingArguments {
    /// What `VerbArguments` reads of any verb; its first operand is the app.
    let common: VerbArguments
    let request: Message

    /// Throws for a NAME or KEY that isn't one, and for pairs that are too many or too long.
    static func parse(_ reader: ArgumentReader) throws(UsageError) -> PostingArguments {
        let common = try VerbArguments(reader)
        do throws(BadValue) {
            let event = try event(common.operands.dropFirst())
            let pairs = event.info.map { Field("info." + $0.key, $0.value) }
            let request = Message(common.verb, [Field("id", "1"), Field("name", event.name)] + pairs)
            return PostingArguments(common: common, request: request)
        } catch {
            throw reader.error(error.problem)
        }
    }

    private static func event(_ operands: ArraySlice<String>) throws(BadValue) -> PostedEvent {
        var event = PostedEvent(try EventName.posted(operands.first ?? ""))
        for operand in operands.dropFirst() {
            try InfoArgument.add(try InfoArgument.parse(operand), to: &event.info)
        }
        try InfoArgument.checkPosted(event.info, name: event.name)
        return event
    }
}
