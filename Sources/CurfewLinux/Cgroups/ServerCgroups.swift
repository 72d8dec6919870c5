import CCurfew
import Glibc

/// The cgroups below which the apps of one server have theirs: whoever survives the server needs to know these alone.
///
/// That of the processes is made at the start and locked while the server lives; those of version 1's memory and CPU time are
/// made when an app first needs one.
public struct ServerCgroups: Sendable {
    public let kind: ContainmentKind
    private let name: String
    private let proxy: Int32
    private var unified: Cgroup2?
    private var freezer: Cgroup1?
    private var memory: Cgroup1?
    private var cpu: Cgroup1?
    /// Where we were when it was made.
    private let mounts: CgroupMounts
    /// Our own cgroup, where it hands controllers down for the apps' sake.
    private var delegating: String?

    /// `note` hears each path before it is made. `proxy`: whoever may have to change its cgroup with us.
    ///
    /// Throws only for a kind asked for by name; `auto` takes what it gets.
    public static func make(
        _ kind: ContainmentKind, name: String, proxy: Int32, note: (Containment.PathRole, String) -> Void
    ) throws(KernelError) -> ServerCgroups {
        let mounts = CgroupMounts.read(legacy: true)
        var unified: Cgroup2?
        var freezer: Cgroup1?
        if kind == .auto || kind == .cgroup2 {
            do throws(KernelError) {
                unified = try Containment.makeUnified(mounts.unified, name: name, note: note)
            } catch {
                if kind == .cgroup2 { throw error }
            }
        }
        if kind == .cgroup1 || kind == .auto && unified == nil {
            do throws(KernelError) {
                guard let parent = mounts.freezer else {
                    throw KernelError("find", "a cgroup v1 freezer", errno: ENOENT)
                }
                note(.freezer, parent + "/" + name)
                freezer = try Cgroup1(parent: parent, name: name)
            } catch {
                if kind == .cgroup1 { throw error }
            }
        }
        let found: ContainmentKind = unified != nil ? .cgroup2 : freezer != nil ? .cgroup1 : .tree
        return ServerCgroups(kind: found, name: name, proxy: proxy, unified: unified, freezer: freezer, mounts: mounts)
    }

    private init(
        kind: ContainmentKind, name: String, proxy: Int32, unified: Cgroup2?, freezer: Cgroup1?, mounts: CgroupMounts
    ) {
        self.kind = kind
        self.name = name
        self.proxy = proxy
        self.unified = unified
        self.freezer = freezer
        self.mounts = mounts
    }

    // MARK: An app's

    /// What holds one app, below these. `name`: as `appsName` has it.
    public mutating func makeApps(
        _ name: String, _ resources: Containment.Resources, note: (Containment.PathRole, String) -> Void
    ) throws(KernelError) -> Containment {
        var below = CgroupMounts()
        below.unified = unified?.path
        below.freezer = freezer?.path
        if resources.memory { obtain("memory", file: "memory.max") }
        if resources.cpu { obtain("cpu", file: "cpu.max") }
        if resources.memory, unified?.hands(down: "memory") != true {
            memory = memory ?? makeLegacy(in: mounts.memory, .memory, note)
            below.memory = memory?.path
        }
        if resources.cpu, unified?.hands(down: "cpu") != true {
            cpu = cpu ?? makeLegacy(in: mounts.cpu, .cpu, note)
            below.cpu = cpu?.path
        }
        return try Containment.make(kind, name: name, resources: resources, below: below)
    }

    private func makeLegacy(
        in parent: String?, _ role: Containment.PathRole, _ note: (Containment.PathRole, String) -> Void
    ) -> Cgroup1? {
        guard let parent else { return nil }
        note(role, parent + "/" + name)
        var cgroup = try? Cgroup1(parent: parent, name: name)
        cgroup?.closeJoining()
        return cgroup
    }

    /// Has the apps' cgroups have the controller, if that can be done.
    private mutating func obtain(_ controller: String, file: String) {
        guard let unified, !unified.hands(down: controller) else { return }
        if !unified.has(file: file), let own = mounts.unified, unified.path == own + "/" + name {
            if ControllerDelegation.begin([controller], in: own, proxy: proxy) { delegating = own }
        }
        if unified.has(file: file) { try? unified.write("+" + controller, to: "cgroup.subtree_control") }
    }

    /// What an app's cgroup is called: the app's number, too, is in it, and our own.
    public static func appsName(_ app: String, number: Int) -> String {
        Cgroup2.prefix + app + "." + decimal(number) + "." + decimal(Int(getpid()))
    }

    /// The number in such a name; nil in one that isn't of our making.
    public static func number(inName name: Substring, of supervisor: Int32 = getpid()) -> Int? {
        guard name.hasPrefix(Cgroup2.prefix), let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")),
            Int32(name[name.index(after: dot)...]) == supervisor
        else { return nil }
        let front = name[..<dot]
        return front.utf8.lastIndex(of: UInt8(ascii: ".")).flatMap { Int(front[front.index(after: $0)...]) }
    }

    // MARK: The end

    /// Where other servers, and supervisors, have theirs.
    public var paths: [String] { [unified?.path, freezer?.path, memory?.path, cpu?.path].compactMap { $0 } }

    /// Whether something is left in them that isn't ours to keep.
    public mutating func isPopulated() -> Bool {
        unified?.isPopulated() ?? !(freezer?.processes().isEmpty ?? true)
    }

    /// False while something is left in one of them.
    public mutating func remove() -> Bool {
        var isRemoved = true
        if unified != nil { isRemoved = (unified?.remove() ?? true) && isRemoved }
        if freezer != nil { isRemoved = (freezer?.remove() ?? true) && isRemoved }
        if memory != nil { isRemoved = (memory?.remove() ?? true) && isRemoved }
        if cpu != nil { isRemoved = (cpu?.remove() ?? true) && isRemoved }
        if isRemoved, let own = delegating {
            delegating = nil
            ControllerDelegation.end(in: own)
        }
        return isRemoved
    }
}

extension Cgroup2 {
    /// Whether cgroups below it have the controller.
    func hands(down controller: String) -> Bool {
        withDirectory { directory in
            SmallFile.withContents(of: "cgroup.subtree_control", at: directory) { bytes -> Bool in
                bytes.split { $0 == 32 || $0 == 10 }.contains { $0.elementsEqual(controller.utf8) }
            } ?? false
        }
    }
}
