import CurfewEngine

/// For those who have options of `curfew run` from elsewhere than a command line: judged by the same readers, in the same words.
extension RunArguments {
    /// What may be given to an option, in the words of the message about a missing value; nil if it takes none.
    package static func accepted(by option: RunOption) -> String? {
        error(in: [option.rawValue]) { reader throws(UsageError) in try RunArguments().read(option, &reader) }
            .map { $0.dropping(prefix: "\(option.rawValue) needs a value: ") }
    }

    /// What is wrong with an option's value, without the option's name in front; nil if nothing is.
    package static func problem(with value: String, for option: RunOption) -> String? {
        error(in: ["\(option.rawValue)=\(value)"]) { reader throws(UsageError) in
            try RunArguments().read(option, &reader)
        }.map { $0.dropping(prefix: "\(option.rawValue): ") }
    }

    /// What is wrong with a whole command line, options and command; nil if nothing is.
    package static func problem(with words: [String]) -> String? {
        let arguments = OwnedArguments(words)
        defer { withExtendedLifetime(arguments) {} }
        do throws(UsageError) {
            _ = try parse(arguments.reader(verb: "run"))
            return nil
        } catch {
            return error.problem
        }
    }

    /// What `read` complains of once the first of the words, an option, has been taken.
    private static func error(
        in words: [String], _ read: (inout ArgumentReader) throws(UsageError) -> Void
    ) -> String? {
        let arguments = OwnedArguments(words)
        defer { withExtendedLifetime(arguments) {} }
        var reader = arguments.reader(verb: "run")
        do throws(UsageError) {
            _ = try reader.next()
            try read(&reader)
            return nil
        } catch {
            return error.problem
        }
    }
}

extension String {
    fileprivate func dropping(prefix: String) -> String { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self }
}
