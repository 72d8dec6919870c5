import Glibc

/// What is charged to a memory cgroup, put together from files that don't tell of one moment.
///
/// What `memory.stat` tells is gathered from each processor in turn, up to two seconds late: of what takes and gives back memory
/// on two of them it may count what is gone, or not what is there. Told of an app that never held more than 174 MiB: 219 MiB.
/// What is charged as a whole is exact, so it bounds the rest.
///
/// Source: kernel, mm/memcontrol.c, mem_cgroup_flush_stats(), FLUSH_TIME, mem_cgroup_css_rstat_flush().
struct ChargedMemory: Equatable {
    /// Anonymous, shared and, in v2, unreclaimable kernel memory that isn't in swap, by `memory.stat`, in bytes.
    var resident: UInt64
    /// Swapped out, in bytes.
    var swapped: UInt64
    /// What is charged besides: caches, and what else is the kernel's, by `memory.stat`, in bytes.
    var others: UInt64
    /// All that is charged but for swap, in bytes.
    var total: UInt64

    /// What the kernel can't drop, never more than is charged.
    var footprint: UInt64 { min(resident, total) + swapped }

    /// What the footprint may be at most where `memory.stat` lags behind, but for what processors hold in stock.
    ///
    /// For marks, that tell of a footprint before it is there, and not to judge an app by: of files it may count too much.
    var footprintAtMost: UInt64 {
        let rest = others + Self.stock
        return max(footprint, total > rest ? total - rest + swapped : 0)
    }

    /// What is charged ahead, 64 pages a processor. Source: kernel, mm/memcontrol.c, MEMCG_CHARGE_BATCH.
    static let stock = 64 * configured(_SC_PAGESIZE) * configured(_SC_NPROCESSORS_ONLN)

    private static func configured(_ name: Int) -> UInt64 { UInt64(max(1, sysconf(Int32(name)))) }
}

extension ChargedMemory {
    /// By a v2 cgroup; nil without the memory controller.
    ///
    /// Source: Documentation/admin-guide/cgroup-v2.rst, "Memory Interface Files".
    init?(unified files: some CgroupFiles) {
        let read = files.withDirectory { directory in
            SmallFile.withContents(of: "memory.stat", at: directory) { stat -> (UInt64, UInt64) in
                let shared = stat.sum(of: ["shmem "])
                let caches = stat.sum(of: ["file "])
                return (
                    stat.sum(of: ["anon ", "kernel_stack ", "pagetables ", "slab_unreclaimable "]) + shared,
                    stat.sum(of: ["slab_reclaimable ", "sec_pagetables ", "percpu ", "sock ", "vmalloc ", "zswap "])
                        + (caches > shared ? caches - shared : 0)
                )
            }
        }
        guard let stat = read,
            let total = files.number(in: "memory.current")
        else { return nil }
        self.init(
            resident: stat.0, swapped: files.number(in: "memory.swap.current") ?? 0, others: stat.1, total: total)
    }

    /// By a v1 cgroup. Without swap accounting (`swapaccount=0`, the default of some distributions before Linux 5.8)
    /// `swappedOfProcesses` is asked.
    ///
    /// Source: kernel, Documentation/admin-guide/cgroup-v1/memory.rst and kernel-parameters.txt.
    init?(legacy files: some CgroupFiles, swappedOfProcesses: () -> UInt64) {
        guard
            let stat = SmallFile.withContents(
                of: "memory.stat", at: files.directory.number,
                { stat -> (UInt64, UInt64, UInt64?) in
                    let shared = stat.sum(of: ["total_shmem "])
                    let caches = stat.sum(of: ["total_cache "])
                    return (
                        stat.sum(of: ["total_rss "]) + shared, caches > shared ? caches - shared : 0,
                        stat.number(after: "total_swap ")
                    )
                }),
            let total = files.number(in: "memory.usage_in_bytes")
        else { return nil }
        self.init(
            resident: stat.0, swapped: stat.2.map { Self.swapped($0, total, files) } ?? swappedOfProcesses(),
            others: stat.1 + (files.number(in: "memory.kmem.usage_in_bytes") ?? 0), total: total)
    }

    /// No more than is charged with swap beyond what is charged without.
    private static func swapped(_ told: UInt64, _ total: UInt64, _ files: some CgroupFiles) -> UInt64 {
        guard told > 0, let both = files.number(in: "memory.memsw.usage_in_bytes") else { return told }
        return min(told, both > total ? both - total : 0)
    }
}

extension UnsafeRawBufferPointer {
    /// What is told by lines that begin so, 0 of those that aren't there.
    fileprivate func sum(of keys: [StaticString]) -> UInt64 { keys.reduce(0) { $0 + (number(after: $1) ?? 0) } }
}
