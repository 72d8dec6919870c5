import CCurfew
import CurfewLinux
import Glibc
import Testing

/// Why no watch can be set here; nil if one can.
private let problem: String? = {
    do throws(KernelError) {
        var descriptor = try Pressure.watchMemory().descriptor
        descriptor.close()
        return nil
    } catch {
        return error.text
    }
}()

// One after another: they look at which descriptors of the pressure file are open.
@Suite("Watching memory pressure", .serialized)
struct PressureTests {
    // Skipped where the kernel tells no pressure, or not to this user.
    @Test(
        "Set, it is silent while nobody waits, and open for reading by nobody else",
        .enabled(if: problem == nil, "\(problem ?? "")"))
    func quiet() throws {
        // Nothing stalls for two seconds out of two.
        let pressure = try Pressure.watchMemory(stallMicroseconds: 2_000_000)
        var descriptor = pressure.descriptor
        defer { descriptor.close() }
        var entry = pollfd(fd: descriptor.number, events: Int16(POLLPRI), revents: 0)
        #expect(poll(&entry, 1, 0) == 0)
        #expect(fcntl(descriptor.number, F_GETFD) == FD_CLOEXEC)
        var epoll = Descriptor(curfew_epoll_create())
        defer { epoll.close() }
        #expect(curfew_epoll_add(epoll.number, descriptor.number, Pressure.interest, 7) == 0)
        var ready = curfew_ready()
        #expect(curfew_epoll_wait(epoll.number, &ready, 1, 0) == 0)
    }

    // Skipped where no pressure is told, or no memory can be limited to make some.
    @Test(
        "It is told when a program has to wait for memory",
        .enabled(if: problem == nil, "\(problem ?? "")"),
        .enabled(if: ScratchCgroup.hasMemory, "no cgroup v1 memory controller that this user may write to"))
    func fires() throws {
        let pressure = try Pressure.watchMemory(stallMicroseconds: 1_000)
        var descriptor = pressure.descriptor
        defer { descriptor.close() }
        var epoll = Descriptor(curfew_epoll_create())
        defer { epoll.close() }
        #expect(curfew_epoll_add(epoll.number, descriptor.number, Pressure.interest, 7) == 0)
        let scratch = try #require(ScratchCgroup(.memory))
        defer { scratch.remove() }
        var cgroup = try Cgroup1(parent: scratch.path, name: "curfew.test.\(nobody)")
        try cgroup.limitMemory(bytes: 8 << 20)
        let directory = ScratchDirectory()
        defer { directory.remove() }
        // Each page it writes beyond the limit has to be reclaimed first. It stops by itself.
        let child = try TestChild(
            shell: """
                for round in 1 2 3 4 5 6 7 8 9 10; do
                    head -c 67108864 /dev/zero > \(directory.path)/file
                done
                """
        ) { $0.joining = [cgroup.joining.number] }
        defer { child.end() }
        cgroup.closeJoining()
        var ready = curfew_ready()
        #expect(curfew_epoll_wait(epoll.number, &ready, 1, Int32(patience / 1_000_000)) == 1)
        #expect(ready.token == 7)
        #expect(ready.events == Pressure.interest)
    }

    // Skipped where the kernel tells no pressure, or not to this user.
    @Test(
        "What the kernel refuses leaves no descriptor behind", .enabled(if: problem == nil, "\(problem ?? "")"),
        arguments: [(0, 2_000_000), (150_000, 100), (150_000, 60_000_000), (3_000_000, 2_000_000)])
    func refused(stall: Int, window: Int) throws {
        do throws(KernelError) {
            _ = try Pressure.watchMemory(stallMicroseconds: stall, windowMicroseconds: window)
            Issue.record("watched")
        } catch {
            #expect(
                error == KernelError("watch for some \(stall) \(window) in", "/proc/pressure/memory", errno: EINVAL))
        }
        #expect(openDescriptors(of: "/proc/pressure/memory") == 0)
    }

    @Test("A kernel without pressure information, or one with it off, says so")
    func absent() throws {
        #expect(throws: KernelError("open", "/nonexistent/memory", errno: ENOENT)) {
            _ = try Pressure.watchMemory(at: "/nonexistent/memory")
        }
        // Opens, and takes no write.
        #expect(throws: KernelError("watch for some 150000 2000000 in", "/dev/full", errno: ENOSPC)) {
            _ = try Pressure.watchMemory(at: "/dev/full")
        }
        #expect(openDescriptors(of: "/dev/full") == 0)
    }

    @Test("The stall, the window and a NUL are what is written")
    func trigger() throws {
        let directory = ScratchDirectory()
        defer { directory.remove() }
        let path = directory.path + "/memory"
        var file = try ScratchDirectory.touch(path)
        file.close()
        var descriptor = try Pressure.watchMemory(
            stallMicroseconds: 70_000, windowMicroseconds: 4_000_000, at: path
        ).descriptor
        descriptor.close()
        #expect(SmallFile.bytes(of: path) == Array("some 70000 4000000\0".utf8))
    }

    private func openDescriptors(of path: String) -> Int {
        (Directory.names(of: "/proc/self/fd") ?? []).count { name in
            var target = [CChar](repeating: 0, count: 256)
            let count = curfew_read_link_at(AT_FDCWD, "/proc/self/fd/" + name, &target, 255)
            return count > 0 && target[..<Int(count)].map { UInt8(bitPattern: $0) } == Array(path.utf8)
        }
    }
}
