import CCurfew
import Glibc
import Testing

@testable import CurfewLinux

@Suite("Where the cgroup hierarchies are, and we in them")
struct MountsTests {
    private func mounts(_ mountinfo: String, _ cgroup: String, legacy: Bool = true) -> CgroupMounts {
        CgroupMounts.parse(mountinfo: Array(mountinfo.utf8), cgroup: Array(cgroup.utf8), legacy: legacy)
    }

    private func expect(
        _ found: CgroupMounts, unified: String? = nil, memory: String? = nil, freezer: String? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(found.unified == unified, sourceLocation: location)
        #expect(found.memory == memory, sourceLocation: location)
        #expect(found.freezer == freezer, sourceLocation: location)
    }

    @Test("A systemd host with v2 only, in a terminal of a desktop session")
    func pureUnified() {
        let found = mounts(
            """
            24 30 0:22 / /sys rw,nosuid,nodev,noexec,relatime shared:7 - sysfs sysfs rw
            25 30 0:23 / /proc rw,nosuid,nodev,noexec,relatime shared:13 - proc proc rw
            30 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw,errors=remount-ro
            35 24 0:30 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate
            36 24 0:31 / /sys/fs/pstore rw,nosuid,nodev,noexec,relatime shared:10 - pstore pstore rw

            """,
            "0::/user.slice/user-1000.slice/user@1000.service/app.slice/vte-spawn-6ad5b6.scope\n")
        expect(
            found,
            unified: "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/vte-spawn-6ad5b6.scope")
    }

    private let hybrid = """
        34 24 0:29 / /sys/fs/cgroup ro,nosuid,nodev,noexec shared:9 - tmpfs tmpfs ro,size=4096k,nr_inodes=1024,mode=755
        35 34 0:30 / /sys/fs/cgroup/unified rw,nosuid,nodev,noexec,relatime shared:10 - cgroup2 cgroup2 rw,nsdelegate
        36 34 0:31 / /sys/fs/cgroup/systemd rw,relatime shared:11 - cgroup cgroup rw,xattr,name=systemd
        39 34 0:34 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:15 - cgroup cgroup rw,cpu,cpuacct
        40 34 0:35 / /sys/fs/cgroup/memory rw,nosuid,nodev,noexec,relatime shared:16 - cgroup cgroup rw,memory
        41 34 0:36 / /sys/fs/cgroup/freezer rw,nosuid,nodev,noexec,relatime shared:17 - cgroup cgroup rw,freezer
        """
    private let hybridOwn = """
        12:cpu,cpuacct:/user.slice
        7:memory:/user.slice/user-1000.slice/session-2.scope
        5:freezer:/
        1:name=systemd:/user.slice/user-1000.slice/session-2.scope
        0::/user.slice/user-1000.slice/session-2.scope
        """

    @Test("A hybrid host, both files without an end of line")
    func hybridHost() {
        expect(
            mounts(hybrid, hybridOwn),
            unified: "/sys/fs/cgroup/unified/user.slice/user-1000.slice/session-2.scope",
            memory: "/sys/fs/cgroup/memory/user.slice/user-1000.slice/session-2.scope",
            freezer: "/sys/fs/cgroup/freezer")
    }

    @Test("Only v2 is looked for where nothing else was asked for")
    func withoutLegacy() {
        expect(
            mounts(hybrid, hybridOwn, legacy: false),
            unified: "/sys/fs/cgroup/unified/user.slice/user-1000.slice/session-2.scope")
    }

    @Test("A host with v1 only has no v2 line in either file")
    func legacyOnly() {
        let found = mounts(
            """
            29 22 0:25 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
            30 22 0:26 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
            31 22 0:27 / /sys/fs/cgroup/freezer rw,relatime - cgroup cgroup rw,freezer
            """,
            """
            4:freezer:/
            3:memory:/build/17
            2:cpu:/
            """)
        expect(found, memory: "/sys/fs/cgroup/memory/build/17", freezer: "/sys/fs/cgroup/freezer")
    }

    @Test("Docker with v1 and the host's cgroup namespace: the mounts show the container's part only")
    func dockerLegacy() {
        let id = "/docker/3f4b1c8e"
        let found = mounts(
            """
            1022 1021 0:47 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime - tmpfs tmpfs rw,mode=755
            1028 1022 0:35 \(id) /sys/fs/cgroup/memory ro,nosuid,nodev,noexec,relatime master:16 - cgroup cgroup rw,memory
            1029 1022 0:36 \(id) /sys/fs/cgroup/freezer ro,nosuid,relatime master:17 - cgroup cgroup rw,freezer
            """,
            """
            7:memory:\(id)
            5:freezer:\(id)/inner/app
            0::/system.slice/containerd.service
            """)
        expect(found, memory: "/sys/fs/cgroup/memory", freezer: "/sys/fs/cgroup/freezer/inner/app")
    }

    @Test("Docker with v2 and a cgroup namespace of its own: the root is ours")
    func dockerUnified() {
        let found = mounts(
            "612 608 0:27 / /sys/fs/cgroup ro,nosuid,nodev,noexec,relatime - cgroup2 cgroup rw,nsdelegate", "0::/\n")
        expect(found, unified: "/sys/fs/cgroup")
    }

    @Test("A part of the hierarchy that doesn't show our own cgroup is of no use")
    func elsewhere() {
        let other = "1028 1022 0:35 /docker/aaaa /mnt/cgroup rw - cgroup2 cgroup2 rw"
        expect(mounts(other, "0::/docker/bbbb"))
        expect(mounts(other, "0::/docker/aaaab"))
        expect(mounts(other, "0::/docker"))
        expect(mounts(other, "0::/docker/aaaa/b"), unified: "/mnt/cgroup/b")
        expect(mounts("612 608 0:27 /../.. /sys/fs/cgroup ro - cgroup2 cgroup rw", "0::/"))
    }

    @Test("Of several v2 mounts the first that shows our own cgroup counts")
    func severalUnified() {
        let found = mounts(
            """
            50 20 0:27 /other /mnt/other rw - cgroup2 cgroup2 rw
            51 20 0:27 / /mnt/first rw - cgroup2 cgroup2 rw
            52 20 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw
            """, "0::/own")
        expect(found, unified: "/mnt/first/own")
    }

    private static let tellsCgroups: Bool = {
        var number: UInt64 = 0
        return curfew_own_cgroup(&number) == 0
    }()

    @Test(
        "Our own cgroup is found without a look at the mounts where v2 is mounted as usual, and is the same",
        .enabled(if: tellsCgroups, "PIDFD_GET_INFO tells of cgroups from Linux 6.13 on"))
    func usual() throws {
        let found = CgroupMounts.read(legacy: false).unified
        let isUsual = found?.hasPrefix("/sys/fs/cgroup") == true
        #expect(CgroupMounts.usualUnified() == (isUsual ? found : nil))
    }

    @Test("Blanks, tabs, newlines and backslashes of a mount point and a root stand as octal")
    func escapes() {
        expect(
            mounts(#"35 24 0:30 / /mnt/my\040c\011g\012roups\134 rw - cgroup2 cgroup2 rw"#, "0::/a b"),
            unified: "/mnt/my c\tg\nroups\\/a b")
        expect(
            mounts(#"35 24 0:30 /my\040part /mnt/x rw - cgroup2 cgroup2 rw"#, "0::/my part/app"), unified: "/mnt/x/app")
        expect(mounts(#"35 24 0:30 / /mnt/x\04 rw - cgroup2 cgroup2 rw"#, "0::/"), unified: #"/mnt/x\04"#)
    }

    @Test("A cgroup's path may hold colons")
    func colons() {
        expect(mounts("35 24 0:30 / /c rw - cgroup2 cgroup2 rw", "1:cpu:/x\n0::/a:b/c::d\n"), unified: "/c/a:b/c::d")
    }

    @Test("Controllers mounted together, named ones, and names that only look alike")
    func controllers() {
        expect(
            mounts(
                "40 34 0:35 / /c/both rw shared:1 master:2 - cgroup memory rw,freezer,memory",
                "9:freezer,memory:/x"),
            memory: "/c/both/x", freezer: "/c/both/x")
        expect(mounts("40 34 0:35 / /c/m rw,memory - cgroup memory rw,name=memory", "9:memory:/x"))
        expect(mounts("40 34 0:35 / /c/m rw - cgroup memory rw,memory2,hugememory", "9:memory:/x"))
        expect(mounts("40 34 0:35 / /c/m rw - cgroup memory rw,memory", "9:name=memory:/x"))
    }

    @Test("Other file systems, however they are called, are none")
    func otherTypes() {
        expect(
            mounts(
                """
                50 20 0:27 / /var/lib/lxcfs rw - fuse.lxcfs lxcfs rw
                51 20 0:28 / /a rw - cgroup2fs cgroup2 rw
                52 20 0:29 / /b rw - tmpfs cgroup2 rw,memory
                """, "0::/\n1:memory:/"))
    }

    @Test("Nothing, half lines and garbage are passed over")
    func garbage() {
        expect(mounts("", ""))
        expect(mounts("\n\n", "\n\n"))
        expect(mounts("35 24 0:30 / /sys/fs/cgroup rw - cgroup2", "0::/"), unified: "/sys/fs/cgroup")
        expect(mounts("35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw", ""))
        expect(mounts("35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw", "0"))
        expect(mounts("35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw", "0:"))
        expect(mounts(" - cgroup2 ", "0::/"))
    }

    @Test("Any cut of a real text is read without a trap")
    func cuts() {
        for length in 0...hybrid.utf8.count {
            let cut = String(decoding: Array(hybrid.utf8.prefix(length)), as: UTF8.self)
            let own = String(decoding: Array(hybridOwn.utf8.prefix(length)), as: UTF8.self)
            #expect(mounts(cut, own).unified.map { $0.hasPrefix("/sys/fs") } ?? true)
        }
    }

    @Test("Of this process's own cgroup line, only that of the controller asked for")
    func ownPath() {
        #expect(CgroupMounts.ownPath("", in: Array("1:cpu:/a\n0::/b\n".utf8)) == "/b")
        #expect(CgroupMounts.ownPath("cpu", in: Array("1:cpu,cpuacct:/a\n0::/b\n".utf8)) == "/a")
        #expect(CgroupMounts.ownPath("memory", in: Array("1:cpu:/a\n0::/b\n".utf8)) == nil)
    }

    @Test("On this machine each that is found is a directory")
    func thisMachine() {
        let found = CgroupMounts.read(legacy: true)
        for path in [found.unified, found.memory, found.freezer].compactMap({ $0 }) {
            #expect(Directory.names(of: path)?.contains("cgroup.procs") == true, "\(path)")
        }
    }
}
