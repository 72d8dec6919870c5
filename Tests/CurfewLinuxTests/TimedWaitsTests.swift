import CCurfew
import Glibc
import Testing

@testable import CurfewLinux

@Suite("The shortest wait of a program's own")
struct TimedWaitsTests {
    /// A program that waits so, and its shortest wait once it does.
    private func wait(of arguments: [String], _ look: (inout TimedWaits, Int32) throws -> Void) throws {
        let child = try TestChild(arguments)
        defer { child.end() }
        var waits = TimedWaits()
        #expect(eventually { waits.shortest(of: [child.pid]) != nil })
        try look(&waits, child.pid)
    }

    @Test("A sleep, as long as it is; stopped and continued, it is known again; elsewhere it isn't")
    func sleep() throws {
        try wait(of: ["/bin/sleep", "1000"]) { waits, pid in
            let first = waits.shortest(of: [pid])
            let wait = try #require(first)
            #expect(wait.pid == pid && wait.name == "sleep" && wait.call == "nanosleep")
            // That of coreutils 9.7 rounds up.
            #expect((1_000_000_000_000...1_000_000_000_001).contains(wait.nanoseconds))
            for _ in 0..<2 {
                #expect(asked { waits.shortest(of: [pid]) } == wait)
                Puppet.stop(pid)
                #expect(asked { waits.shortest(of: [pid]) } == wait)
                signal(pid, SIGCONT)
                #expect(eventually { state(pid) == "S" })
            }
            Puppet.stop(pid)
            var others = TimedWaits()
            #expect(asked { others.shortest(of: [pid]) } == nil)
        }
    }

    @Test(
        "Of several processes and threads the shortest",
        .enabled(if: TestChild.hasPython, "needs \(TestChild.pythonPath) to wait"))
    func shortest() throws {
        let child = try TestChild(
            python: """
                import select, signal, threading
                threading.Thread(target=lambda: select.select([], [], [], 2000), daemon=True).start()
                threading.Thread(target=lambda: select.epoll().poll(50), daemon=True).start()
                signal.pause()
                """)
        defer { child.end() }
        let other = try TestChild(["/bin/sleep", "1000"])
        defer { other.end() }
        var waits = TimedWaits()
        let nameOf = { Procfs.commandName(child.pid) ?? "" }
        #expect(eventually { waits.shortest(of: [other.pid, child.pid])?.call == "epoll_wait" })
        #expect(
            asked { waits.shortest(of: [other.pid, child.pid]) }
                == TimedWait(pid: child.pid, name: nameOf(), call: "epoll_wait", nanoseconds: 50_000_000_000))
        #expect(asked { waits.shortest(of: [nobody, other.pid]) }?.pid == other.pid)
    }

    @Test("What runs, or waits without an end, has none")
    func none() throws {
        let child = try TestChild(shell: TestChild.stay)
        defer { child.end() }
        #expect(child.line() == "ready")
        var waits = TimedWaits()
        #expect(asked { waits.shortest(of: [child.pid, nobody]) } == nil)
        let spinner = try TestChild(shell: "echo ready >&8; while :; do :; done")
        defer { spinner.end() }
        #expect(spinner.line() == "ready")
        #expect(asked { waits.shortest(of: [spinner.pid]) } == nil)
    }

    // MARK: One call

    private func call(_ text: String) -> SleepingCall? {
        Array(text.utf8).withUnsafeBytes { SleepingCall($0) }
    }

    @Test("A line of /proc/PID/syscall")
    func line() throws {
        let text = "230 0x1 0x0 0x7fffa031ac30 0x0 0x0 0xf 0x7fffa031ac18 0x7f16a84ed503\n"
        let call = try #require(self.call(text))
        #expect(call.number == 230)
        #expect(call.arguments == [1, 0, 0x7fff_a031_ac30, 0, 0, 15])
        #expect(call.stackPointer == 0x7fff_a031_ac18)
        #expect(call.programCounter == 0x7f16_a84e_d503)
        let elsewhere = try #require(self.call(text.replacing("ac18", with: "ac28")))
        #expect(call.isAtSamePlace(as: call))
        #expect(!call.isAtSamePlace(as: elsewhere))
    }

    @Test(
        "What is none, and what a program of 32 bits waits in, whose calls have other numbers",
        arguments: [
            "", "running\n", "-1 0x7ffd964a5458 0x7fea46785ad8\n", "230", "230 0x1 0x0", "230 1 2 3 4 5 6 7 8",
            "7 0x1 0x0 0x0 0x0 0x0 0x0 0x7fffa031ac18\n", "7 0x0 0x0 0x64 0x0 0x0 0x0 0xffa031ac 0xf7f16a84\n",
        ])
    func noCall(text: String) {
        #expect(self.call(text) == nil)
    }
}

@Suite("A program's memory, as far as it is there")
struct ResidentMemoryTests {
    @Test("Two numbers of our own; none where no page is, or only a part")
    func numbers() {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let size = 2 * page
        let room = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let room, room != MAP_FAILED else {
            Issue.record("no memory")
            return
        }
        defer { munmap(room, size) }
        let address = UInt64(UInt(bitPattern: room))
        var memory = ResidentMemory(of: getpid())
        defer { memory.close() }
        #expect(asked { memory.numbers(at: address) } == nil)
        room.storeBytes(of: 7, as: Int64.self)
        room.storeBytes(of: -1, toByteOffset: 8, as: Int64.self)
        let numbers = memory.numbers(at: address)
        #expect(numbers?.0 == 7 && numbers?.1 == -1)
        #expect(asked { memory.numbers(at: address + UInt64(page) - 8) } == nil)
        #expect(asked { memory.numbers(at: 0) } == nil)
        #expect(asked { memory.numbers(at: .max) } == nil)
        var gone = ResidentMemory(of: nobody)
        #expect(asked { gone.numbers(at: address) } == nil)
    }
}
