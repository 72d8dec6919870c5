/// What makes a scenario the same one in every run: its file, its name and its matrix's values, not its line, nor its round.
struct ScenarioKey: Hashable, Comparable {
    /// The path as it was given, without `.` in it and double slashes.
    var file: String
    var name: String
    var values: [String]

    init(file: String, name: String, values: [String]) {
        let parts = file.split(separator: "/").filter { $0 != "." }
        self.file = (file.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
        self.name = name
        self.values = values
    }

    init(_ id: ScenarioID) { self.init(file: id.file, name: id.name, values: id.values) }

    static func < (left: ScenarioKey, right: ScenarioKey) -> Bool {
        if left.file != right.file { return left.file < right.file }
        if left.name != right.name { return left.name < right.name }
        return left.values.lexicographicallyPrecedes(right.values)
    }

    /// FNV-1a, 64 bits, of the UTF-8 of the file, the name and each value, a byte 0xff between them, which is in no UTF-8.
    ///
    /// It is the same on every machine and in every version; Swift's own isn't.
    /// Source: The FNV Non-Cryptographic Hash Algorithm, draft-eastlake-fnv.
    var stableHash: UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for (index, text) in ([file, name] + values).enumerated() {
            if index > 0 { ScenarioKey.mix(0xff, into: &hash) }
            for byte in text.utf8 { ScenarioKey.mix(byte, into: &hash) }
        }
        return hash
    }

    private static func mix(_ byte: UInt8, into hash: inout UInt64) {
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
}
