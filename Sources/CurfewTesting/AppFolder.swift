import CCurfew
import CurfewScenario
import CurfewScenarioRun
import Glibc

/// An app's own folder, gone with it even if the tests are killed: a child waits for that and clears up.
///
/// Who was started beside the app, and by whom that was, shows in what everybody's environment says of this folder.
struct AppFolder {
    let path: String
    private let cleaner: ChildProcess
    private let lifeline: OwnedDescriptor

    /// Where sockets' paths are short enough: 108 bytes with all that comes behind.
    private static let longestParent = 40
    /// Processes that end at the same time may still be making files: it tries for some five seconds.
    private static let cleaning = """
        read -r _; tries=0
        while found=$(grep -lsF -- "\(Vocabulary.stateDirectory)=$0/" /proc/[0-9]*/environ)
            test -n "$found" && test "$tries" != 100
        do
            for each in $found; do each=${each%/environ}; kill -KILL "${each#/proc/}" 2>/dev/null; done
            tries=$((tries + 1)); sleep 0.05
        done
        tries=0
        until rm -rf -- "$0" 2>/dev/null && ! test -e "$0" || test "$tries" = 100; do
            tries=$((tries + 1)); sleep 0.05
        done
        """

    /// Throws what stands in the way, in words.
    init() throws(StageProblem) {
        let wanted = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let parent = wanted.utf8.count <= Self.longestParent && wanted.hasPrefix("/") ? wanted : "/tmp"
        var template = Array("\(parent)/curfew-testing.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw .broken("can't make a folder in \(parent): \(String(cString: strerror(errno)))")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        do throws(ChildProcess.Problem) {
            let ends = try Streams.pipes()
            lifeline = ends.ours.input
            cleaner = try ChildProcess(
                ["sh", "-c", Self.cleaning, path], environment: StagePlace.environment([]),
                ChildProcess.Place(streams: ends.child, directory: "/", hasSession: true, endsWithUs: false))
        } catch {
            rmdir(path)
            throw .broken("can't start sh: \(error.reason)")
        }
    }

    static func make(_ folders: [String]) throws(StageProblem) {
        for folder in folders where mkdir(folder, 0o700) != 0 && errno != EEXIST {
            throw .broken("can't make \(folder): \(String(cString: strerror(errno)))")
        }
    }

    /// Has it removed, and waits for that.
    consuming func remove() {
        let cleaner = cleaner
        hangUp()
        while !cleaner.hasEnded() {
            var waiting = pollfd(fd: cleaner.pidfd.number, events: Int16(POLLIN), revents: 0)
            _ = poll(&waiting, 1, -1)
        }
    }

    private func hangUp() {
        _ = withExtendedLifetime(lifeline) { curfew_write(lifeline.number, "\n", 1) }
    }
}
