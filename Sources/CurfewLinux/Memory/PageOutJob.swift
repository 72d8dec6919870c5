/// Moves a stopped tree's memory to swap piece by piece, so that its supervisor can do other things in between.
///
/// A class: an app has room for one all its life, and hardly ever one.
public final class PageOutJob {
    private let containment: Containment
    private let method: PageOutMethod
    private var walk: PageOutWalk
    /// By cgroup: what there is at most, for the kernel may have no end.
    private var left: UInt64
    private var isOver = false

    public init(_ tree: ProcessTree, by method: PageOutMethod) {
        containment = tree.containment
        self.method = method
        walk = PageOutWalk(method == .processMadvise ? tree.processes() : [])
        left = tree.footprint()
    }

    /// One piece; false once there is none left, or the kernel refuses.
    ///
    /// v1's `memory.force_empty` knows no pieces and blocks until it has them all.
    public func step() -> Bool {
        guard !isOver else { return false }
        switch method {
        case .memoryReclaim: isOver = !reclaim()
        case .forceEmpty:
            if let memory = containment.memory { try? Paging.forceEmpty(memory.directory) }
            isOver = true
        case .processMadvise: isOver = !walk.step()
        }
        return !isOver
    }

    private func reclaim() -> Bool {
        guard let unified = containment.unified, left > 0 else { return false }
        let piece = min(left, PageOutWalk.bytesPerStep)
        left -= piece
        return unified.withDirectory { (try? Paging.reclaim(piece, from: Descriptor($0))) == true }
    }

    /// Lets go of what it holds; to be called whether it is over or not.
    public func end() { walk.end() }
}

extension Containment {
    /// The best way to page out here: by the v2 cgroup, by each process, or by the v1 cgroup; nil where there is none.
    public var pageOutMethod: PageOutMethod? {
        if let unified, unified.has(file: "memory.reclaim") { return .memoryReclaim }
        if Capabilities.canSetPriorities { return .processMadvise }
        return memory == nil ? nil : .forceEmpty
    }
}
