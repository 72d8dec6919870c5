import CurfewCore
import CurfewLinux

/// What an app asks of the machine.
extension Manifest {
    /// What has to be made besides a cgroup for the processes.
    func resources(inBackground: Bool) -> Containment.Resources {
        var resources = Containment.Resources()
        resources.memory = limitsMemory || policy.pageOut != nil
        resources.memoryLimit = inBackground ? backgroundLimits.fatal : memory.fatal
        resources.cpu = policy.backgroundCPU?.action == .throttle || policy.yieldsInBackground
        return resources
    }

    /// Whether our own cgroup may have had to hand controllers down.
    var needsControllers: Bool {
        let resources = resources(inBackground: false)
        return resources.memory || resources.cpu
    }

    /// Whether an option was given that some machines can't do.
    var asksForResources: Bool {
        limitsMemory || policy.pageOut != nil || policy.yieldsInBackground
            || policy.backgroundCPU?.action == .throttle || suspension == .freezer
    }

    /// A soft limit means something only where somebody sees that memory is short.
    var defaultMemoryLow: Amount? {
        memory.soft != nil || backgroundLimits.soft != nil ? .percent(MemoryPressure.defaultLowPercent) : nil
    }
}
