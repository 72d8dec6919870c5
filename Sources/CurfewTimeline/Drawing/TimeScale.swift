/// Where a time lies across the picture, and the round times that its axis names.
struct TimeScale {
    let from: Int64
    let to: Int64
    let left: Double
    let width: Double

    init(from: Int64, to: Int64, left: Double, width: Double) {
        self.from = from
        // A run of no length has a place all the same.
        self.to = max(to, from + 1)
        self.left = left
        self.width = width
    }

    var right: Double { left + width }
    var length: Int64 { to - from }

    func x(_ time: Int64) -> Double {
        left + width * Double(min(max(time, from), to) - from) / Double(length)
    }

    private static let second: Int64 = 1_000_000_000
    private static let minute = 60 * second
    private static let hour = 60 * minute

    /// From a nanosecond to 500 ms by 1, 2 and 5; then as clocks and calendars divide.
    private static let steps: [Int64] = {
        var steps: [Int64] = []
        var power: Int64 = 1
        while power < second {
            steps += [power, 2 * power, 5 * power]
            power *= 10
        }
        steps += [1, 2, 5, 10, 15, 30].map { $0 * second } + [1, 2, 5, 10, 15, 30].map { $0 * minute }
        return steps + [1, 2, 3, 6, 12, 24, 48, 168, 720].map { $0 * hour }
    }()

    /// What lies between two named times: no more than ten of them.
    var step: Int64 {
        if let step = Self.steps.first(where: { length / $0 <= 10 }) { return step }
        let days = 30 * 24 * Self.hour
        return (length / 10 / days + 1) * days
    }

    /// Each named time with its words, since the beginning.
    var ticks: [(time: Int64, label: String)] {
        stride(from: 0, through: length, by: Int64.Stride(step)).map { (from + $0, Self.label($0, step: step)) }
    }

    private static func label(_ elapsed: Int64, step: Int64) -> String {
        switch step {
        case _ where elapsed == 0: "0"
        case ..<1_000: "\(elapsed) ns"
        case ..<1_000_000: ElapsedText.decimal(elapsed, of: 1_000, places: 3) + " µs"
        case ..<100_000_000: ElapsedText.decimal(elapsed, of: 1_000_000, places: 3) + " ms"
        case ..<second: ElapsedText.decimal(elapsed, of: second, places: 3) + " s"
        default: ElapsedText.compound(elapsed)
        }
    }
}
