import CurfewCore
import Testing

@testable import CurfewEngine

@Suite("Why an app is awake, in words")
struct AwakeReasonTests {
    @Test(
        "Of work: how much it was, and whose",
        arguments: [
            (
                AwakeReason.cpu(used: .seconds(31), elapsed: .seconds(150), busiest: nil),
                "it used 21 % of a processor in the last 2 min 30 s"
            ),
            (
                .cpu(used: .seconds(31), elapsed: .seconds(150), busiest: ProcessShare("ffmpeg (7)", .seconds(27))),
                "it used 21 % of a processor in the last 2 min 30 s, of which ffmpeg (7) 18 %"
            ),
            (
                .cpu(used: .seconds(31), elapsed: .seconds(150), busiest: ProcessShare("ffmpeg (7)", .seconds(31))),
                "ffmpeg (7) used 21 % of a processor in the last 2 min 30 s"
            ),
            (
                .cpu(
                    used: .milliseconds(249), elapsed: .milliseconds(250),
                    busiest: ProcessShare("sh (7)", .milliseconds(230))),
                "sh (7) used 100 % of a processor in the last 0.3 s"
            ),
            (
                .cpu(used: .milliseconds(15), elapsed: .seconds(1), busiest: nil),
                "it used 1.5 % of a processor in the last 1 s"
            ),
            (.wrote(bytes: 4096, writer: nil), "it wrote 4 KiB"),
            (.wrote(bytes: 4096, writer: ProcessShare("cat (7)", 3072)), "it wrote 4 KiB, of which cat (7) 3 KiB"),
            (.wrote(bytes: 4096, writer: ProcessShare("cat (7)", 4096)), "cat (7) wrote 4 KiB"),
            (.processes(newcomer: "sleep (8)"), "sleep (8) was born"),
            (.processes(newcomer: nil), "a process of it was born, or has gone"),
        ] as [(AwakeReason, String)])
    func work(reason: AwakeReason, text: String) {
        #expect(reason.text == text)
    }
}
