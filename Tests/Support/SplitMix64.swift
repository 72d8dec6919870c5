/// A small generator that gives the same numbers for the same seed, everywhere and for ever.
///
/// The targets of the tests that need one have links to this file. The monkey of `curfew test` has its own: people keep
/// its seeds.
/// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// From 0 up to, but not including, `bound`. Not as the standard library does it, which may change.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    mutating func bytes(upTo bound: Int) -> [UInt8] {
        (0..<below(bound + 1)).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
