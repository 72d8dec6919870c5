import ArgumentParser

/// A background task's number.
struct TaskNumberValue: ExpressibleByArgument {
    let number: Int

    init?(argument: String) {
        guard let number = Int(argument), number > 0 else { return nil }
        self.number = number
    }
}
