import ArgumentParser

/// The library's completion script, mended for verbs that run another program.
///
/// The library has files completed for whatever follows such a verb, and offers our options there too. Each shell can complete a
/// command line within another. Zsh and Bash also learn that a value can follow `=`.
struct CompletionScript {
    let shell: CompletionShell
    /// Those of every verb that there is.
    var commands = CommandDefinition.everyPath().map(CommandDefinition.init)

    func text() -> String { mended(Curfew.completionScript(for: shell)) }

    func mended(_ script: String) -> String {
        switch shell {
        case .bash: bash(script)
        case .zsh: zsh(script)
        case .fish: fish(script)
        default: script
        }
    }

    private var wrappers: [CommandDefinition] { commands.filter { $0.passthrough != nil } }
}

extension CommandDefinition {
    /// The operand that is another program's command line.
    fileprivate var passthrough: DefinedArgument? { arguments.first(where: \.isPassthrough) }

    /// How many operands stand before it.
    fileprivate var leadingOperands: Int { arguments.filter { $0.kind == .positional && !$0.isPassthrough }.count }

    /// The names of all options that take a value.
    fileprivate var valueOptions: String {
        arguments.filter { $0.kind == .option }.flatMap(\.names).joined(separator: " ")
    }
}

// MARK: Bash

extension CompletionScript {
    /// Finds the word that the other command line begins with, and has it completed as if it began there.
    private static let bashFunction = #"""
        # 1: the index of the verb's first word; 2: how many operands come before the command; 3: the options with a value
        __curfew_complete_command() {
            local -i index="${1}" operands="${2}"
            local options_end=false complete_offset
            for ((; index <= COMP_CWORD; index++)); do
                if ! "${options_end}"; then
                    case "${COMP_WORDS[index]}" in
                    --)
                        ((index < COMP_CWORD)) || return 1
                        options_end=true
                        continue
                        ;;
                    -?*)
                        # The value is the next word, or what follows a = that Bash takes for a word of its own.
                        if [[ "${COMP_WORDS[index + 1]}" = '=' ]]; then
                            ((index += 2))
                        elif [[ " ${3} " = *" ${COMP_WORDS[index]} "* ]]; then
                            ((index++))
                        fi
                        ((index < COMP_CWORD)) || return 1
                        continue
                        ;;
                    esac
                fi
                ((operands-- > 0)) || break
            done
            ((index <= COMP_CWORD)) || return 1
            for complete_offset in _comp_command_offset _command_offset; do
                declare -F "${complete_offset}" >/dev/null || continue
                "${complete_offset}" "${index}"
                return 0
            done
            # Without the bash-completion package nobody knows more.
            if ((index == COMP_CWORD)); then __curfew_add_completions -c; else __curfew_add_completions -f; fi
        }

        """#

    private static let bashFiles = """
            *)
                __curfew_add_completions -f
                return
                ;;

        """

    private func bash(_ script: String) -> String {
        var script = script.replacing("\n_curfew() {\n", with: "\n\(Self.bashFunction)\n_curfew() {\n")
        script = script.replacing(
            #"    local -r prev="${3}""#,
            with: #"""
                    local prev="${3}"
                    # Bash takes --name=value for three words.
                    [[ "${prev}" = '=' ]] && prev="${COMP_WORDS[COMP_CWORD - 2]}"
                """#)
        for command in wrappers {
            let function = "\n_\(command.path.joined(separator: "_"))() {\n"
            let call = "\(command.path.count) \(command.leadingOperands) '\(command.valueOptions)'"
            guard let start = script.firstRange(of: function) else { continue }
            // What comes before the command is no file.
            if let files = script[start.upperBound...].firstRange(of: Self.bashFiles) { script.removeSubrange(files) }
            script.insert(contentsOf: "    __curfew_complete_command \(call) && return\n", at: start.upperBound)
        }
        return script
    }
}

// MARK: Zsh

extension CompletionScript {
    private func zsh(_ script: String) -> String {
        var script = script
        for name in Set(wrappers.compactMap { $0.passthrough?.valueName }) {
            script = script.replacing("'*:\(name):_files'", with: "'(-)*:::\(name):_normal'")
        }
        return script.split(separator: "\n", omittingEmptySubsequences: false).map(Self.withJoinedValue)
            .joined(separator: "\n")
    }

    /// In `'--name[…]:NAME:'` the value is the next word alone; in `'--name=[…]:NAME:'` it can follow `=`.
    private static func withJoinedValue(_ line: Substring) -> String {
        let isOption = ["'-", "'*-", "'(-"].contains { line.drop { $0 == " " }.hasPrefix($0) }
        guard isOption, line.contains("]:"), let end = line.firstIndex(of: "[") else { return String(line) }
        return withValue(line[..<end]) + line[end...]
    }

    /// The names before the bracket: `'--name`, or `'(-n --name)'{-n,--name}'` with more than one.
    private static func withValue(_ names: Substring) -> String {
        guard let open = names.lastIndex(of: "{"), let close = names.lastIndex(of: "}") else { return names + "=" }
        let each = names[names.index(after: open)..<close].split(separator: ",")
        let joined = each.map { $0 + ($0.hasPrefix("--") ? "=" : "+") }.joined(separator: ",")
        return names[...open] + joined + names[close...]
    }
}

// MARK: Fish

extension CompletionScript {
    private func fish(_ script: String) -> String {
        // Where the other command line has begun, none of our options is meant.
        let answer = #"    test "$commands" = "$expected_commands"; and return $non_repeating"#
        let guarded = #"    test -n "$(__curfew_wrapped_words)"; and return 1"# + "\n" + answer
        var script = fishFunction + script.replacing(answer, with: guarded)
        for command in wrappers {
            let position =
                "'__curfew_should_offer_completions_for_positional \"\(command.path.joined(separator: " "))\" -ge"
            // The library counts only operands that it has completions for.
            for count in 1...command.leadingOperands + 1 {
                script = script.replacing("\(position) \(count)' -F\n", with: Self.fishCommand)
            }
        }
        return script
    }

    private static let fishCommand = #"""
        '__curfew_wrapped_words >/dev/null' -xa '(complete -C (string join -- " " (string escape -- (__curfew_wrapped_words)) (commandline -ct)))'

        """#

    /// Prints the words of the other command line before the one that is typed; fails where that is none of it.
    private var fishFunction: String {
        let verbs = wrappers.map { command in
            """
            test "$words[1..\(command.path.count)]" = '\(command.path.joined(separator: " "))'
                    set -e words[1..\(command.path.count)]
                    set operands \(command.leadingOperands)
                    set value_options \(command.valueOptions)
            """
        }
        return """
            function __curfew_wrapped_words
                set -l words (commandline -opc)
                set -l operands
                set -l value_options
                if \(verbs.joined(separator: "\n    else if "))
                else
                    return 1
                end
                set -l options_end
                while set -q words[1]
                    if test -z "$options_end"; and string match -q -- -- $words[1]
                        set options_end yes
                    else if test -z "$options_end"; and string match -q -- '-?*' $words[1]
                        if contains -- $words[1] $value_options
                            set -q words[2]; or return 1
                            set -e words[1]
                        end
                    else if test $operands -gt 0
                        set operands (math $operands - 1)
                    else
                        break
                    end
                    set -e words[1]
                end
                test $operands -eq 0; or return 1
                test -n "$words[1]"; or test -n "$options_end"; or not string match -q -- '-*' (commandline -ct); or return 1
                for word in $words
                    printf '%s\\n' $word
                end
                true
            end


            """
    }
}
