import CurfewScenarioRun
import Glibc

/// Which curfew apps are run by.
enum CurfewExecutable {
    /// The one that was chosen, else the environment's `CURFEW`, else the one on PATH; throws what stands in the way.
    static func find(_ chosen: String?) throws(StageProblem) -> String {
        if let named = chosen ?? value("CURFEW") {
            guard isExecutable(named) else { throw .broken("\(named) is no program") }
            return named
        }
        let folders = (value("PATH") ?? "").split(separator: ":")
        guard let found = folders.map({ "\($0)/curfew" }).first(where: isExecutable) else {
            throw .broken("there is no curfew on PATH, and the environment's CURFEW names none")
        }
        return found
    }

    private static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    private static func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 }
}
