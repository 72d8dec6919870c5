import CCurfew
import CurfewLinux
import Glibc

/// One page that the front and the supervisor share: what the keeper must know when the other half is gone, and how
/// the run ended.
///
/// The supervisor alone writes it; the front reads it once the supervisor has ended.
struct SharedPage {
    private let base: UnsafeMutableRawPointer

    private enum Offset {
        static let signal = 0
        static let leader = 8
        static let group = 12
        static let reportDevice = 40
        static let reportInode = 48
        static let paths = 64
        static let pathSize = 800
    }

    init(_ page: UnsafeMutableRawPointer) { base = page }

    /// What the front has to die of when the supervisor has ended; 0: it exits as the supervisor did.
    func setFrontsSignal(_ signal: Int32) { base.storeBytes(of: signal, toByteOffset: Offset.signal, as: Int32.self) }

    var leader: Int32 {
        get { base.load(fromByteOffset: Offset.leader, as: Int32.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: Offset.leader, as: Int32.self) }
    }

    /// The leader's own process group; 0 when it shares the front's.
    var group: Int32 {
        get { base.load(fromByteOffset: Offset.group, as: Int32.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: Offset.group, as: Int32.self) }
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
