import CCurfew
import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

@Suite("The main process that a program names")
struct MainProcessTests {
    /// What becomes of the name, in a word, and which descriptor is held then.
    private func naming(
        _ pid: Int32, current: Int32? = 10, leader: Int32? = 10, keeps: Bool = true, isOfApp: Bool = true
    ) -> (String, Descriptor) {
        let naming = MainProcess.naming(
            pid, current: current, leader: leader, keeps: { $0.isOpen && keeps },
            isOfApp: {
                #expect($0 == pid)
                return isOfApp
            })
        switch naming {
        case .unchanged: return ("unchanged", .none)
        case .leader: return ("leader", .none)
        case .refused: return ("refused", .none)
        case .unwatchable: return ("unwatchable", .none)
        case .process(let process):
            #expect(process.pid == pid)
            return ("process", process.pidfd)
        }
    }

    @Test("The one it is stays it, and the leader can be it again while it lives")
    func leader() {
        #expect(naming(10).0 == "unchanged")
        #expect(naming(10, current: 12).0 == "leader")
        #expect(naming(12, current: 12).0 == "unchanged")
    }

    @Test("A process of the app is held by a descriptor")
    func process() {
        let child = Sleeper()
        defer { child.end() }
        var (word, pidfd) = naming(child.pid)
        #expect(word == "process")
        #expect(child.holds == 2)
        pidfd.close()
    }

    @Test("A stranger, and one that there is no descriptor for, is refused, and not held")
    func refused() {
        let child = Sleeper()
        defer { child.end() }
        #expect(naming(child.pid, isOfApp: false).0 == "refused")
        #expect(naming(child.pid, keeps: false).0 == "refused")
        #expect(child.holds == 1)
    }

    @Test("One that has ended is refused, the leader's old number too")
    func gone() {
        let child = Sleeper()
        child.end()
        #expect(naming(child.pid).0 == "refused")
        #expect(naming(child.pid, leader: nil).0 == "refused")
    }
}
