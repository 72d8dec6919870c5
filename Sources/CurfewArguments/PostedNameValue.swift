import ArgumentParser
import CurfewCommand

/// The name of an event that is posted.
struct PostedNameValue: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard let name = try? EventName.posted(argument) else { return nil }
        text = name
    }
}
