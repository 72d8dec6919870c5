import CurfewCore
import CurfewEngine

/// Writes down what it is told, and does what a test wants done within a callback.
final class FakeHost: EngineHost {
    var onDeliver: ((Delivery, AppID) -> Void)?
    var onReply: ((Reply, RequestID) -> Void)?
    var onRecord: ((EventRecord, AppID) -> Void)?
    var onStateChange: ((AppID, _ from: LifecycleState, _ to: LifecycleState) -> Void)?
    var onEnd: ((AppID, Ending) -> Void)?
    private(set) var endings: [(app: AppID, ending: Ending)] = []
    private let journal: Journal

    init(_ journal: Journal) { self.journal = journal }

    func deliver(_ delivery: Delivery, to app: AppID) {
        journal.note("deliver \(app.letter) \(delivery.event.name) #\(delivery.sequence)")
        onDeliver?(delivery, app)
    }

    func reply(_ reply: Reply, to request: RequestID) {
        journal.note("reply \(request.rawValue) \(reply.brief)")
        onReply?(reply, request)
    }

    func record(_ record: EventRecord, of app: AppID) {
        journal.note("record \(app.letter) \(record.brief)")
        onRecord?(record, app)
    }

    func stateChanged(_ app: AppID, from: LifecycleState, to: LifecycleState) {
        journal.note("state \(app.letter) \(from) to \(to)")
        onStateChange?(app, from, to)
    }

    func willEnd(_ app: AppID, _ report: KillReport) { journal.note("will end \(app.letter)") }

    func willSignal(_ app: AppID, _ signal: Int32) { journal.note("will signal \(app.letter) \(signal)") }

    func pressureChanged(to level: PressureLevel, available: UInt64?) { journal.note("pressure \(level.name)") }

    func ended(_ app: AppID, _ ending: Ending) {
        journal.note("ended \(app.letter) \(ending.status)")
        endings.append((app, ending))
        onEnd?(app, ending)
    }
}
