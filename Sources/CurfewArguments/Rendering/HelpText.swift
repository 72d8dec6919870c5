import ArgumentParser
import CurfewCore

/// Phrases that several help texts share.
enum HelpText {
    static let durations = """
        seconds, or numbers with units, such as 90, 1.5s, 10m, 1h30min, 250ms or inf. Units are us, ms, s, m (or min), \
        h, d and w, and their names in full.
        """

    static let sizes = """
        such as 200M, which is 200 MiB, 1.5G, 64KiB, a number of bytes, or inf. Suffixes are B, K, M, G, T and P, \
        powers of 1024.
        """

    /// Of verbs that do something to an app.
    static let driving = """
        Exit status:
           0  done
           1  refused for good, as to a process inside an app
          64  wrong usage
          69  no such app is running
          75  refused for now, as while the app is being ended
        """

    /// Of verbs that show something of an app.
    static let seeing = """
        Exit status:
           0  shown
           1  refused, as to a process inside another app
          64  wrong usage
          69  no such app is running
        """

    /// Of verbs that ask a server.
    static let serving = """
        Exit status:
           0  done, or shown
           1  refused for good, as to a process inside an app
          64  wrong usage
          69  no server answers, or it knows no such app
          75  refused for now
        """

    static let lifecycle = LifecycleEvent.allCases.map(\.rawValue).joined(separator: ", ")

    static let eventNames = """
        A NAME or KEY is 1 to 64 letters, digits, - _ and ., first a letter; a NAME isn't one of the lifecycle's events.
        """

    static let task = """
        Exit status:
           0  done
           1  refused for good, as to a process that isn't of the app
          64  wrong usage
          69  not inside an app
          75  refused for now, as when the budget is spent
        """

    /// The help of a duration with its default, which the profile decides.
    static func limit(_ abstract: String, _ number: KeyPath<Profile, Span>) -> ArgumentHelp {
        ArgumentHelp("\(abstract) (default: \(defaults(number))).", valueName: "D")
    }

    /// Such as "600 s; ios7 180 s; ios13 30 s".
    static func defaults(_ number: KeyPath<Profile, Span>) -> String {
        let usual = Profile.ios4[keyPath: number]
        let others = Profile.allCases.filter { $0[keyPath: number] != usual }
        let exceptions = others.map { "; \($0.rawValue) \(seconds($0[keyPath: number]))" }
        return seconds(usual) + exceptions.joined()
    }

    private static func seconds(_ span: Span) -> String { "\(span.nanoseconds / 1_000_000_000) s" }
}
