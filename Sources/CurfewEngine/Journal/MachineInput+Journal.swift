import CurfewCore
import CurfewWire

extension MachineInput {
    var journalFields: (name: String, fields: [Field]) {
        switch self {
        case .watchMemory(let low, let sustained, let isToldOfStalls):
            (
                "watchMemory",
                [Field("low", String(low)), Field("sustained", sustained), Field("told", isToldOfStalls)]
            )
        case .availableMemoryMeasured(let bytes, let isStalling):
            ("availableMemoryMeasured", [Field("bytes", String(bytes)), Field("stalling", isStalling)])
        case .pressureSimulated(let level): ("pressureSimulated", [Field("level", level.name)])
        case .watchDisk(let low): ("watchDisk", [Field("low", String(low))])
        case .freeDiskMeasured(let bytes): ("freeDiskMeasured", [Field("bytes", String(bytes))])
        case .joined(let app, let input): ("joined", [Field("app", app.rawValue), Field("change", input.word)])
        case .tick: ("tick", [])
        }
    }

    init?(journal fields: JournalFields) {
        switch fields.name {
        case "tick": self = .tick
        case "watchMemory":
            guard let low = fields.bytes("low"), let sustained = fields.span("sustained"),
                let told = fields.flag("told")
            else { return nil }
            self = .watchMemory(low: low, sustained: sustained, isToldOfStalls: told)
        case "availableMemoryMeasured":
            guard let bytes = fields.bytes("bytes"), let isStalling = fields.flag("stalling") else { return nil }
            self = .availableMemoryMeasured(bytes, isStalling: isStalling)
        case "pressureSimulated":
            guard let level = PressureLevel.allCases.first(where: { $0.name == fields.text("level") }) else {
                return nil
            }
            self = .pressureSimulated(level)
        case "watchDisk":
            guard let low = fields.bytes("low") else { return nil }
            self = .watchDisk(low: low)
        case "freeDiskMeasured":
            guard let bytes = fields.bytes("bytes") else { return nil }
            self = .freeDiskMeasured(bytes)
        case "joined":
            guard let app = fields.int("app"), let input = JoinedInput(word: fields.text("change")) else { return nil }
            self = .joined(AppID(app), input)
        default: return nil
        }
    }
}

extension JoinedInput {
    fileprivate var word: String {
        switch self {
        case .opened: "opened"
        case .wentHome: "home"
        case .left: "left"
        }
    }

    fileprivate init?(word: String?) {
        guard let input = [JoinedInput.opened, .wentHome, .left].first(where: { $0.word == word }) else { return nil }
        self = input
    }
}
