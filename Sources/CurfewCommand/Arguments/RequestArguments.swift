import CurfewWire

/// A verb that comes to one request, read.
struct RequestArguments {
    /// What `VerbArguments` reads of any verb; where there are operands, the first is the app.
    let common: VerbArguments
    let request: Message

    /// `request`: throws for a value that isn't one, and for what can't be meant at once.
    init(
        _ reader: ArgumentReader, _ request: (VerbArguments) throws(BadValue) -> Message
    ) throws(UsageError) {
        let common = try VerbArguments(reader)
        self.common = common
        do throws(BadValue) {
            self.request = try request(common)
        } catch {
            throw reader.error(error.problem)
        }
    }
}
