import CCurfew
import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

@Suite("What the senders of messages may do")
struct SenderRolesTests {
    private var own: curfew_sender { curfew_sender(pid: getpid(), uid: getuid(), gid: getgid()) }

    @Test("It is found out once, as long as the sender lives and is the same user")
    func once() {
        var roles = SenderRoles()
        var asked = 0
        for _ in 0..<3 {
            let role = roles.role(of: own, hold: { curfew_pidfd_open(getpid()) }) {
                asked += 1
                return .operator
            }
            #expect(role == .operator)
        }
        #expect(asked == 1)
        var another = own
        another.uid &+= 1
        #expect(roles.role(of: another, hold: { curfew_pidfd_open(getpid()) }) { .stranger } == .stranger)
    }

    @Test("Who can't be held is asked about each time")
    func unheld() {
        var roles = SenderRoles()
        for role in [ControlSession.Role.operator, .app(.a), .stranger] {
            #expect(roles.role(of: own, hold: { -EMFILE }) { role } == role)
        }
    }

    @Test("Who is gone is a stranger, and whoever has got its pid is found out anew")
    func gone() throws {
        var roles = SenderRoles()
        let pid = Sleeper()
        let sender = curfew_sender(pid: pid.pid, uid: getuid(), gid: getgid())
        #expect(roles.role(of: sender, hold: { dup(pid.pidfd) }) { .operator } == .operator)
        pid.end()
        #expect(roles.role(of: sender, hold: { curfew_pidfd_open(getpid()) }) { .app(.a) } == .app(.a))
        let dead = Sleeper()
        let late = curfew_sender(pid: dead.pid, uid: getuid(), gid: getgid())
        dead.end(closing: false)
        #expect(roles.role(of: late, hold: { dead.pidfd }) { .operator } == .stranger)
    }

    @Test("However many there are, few are held")
    func bounded() {
        var roles = SenderRoles()
        let sleeper = Sleeper()
        defer { sleeper.end() }
        var asked = 0
        for number in 0..<20 {
            let sender = curfew_sender(pid: 1_000_000_000 + Int32(number), uid: 0, gid: 0)
            _ = roles.role(of: sender, hold: { dup(sleeper.pidfd) }) {
                asked += 1
                return .operator
            }
        }
        #expect(asked == 20)
        // Its own is one.
        #expect(sleeper.holds == SenderRoles.maximum + 1)
    }
}
