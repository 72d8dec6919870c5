import CurfewCore
import CurfewLinux

/// Where a process stands with regard to the apps of one supervisor.
struct ProcessPlace: Hashable {
    let ancestry: Ancestry
    /// The app that it is inside of; nil where that is none of this supervisor's.
    let app: AppID?

    init(_ ancestry: Ancestry, _ app: AppID?) {
        self.ancestry = ancestry
        self.app = app
    }
}
