import CurfewWire

extension ScenarioID {
    /// Its name with its matrix's values and its round, as `reclaim [size=1 mode=slow] (round 2)`; fit for one line.
    public var label: String {
        var label = Printable.text(name)
        if !values.isEmpty { label += " [" + Printable.text(values.joined(separator: " ")) + "]" }
        if round > 0 { label += " (round \(round))" }
        return label
    }

    /// Its file and its name, as `upload.curfew: reclaim [size=1]`; the name once where it is the file's. Fit for one line.
    public var title: String {
        let path = Printable.text(file)
        guard isNamedAsFile else { return "\(path): \(label)" }
        return path + label.dropFirst(Printable.text(name).count)
    }

    /// Whether its name says no more than its file's: the path, its last part, or that without its ending.
    private var isNamedAsFile: Bool {
        let last = file.split(separator: "/").last.map(String.init) ?? file
        guard let point = last.lastIndex(of: "."), point > last.startIndex else { return name == last || name == file }
        return name == last || name == file || name == last[..<point]
    }
}

extension Failure {
    /// `FILE:LINE:COLUMN`, without what is unknown.
    func place(in file: String) -> String {
        var place = Printable.text(file)
        guard line > 0 else { return place }
        place += ":\(line)"
        if column > 0 { place += ":\(column)" }
        return place
    }

    /// In one sentence; fit for one line.
    public var sentence: String {
        let expected = Printable.text(expected)
        let seen = Printable.text(seen)
        if expected.isEmpty { return seen }
        return seen.isEmpty ? "expected \(expected)" : "expected \(expected): \(seen)"
    }
}

extension ScenarioResult {
    /// How long it took, whole nanoseconds; 0 for what is no time.
    var nanoseconds: Int64 { Self.nanoseconds(seconds) }

    /// To the nearest; the longest there is are some 285 years.
    static func nanoseconds(_ seconds: Double) -> Int64 {
        guard seconds > 0 else { return 0 }
        // Not rounded(), for which every executable would have to be linked with the mathematical library.
        let nanoseconds = seconds * 1_000_000_000 + 0.5
        return Int64(min(nanoseconds, 9e18))
    }
}
