import CurfewCore
import CurfewLinux
import Testing

@testable import CurfewEngine

@Suite("What of the machine stands in the way of a fetch")
struct MachineConditionTests {
    private func obstacle(_ change: (inout MachineReading) -> Void) -> ScheduleObstacle? {
        var reading = MachineReading()
        change(&reading)
        return ScheduleDesk.condition(reading).obstacle
    }

    @Test("What isn't known is in nobody's way")
    func unknown() {
        #expect(obstacle { _ in } == nil)
        #expect(ScheduleDesk.condition(MachineReading()).isOnline)
        #expect(ScheduleDesk.condition(MachineReading()).isIdle)
    }

    @Test("Processors, memory, the battery")
    func known() {
        #expect(obstacle { $0.cpuStall = 60 } == nil)
        var reading = MachineReading()
        reading.cpuStall = 20
        #expect(ScheduleDesk.condition(reading).isIdle)
        reading.cpuStall = 21
        #expect(!ScheduleDesk.condition(reading).isIdle)
        #expect(obstacle { $0.cpuStall = 61 } == .shortOfCPU)
        #expect(obstacle { $0.memoryStall = 11 } == .shortOfMemory)
        #expect(obstacle { $0.batteryLevel = 5 } == nil)
        let low = obstacle {
            $0.isOnPower = false
            $0.batteryLevel = 19
        }
        #expect(low == .batteryLow)
        let enough = obstacle {
            $0.isOnPower = false
            $0.batteryLevel = 20
        }
        #expect(enough == nil)
    }
}
