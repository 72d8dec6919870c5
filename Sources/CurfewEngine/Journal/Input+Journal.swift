import CurfewCore
import CurfewWire

/// Inputs as a journal's fields, and back.
extension Input {
    var journalFields: (name: String, fields: [Field]) {
        switch self {
        case .app(_, let input): input.journalFields
        case .machine(let input): input.journalFields
        }
    }

    init?(journal fields: JournalFields) {
        if let input = MachineInput(journal: fields) {
            self = .machine(input)
        } else if let app = fields.app, let input = AppInput(journal: fields) {
            self = .app(app, input)
        } else {
            return nil
        }
    }
}
