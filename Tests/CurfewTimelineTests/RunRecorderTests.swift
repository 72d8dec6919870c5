import CurfewWire
import Testing

@testable import CurfewTimeline

@Suite("A run, made of what happened")
struct RunRecorderTests {
    private let second = Samples.second

    private func spans(_ run: AppRun) -> [String] {
        run.bands.map { "\($0.state) \($0.from / 1_000_000)-\($0.to / 1_000_000)" }
    }

    @Test("States become bands without a gap")
    func bands() {
        let run = Samples.run([
            Samples.change(1, "notRunning", "active"), Samples.change(3, "active", "background"),
            Samples.change(3.5, "background", "suspended"), Samples.change(9, "suspended", "notRunning"),
            (9, "didEnd", ["status=0"]),
        ])
        #expect(
            spans(run) == ["active 1000-3000", "background 3000-3500", "suspended 3500-9000", "notRunning 9000-9000"])
        #expect(run.from == 1 * second)
        #expect(run.to == 9 * second)
    }

    @Test("Bands tile the run, whatever happens", arguments: 1...50)
    func tiles(seed: Int) {
        let run = Samples.busy(events: 200, seed: UInt64(seed))
        #expect(run.bands.first?.from == run.from)
        #expect(run.bands.last?.to == run.to)
        for (band, next) in zip(run.bands, run.bands.dropFirst()) { #expect(band.to == next.from) }
        for band in run.bands { #expect(band.from <= band.to) }
        for task in run.tasks { #expect(run.from <= task.from && task.from <= task.to && task.to <= run.to) }
    }

    @Test("Where the beginning isn't known, the state that is left was the one before")
    func cut() {
        var recorder = RunRecorder(app: "app")
        recorder.take(Samples.happening(5, "changeKept", ["event=zone"], number: 300))
        recorder.take(Samples.happening(7, "stateDidChange", ["from=background", "to=active"], number: 301))
        let run = recorder.finished()
        #expect(spans(run) == ["background 5000-7000", "active 7000-7000"])
        #expect(run.facts.map(\.text) == ["299 earlier events aren't known"])
    }

    @Test("Without any change of state it is the one that was told elsewhere, else unknown")
    func noState() {
        var recorder = RunRecorder(app: "app")
        recorder.take(Samples.happening(5, "isStopping", []))
        #expect(spans(recorder.finished(at: 6 * second)) == ["unknown 5000-6000"])
        #expect(spans(recorder.finished(at: 6 * second, state: "active")) == ["active 5000-6000"])
    }

    @Test("A clock that goes back stands still")
    func clockGoesBack() {
        let run = Samples.run([Samples.change(5, "notRunning", "active"), Samples.change(4, "active", "background")])
        #expect(spans(run) == ["active 5000-5000", "background 5000-5000"])
    }

    @Test("Tasks: ended, released, open at the end, begun before what is known")
    func tasks() {
        let run = Samples.run(
            [
                Samples.change(0, "notRunning", "active"), (1, "taskDidBegin", ["task=1", "title=a"]),
                (2, "taskDidBegin", ["task=2", "title=b"]), (3, "taskDidEnd", ["task=1", "title=a"]),
                (4, "taskDidEnd", ["task=9", "title=old"]), (5, "taskDidBegin", ["task=3", "title=c"]),
                (6, "taskDidRelease", ["task=2", "title=b"]),
            ], until: 8)
        let told = run.tasks.map { "\($0.number) \($0.name) \($0.from / second)-\($0.to / second) \($0.outcome)" }
        #expect(told == ["9 old 0-4 ended", "1 a 1-3 ended", "2 b 2-6 released", "3 c 5-8 open"])
        #expect(run.tasks.map(\.wasBegunBefore) == [true, false, false, false])
    }

    @Test("The end has the status, and of a kill the reason, the code and the words")
    func ends() {
        let killed = Samples.run([
            Samples.change(0, "notRunning", "active"),
            (1, "willKill", ["reason=memory-limit", "code=jetsam 7", "why=too much"]),
            (2, "didEnd", ["status=137", "reason=memory-limit"]),
        ])
        #expect(
            killed.end
                == .init(time: 2 * second, status: "137", reason: "memory-limit", code: "jetsam 7", why: "too much"))
        let signalled = Samples.run([Samples.change(0, "notRunning", "active"), (2, "didEnd", ["signal=15"])])
        #expect(signalled.end == .init(time: 2 * second, status: "signal 15"))
        #expect(Samples.run([Samples.change(0, "notRunning", "active")]).end == nil)
    }

    @Test("What is neither a state nor a task is a mark")
    func marks() {
        let run = Samples.run([
            Samples.change(0, "notRunning", "active"), (1, "didDeliver", ["event=willResignActive", "seq=3"]),
            (2, "didAcknowledge", ["event=didEnterBackground", "seq=4"]), (3, "changeKept", ["event=zone"]),
            (4, "didBecomeReady", []),
        ])
        #expect(
            run.marks.map(\.label) == [
                "willResignActive", "ack didEnterBackground", "changeKept zone", "didBecomeReady",
            ])
    }

    @Test("A kill matters most; an end of the app's own accord is nothing special")
    func ranks() {
        func rank(_ name: String, _ fields: [Field] = []) -> AppRun.Mark.Rank {
            AppRun.Mark(time: 0, name: name, fields: fields).rank
        }
        #expect(rank("willKill") == .fatal)
        #expect(rank("didEnd", [Field("reason", "time-limit")]) == .fatal)
        #expect(rank("didEnd", [Field("status", "0")]) == .plain)
        #expect(rank("memoryWarning") == .warning)
        #expect(rank("didAcknowledge") == .minor)
    }

    @Test("A limit on memory is kept when it changes")
    func limits() {
        let run = Samples.run([Samples.change(0, "notRunning", "active")]) { recorder in
            for (time, bytes) in [(1, 5), (2, 5), (3, 7), (4, nil)] as [(Int64, Int64?)] {
                recorder.memoryLimit(bytes, at: time)
            }
        }
        #expect(run.memoryLimits.map(\.value) == [5, 7, nil])
    }

    @Test("A limit that holds now is drawn from the last change of state")
    func limitNow() {
        let changes = [Samples.change(0, "notRunning", "active"), Samples.change(3, "active", "background")]
        let run = Samples.run(changes, until: 9) { $0.memoryLimit(5) }
        #expect(run.memoryLimits == [.init(time: 3 * second, value: 5)])
    }
}
