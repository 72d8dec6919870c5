// What a notification's time and marks are, each read as the fast path reads it.

import ArgumentParser
import CurfewCommand

/// When it is due.
struct NotificationTimeValue: ExpressibleByArgument {
    init?(argument: String) { if (try? NotifyValues.time(argument)) == nil { return nil } }
}

/// How long from now.
struct NotificationSpanValue: ExpressibleByArgument {
    init?(argument: String) { if (try? NotifyValues.span(argument)) == nil { return nil } }
}

/// How often.
struct NotificationRepetitionValue: ExpressibleByArgument {
    init?(argument: String) { if (try? NotifyValues.repetition(argument)) == nil { return nil } }
}

/// The number at an app's name.
struct NotificationBadgeValue: ExpressibleByArgument {
    init?(argument: String) { if (try? NotifyValues.badge(argument)) == nil { return nil } }
}

/// What it is told from others by.
struct NotificationIDValue: ExpressibleByArgument {
    init?(argument: String) { if (try? NotifyValues.id(argument)) == nil { return nil } }
}
