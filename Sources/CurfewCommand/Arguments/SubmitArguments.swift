import CurfewWire

/// `curfew submit APP [ID]`, read.
package enum SubmitArguments {
    static func parse(_ reader: ArgumentReader) throws(UsageError) -> RequestArguments {
        try RequestArguments(reader, request)
    }

    /// Every value is looked at, whatever is made of it.
    private static func request(_ common: VerbArguments) throws(BadValue) -> Message {
        try checkTogether(
            id: common.operands.count > 1, refresh: common.has("--refresh"), processing: common.has("--processing"),
            earliest: common.value("--earliest") != nil, in: common.value("--in") != nil,
            needs: common.has("--needs-network") || common.has("--needs-power"),
            cancel: common.value("--cancel") != nil, cancelAll: common.has("--cancel-all"))
        let id = common.operands.count > 1 ? try NotifyValues.id(common.operands[1]) : nil
        _ = try common.checked("--earliest", NotifyValues.time)
        let span = try common.checked("--in", NotifyValues.span)
        let cancelled = try common.checked("--cancel", NotifyValues.id)
        let number = Field("id", "1")
        if let cancelled { return Message("cancel", [number, Field("request", cancelled)]) }
        if common.has("--cancel-all") { return Message("cancel", [number, Field("all", "requests")]) }
        var fields = [number, Field("kind", common.has("--processing") ? "processing" : "refresh")]
        if let id { fields.append(Field("request", id)) }
        if let time = common.value("--earliest") { fields.append(Field("earliest", time)) }
        if let span { fields.append(Field("in", span)) }
        for option in ["--needs-network", "--needs-power"] where common.has(option) {
            fields.append(Field(String(option.dropFirst(2)), "1"))
        }
        return Message(common.verb, fields)
    }

    /// Throws where what was given can't be meant at once, or isn't enough.
    package static func checkTogether(
        id: Bool, refresh: Bool, processing: Bool, earliest: Bool, in span: Bool, needs: Bool, cancel: Bool,
        cancelAll: Bool
    ) throws(BadValue) {
        if earliest, span { throw BadValue("--earliest and --in exclude each other") }
        if cancel, cancelAll { throw BadValue("--cancel and --cancel-all exclude each other") }
        if cancel || cancelAll {
            guard !id, !refresh, !processing, !earliest, !span, !needs else {
                throw BadValue("what is cancelled has no kind, no time and no needs; its ID stands behind --cancel")
            }
            return
        }
        guard id else { throw BadValue("an ID is needed, such as: curfew submit photos index --processing") }
        guard refresh != processing else { throw BadValue("either --refresh or --processing is needed") }
    }
}
