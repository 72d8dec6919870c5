import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// What differs under `curfew timeout`: the command's signals, and what is said.
extension RunHost {
    /// Once the program runs.
    func prepareSignals(of instance: Instance) {
        guard let timeout = manifest.policy.timeout else { return }
        let group = getpgid(proxy)
        if !timeout.sparesDescendants, group == proxy { instance.ledByProxy = group }
    }

    // MARK: What is said

    /// In timeout(1)'s words.
    func tellSignal(_ app: AppID, _ signal: Int32) {
        guard options.isVerbose, let instance = kernel.instances[app] else { return }
        StandardError.print(options.telling(ofSignal: signal, to: instance.manifest.command))
    }
}

extension SupervisorOptions {
    /// What -v says of a signal, in timeout(1)'s words.
    func telling(ofSignal signal: Int32, to command: String) -> String {
        "\(caller): sending signal \(SignalName.of(signal)) to command \(Quoted.text(command))"
    }
}
