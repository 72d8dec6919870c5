import CCurfew
import Glibc

/// What a machine is like just now for work that can wait; nil for what it doesn't tell.
public struct MachineReading: Sendable, Hashable {
    /// How many percent of the last ten seconds some process has waited for a processor.
    public var cpuStall: Int?
    /// The same for memory.
    public var memoryStall: Int?
    /// For how many microseconds its processors have worked since it was started, all of them together.
    public var processorTime: Int64?
    /// Whether there is a way to anywhere else.
    public var isOnline: Bool?
    /// False while it runs on a battery.
    public var isOnPower: Bool?
    /// What is left in the fullest battery, in percent.
    public var batteryLevel: Int?

    public init() {}

    /// `root`: where /proc and /sys are.
    public static func now(root: String = "") -> MachineReading {
        var reading = MachineReading()
        reading.cpuStall = stall(root + "/proc/pressure/cpu")
        reading.memoryStall = stall(root + "/proc/pressure/memory")
        reading.processorTime = processorTime(root)
        reading.isOnline = isOnline(root)
        reading.readPower(root + "/sys/class/power_supply")
        return reading
    }

    /// Source: kernel, Documentation/accounting/psi.rst: `some avg10=12.34 …`.
    private static func stall(_ path: String) -> Int? {
        let mark = "some avg10="
        let line = text(path)?.split(separator: "\n").first { $0.hasPrefix(mark) }
        return line.flatMap { Int($0.dropFirst(mark.count).prefix { ("0"..."9").contains($0) }) }
    }

    /// Source: proc_stat(5): the first line has user, nice, system, idle, iowait, irq and softirq, in clock ticks; guests' time is
    /// in user and nice.
    private static func processorTime(_ root: String) -> Int64? {
        guard let words = lines(root + "/proc/stat")?.first, words.first == "cpu", words.count > 7 else { return nil }
        let ticks = [1, 2, 3, 6, 7].compactMap { Int64(words[$0]) }
        guard ticks.count == 5 else { return nil }
        return ticks.reduce(0, &+) &* 1_000_000 / Int64(max(1, sysconf(Int32(_SC_CLK_TCK))))
    }

    /// A route to everywhere. Source: kernel, net/ipv4/fib_trie.c and net/ipv6/route.c: the destination is the second field of the
    /// one, in hexadecimal, and the first of the other, behind it the length of its prefix.
    private static func isOnline(_ root: String) -> Bool? {
        let (four, six) = (lines(root + "/proc/net/route"), lines(root + "/proc/net/ipv6_route"))
        guard four != nil || six != nil else { return nil }
        let hasFour = (four ?? []).contains { fields in
            fields.count > 7 && fields[1] == "00000000" && fields[7] == "00000000"
        }
        // The kernel's own that refuses, by the loopback device, is none.
        let hasSix = (six ?? []).contains { fields in
            fields.count > 9 && fields[0].allSatisfy { $0 == "0" } && fields[1] == "00" && fields[9] != "lo"
        }
        return hasFour || hasSix
    }

    /// Source: kernel, Documentation/ABI/testing/sysfs-class-power.
    private mutating func readPower(_ folder: String) {
        for name in Self.names(in: folder) {
            func value(_ key: String) -> String? {
                Self.text("\(folder)/\(name)/\(key)").map { String($0.prefix { $0 != "\n" }) }
            }
            // A mouse's battery isn't the machine's.
            if value("scope") == "Device" { continue }
            switch value("type") {
            case "Mains"?, "USB"?, "Wireless"?:
                if value("online") == "1" { isOnPower = true } else { isOnPower = isOnPower ?? false }
            case "Battery"?:
                if value("status") == "Discharging" { isOnPower = isOnPower ?? false }
                if let level = value("capacity").flatMap({ Int($0) }) { batteryLevel = max(batteryLevel ?? 0, level) }
            default: break
            }
        }
    }

    private static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    private static func text(_ path: String) -> String? {
        SmallFile.withContents(of: path) { String(decoding: $0, as: UTF8.self) }
    }

    /// Of a list, each line's fields.
    private static func lines(_ path: String) -> [[Substring]]? {
        SmallFile.bytes(of: path).map { bytes in
            String(decoding: bytes, as: UTF8.self).split(separator: "\n").map {
                $0.split { $0 == " " || $0 == "\t" }
            }
        }
    }
}
