import CurfewWire
import Glibc
import Testing

@testable import CurfewClient

@Suite("Requests to a supervisor", .timeLimit(.minutes(2)))
struct RequestTests {
    @Test("A task is begun, and ended by its number")
    func beginAndEnd() throws {
        try withSupervisor { supervisor, application in
            let task = application.beginBackgroundTask(withName: "nightly \"upload\"\n")
            #expect(task == BackgroundTaskIdentifier(rawValue: 1))
            #expect(try supervisor.wait(for: "begin").message["name"] == "nightly \"upload\"\n")
            application.endBackgroundTask(task)
            #expect(try supervisor.wait(for: "end").message["task"] == "1")
            try supervisor.waitUntilNoTaskIsOpen()
        }
    }

    @Test("The invalid task is not ended")
    func endOfNothing() throws {
        try withSupervisor { supervisor, application in
            application.endBackgroundTask(.invalid)
            #expect(application.backgroundTimeRemaining == 571.204)
            #expect(supervisor.requests.map(\.message.verb) == ["remaining"])
        }
    }

    @Test("A name is cut to 128 bytes, between characters", arguments: ["e", "é", "👨‍👩‍👧", "e\u{301}"])
    func longName(character: String) throws {
        try withSupervisor { supervisor, application in
            _ = application.beginBackgroundTask(withName: String(repeating: character, count: 200))
            let name = try #require(supervisor.wait(for: "begin").message["name"])
            #expect(name == String(repeating: character, count: 128 / character.utf8.count))
        }
    }

    @Test("A name of a megabyte is cut in no time, and one that fits isn't")
    func namesAtTheLimit() {
        #expect(TaskName.cut(String(repeating: "x", count: 1 << 20)).utf8.count == 128)
        let fits = String(repeating: "ab", count: 64)
        #expect(TaskName.cut(fits) == fits)
        #expect(TaskName.cut("e" + String(repeating: "\u{301}", count: 100)) == "")
    }

    @Test("A task without a name is called after the place of the call")
    func nameless() throws {
        try withSupervisor { supervisor, application in
            _ = application.beginBackgroundTask()
            _ = application.beginBackgroundTask(withName: nil)
            let names = try [1, 2].map { try supervisor.wait(for: "begin", count: $0).message["name"] ?? "none" }
            #expect(names[0].hasPrefix("CurfewClientTests/RequestTests.swift:"))
            #expect(names[1] == "")
        }
    }

    @Test(
        "A refusal is the invalid task",
        arguments: [
            "error code=expired task=0 message=\"the background budget is spent\"", "error code=terminating task=0",
            "ok", "ok task=0", "ok task=-4", "ok task=x", "ok task=99999999999999999999",
        ])
    func refusal(answer: String) throws {
        let answering: FakeSupervisor.Answering = { message in
            guard message.verb == "begin", let id = message["id"] else { return nil }
            let words = answer.split(separator: " ", maxSplits: 1)
            return ["\(words[0]) id=\(id) \(words.dropFirst().first ?? "")"]
        }
        try withSupervisor(answering: answering) { supervisor, application in
            #expect(application.beginBackgroundTask(withName: "x") {} == .invalid)
            #expect(application.isMultitaskingSupported)
        }
    }

    @Test("Time is infinite as UIKit has it, and what is no number is nothing")
    func remaining() throws {
        for (text, expected) in [
            ("inf", Double.greatestFiniteMagnitude), ("0.000", 0), ("4.250", 4.25), ("-1.000", -1), ("soon", 0),
        ] {
            try withSupervisor(answering: { ["ok id=\($0["id"] ?? "") seconds=\(text)"] }) { _, application in
                #expect(application.backgroundTimeRemaining == expected, "\(text)")
            }
        }
    }

    @Test("Where the app is can be asked for without listening")
    func stateWithoutEvents() throws {
        for (word, expected) in [
            ("active", ApplicationState.active), ("inactive", .inactive), ("background", .background),
            ("suspended", .background), ("elsewhere", .active),
        ] {
            try withSupervisor(answering: { ["ok id=\($0["id"] ?? "") state=\(word)"] }) { supervisor, application in
                #expect(application.applicationState == expected, "\(word)")
                #expect(supervisor.count("hello") == 0)
            }
        }
        try withSupervisor { _, application in #expect(application.applicationState == .background) }
    }

    @Test("Many threads ask at once, and each gets its own answer")
    func manyThreads() throws {
        try withSupervisor { supervisor, application in
            let tasks = Witness<BackgroundTaskIdentifier>()
            for thread in 0..<8 {
                try onThread {
                    for number in 0..<50 {
                        let task = application.beginBackgroundTask(withName: "\(thread).\(number)") {}
                        application.endBackgroundTask(task)
                        tasks.add(task)
                    }
                }
            }
            let numbers = try Set(tasks.wait(count: 400).map(\.rawValue))
            #expect(numbers == Set(1...400))
            try supervisor.waitUntilNoTaskIsOpen()
            #expect(Set(supervisor.requests.map(\.connection)) == [1])
        }
    }

    @Test("Answers in pieces, out of order and among nonsense find who waits for them")
    func answersInPieces() throws {
        let supervisor = try FakeSupervisor(answering: { $0.verb == "remaining" ? [] : nil })
        defer { supervisor.die() }
        let application = CurfewApplication(at: supervisor.address, patience: FakeSupervisor.patience)
        let answers = Witness<Double>()
        for _ in 0..<2 { try onThread { answers.add(application.backgroundTimeRemaining) } }
        let asked = try [1, 2].map { try supervisor.wait(for: "remaining", count: $0).message["id"] ?? "" }
        let nonsense = "error code=malformed offset=3\nok\nok id=7.x\nok id=0.1\nfuture \"\nnews id=\(asked[0])\n\n\r\n"
        supervisor.sendBytes(Array(nonsense.utf8), to: 1)
        for byte in "ok id=\(asked[1]) seconds=2.000\nok id=\(asked[0]) seconds=1.000\n".utf8 {
            supervisor.sendBytes([byte], to: 1)
        }
        #expect(try answers.wait(count: 2).sorted() == [1, 2])
    }
}
