import CurfewLinux

/// What a server has of the machine for its apps, where a test puts something in its place.
struct ServerMachine {
    /// What the engine asks of it; nil: of the real one.
    var kernel: (any Kernel)?
    /// What starts programs.
    var launches: any LaunchSystem
    /// What the machine is like for work that can wait.
    var reading: () -> MachineReading = { .now() }
    /// What tells people of what goes wrong, a line each; false where it has to be told later.
    var tell: (String) -> Bool = { StandardError.printIfTaken($0) }
}
