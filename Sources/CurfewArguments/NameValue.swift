import ArgumentParser
import CurfewEngine

/// A name that an app can have.
struct NameValue: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard AppName.isValid(argument) else { return nil }
        text = argument
    }
}
