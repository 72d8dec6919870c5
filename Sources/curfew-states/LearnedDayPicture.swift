/// When an app fetches before and after its use was learned, in SVG: three days of `LearnedUse`, one below the other.
enum LearnedDayPicture {
    private static let width = 860
    private static let left = 190
    private static let hourWidth = 24
    private static let top = 50
    private static let rowHeight = 76

    private static let rows: [(number: Int, name: String)] = [
        (0, "the first day"), (10, "a workday a week later"), (12, "a Saturday then"),
    ]

    static var document: String {
        let days = LearnedUse().days
        let drawn = rows.enumerated().map { place, shown in
            row(shown.name, days[shown.number], y: top + place * rowHeight)
        }
        let height = top + rows.count * rowHeight + 44
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" role="img" \
            aria-label="When an app fetches before and after its use was learned">
            <style>
            text{font:13px system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif;fill:#1f2328}.soft{fill:#59636e;font-size:11.5px}
            .page{fill:#fff}.lane{fill:#f6f8fa;stroke:#d1d9e0}.grid{stroke:#d1d9e0}.opening{fill:#009e73}.fetch{fill:#0072b2}
            @media(prefers-color-scheme:dark){text{fill:#f0f6fc}.soft{fill:#9198a1}.page{fill:#0d1117}.lane{fill:#151b23;stroke:#3d444d}
            .grid{stroke:#3d444d}.fetch{fill:#56b4e9}.opening{fill:#2fc79c}}
            </style>
            <rect class="page" width="100%" height="100%"/>
            \(hours(height: rows.count * rowHeight))
            \(drawn.joined(separator: "\n"))
            \(legend(y: height - 18))
            </svg>

            """
    }

    private static func x(_ minute: Int) -> Int { left + minute * hourWidth / 60 }

    private static func hours(height: Int) -> String {
        stride(from: 0, through: 24, by: 3).map { hour in
            let shown = (hour < 10 ? "0" : "") + "\(hour):00"
            return """
                <path class="grid" d="M\(x(hour * 60)) \(top - 8)V\(top + height - 18)"/>
                <text class="soft" x="\(x(hour * 60))" y="\(top - 14)" text-anchor="middle">\(shown)</text>
                """
        }.joined(separator: "\n")
    }

    /// Openings above the line, fetches on it.
    private static func row(_ name: String, _ day: LearnedUse.Day, y: Int) -> String {
        let lane = y + 14
        let openings = day.openings.map {
            "<path class=\"opening\" d=\"M\(x($0)) \(lane + 12)l-6 -13h12z\"/>"
        }
        let fetches = day.fetches.map { "<circle class=\"fetch\" cx=\"\(x($0))\" cy=\"\(lane + 22)\" r=\"4.5\"/>" }
        let count = day.fetches.count == 1 ? "1 fetch" : "\(day.fetches.count) fetches"
        return """
            <rect class="lane" x="\(left)" y="\(lane + 14)" width="\(24 * hourWidth)" height="16" rx="8"/>
            <text x="16" y="\(lane + 18)">\(name)</text>
            <text class="soft" x="16" y="\(lane + 34)">\(count)</text>
            \((openings + fetches).joined(separator: "\n"))
            """
    }

    private static func legend(y: Int) -> String {
        """
        <path class="opening" d="M\(left) \(y)l-6 -13h12z"/><text class="soft" x="\(left + 14)" y="\(y - 2)">somebody opens it</text>
        <circle class="fetch" cx="\(left + 160)" cy="\(y - 6)" r="4.5"/>
        <text class="soft" x="\(left + 172)" y="\(y - 2)">it fetches, having asked for once an hour</text>
        """
    }
}
