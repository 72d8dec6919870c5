import CCurfew
import CurfewLinux

/// One page that the front and the supervisor share: what the keeper must know when the other half is gone, and how
/// the run ended.
///
/// The supervisor alone writes it; the front reads it once the supervisor has ended.
struct SharedPage {
    private let base: UnsafeMutableRawPointer

    private enum Offset {
        static let outcome = 0
        static let value = 4
        static let leader = 8
        static let group = 12
        static let paths = 64
        static let pathSize = 960
    }

    /// How the front has to end.
    enum Outcome: Int32 {
        /// The supervisor hasn't said: it was killed.
        case none = 0
        case exit = 1
        case raise = 2
    }

    init?() {
        guard let page = curfew_map_shared_page() else { return nil }
        base = page
    }

    var outcome: Outcome { Outcome(rawValue: base.load(fromByteOffset: Offset.outcome, as: Int32.self)) ?? .none }
    var value: Int32 { base.load(fromByteOffset: Offset.value, as: Int32.self) }

    func setOutcome(_ outcome: Outcome, _ value: Int32) {
        base.storeBytes(of: value, toByteOffset: Offset.value, as: Int32.self)
        base.storeBytes(of: outcome.rawValue, toByteOffset: Offset.outcome, as: Int32.self)
    }

    var leader: Int32 {
        get { base.load(fromByteOffset: Offset.leader, as: Int32.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: Offset.leader, as: Int32.self) }
    }

    /// The leader's own process group; 0 when it shares the front's.
    var group: Int32 {
        get { base.load(fromByteOffset: Offset.group, as: Int32.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: Offset.group, as: Int32.self) }
    }

    enum Path: Int { case unified, freezer, memory, socket }

    /// Empty when there is none, or when it is longer than the page has room for; then the next start sweeps.
    func path(_ path: Path) -> String { String(cString: slot(path)) }

    func set(_ path: Path, _ text: String) {
        let slot = slot(path)
        var index = 0
        for byte in text.utf8 where index < Offset.pathSize - 1 {
            slot[index] = CChar(bitPattern: byte)
            index += 1
        }
        slot[text.utf8.count < Offset.pathSize ? index : 0] = 0
    }

    private func slot(_ path: Path) -> UnsafeMutablePointer<CChar> {
        (base + Offset.paths + path.rawValue * Offset.pathSize).assumingMemoryBound(to: CChar.self)
    }
}
