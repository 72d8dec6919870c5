import CurfewCore
import CurfewWire

extension InputNews {
    var journalFields: [Field] {
        [Field("kind", kind), Field("text", text)] + (from.map { [Field("from", $0)] } ?? [])
            + (to.map { [Field("to", $0)] } ?? []) + (listener?.journalFields ?? [])
    }

    init?(journal fields: JournalFields) {
        guard let kind = fields.text("kind"), let text = fields.text("text") else { return nil }
        self.init(
            kind: kind, text: text, from: fields.text("from"), to: fields.text("to"),
            listener: ListeningSocket(journal: fields))
    }
}

extension ListeningSocket {
    var journalFields: [Field] {
        [Field("listener", String(inode))] + (place.map { [Field("place", $0)] } ?? [])
    }

    init?(journal fields: JournalFields) {
        guard let inode = fields.bytes("listener") else { return nil }
        self.init(inode: inode, place: fields.text("place"))
    }
}

extension IdleSample {
    var journalFields: [Field] {
        [
            Field("cpu", cpuTime), Field("written", String(written)), Field("processes", String(processes)),
            Field("terminal", String(terminal)),
        ] + (obstacle.map { [Field("obstacle", $0)] } ?? [])
            + (busiest.map { [Field("busiest", $0.process), Field("busiest-cpu", $0.amount)] } ?? [])
            + (writer.map { [Field("writer", $0.process), Field("writer-bytes", String($0.amount))] } ?? [])
            + (newcomer.map { [Field("newcomer", $0)] } ?? [])
    }

    init?(journal fields: JournalFields) {
        guard let cpuTime = fields.span("cpu"), let written = fields.bytes("written"),
            let processes = fields.bytes("processes"), let terminal = fields.bytes("terminal")
        else { return nil }
        self.init(
            cpuTime: cpuTime, written: written, processes: processes, terminal: terminal,
            obstacle: fields.text("obstacle"))
        if let process = fields.text("busiest"), let amount = fields.span("busiest-cpu") {
            busiest = ProcessShare(process, amount)
        }
        if let process = fields.text("writer"), let amount = fields.bytes("writer-bytes") {
            writer = ProcessShare(process, amount)
        }
        newcomer = fields.text("newcomer")
    }
}

extension SleepPolicy {
    var journalFields: [Field] {
        let fields = [
            Field("idle-cpu", idleCPU), Field("quiet", quiet), Field("wakes-for-input", wakesForInput),
            Field("sleep-forced", isForced), Field("counts-resumptions", countsResumptions),
            Field("exits-when-idle", exitsWhenIdle), Field("longest-delay", longestDelay),
        ]
        return fields + (whenIdle.map { [Field("sleep-when-idle", $0)] } ?? [])
    }

    init?(journal fields: JournalFields) {
        guard let idleCPU = fields.int("idle-cpu"), let quiet = fields.span("quiet"),
            let wakes = fields.flag("wakes-for-input"), let isForced = fields.flag("sleep-forced"),
            let counts = fields.flag("counts-resumptions"), let exits = fields.flag("exits-when-idle")
        else { return nil }
        self.init()
        self.idleCPU = idleCPU
        self.quiet = quiet
        wakesForInput = wakes
        self.isForced = isForced
        countsResumptions = counts
        exitsWhenIdle = exits
        longestDelay = fields.span("longest-delay") ?? Self.defaultLongestDelay
        whenIdle = fields.span("sleep-when-idle")
    }
}
