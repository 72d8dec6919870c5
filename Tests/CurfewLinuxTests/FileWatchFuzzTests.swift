import CCurfew
import Glibc
import Synchronization
import Testing

@testable import CurfewLinux

/// Files, directories and links come, go and are mixed up at random; whatever becomes of the path is told.
///
/// Seeded, so that a failure, which names its seed, can be repeated; where two threads run, only nearly.
@Suite("Watching a file while all around it changes")
struct FileWatchFuzzTests {
    @Test("Looked at between the changes", arguments: 0..<8 as Range<UInt64>)
    func inTurn(seed: UInt64) throws {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        var chaos = Chaos(scratch, seed: seed)
        defer { chaos.end() }
        var reader = Reader(try FileWatch(path: chaos.watched), seed: seed)
        defer { reader.watch.close() }
        for _ in 0..<800 {
            for _ in 0...chaos.below(3) { chaos.act() }
            reader.read()
            reader.check("after \(chaos.history.suffix(12))")
        }
        #expect(reader.changes > 50, "seed \(seed): too little happened")
    }

    @Test("Looked at while they happen", arguments: 0..<8 as Range<UInt64>)
    func atOnce(seed: UInt64) throws {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        let chaos = Chaos(scratch, seed: seed)
        var reader = Reader(try FileWatch(path: chaos.watched), seed: seed)
        defer { reader.watch.close() }
        var round: UInt64 = 0
        // To who isn't let look meanwhile all of a round is one change at most.
        while round < 20 || reader.changes <= 20, round < 1_000 {
            let worker = try #require(Worker(Chaos(scratch, seed: seed &* 100 &+ round), acts: 200))
            while !worker.isDone { reader.read(for: 1_000_000) }
            worker.join()
            reader.read()
            // Not what was read: a file can be put aside for another, which is read, and be back, before it is asked.
            #expect(reader.watch.identity == reader.watch.look(), "seed \(seed), round \(round)")
            round += 1
        }
        #expect(reader.changes > 20, "seed \(seed): too little happened")
    }
}

/// Lets chaos loose on a thread of its own: tests hold all those that Swift has for tasks.
private final class Worker: Sendable {
    private let done = Atomic(false)
    private let thread = Mutex<pthread_t?>(nil)
    private let chaos: Chaos
    private let acts: Int

    /// Nil when no thread can be had.
    init?(_ chaos: Chaos, acts: Int) {
        self.chaos = chaos
        self.acts = acts
        let box = Unmanaged.passRetained(self)
        let isMade = thread.withLock { thread in
            var made = pthread_t()
            let result = pthread_create(
                &made, nil,
                { argument in
                    if let argument { Unmanaged<Worker>.fromOpaque(argument).takeRetainedValue().work() }
                    return nil
                }, box.toOpaque())
            if result == 0 { thread = made }
            return result == 0
        }
        if !isMade {
            box.release()
            return nil
        }
    }

    var isDone: Bool { done.load(ordering: .acquiring) }

    func join() { if let thread = thread.withLock({ $0 }) { pthread_join(thread, nil) } }

    private func work() {
        var chaos = chaos
        for _ in 0..<acts { chaos.act() }
        chaos.end()
        done.store(true, ordering: .releasing)
    }
}

/// Hears of changes, and reads the file whenever it does.
private struct Reader {
    var watch: FileWatch
    let seed: UInt64
    private(set) var changes = 0
    private var contents: [UInt8]?

    init(_ watch: FileWatch, seed: UInt64) {
        self.watch = watch
        self.seed = seed
        contents = Self.contents(watch.path)
    }

    private static func contents(_ path: String) -> [UInt8]? { SmallFile.bytes(of: path) }

    mutating func read(for nanoseconds: Int64 = 0) {
        while isReadable(watch.descriptor.number, within: nanoseconds) {
            guard let change = watch.readChanges() else { continue }
            changes += 1
            #expect(change.exists == watch.exists)
            contents = Self.contents(watch.path)
        }
    }

    /// What was read when it last told must be what is there.
    func check(_ when: String) {
        let now = Self.contents(watch.path)
        #expect(now == contents, "seed \(seed), \(when): a change wasn't told")
        #expect(watch.exists == (now != nil), "seed \(seed), \(when)")
    }
}

/// Does something at random to a few files, directories and links; most of it fails, and that is well.
private struct Chaos: Sendable {
    let path: String
    var random: Generator
    private(set) var history: [String] = []
    private var held: [Descriptor] = []

    private static let names = ["a", "a/b", "a/b/file", "a/file", "b", "b/file", "file", "c", "a/c"]
    private static let targets = ["a", "b", "../b", "file", "../file", "c", ".", "../a/b", "nothing", "b/../b/file"]

    /// Links lead one directory up at most, so that nothing outside the scratch directory is touched.
    init(_ scratch: ScratchDirectory, seed: UInt64) {
        path = scratch.path + "/ground"
        random = Generator(seed)
        _ = mkdir(path, 0o700)
        _ = mkdir(path + "/a", 0o700)
        _ = mkdir(path + "/a/b", 0o700)
    }

    var watched: String { path + "/a/b/file" }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    mutating func end() {
        for index in held.indices { held[index].close() }
        held = []
    }

    private mutating func name() -> String { Self.names[below(Self.names.count)] }

    mutating func act() {
        let (one, other) = (name(), name())
        let action = below(12)
        history.append("\(action) \(one) \(other)")
        switch action {
        case 0, 1: write(one)
        case 2: if write(one + ".new") { _ = rename(at(one + ".new"), at(one)) }
        case 3: _ = unlink(at(one))
        case 4, 5: _ = mkdir(at(one), 0o700)
        case 6: _ = rmdir(at(one))
        case 7, 8: _ = rename(at(one), at(other))
        case 9: link(one)
        case 10: hold(one)
        default:
            // The whole, so that there is something to be changed.
            _ = mkdir(at("a"), 0o700)
            _ = mkdir(at("a/b"), 0o700)
            write("a/b/file")
        }
    }

    private func at(_ name: String) -> String { path + "/" + name }

    /// What is written is never the same twice.
    @discardableResult
    private mutating func write(_ name: String) -> Bool {
        var file = Descriptor(curfew_open_at(AT_FDCWD, at(name), O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, 0o600))
        guard file.isOpen else { return false }
        var text = random.next()
        _ = curfew_write(file.number, &text, 8)
        file.close()
        waitUntilClosed(at(name))
        return true
    }

    private mutating func link(_ name: String) {
        let target = Self.targets[below(Self.targets.count)]
        _ = symlink(below(4) == 0 ? at(target) : target, at(name + ".new"))
        _ = rename(at(name + ".new"), at(name))
        _ = unlink(at(name + ".new"))
    }

    /// As a program whose working directory it is.
    private mutating func hold(_ name: String) {
        if held.count > 3 { end() }
        let directory = Descriptor(curfew_open_at(AT_FDCWD, at(name), O_RDONLY | O_DIRECTORY, 0))
        if directory.isOpen { held.append(directory) }
    }
}

/// A small generator whose runs a seed repeats.
private struct Generator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state &* 0x2545_f491_4f6c_dd1d
    }
}
