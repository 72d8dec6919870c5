@testable import CurfewManifest

/// What a manifest called web.toml says.
func checked(_ text: String) -> CheckedDefinition { ManifestReader.read(Array(text.utf8), path: "web.toml") }

/// All that is wrong with one that has this behind a command on its first line, as `curfew check` tells it.
func complaints(_ text: String) -> [String] {
    checked("command = [\"true\"]\n" + text).problems.map { $0.text(in: "web.toml") }
}
