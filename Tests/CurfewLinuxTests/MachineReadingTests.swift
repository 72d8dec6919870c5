import Glibc
import Testing

@testable import CurfewLinux

@Suite("What the machine is like for work that can wait")
struct MachineReadingTests {
    private let root: String

    init() {
        var template = Array("/tmp/curfew-machine-XXXXXX".utf8CString)
        _ = mkdtemp(&template)
        root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func write(_ path: String, _ text: String) {
        var folder = root
        for name in path.split(separator: "/").dropLast() {
            folder += "/" + name
            mkdir(folder, 0o755)
        }
        guard let file = fopen(root + "/" + path, "w") else { return }
        fputs(text, file)
        fclose(file)
    }

    private func remove() {
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("rm"), strdup("-rf"), strdup(root), nil]
        defer { for word in words { free(word) } }
        var pid = pid_t()
        guard root.hasPrefix("/tmp/"), posix_spawnp(&pid, "rm", nil, nil, &words, environ) == 0 else { return }
        while waitpid(pid, nil, 0) < 0 && errno == EINTR {}
    }

    @Test("Where nothing is told nothing is known")
    func nothing() {
        defer { remove() }
        #expect(MachineReading.now(root: root) == MachineReading())
    }

    @Test("How long processes wait")
    func stalls() {
        defer { remove() }
        write(
            "proc/pressure/cpu",
            "some avg10=61.75 avg60=1.00 avg300=2.00 total=3\nfull avg10=9.00 avg60=0 avg300=0 total=0\n")
        write("proc/pressure/memory", "full avg10=9.00 avg60=0 avg300=0 total=0\n")
        let reading = MachineReading.now(root: root)
        #expect(reading.cpuStall == 61)
        #expect(reading.memoryStall == nil)
    }

    @Test("For how long its processors have worked, guests' time counted once")
    func processors() {
        defer { remove() }
        write("proc/stat", "cpu  100 20 30 9000 800 4 6 50 70 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n")
        #expect(MachineReading.now(root: root).processorTime == 160 * 1_000_000 / Int64(sysconf(Int32(_SC_CLK_TCK))))
        write("proc/stat", "cpu  100 20\n")
        #expect(MachineReading.now(root: root).processorTime == nil)
    }

    private static let header = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"

    @Test("A route to everywhere, of either kind")
    func online() {
        defer { remove() }
        write("proc/net/route", Self.header + "eth0\t0000A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n")
        #expect(MachineReading.now(root: root).isOnline == false)
        let none = String(repeating: "0", count: 32)
        write("proc/net/ipv6_route", "\(none) 00 \(none) 00 \(none) ffffffff 00000001 00000000 00200200       lo\n")
        #expect(MachineReading.now(root: root).isOnline == false)
        write("proc/net/ipv6_route", "\(none) 00 \(none) 00 \(none) 00000400 00000001 00000000 00450003     eth0\n")
        #expect(MachineReading.now(root: root).isOnline == true)
        write("proc/net/ipv6_route", "")
        write("proc/net/route", Self.header + "eth0\t00000000\t0100A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n")
        #expect(MachineReading.now(root: root).isOnline == true)
    }

    @Test("On power, or on a battery that isn't a mouse's")
    func power() {
        defer { remove() }
        write("sys/class/power_supply/mouse/type", "Battery\n")
        write("sys/class/power_supply/mouse/scope", "Device\n")
        write("sys/class/power_supply/mouse/capacity", "3\n")
        #expect(MachineReading.now(root: root) == MachineReading())
        write("sys/class/power_supply/BAT0/type", "Battery\n")
        write("sys/class/power_supply/BAT0/status", "Discharging\n")
        write("sys/class/power_supply/BAT0/capacity", "15\n")
        var reading = MachineReading.now(root: root)
        #expect(reading.isOnPower == false)
        #expect(reading.batteryLevel == 15)
        write("sys/class/power_supply/AC/type", "Mains\n")
        write("sys/class/power_supply/AC/online", "0\n")
        #expect(MachineReading.now(root: root).isOnPower == false)
        write("sys/class/power_supply/AC/online", "1\n")
        reading = MachineReading.now(root: root)
        #expect(reading.isOnPower == true)
        #expect(reading.batteryLevel == 15)
    }
}
