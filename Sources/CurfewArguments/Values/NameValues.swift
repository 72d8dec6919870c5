// What apps, tasks, reports, processes and files are named by.

import ArgumentParser
import CurfewCommand
import CurfewEngine

/// An app as people name it; what it may be is checked where it is looked up.
struct AppValue: ExpressibleByArgument {
    let text: String

    init?(argument: String) { text = argument }

    /// The names of those that run.
    static var defaultCompletionKind: CompletionKind {
        .shellCommand("curfew ps 2>/dev/null | awk 'NR > 1 { print $1 }'")
    }

    /// Prints the names of those that run, and of those that could. By sh, for each shell completes by it.
    static let openable = """
        sh -c 'curfew ps 2>/dev/null | sed 1d | cut -d" " -f1; \(knownLines)' | sort -u
        """

    /// Prints the names of those that a server knows: by their manifests, and for having run.
    static let known = "sh -c '\(knownLines)' | sort -u"

    private static let knownLines = """
        curfew apps 2>/dev/null | sed 1d | cut -d" " -f1; \
        basename -s .toml -a "${XDG_CONFIG_HOME:-$HOME/.config}"/curfew/apps/*.toml 2>/dev/null | grep -v "[*]"
        """
}

/// A name that an app can have.
struct NameValue: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard AppName.isValid(argument) else { return nil }
        text = argument
    }
}

/// A process's number.
struct PidValue: ExpressibleByArgument {
    let number: Int32

    init?(argument: String) {
        guard let number = Int32(argument), number > 0 else { return nil }
        self.number = number
    }
}

/// The path of a file.
struct PathValue: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        text = argument
    }

    static var defaultCompletionKind: CompletionKind { .file() }
}

/// The path of a directory.
struct DirectoryValue: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        text = argument
    }

    static var defaultCompletionKind: CompletionKind { .directory }
}

/// A report as people name it; what it may be is checked where it is looked up.
struct ReportValue: ExpressibleByArgument {
    let text: String

    init?(argument: String) { text = argument }

    /// The ids of those there are, behind a date and a time.
    static var defaultCompletionKind: CompletionKind {
        .shellCommand("curfew report 2>/dev/null | awk 'NR > 1 { print $5 }'")
    }
}

/// A background task's name: anything but nothing.
struct TaskNameValue: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        text = argument
    }
}

/// A background task's number.
struct TaskNumberValue: ExpressibleByArgument {
    let number: Int

    init?(argument: String) {
        guard let number = Int(argument), number > 0 else { return nil }
        self.number = number
    }
}

/// What can be drawn; what it is is found out where it is looked up.
struct TimelineSourceValue: ExpressibleByArgument {
    let text: String

    init?(argument: String) { text = argument }

    static var defaultCompletionKind: CompletionKind { .file() }
}

/// The file of a picture, whose suffix tells its form.
struct PicturePathValue: ExpressibleByArgument {
    init?(argument: String) {
        if PictureForm(path: argument) == nil { return nil }
    }

    static var defaultCompletionKind: CompletionKind { .file(extensions: PictureForm.allCases.map(\.rawValue)) }
}

/// A manifest or a desktop entry; what is wrong with its name is told with the rest.
struct DefinitionPathValue: ExpressibleByArgument {
    init?(argument: String) {}

    static var defaultCompletionKind: CompletionKind { .file(extensions: ["toml", "desktop"]) }
}
