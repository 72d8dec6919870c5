/// What `curfew check` looks over by its path: a manifest, or a desktop entry.
public enum DefinitionCheck {
    public static func check(_ path: String) -> CheckedDefinition {
        if path.hasSuffix(".desktop") { return DesktopEntries.ofThisUser().check(path) }
        return switch DefinitionFile.read(path) {
        case .success(let bytes): ManifestReader.read(bytes, path: path)
        case .failure(let problem): CheckedDefinition(path: path, error: problem.text)
        }
    }
}
