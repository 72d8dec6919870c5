import CurfewWire

/// `curfew schedule [APP]`, read.
package struct ScheduleArguments {
    let common: VerbArguments
    /// What has a request of the app run, or expire; nil: what waits is shown.
    let trial: Message?

    static func parse(_ reader: ArgumentReader) throws(UsageError) -> ScheduleArguments {
        let common = try VerbArguments(reader)
        do throws(BadValue) {
            let (run, expired) = (
                try common.checked("--run", NotifyValues.id), try common.checked("--expire", NotifyValues.id)
            )
            try checkTogether(name: !common.operands.isEmpty, run: run != nil, expire: expired != nil)
            return ScheduleArguments(
                common: common,
                trial: run.map { message("run-request", $0) } ?? expired.map { message("expire-request", $0) })
        } catch {
            throw reader.error(error.problem)
        }
    }

    private static func message(_ verb: String, _ id: String) -> Message {
        Message(verb, [Field("id", "1"), Field("request", id)])
    }

    /// Throws where what was given can't be meant at once, or isn't enough.
    package static func checkTogether(name: Bool, run: Bool, expire: Bool) throws(BadValue) {
        if run, expire { throw BadValue("--run and --expire exclude each other") }
        if run || expire, !name { throw BadValue("--run and --expire need an app, by its name") }
    }
}
