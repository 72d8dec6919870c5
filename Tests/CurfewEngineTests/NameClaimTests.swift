import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

@Suite("How an app gets its name")
struct NameClaimTests {
    /// What the machine answers to one attempt.
    private enum Answer {
        case free, taken, blocked
        case error(Int32)
    }

    /// What came of it, and which names were tried.
    private static func claim(
        _ asked: String?, command: String = "/usr/bin/prog", in path: String? = nil, _ answers: Answer...
    ) throws -> (outcome: Result<String, LaunchError>, tried: [String]) {
        let folder = ScratchFolder()
        defer { folder.remove() }
        let directory = RuntimeDirectory(path: path ?? folder.path)
        let claim = NameClaim(asked: asked, command: command, pid: { 77 }, directory: directory)
        var tried: [String] = []
        let outcome: Result<String, LaunchError>
        do throws(LaunchError) {
            let socket = try claim.claim { (name, path) throws(KernelError) in
                tried.append(name)
                switch tried.count <= answers.count ? answers[tried.count - 1] : .taken {
                case .free: return try NamedSocket.claim(name, in: directory)
                case .taken: return .taken
                case .blocked: return .blocked
                case .error(let number): throw KernelError("listen on", path, errno: number)
                }
            }
            outcome = .success(socket.name)
            var listening = socket.descriptor
            listening.close()
        } catch {
            outcome = .failure(error)
        }
        return (outcome, tried)
    }

    @Test("The command's basename, or that with the pid behind it")
    func unnamed() throws {
        let free = try Self.claim(nil, .free)
        #expect(free.outcome == .success("prog"))
        let taken = try Self.claim(nil, .taken, .free)
        #expect(taken.outcome == .success("prog-77"))
        #expect(taken.tried == ["prog", "prog-77"])
        let blocked = try Self.claim(nil, .blocked, .free)
        #expect(blocked.outcome == .success("prog-77"))
    }

    @Test("A name asked for is taken, or it fails: only that one is tried")
    func named() throws {
        let free = try Self.claim("mine", .free)
        #expect(free.outcome == .success("mine"))
        let taken = try Self.claim("mine", .taken)
        #expect(
            taken.outcome == .failure(LaunchError(64, "--name mine: an app of this name is running (see `curfew ps`)")))
        #expect(taken.tried == ["mine"])
        let blocked = try Self.claim("mine", in: "/run/x", .blocked)
        let problem =
            "--name mine: a dead supervisor's socket is in the way, /run/x/mine.sock, and can't be removed safely: "
            + "another process holds a lock on its directory; end that one, or remove the socket yourself"
        #expect(blocked.outcome == .failure(LaunchError(125, problem)))
        #expect(blocked.tried == ["mine"])
    }

    @Test("No free name")
    func noName() throws {
        let claim = try Self.claim(nil, .taken, .taken)
        #expect(claim.outcome == .failure(LaunchError(125, "can't find a free name for prog")))
    }

    @Test("A system call that fails is told, and no other name is tried")
    func kernelError() throws {
        let claim = try Self.claim(nil, in: "/run/x", .error(EACCES))
        #expect(claim.outcome == .failure(LaunchError(125, "listen on /run/x/prog.sock: Permission denied")))
        #expect(claim.tried == ["prog"])
    }

    @Test("A path too long for a socket is told before anything is tried")
    func tooLong() throws {
        let path = "/" + String(repeating: "d", count: 100)
        let claim = try Self.claim("mine", in: path, .free)
        let problem = "the control socket's path is too long for a socket (111 bytes): \(path)/mine.sock"
        #expect(claim.outcome == .failure(LaunchError(125, problem)))
        #expect(claim.tried == [])
    }
}
