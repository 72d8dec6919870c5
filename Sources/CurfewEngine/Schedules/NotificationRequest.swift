import CurfewCore
import CurfewWire

/// Why a request about a notification isn't done, for whoever has made it.
struct BadNotification: Error, Hashable {
    var problem: String

    init(_ problem: String) { self.problem = problem }
}

/// The words of `notify`, read.
struct NotificationRequest {
    let message: Message
    let now: WallTime
    let zones: any ZoneTables

    /// What its button says where nothing else is asked for. Source: Apple, `UILocalNotification.alertAction`: "View" there.
    static let usualAction = "Open"
    static let maximumActionBytes = 64
    static let maximumPairs = 8
    /// Of all that it carries, as it stands on a line: what else is told at a launch has to fit, too.
    static let maximumBytes = 2048

    /// `id`: where none is given.
    func read(id usual: @autoclosure () -> String) throws(BadNotification) -> LocalNotification {
        let id = message["notification"] ?? usual()
        guard LocalNotification.isID(id) else {
            throw BadNotification(
                "notification=\(id) isn't an id: 1 to \(LocalNotification.maximumIDBytes) letters, digits, - _ and .")
        }
        let notification = LocalNotification(
            id: id, rule: CalendarRule(try start(), try repetition()), content: try content())
        guard notification.bytes <= Self.maximumBytes else {
            throw BadNotification("it is too long: title, body and pairs have \(Self.maximumBytes) bytes, all in all")
        }
        return notification
    }

    // MARK: When

    private func start() throws(BadNotification) -> CalendarRule.Start {
        if let text = message["in"] {
            guard message["at"] == nil else { throw BadNotification("at= and in= exclude each other") }
            return .moment(now + (try Self.span(text)))
        }
        guard let text = message["at"] else { return .moment(now) }
        guard let written = WrittenTime(text) else { throw BadNotification("at=\(text) isn't \(WrittenTime.accepted)") }
        let zone = try zone()
        // A moment that is absolute stays so where no zone is named.
        if zone == nil, case .moment(let time) = written { return .moment(time) }
        let offset: CivilTime.Offset = { time in zones.offset(of: zone ?? .local, at: time) }
        guard let civil = written.civil(after: now, offset) else {
            throw BadNotification("at=\(text) is in none of the years \(CivilTime.years)")
        }
        return zone.map { .civil(civil, $0) } ?? .moment(civil.moment(offset: offset))
    }

    /// Of `in=`.
    static func span(_ text: String) throws(BadNotification) -> Span {
        guard let nanoseconds = Seconds.parse(text), 0..<Int64.max ~= nanoseconds else {
            throw BadNotification("in=\(text) isn't a number of seconds")
        }
        return Span(nanoseconds: nanoseconds)
    }

    private func zone() throws(BadNotification) -> CalendarRule.Zone? {
        guard let name = message["zone"] else { return nil }
        if name == "local" { return .local }
        guard zones.isKnown(name) else {
            throw BadNotification("zone=\(name) is neither local nor a name of the tz database, such as Europe/Berlin")
        }
        return .named(name)
    }

    private func repetition() throws(BadNotification) -> CalendarRule.Repetition? {
        guard let text = message["repeat"] else { return nil }
        guard let repetition = CalendarRule.Repetition(text) else {
            throw BadNotification("repeat=\(text) isn't \(CalendarRule.Repetition.accepted)")
        }
        return repetition
    }

    // MARK: What

    private func content() throws(BadNotification) -> LocalNotification.Content {
        var content = LocalNotification.Content(
            title: message["title"] ?? "", body: message["body"] ?? "",
            action: message["action"] ?? Self.usualAction, sound: message["sound"], info: message.info)
        if content.action == "none" { content.action = nil }
        if let text = message["badge"] {
            guard let badge = Int(text), 0...Int(Int32.max) ~= badge else {
                throw BadNotification("badge=\(text) isn't a number, 0 or more")
            }
            content.badge = badge
        }
        try check(content)
        return content
    }

    private func check(_ content: LocalNotification.Content) throws(BadNotification) {
        if content.title.isEmpty, content.body.isEmpty, content.badge == nil {
            throw BadNotification("it needs title=, body= or badge=")
        }
        if let action = content.action, !(1...Self.maximumActionBytes ~= action.utf8.count) {
            throw BadNotification("action= is a word or some, of \(Self.maximumActionBytes) bytes at most")
        }
        let texts =
            [content.title, content.body, content.action ?? "", content.sound ?? ""] + content.info.map(\.value)
        if texts.contains(where: { $0.utf8.contains(0) }) { throw BadNotification("no text can hold a NUL") }
        let keys = content.info.map(\.key)
        guard keys.count <= Self.maximumPairs, Set(keys).count == keys.count, keys.allSatisfy(Event.isWord),
            !keys.contains(where: { $0.hasPrefix(LocalNotification.key) })
        else {
            throw BadNotification(
                "at most \(Self.maximumPairs) pairs info.KEY=VALUE, KEY a word that doesn't begin with "
                    + LocalNotification.key)
        }
    }
}

extension LocalNotification {
    /// What tells of it to an app that is in front.
    static let event = "didReceiveLocalNotification"
    /// Its id's key among an event's pairs or launch options; those of the rest begin with it.
    static let key = "notification"

    /// As an app hears of it.
    var info: [Info] {
        var pairs = [Info(Self.key, id)]
        func add(_ name: String, _ value: String?) {
            if let value, !value.isEmpty { pairs.append(Info(Self.key + "." + name, value)) }
        }
        add("title", content.title)
        add("body", content.body)
        add("action", content.action)
        add("badge", content.badge.map { String($0) })
        add("sound", content.sound)
        return pairs + content.info
    }

    fileprivate var bytes: Int {
        var bytes: [UInt8] = []
        Message("event", info.map { Field($0) }).encodeWhole(into: &bytes)
        return bytes.count
    }
}

extension WallTime {
    /// Seconds since 1970 with three decimals.
    var secondsText: String {
        let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        let milliseconds = String(rest.magnitude / 1000)
        let sign = microseconds < 0 && seconds == 0 ? "-" : ""
        return sign + "\(seconds)." + String(repeating: "0", count: 3 - milliseconds.utf8.count) + milliseconds
    }
}
