import ArgumentParser
import CurfewCore
import CurfewEngine
import CurfewLinux

extension Profile: ExpressibleByArgument {}
extension ContainmentKind: ExpressibleByArgument {}
extension SuspensionMethod: ExpressibleByArgument {}
extension TerminateSuspended: ExpressibleByArgument {}
extension OnSupervisorExit: ExpressibleByArgument {}
