import CCurfew
import Glibc

/// Finds out what can be enforced here by doing it, in cgroups and to a program of its own, which are gone afterwards.
public struct Doctor {
    /// What an app would be held by, as `curfew status` shows it.
    public private(set) var containment = Containment.tree.description
    /// In the order of `DoctorFinding.Subject`.
    public private(set) var findings: [DoctorFinding] = []

    /// The limit that is asked for; the program that is tried on has much less.
    private static let memoryLimit: UInt64 = 64 << 20

    private init() {}

    /// Takes some tens of milliseconds; each thing that doesn't come is waited for a second at most.
    ///
    /// Signals that would end this process come after it, so that nothing is left behind.
    public static func examine() -> Doctor {
        var ending = sigset_t()
        var former = sigset_t()
        sigemptyset(&ending)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP] { sigaddset(&ending, signal) }
        pthread_sigmask(SIG_BLOCK, &ending, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        var doctor = Doctor()
        doctor.examineAll()
        let order = DoctorFinding.Subject.allCases
        doctor.findings.sort { left, right in
            (order.firstIndex(of: left.subject) ?? 0) < (order.firstIndex(of: right.subject) ?? 0)
        }
        return doctor
    }

    private mutating func examineAll() {
        let start = curfew_monotonic_nanoseconds()
        var held = Self.makeContainment()
        let made = curfew_monotonic_nanoseconds() - start
        defer { _ = ShortWait.until { held.remove() } }
        do throws(SpawnError) {
            var patient = try DoctorPatient(in: held)
            defer { patient.end() }
            examine(&patient, held, madeIn: made)
        } catch {
            examineWithout(held, because: error)
        }
        findings.append(Self.processes())
        findings.append(Self.timeLimit())
        findings.append(Self.memoryPressure())
        findings += Self.limits(of: held)
    }

    /// As much as a `curfew run` can ask for.
    private static var resources: Containment.Resources {
        var resources = Containment.Resources.memory(memoryLimit)
        resources.cpu = true
        return resources
    }

    private static func makeContainment() -> Containment {
        let name = Cgroup2.prefix + "doctor." + decimal(Int(getpid()))
        // There is no proxy here: whoever starts us alone in a delegated cgroup has us move for the controllers' sake.
        return (try? Containment.make(.auto, name: name, resources: resources, proxy: getpid()) { _, _ in }) ?? .tree
    }

    /// With a program in hand.
    private mutating func examine(_ patient: inout DoctorPatient, _ held: Containment, madeIn made: Int64) {
        // As the supervisor goes on.
        Capabilities.keepWhatIsUsed(forPriorities: true)
        patient.settle()
        containment = held.description
        findings.append(Self.holding(patient, held, madeIn: made))
        findings.append(Self.memoryLimit(held))
        findings.append(Self.cpuLimit(held))
        findings.append(Self.cpuThrottling(held))
        findings.append(Self.priority(patient))
        findings.append(Self.locks(patient))
        findings.append(Self.input(patient))
        findings.append(Self.suspension(patient))
        findings.append(Self.pageOut(patient))
        findings.append(Self.kill(&patient))
    }

    /// What can't be tried can't be promised.
    private mutating func examineWithout(_ held: Containment, because error: SpawnError) {
        let isCgroup = error.stage == .clone || error.stage == .join
        let problem = (isCgroup ? "nothing starts in its cgroup: " : "sleep doesn't start: ") + error.reason
        let subjects: [DoctorFinding.Subject] = [
            .containment, .suspension, .kill, .memoryLimit, .pageOut, .cpuLimit, .priority, .locks, .input,
        ]
        findings += subjects.map { DoctorFinding($0, .no, problem) }
        findings.append(Self.cpuThrottling(held))
    }
}
