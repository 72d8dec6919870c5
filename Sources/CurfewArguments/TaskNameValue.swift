import ArgumentParser

/// A background task's name: anything but nothing.
struct TaskNameValue: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        text = argument
    }
}
