import CurfewCore

/// The states as boxes and the transitions as arrows, in SVG.
///
/// Where boxes and arrows lie is given here by hand; which there are, and what stands on them, comes from the core. A
/// transition between two states that have no arrow here traps, so that none is left out.
enum StatePicture {
    private static let width = 1300
    private static let height = 660

    static var document: String {
        let arrows = pairs.map { drawn($0, arrow(from: $0.from, to: $0.to)) }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" \
            font-family="sans-serif" font-size="13" role="img" aria-label="The states of an app and its transitions">
            <defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" \
            orient="auto-start-reverse"><path d="M0,0 L10,5 L0,10 z" fill="#456"/></marker></defs>
            <rect width="100%" height="100%" fill="#fff"/>
            <rect x="160" y="265" width="330" height="375" rx="14" fill="#eef6ee" stroke="#9b9"/>
            <text x="170" y="281" fill="#484" font-style="italic">foreground</text>
            \(arrows.joined(separator: "\n"))
            \(LifecycleState.allCases.map(box).joined(separator: "\n"))
            </svg>

            """
    }

    // MARK: Boxes

    private static func frame(of state: LifecycleState) -> (x: Int, y: Int, width: Int, height: Int, fill: String) {
        switch state {
        case .notRunning: (40, 24, 1220, 46, "#eee")
        case .active: (240, 285, 150, 80, "#cfe8cf")
        case .inactive: (240, 545, 150, 80, "#e2f0d8")
        case .background: (680, 285, 150, 80, "#fdf0c8")
        case .suspended: (1110, 285, 150, 80, "#dde3ee")
        }
    }

    private static func box(_ state: LifecycleState) -> String {
        let (x, y, width, height, fill) = frame(of: state)
        return """
            <rect x="\(x)" y="\(y)" width="\(width)" height="\(height)" rx="10" fill="\(fill)" stroke="#456" stroke-width="1.5"/>
            <text x="\(x + width / 2)" y="\(y + height / 2 + 5)" text-anchor="middle" font-size="16" font-weight="bold">\
            \(state.rawValue)</text>
            """
    }

    // MARK: Arrows

    /// Two states, and the transitions that lead from one to the other.
    private struct Pair {
        var from: LifecycleState
        var to: LifecycleState
        var transitions: [Transition]
    }

    private static var pairs: [Pair] {
        var pairs: [Pair] = []
        for transition in Transition.allCases {
            for from in transition.from {
                if let index = pairs.firstIndex(where: { $0.from == from && $0.to == transition.to }) {
                    pairs[index].transitions.append(transition)
                } else {
                    pairs.append(Pair(from: from, to: transition.to, transitions: [transition]))
                }
            }
        }
        return pairs
    }

    /// Its path, and where its text begins; `anchor` as SVG has it.
    private struct Arrow {
        var path: String
        var x: Int
        var y: Int
        var anchor = "start"
    }

    private static func arrow(from: LifecycleState, to: LifecycleState) -> Arrow {
        switch (from, to) {
        case (.notRunning, .active): Arrow(path: "M330,70 V285", x: 338, y: 165)
        case (.active, .notRunning): Arrow(path: "M285,285 V70", x: 277, y: 165, anchor: "end")
        case (.inactive, .notRunning): Arrow(path: "M240,585 H110 V70", x: 102, y: 400, anchor: "end")
        case (.notRunning, .background): Arrow(path: "M780,70 V285", x: 788, y: 165)
        case (.background, .notRunning): Arrow(path: "M730,285 V70", x: 722, y: 165, anchor: "end")
        case (.suspended, .notRunning): Arrow(path: "M1185,285 V70", x: 1177, y: 165, anchor: "end")
        case (.active, .background): Arrow(path: "M390,305 H680", x: 585, y: 240, anchor: "middle")
        case (.background, .active): Arrow(path: "M680,345 H390", x: 585, y: 362, anchor: "middle")
        case (.background, .suspended): Arrow(path: "M830,305 H1110", x: 970, y: 298, anchor: "middle")
        case (.suspended, .background): Arrow(path: "M1110,345 H830", x: 970, y: 362, anchor: "middle")
        case (.suspended, .active): Arrow(path: "M1185,365 V440 H365 V365", x: 970, y: 457, anchor: "middle")
        case (.active, .suspended): Arrow(path: "M390,357 H494 V535 H1215 V365", x: 970, y: 552, anchor: "middle")
        case (.active, .inactive): Arrow(path: "M290,365 V545", x: 282, y: 480, anchor: "end")
        case (.inactive, .active): Arrow(path: "M330,545 V365", x: 338, y: 480)
        case (.inactive, .background): Arrow(path: "M390,585 H755 V365", x: 500, y: 602)
        default: preconditionFailure("no arrow is drawn from \(from) to \(to): add one to StatePicture")
        }
    }

    private static func drawn(_ pair: Pair, _ arrow: Arrow) -> String {
        let path = """
            <path d="\(arrow.path)" fill="none" stroke="#456" stroke-width="1.5" marker-end="url(#tip)"/>
            """
        return ([path] + text(of: pair, arrow)).joined(separator: "\n")
    }

    private static func text(of pair: Pair, _ arrow: Arrow) -> [String] {
        var y = arrow.y
        var lines: [String] = []
        for transition in pair.transitions {
            let name = transition.rawValue
            lines.append(line(name, arrow, y, "font-weight=\"600\" fill=\"#234\""))
            y += 15
            for event in transition.events {
                lines.append(line(event.rawValue, arrow, y, "font-size=\"11\" font-family=\"monospace\" fill=\"#555\""))
                y += 13
            }
            y += 2
        }
        return lines
    }

    private static func line(_ text: String, _ arrow: Arrow, _ y: Int, _ style: String) -> String {
        "<text x=\"\(arrow.x)\" y=\"\(y)\" text-anchor=\"\(arrow.anchor)\" \(style)>\(text)</text>"
    }
}
