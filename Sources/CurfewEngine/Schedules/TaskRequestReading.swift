import CurfewCore
import CurfewWire

/// The words of `submit`, read.
struct TaskRequestReading {
    let message: Message
    let now: WallTime
    let zones: any ZoneTables

    func read() throws(BadNotification) -> TaskRequest {
        guard let kind = TaskRequest.Kind(rawValue: message["kind"] ?? "") else {
            let kinds = TaskRequest.Kind.allCases.map(\.rawValue).joined(separator: " or ")
            throw BadNotification("submit needs kind=, \(kinds)")
        }
        guard let id = message["request"], LocalNotification.isID(id) else {
            throw BadNotification(
                "submit needs request=, 1 to \(LocalNotification.maximumIDBytes) letters, digits, - _ and .")
        }
        return TaskRequest(
            id: id, kind: kind, earliest: try earliest(), needsNetwork: try flag("needs-network"),
            needsPower: try flag("needs-power"))
    }

    private func flag(_ key: String) throws(BadNotification) -> Bool {
        switch message[key] {
        case "1": true
        case nil, "0": false
        case let text?: throw BadNotification("\(key)=\(text) is neither 0 nor 1")
        }
    }

    private func earliest() throws(BadNotification) -> WallTime? {
        if let text = message["in"] {
            guard message["earliest"] == nil else { throw BadNotification("earliest= and in= exclude each other") }
            return now + (try NotificationRequest.span(text))
        }
        guard let text = message["earliest"] else { return nil }
        guard let written = WrittenTime(text) else {
            throw BadNotification("earliest=\(text) isn't \(WrittenTime.accepted)")
        }
        if case .moment(let time) = written { return time }
        let offset: CivilTime.Offset = { time in zones.offset(of: .local, at: time) }
        guard let civil = written.civil(after: now, offset) else {
            throw BadNotification("earliest=\(text) is in none of the years \(CivilTime.years)")
        }
        return civil.moment(offset: offset)
    }
}
