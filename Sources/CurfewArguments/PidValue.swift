import ArgumentParser

/// A process's number.
struct PidValue: ExpressibleByArgument {
    let number: Int32

    init?(argument: String) {
        guard let number = Int32(argument), number > 0 else { return nil }
        self.number = number
    }
}
