import CurfewCore
import CurfewWire

/// `curfew wake APP NAME [KEY=VALUE…]` and `curfew post …`, read.
enum PostingArguments {
    /// Throws for a NAME or KEY that isn't one, and for pairs that are too many or too long.
    static func parse(_ reader: ArgumentReader) throws(UsageError) -> RequestArguments {
        try RequestArguments(reader) { common throws(BadValue) in
            let event = try event(common.operands.dropFirst())
            let pairs = event.info.map { Field("info." + $0.key, $0.value) }
            return Message(common.verb, [Field("id", "1"), Field("name", event.name)] + pairs)
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
