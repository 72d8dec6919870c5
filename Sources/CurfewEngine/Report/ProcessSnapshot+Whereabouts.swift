import CurfewLinux

extension ProcessSnapshot {
    /// Such as `41207 sleep 100: was asleep in hrtimer_nanosleep`.
    var whereabouts: String {
        let command = commandLine.isEmpty ? name : commandLine.joined(separator: " ")
        return "\(pid) \(command): was \(doing)"
    }

    private var doing: String {
        let place = waitChannel.map { " in \($0)" } ?? ""
        switch state {
        case UInt8(ascii: "R"): return "running"
        case UInt8(ascii: "D"): return "in uninterruptible sleep" + place
        case UInt8(ascii: "T"): return "stopped"
        case UInt8(ascii: "t"): return "held by a tracer"
        default: return "asleep" + place
        }
    }
}
