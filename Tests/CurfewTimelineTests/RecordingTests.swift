import CurfewWire
import Testing

@testable import CurfewTimeline

@Suite("A run that is looked at while it goes on")
struct RecordingTests {
    private let second = Samples.second

    private func recording(_ state: String) -> Recording {
        Recording(RunRecorder(app: "app"), state: state, every: second, at: 0)
    }

    private func change(_ at: Double, _ from: String, _ to: String) -> Happening {
        Samples.happening(at, "stateDidChange", ["from=\(from)", "to=\(to)"])
    }

    private func measures(_ memory: Int64, limit: Int64? = nil, cpu: Int64 = 0) -> Recording.Measures {
        Recording.Measures(memory: memory, memoryLimit: limit, cpu: cpu)
    }

    @Test(
        "While it runs it is measured at the interval, from when it was measured last",
        arguments: ["active", "background"])
    func interval(state: String) {
        var recording = recording(state)
        #expect(recording.due == 0)
        recording.take(measures(1), time: 100 * second, at: 5)
        #expect(recording.due == 5 + second)
        recording.take(Samples.happening(101, "memoryWarning", ["level=warning"]), at: 7)
        #expect(recording.due == 5 + second)
    }

    @Test("Suspended it is measured once, and not again before it goes on")
    func suspended() {
        var recording = recording("active")
        recording.take(measures(1), time: 100 * second, at: 0)
        recording.take(change(100.5, "active", "suspended"), at: 10)
        #expect(recording.due == 10)
        recording.take(measures(2), time: 101 * second, at: 20)
        #expect(recording.due == nil)
        recording.take(change(500, "suspended", "active"), at: 30)
        #expect(recording.due == 30)
    }

    @Test("What has ended isn't measured")
    func ended() {
        var recording = recording("active")
        recording.take(change(100, "active", "notRunning"), at: 10)
        #expect(recording.due == nil)
    }

    @Test("What was measured is in the run, with the limits as they changed")
    func measured() {
        var recording = recording("active")
        recording.take(change(99, "notRunning", "active"), at: 0)
        recording.take(measures(10, limit: 50, cpu: 3), time: 100 * second, at: 0)
        recording.take(measures(20, limit: 50, cpu: 4), time: 101 * second, at: 1)
        recording.take(Recording.Measures(memory: nil, memoryLimit: nil, cpu: nil), time: 102 * second, at: 2)
        let run = recording.recorder.finished()
        #expect(run.memory == [.init(time: 100 * second, value: 10), .init(time: 101 * second, value: 20)])
        #expect(run.cpu.map(\.value) == [3, 4])
        #expect(run.memoryLimits.map(\.value) == [50, nil])
        #expect(run.to == 102 * second)
    }
}
