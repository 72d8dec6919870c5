import CurfewLinux
import Glibc

/// Why nothing was started: the status to exit with, and the words for people.
struct LaunchError: Error, Hashable {
    var status: Int32
    var problem: String
    /// Whether it is a limit of how many processes there can be that stands in the way.
    private(set) var lacksProcess = false

    init(_ status: Int32, _ problem: String) {
        self.status = status
        self.problem = problem
    }

    /// Of Curfew's own. `subject`: what of the command line it was for.
    init(_ error: KernelError, for subject: String = "") {
        self.init(125, subject.isEmpty ? error.text : "\(subject): \(error.text)")
    }

    /// 127 for a command that isn't there, 126 for one that can't be executed. `inTimeoutsWords`: as timeout(1) says it.
    init(_ error: SpawnError, _ command: String, inTimeoutsWords: Bool) {
        let unrunnable =
            inTimeoutsWords
            ? "failed to run command \(Quoted.text(command)): \(error.reason)" : "\(command): \(error.reason)"
        switch error.stage {
        case .exec where error.errno == ENOENT: self.init(127, unrunnable)
        case .exec where [ENOMEM, EAGAIN, EMFILE, ENFILE].contains(error.errno):
            // The machine's want, or the memory limit's, and not the file's fault.
            self.init(125, "can't start \(command): \(error.reason)")
        case .exec: self.init(126, unrunnable)
        case .clone:
            self.init(125, "can't start \(command): \(error.reason)")
            lacksProcess = error.errno == EAGAIN
        case .reaper: self.init(125, "can't start the reaper of \(command): \(error.reason)")
        case .place: self.init(125, "can't prepare a place for \(command): \(error.reason)")
        case .join, .group, .terminal, .channel, .privileges:
            self.init(125, "can't prepare \(command) (\(error.stage)): \(error.reason)")
        }
    }
}
