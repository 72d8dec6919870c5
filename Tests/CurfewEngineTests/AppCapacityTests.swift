import CurfewLinux
import Testing

@testable import CurfewEngine

@Suite("How many apps a server's limits allow")
struct AppCapacityTests {
    private func capacity(_ descriptors: Int, _ processes: ProcessLimit?, processesOfApp: Int = 1) -> AppCapacity {
        AppCapacity(DescriptorLimit(count: descriptors), processes, processesOfApp: processesOfApp)
    }

    private let few = ProcessLimit(count: 108, name: "pids.max of /sys/fs/cgroup/mine")

    @Test("Three descriptors each, and some hundred for others")
    func descriptors() {
        #expect(capacity(20_000, nil).count == 6560)
        #expect(capacity(20_000, nil).limit == "RLIMIT_NOFILE")
        #expect(capacity(1024, nil).count == 234)
        #expect(capacity(330, few).count == 3)
    }

    @Test("However few there are, one app may run")
    func least() {
        #expect(capacity(64, nil).count == 1)
        #expect(capacity(20_000, ProcessLimit(count: 8, name: "RLIMIT_NPROC")).count == 1)
    }

    @Test("The limit that allows the fewest is named")
    func processes() {
        #expect(capacity(20_000, few) == capacity(5_000, few))
        #expect(capacity(20_000, few).count == 100)
        #expect(capacity(20_000, few).limit == few.name)
        #expect(capacity(20_000, few, processesOfApp: 2).count == 50)
        #expect(capacity(20_000, ProcessLimit(count: 90_000, name: "RLIMIT_NPROC")).limit == "RLIMIT_NOFILE")
    }

    @Test("What is told of it")
    func words() {
        #expect(capacity(1024, nil).text == "at most 234 apps run at once, as RLIMIT_NOFILE allows (`ulimit -Hn`)")
        #expect(capacity(1024, nil).refusal == "234 apps run, as many as RLIMIT_NOFILE allows (`ulimit -Hn`)")
        #expect(capacity(20_000, few).refusal == "100 apps run, as many as pids.max of /sys/fs/cgroup/mine allows")
        let users = ProcessLimit(count: 108, name: "RLIMIT_NPROC")
        #expect(capacity(20_000, users).refusal == "100 apps run, as many as RLIMIT_NPROC allows (`ulimit -u`)")
    }

    @Test("Apps that keep more than the least leave others theirs")
    func taken() {
        let limit = DescriptorLimit(count: 1024)
        #expect(AppCapacity.leavesEnough(limit, taken: 0))
        #expect(AppCapacity.leavesEnough(limit, taken: 767))
        #expect(!AppCapacity.leavesEnough(limit, taken: 768))
    }
}
