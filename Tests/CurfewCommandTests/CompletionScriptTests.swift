import ArgumentParser
import Testing

@testable import CurfewArguments

/// What the library writes can change with its version; that the shells do as they are told, the integration tests show.
@Suite("Completion scripts")
struct CompletionScriptTests {
    private static let wrappers = CommandDefinition.everyPath().map(CommandDefinition.init)
        .filter { $0.arguments.contains(where: \.isPassthrough) }

    @Test("Each verb that runs a program has its command line completed by the shell")
    func wrappers() {
        let paths = Self.wrappers.map { $0.path.joined(separator: " ") }
        #expect(Set(paths).isSuperset(of: ["curfew run", "curfew task run"]))
        let bash = CompletionScript(shell: .bash).text()
        let zsh = CompletionScript(shell: .zsh).text()
        let fish = CompletionScript(shell: .fish).text()
        for path in paths {
            let name = path.replacing(" ", with: "_")
            #expect(bash.contains("\n_\(name)() {\n    __curfew_complete_command "), "\(path)")
            #expect(fish.contains("= '\(path)'\n"), "\(path)")
            #expect(!fish.contains("positional \"\(path)\" -ge"), "\(path)")
        }
        #expect(zsh.split(separator: "\n").filter { $0.hasSuffix("COMMAND:_normal'") }.count == paths.count)
        #expect(fish.split(separator: "\n").filter { $0.contains("complete -C") }.count == paths.count)
        #expect(!zsh.contains(":COMMAND:_files"))
    }

    @Test("A value can follow =")
    func joined() {
        let zsh = CompletionScript(shell: .zsh).text()
        for start in ["'--locks=[", "'*--on=[", "'--background[", "{-h,--help}'["] {
            #expect(zsh.contains(start), "\(start)")
        }
        #expect(CompletionScript(shell: .bash).text().contains("[[ \"${prev}\" = '=' ]]"))
        let grouped = "        '(-k --kill-after)'{-k,--kill-after}'[Later.]:D:'"
        #expect(
            CompletionScript(shell: .zsh, commands: []).mended(grouped)
                == "        '(-k --kill-after)'{-k+,--kill-after=}'[Later.]:D:'")
    }
}
