import CCurfew
import Glibc

@testable import CurfewEngine

/// The two pages that a proxy and a supervisor share, in this process alone; a test is the proxy.
final class SharedPages {
    let page: SharedPage
    private let memory = UnsafeMutableRawPointer.allocate(byteCount: Int(CURFEW_SHARED_SIZE), alignment: 4096)

    init() {
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: Int(CURFEW_SHARED_SIZE))
        page = SharedPage(memory)
    }

    deinit { memory.deallocate() }

    /// What the proxy passes on; false where there is no room.
    @discardableResult
    func put(_ signal: Int32, from sender: SignalSender = .kernel, number: UInt32 = 0) -> Bool {
        let code = sender == .kernel ? Int32(SI_KERNEL) : Int32(SI_USER)
        return curfew_news_put(memory, curfew_news(signal: signal, code: code, pid: sender.pid ?? 0, number: number))
    }

    /// What the proxy is wished to stop by, and the wish's number.
    var wish: (number: UInt32, signal: Int32) {
        var (number, signal): (UInt32, Int32) = (0, 0)
        curfew_wish(memory, &number, &signal)
        return (number, signal)
    }

    /// What the proxy is asked.
    var question: UInt32 { curfew_question(memory) }

    /// What it has to die of.
    var proxySignal: Int32 { memory.load(as: Int32.self) }

    /// As the child that is started notes it.
    func noteLaunch(_ pid: Int32, group: Int32) {
        page.launchNote.storeBytes(of: curfew_spawn_note(pid: pid, group: group), as: curfew_spawn_note.self)
    }
}
