import ArgumentParser
import CurfewCommand
import CurfewCore
import CurfewEngine
import CurfewLinux

extension Profile: ExpressibleByArgument {}
extension ContainmentKind: ExpressibleByArgument {}
extension SuspensionMethod: ExpressibleByArgument {}
extension TerminateSuspended: ExpressibleByArgument {}
extension OnSupervisorExit: ExpressibleByArgument {}
extension CPULimitAction: ExpressibleByArgument {}
extension LockPolicy: ExpressibleByArgument {}
extension BackgroundPriority: ExpressibleByArgument {}
extension MemoryWarningLevel: ExpressibleByArgument {}
extension LifecycleState: ExpressibleByArgument {}

extension PressureLevel: ExpressibleByArgument {
    public init?(argument: String) {
        guard let level = Self.allCases.first(where: { $0.name == argument }) else { return nil }
        self = level
    }

    public var defaultValueDescription: String { name }
    public static var allValueStrings: [String] { allCases.map(\.name) }
}
