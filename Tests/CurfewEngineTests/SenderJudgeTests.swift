import CCurfew
import CurfewCore
import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

@Suite("Who asks, and who has sent a signal")
struct SenderJudgeTests {
    /// Of user 1000, with the rights of user 2000.
    private let judge = SenderJudge(user: 1000, effectiveUser: 2000, knowsProcesses: true)

    private static let inside = ProcessPlace(Ancestry(isOurs: true, isInAnyApp: true, isKnown: true), .a)
    private static let insideOther = ProcessPlace(Ancestry(isOurs: true, isInAnyApp: true, isKnown: true), .b)
    /// In another supervisor's app.
    private static let elsewhere = ProcessPlace(Ancestry(isOurs: false, isInAnyApp: true, isKnown: true), nil)
    private static let outside = ProcessPlace(Ancestry(isOurs: false, isInAnyApp: false, isKnown: true), nil)
    private static let unknown = ProcessPlace(Ancestry(isOurs: false, isInAnyApp: false, isKnown: false), nil)

    // MARK: Messages

    private func role(_ place: ProcessPlace?, user: uid_t = 1000, app: AppID? = nil) -> ControlSession.Role {
        judge.role(
            of: curfew_sender(pid: 77, uid: user, gid: 5),
            place: {
                #expect($0 == 77)
                return place
            },
            app: {
                #expect($0 == 77)
                return app
            })
    }

    @Test("Outside every app this user's process is an operator, root's, and one with the supervisor's rights")
    func operators() {
        #expect(role(Self.outside) == .operator)
        #expect(role(Self.outside, user: 2000) == .operator)
        #expect(role(Self.outside, user: 0) == .operator)
    }

    @Test("Inside an app it speaks for that one, whoever's it is")
    func speaksForApp() {
        #expect(role(Self.inside) == .app(.a))
        #expect(role(Self.inside, user: 0) == .app(.a))
        #expect(role(Self.inside, user: 3000, app: .a) == .app(.a))
        #expect(role(Self.insideOther) == .app(.b))
        #expect(role(Self.insideOther, user: 3000, app: .b) == .app(.b))
    }

    @Test("Inside another's app it is a stranger")
    func otherApp() { #expect(role(Self.elsewhere) == .stranger) }

    @Test("Of whose line not all is known, it is trusted with nothing, root's too")
    func unknownLine() {
        #expect(role(Self.unknown) == .stranger)
        #expect(role(Self.unknown, user: 0) == .stranger)
    }

    @Test("Where there is no app nobody is known")
    func noApp() { #expect(role(nil) == .stranger) }

    @Test("Another user's process is never an operator")
    func otherUser() {
        #expect(role(Self.outside, user: 3000) == .stranger)
        #expect(role(Self.inside, user: 3000) == .stranger)
    }

    @Test("Its user is this process's, where nobody says otherwise")
    func itself() {
        let judge = SenderJudge()
        #expect(judge.user == getuid())
        #expect(judge.effectiveUser == geteuid())
        #expect(judge.knowsProcesses == Procfs.isOurs)
    }

    // MARK: Signals

    @Test("A signal's sender is inside the app, or outside of it, as its line says")
    func side() {
        let child = Sleeper()
        defer { child.end() }
        #expect(judge.side(of: child.pid, place: { _ in Self.inside }) == .inside)
        #expect(judge.side(of: child.pid, place: { _ in Self.insideOther }) == .inside)
        #expect(judge.side(of: child.pid, place: { _ in Self.outside }) == .outside)
        #expect(judge.side(of: child.pid, place: { _ in Self.elsewhere }) == .outside)
    }

    @Test("Below a supervisor of several, one that is of no app is inside all the same")
    func below() {
        let child = Sleeper()
        defer { child.end() }
        let lost = Ancestry(isOurs: false, isInAnyApp: true, isKnown: true, isBelowSupervisor: true)
        #expect(judge.side(of: child.pid, place: { _ in ProcessPlace(lost, nil) }) == .inside)
    }

    @Test("Of whose line not all is known, or without an app, nothing is told")
    func unknownSide() {
        let child = Sleeper()
        defer { child.end() }
        #expect(judge.side(of: child.pid, place: { _ in Self.unknown }) == .unknown)
        #expect(judge.side(of: child.pid, place: { _ in nil }) == .unknown)
    }

    @Test("Where /proc tells nothing, who isn't known to be inside is outside: a shell's fg must work")
    func foreignProc() {
        let child = Sleeper()
        defer { child.end() }
        let judge = SenderJudge(user: 1000, effectiveUser: 1000, knowsProcesses: false)
        #expect(judge.side(of: child.pid, place: { _ in Self.unknown }) == .outside)
        #expect(judge.side(of: child.pid, place: { _ in Self.inside }) == .inside)
    }

    @Test("It is held while it is looked at, and no longer")
    func held() {
        let child = Sleeper()
        defer { child.end() }
        _ = judge.side(
            of: child.pid,
            place: {
                #expect($0 == child.pid)
                #expect(child.holds == 2)
                return Self.outside
            })
        #expect(child.holds == 1)
    }

    @Test("Who has ended can't be told, even where another has its number by now")
    func ended() {
        let child = Sleeper()
        child.end(closing: false)
        #expect(judge.side(of: child.pid, place: { _ in Self.outside }) == .unknown)
        // This very process has that number.
        let side = judge.side(of: getpid(), hold: { _ in dup(child.pidfd) }, place: { _ in Self.outside })
        #expect(side == .unknown)
        close(child.pidfd)
    }

    @Test("Where holding is refused, its number has to do")
    func refused() {
        let child = Sleeper()
        #expect(judge.side(of: child.pid, hold: { _ in -EPERM }, place: { _ in Self.outside }) == .outside)
        child.end()
        #expect(judge.side(of: child.pid, hold: { _ in -EPERM }, place: { _ in Self.outside }) == .unknown)
    }
}
