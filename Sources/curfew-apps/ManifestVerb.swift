import CurfewCommand
import CurfewManifest
import CurfewWire
import Glibc

/// `curfew launch --print-manifest [options] -- COMMAND [ARG…]`: the manifest of a command that would be launched here.
enum ManifestVerb {
    static let name = "launch"

    static func run(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try LaunchArguments.parse(reader)
        var definition = try AppDefinition(commandLine: arguments.manifestWords())
        // A command is run where its caller is; a manifest's, else, where the server is.
        if let directory = getcwd(nil, 0) {
            definition.directory = String(cString: directory)
            free(directory)
        }
        if arguments.asJSON {
            Output.print(CheckReport.json(definition))
        } else {
            Output.print(document: String(definition.manifest.dropLast()))
        }
        return ExitStatus.success
    }
}
