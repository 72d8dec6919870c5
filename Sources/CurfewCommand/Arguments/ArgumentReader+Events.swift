import CurfewCore
import CurfewEngine

/// What `curfew run` is told of events.
extension ArgumentReader {
    /// The name of an event that is posted.
    mutating func postedEvent() throws(UsageError) -> String {
        let text = try value("an event's name: \(EventName.accepted)")
        return try checked { () throws(BadValue) in try EventName.posted(text) }
    }

    /// Adds `KEY=VALUE`, or replaces what KEY had.
    mutating func addInfo(to pairs: inout [Info]) throws(UsageError) {
        let text = try value(InfoArgument.accepted)
        try checked { () throws(BadValue) in try InfoArgument.add(try InfoArgument.parse(text), to: &pairs) }
    }

    /// Adds `EVENT=SIGNAL`, or replaces what EVENT had.
    mutating func addSignal(to signals: inout [EventSignal]) throws(UsageError) {
        let text = try value(EventSignalArgument.accepted)
        let signal = try checked { () throws(BadValue) in try EventSignalArgument.parse(text) }
        signals.removeAll { $0.event == signal.event }
        signals.append(signal)
    }

    /// Adds `EVENT=COMMAND`, or replaces what EVENT had.
    mutating func addHook(to hooks: inout [EventHook]) throws(UsageError) {
        let text = try value(EventHookArgument.accepted)
        let hook = try checked { () throws(BadValue) in try EventHookArgument.parse(text) }
        hooks.removeAll { $0.event == hook.event }
        hooks.append(hook)
    }

    /// Sets the signal for changes of the settings.
    mutating func setSettingsSignal(in signals: inout [EventSignal]) throws(UsageError) {
        let text = try value(SignalArgument.accepted)
        let signal = try checked { () throws(BadValue) in try SignalArgument.telling(text) }
        signals.removeAll { $0.event == EventName.settings }
        signals.append(EventSignal(event: EventName.settings, signal: signal))
    }
}
