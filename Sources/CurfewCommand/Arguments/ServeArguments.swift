import CurfewEngine
import CurfewLinux

/// What `curfew serve` is asked for.
package struct ServeArguments {
    package let plan: ServerPlan
    /// The folder of manifests, by its whole path; nil: the usual one.
    package let apps: String?
    /// The server of that name is to end, and none is started.
    package let stops: Bool

    /// How many apps may be in front at once.
    package static let foregroundRange = 1...1000
    package static let foregroundAccepted = "a number from 1 to 1000"
    package static let logSizeAccepted = "a size of 16K at least, such as 4M"

    package static func parse(_ reader: ArgumentReader) throws(UsageError) -> ServeArguments {
        var reader = reader
        var name = ServerPlan.usualName
        var containment = ContainmentKind.auto
        var logSize = OutputWriter.defaultLimit
        let options = SupervisorOptions()
        options.caller = "curfew: serve"
        var apps: String?
        var stops = false
        var sources = SourceOptions()
        while let token = try reader.next() {
            switch token {
            case .option("--name"): name = try reader.appName()
            case .option("--apps"): apps = wholePath(try reader.directory())
            case .option("--containment"): containment = try reader.choice()
            case .option("--foreground"): options.foregroundPlaces = try readPlaces(&reader)
            case .option("--memory-low"): options.memoryLow = try reader.amount()
            case .option("--disk-low"): options.diskLow = try reader.amount()
            case .option("--log-size"): logSize = try readLogSize(&reader)
            case .option("--source"): try sources.add(try reader.value(SourceOptions.accepted), reader)
            case .option("--source-apps"):
                let text = try reader.value(SourceOptions.appsAccepted)
                guard let apps = SourceOptions.apps(text) else { throw reader.bad(text, SourceOptions.appsAccepted) }
                sources.add(apps: apps)
            case .option("--stop"): stops = true
            case .option(let option): throw reader.unknown(option)
            case .operand(let operand): throw reader.tooMany(operand)
            }
        }
        return ServeArguments(
            plan: ServerPlan(
                name: name, containment: containment, logSize: logSize, sources: sources.plans, options: options),
            apps: apps, stops: stops)
    }

    /// What is wrong with a manifest is told with its path, wherever that is read.
    ///
    /// `directory`: the caller's; nil where that is gone.
    static func wholePath(_ path: String, in directory: ByteString? = ByteString.currentDirectory) -> String {
        let (slash, dot) = (UInt8(ascii: "/"), UInt8(ascii: "."))
        var bytes = Array(path.utf8)
        if bytes.first != slash {
            // The server stays where it was started: there the path leads to the same.
            guard let directory = directory?.exactText else { return path }
            bytes = Array(directory.utf8) + [slash] + bytes
        }
        let parts = bytes.split(separator: slash).filter { !$0.elementsEqual([dot]) }
        return "/" + parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
    }

    private static func readPlaces(_ reader: inout ArgumentReader) throws(UsageError) -> Int {
        let text = try reader.value(foregroundAccepted)
        guard let places = ForegroundPlaces.parse(text) else { throw reader.bad(text, foregroundAccepted) }
        return places
    }

    private static func readLogSize(_ reader: inout ArgumentReader) throws(UsageError) -> Int64 {
        let text = try reader.value(logSizeAccepted)
        guard let size = LogSize.parse(text) else { throw reader.bad(text, logSizeAccepted) }
        return size
    }
}

/// How many apps may be in front at once.
package enum ForegroundPlaces {
    /// Nil for what is no such number.
    package static func parse(_ text: String) -> Int? {
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text),
            ServeArguments.foregroundRange.contains(number)
        else { return nil }
        return number
    }
}

/// Bytes of one app's output that are kept.
package enum LogSize {
    /// Nil for what is no such size.
    package static func parse(_ text: String) -> Int64? {
        guard let bytes = SizeArgument.parse(text), bytes >= OutputWriter.minimumLimit, bytes <= Int64.max / 2 else {
            return nil
        }
        return Int64(bytes)
    }
}
