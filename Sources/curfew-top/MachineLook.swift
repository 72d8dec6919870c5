import CurfewLinux
import CurfewTop

/// What the machine's memory is like now.
enum MachineLook {
    static func memory() -> MachineMemory? {
        guard let memory = SystemMemory.read() else { return nil }
        let stalled = SmallFile.withContents(of: Pressure.systemMemory) { bytes in
            MachineMemory.stalled(in: String(decoding: bytes, as: UTF8.self))
        }
        return MachineMemory(total: memory.total, available: memory.available, stalled: stalled ?? nil)
    }
}
