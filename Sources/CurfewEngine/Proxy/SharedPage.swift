import CCurfew
import CurfewLinux
import Glibc

/// What the proxy and the supervisor share, and nobody else can reach: what the keeper must know when the other half is
/// gone, how the run ended, and on a page of its own what the two tell each other while it lasts.
///
/// The supervisor alone, and the child it starts, write the first page; the proxy reads it once the supervisor has ended.
struct SharedPage {
    private let base: UnsafeMutableRawPointer

    private enum Offset {
        static let signal = 0
        static let launch = 8
        static let reportDevice = 40
        static let reportInode = 48
        static let paths = 64
        static let pathSize = 800
    }

    init(_ page: UnsafeMutableRawPointer) { base = page }

    // MARK: While the run lasts

    /// What the proxy has to tell, the oldest first; `proxy` is rung where it may wait for room.
    func takeNews(proxy: Int32) -> curfew_news? {
        var news = curfew_news()
        let taken = curfew_news_take(base, &news)
        if taken == 2 { ring(proxy) }
        return taken > 0 ? news : nil
    }

    /// How much of that there is now.
    var newsCount: Int { Int(CURFEW_NEWS) - Int(curfew_news_room(base)) }

    /// Has the proxy stop by the signal; 0: not any more. `number`: a wish of another number is another wish.
    func wish(_ signal: Int32, number: UInt32, of proxy: Int32) {
        curfew_set_wish(base, number, signal)
        ring(proxy)
    }

    /// Answered among the news, once the proxy has passed on all that it was sent before.
    func ask(_ question: UInt32, of proxy: Int32) {
        curfew_set_question(base, question)
        ring(proxy)
    }

    /// Nobody else's pid: only its end would give us another parent.
    private func ring(_ proxy: Int32) {
        if getppid() == proxy { _ = curfew_kill(proxy, Int32(CURFEW_DOORBELL)) }
    }

    // MARK: Once it is over

    /// What the proxy has to die of when the supervisor has ended; 0: it exits as the supervisor did.
    func setProxySignal(_ signal: Int32) { base.storeBytes(of: signal, toByteOffset: Offset.signal, as: Int32.self) }

    /// The process whose end is the run's: the one that was started, or another that was named in its place.
    var mainPid: Int32 {
        get { launched.pointee.pid }
        nonmutating set { launched.pointee.pid = newValue }
    }

    /// The group of the process that was started, and its pid; 0 when it shares the proxy's.
    var group: Int32 { launched.pointee.group }

    /// Filled by the app's first process itself: whatever it does, even to the supervisor, the proxy knows it.
    var launchNote: UnsafeMutableRawPointer { base + Offset.launch }

    private var launched: UnsafeMutablePointer<curfew_spawn_note> {
        launchNote.assumingMemoryBound(to: curfew_spawn_note.self)
    }

    /// The file of `--report`; nil until it is open.
    var report: ReportFile.Identity? {
        get {
            let device = base.load(fromByteOffset: Offset.reportDevice, as: UInt64.self)
            let inode = base.load(fromByteOffset: Offset.reportInode, as: UInt64.self)
            return inode == 0 ? nil : ReportFile.Identity(device: device, inode: inode)
        }
        nonmutating set {
            base.storeBytes(of: newValue?.device ?? 0, toByteOffset: Offset.reportDevice, as: UInt64.self)
            base.storeBytes(of: newValue?.inode ?? 0, toByteOffset: Offset.reportInode, as: UInt64.self)
        }
    }

    enum Path: Int { case unified, freezer, memory, cpu, socket }

    /// Empty when there is none, or when it is longer than the page has room for; then the next start sweeps.
    func path(_ path: Path) -> String { String(cString: slot(path)) }

    func set(_ path: Path, _ text: String) {
        let slot = slot(path)
        text.withCString { text in
            let length = strlen(text)
            if length < Offset.pathSize { memcpy(slot, text, length + 1) } else { slot[0] = 0 }
        }
    }

    private func slot(_ path: Path) -> UnsafeMutablePointer<CChar> {
        (base + Offset.paths + path.rawValue * Offset.pathSize).assumingMemoryBound(to: CChar.self)
    }
}
