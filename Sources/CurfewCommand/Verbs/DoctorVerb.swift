import CurfewLinux
import CurfewWire
import Glibc

/// `curfew doctor`: what can be enforced here, by what, how fast, and how to get more.
enum DoctorVerb {
    static func run(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader)
        let doctor = Doctor.examine()
        if arguments.has("--json") { Output.print(json(doctor)) } else { Output.print(coloured: lines(doctor)) }
        return ExitStatus.success
    }

    // MARK: For people

    /// As wide as it may get without a terminal that says otherwise.
    private static let usualWidth = 100

    static func lines(_ doctor: Doctor, colours: Bool = Output.hasColours) -> [String] {
        lines(doctor.findings, colours: colours)
    }

    static func lines(_ findings: [DoctorFinding], colours: Bool) -> [String] {
        let advice = advice(of: findings)
        let title = "\(CommandLineTool.versionLine), Linux \(kernelRelease), uid \(geteuid())"
        let notes = advice.enumerated().flatMap { note($0 + 1, $1.text) }
        return [title, ""] + table(findings, advice, colours) + (notes.isEmpty ? [] : [""]) + notes
    }

    private static func table(_ findings: [DoctorFinding], _ advice: [DoctorAdvice], _ colours: Bool) -> [String] {
        var table = Table(columns: [
            .init(title: "WHAT"), .init(title: "HERE"), .init(title: "BY"), .init(title: "LATENCY", isNumber: true),
            .init(title: "TO GET MORE"),
        ])
        table.rows = findings.map { finding in
            let notes = finding.advice.compactMap { advice.firstIndex(of: $0) }.map { String($0 + 1) }
            return [
                finding.subject.title, finding.answer.rawValue, finding.mechanism, finding.latency?.text ?? "",
                notes.isEmpty ? "" : "see " + notes.joined(separator: ", "),
            ]
        }
        return table.lines { row, column, cell in
            guard colours, row >= 0, column == 1 else { return cell }
            return findings[row].answer.colour.text(cell)
        }
    }

    /// Each once, in the order in which they are first spoken of.
    private static func advice(of findings: [DoctorFinding]) -> [DoctorAdvice] {
        var all: [DoctorAdvice] = []
        for advice in findings.flatMap(\.advice) where !all.contains(advice) { all.append(advice) }
        return all
    }

    /// Wrapped, with its number in the margin.
    private static func note(_ number: Int, _ text: String) -> [String] {
        let margin = "    "
        let head = "\(number)."
        var lines: [String] = []
        var line = head + String(repeating: " ", count: margin.count - head.count)
        var isEmpty = true
        for word in words(of: text, fitting: usualWidth - margin.count) {
            if !isEmpty, line.count + 1 + word.count > usualWidth {
                lines.append(line)
                line = margin
                isEmpty = true
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return lines + [line]
    }

    /// What may stand at a line's start: words, and commands, which are to be copied whole.
    private static func words(of text: String, fitting width: Int) -> [Substring] {
        var words: [Substring] = []
        var isInCommand = false
        for word in text.split(separator: " ") {
            if isInCommand, let start = words.last?.startIndex, text[start..<word.endIndex].count <= width {
                words[words.count - 1] = text[start..<word.endIndex]
            } else {
                words.append(word)
            }
            if word.count(where: { $0 == "`" }) == 1 { isInCommand.toggle() }
        }
        return words
    }

    /// As uname(1) has it.
    private static var kernelRelease: String {
        SmallFile.withContents(of: "/proc/sys/kernel/osrelease") {
            String(decoding: $0.prefix { $0 != 10 }, as: UTF8.self)
        } ?? "?"
    }

    // MARK: For programs

    static func json(_ doctor: Doctor) -> JSON {
        .object([
            ("version", .string(CommandLineTool.version)),
            ("kernel", .string(kernelRelease)),
            ("uid", .integer(Int64(geteuid()))),
            ("containment", .string(doctor.containment)),
            ("findings", .array(doctor.findings.map(json))),
            ("advice", .object(advice(of: doctor.findings).map { ($0.rawValue, .string($0.text)) })),
        ])
    }

    private static func json(_ finding: DoctorFinding) -> JSON {
        var seconds = JSON.null
        var isMeasured = false
        var overshoot = JSON.null
        switch finding.latency {
        case .measured(let nanoseconds):
            seconds = .number(Double(nanoseconds) / 1e9)
            isMeasured = true
        case .atMost(let nanoseconds): seconds = .number(Double(nanoseconds) / 1e9)
        case .overshoot(let bytes): overshoot = .integer(Int64(clamping: bytes))
        case nil: break
        }
        return .object([
            ("what", .string(finding.subject.rawValue)),
            ("here", .string(finding.answer.rawValue)),
            ("by", .string(finding.mechanism)),
            ("latencySeconds", seconds),
            ("latencyIsMeasured", .bool(isMeasured)),
            ("overshootBytes", overshoot),
            ("advice", .array(finding.advice.map { .string($0.rawValue) })),
        ])
    }
}

extension DoctorFinding.Subject {
    fileprivate var title: String {
        switch self {
        case .containment: "containment"
        case .processes: "seeing processes"
        case .suspension: "suspension"
        case .kill: "kill"
        case .timeLimit: "time limit"
        case .memoryLimit: "memory limit"
        case .memoryPressure: "memory pressure"
        case .pageOut: "page-out"
        case .cpuLimit: "CPU limit"
        case .cpuThrottling: "CPU throttling"
        case .priority: "low priority"
        case .locks: "file locks"
        case .input: "waking for input"
        case .otherUsers: "sudo in the app"
        case .forkComet: "fork/setsid storm"
        case .leavingCgroup: "kept in its cgroup"
        case .bothHalvesKilled: "both halves killed"
        }
    }
}

extension DoctorFinding.Answer {
    fileprivate var colour: Output.Colour {
        switch self {
        case .yes: .green
        case .partly: .yellow
        case .no: .red
        }
    }
}

extension DoctorFinding.Latency {
    fileprivate var text: String {
        switch self {
        case .measured(let nanoseconds): HumanText.duration(nanoseconds: nanoseconds)
        case .atMost(let nanoseconds): "up to \(HumanText.duration(nanoseconds: nanoseconds))"
        case .overshoot(let bytes): "\(HumanText.size(bytes: bytes)) past"
        }
    }
}

extension DoctorAdvice {
    /// What to do, in a sentence or two.
    var text: String {
        switch self {
        case .delegation:
            "A cgroup of your own: `systemd-run --user --scope -p Delegate=yes -- curfew run …` where systemd and "
                + "cgroup v2 are; else run curfew as root."
        case .writableCgroups:
            "A container whose /sys/fs/cgroup can be written to, as with `podman run --systemd=always` or "
                + "`docker run --privileged`."
        case .controllers:
            "The memory and cpu controllers of cgroup v2, in a cgroup with nobody else in it: `systemd-run --user "
                + "--scope -p Delegate=yes -- curfew run …` (as root without --user). Where v1 has them: boot with "
                + "cgroup_no_v1=all."
        case .swap:
            "Swap for suspended apps' memory to go to: a partition, a file, or memory that is compressed (as root: "
                + "`modprobe zram; dev=$(zramctl --find --size 4G) && mkswap $dev && swapon $dev`; at each boot by "
                + "the package zram-tools of Debian and Ubuntu)."
        case .niceLimit:
            "The right to give nice values back: CAP_SYS_NICE, or a line `USER - nice 0` in "
                + "/etc/security/limits.conf and a new login."
        case .pageOutRight: "The right to page out: CAP_SYS_NICE, or a delegated cgroup with memory.reclaim."
        case .pressureInformation: "Pressure information: a kernel with CONFIG_PSI, booted with psi=1."
        case .signalRight: "The right to signal other users' processes: CAP_KILL, or a cgroup to kill them by."
        case .ownProc:
            "A /proc of its own: `unshare --pid --fork --mount-proc`, or `mount -t proc proc /proc` as root in the "
                + "chroot or the namespace."
        case .descriptorRight:
            "The right to have other processes' descriptors: kernel.yama.ptrace_scope below 2, or CAP_SYS_PTRACE; in a container "
                + "a seccomp profile that allows pidfd_getfd (`docker run --cap-add SYS_PTRACE`)."
        case .anotherUser:
            "Supervisor and app as two users: as root, `curfew run -- sudo -u USER COMMAND` holds the app in a cgroup "
                + "that is root's."
        }
    }
}
