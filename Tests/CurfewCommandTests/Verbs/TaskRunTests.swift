import CurfewLinux
import Glibc
import Testing

@testable import CurfewCommand

/// What is decided before the command runs; that needs a process of its own.
@Suite("Holding a task while a command runs")
struct TaskRunTests {
    private let runtime: ScriptedRuntime

    init() throws { runtime = try ScriptedRuntime() }

    private func hold(_ app: String?) throws -> TaskRun.Hold {
        try Argv.withReader("task run", ["upload", "--", "rsync", "a"]) { reader throws(UsageError) in
            TaskRun.hold(try TaskRunArguments.parse(reader), socket: app.map { runtime.directory.socketPath($0) })
        }
    }

    @Test("Inside an app its supervisor is asked for a task of that name")
    func held() throws {
        try runtime.supervisor("a", ["ok id=1 task=3 remaining=600.000"])
        guard case .held(_, task: "3"?) = try hold("a") else { return _ = Issue.record("no task is held") }
        #expect(runtime.asked("a") == ["begin id=1 name=upload"])
    }

    @Test("Outside one, or in one that has ended, there is nothing to hold, and that is said")
    func outside() throws {
        guard case .outside("not inside an app") = try hold(nil) else { return _ = Issue.record("it is in an app") }
        guard case .outside(let why) = try hold("gone") else { return _ = Issue.record("it is in an app") }
        #expect(
            why == "the app of this environment has ended: nobody listens at CURFEW_SOCKET, "
                + runtime.directory.socketPath("gone"))
    }

    /// The status that the command isn't run with, and what is said.
    private func refusal(_ script: ScriptedRuntime.Script) throws -> VerbOutcome {
        try runtime.supervisor("a", script)
        return try VerbOutcome.of {
            guard case .refused(let status) = try hold("a") else { return -1 }
            return status
        }
    }

    @Test("Refused, the command isn't run: for now, or for good")
    func refused() throws {
        #expect(
            try refusal(["error id=1 code=expired message=spent task=0"])
                == VerbOutcome(
                    status: 75, complaints: ["curfew: task run: refused (expired): spent; rsync wasn't run"]))
        #expect(try refusal(["error id=1 code=forbidden message=no"]).status == 1)
    }

    @Test("Nor where the supervisor ends before it has answered")
    func unanswered() throws {
        let outcome = try refusal(.ending())
        #expect(outcome.status == 69)
        #expect(outcome.complaints.first?.hasSuffix(" ended before it answered; rsync wasn't run") == true)
    }

    @Test(
        "A command that can't be started has the status that a shell gives it",
        arguments: [
            (SpawnError.Stage.exec, ENOENT, 127), (.exec, EACCES, 126), (.exec, ENOEXEC, 126), (.clone, EAGAIN, 125),
            (.clone, ENOENT, 125),
        ] as [(SpawnError.Stage, Int32, Int32)])
    func unstarted(stage: SpawnError.Stage, errno: Int32, status: Int32) {
        #expect(TaskRun.status(of: SpawnError(stage: stage, errno: errno)) == status)
    }
}
