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
