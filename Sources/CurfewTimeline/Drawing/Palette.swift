/// How things look, on a light and on a dark page.
enum Palette {
    /// The states in the order of the legend.
    static let states = ["active", "inactive", "background", "suspended", "notRunning", "unknown"]

    /// How high its band is, of 1: the more an app may do, the higher, so that it is told without its colour.
    static func height(of state: String) -> Double {
        switch state {
        case "inactive": 0.84
        case "background": 0.68
        case "suspended": 0.54
        default: 1
        }
    }

    static let hatched: Set = ["notRunning", "unknown"]

    /// One that has a place in the legend.
    static func known(_ state: String) -> String { states.contains(state) ? state : "unknown" }

    static let style = """
        text{font:12px system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif;fill:#1f2328}
        .small{font-size:10.5px}.soft{fill:#59636e}.name{font-size:15px;font-weight:600}.bad{fill:#b34700}
        .page{fill:#fff}.lane{fill:#f6f8fa}.grid{stroke:#d1d9e0;stroke-width:1;fill:none}.axis{stroke:#59636e;fill:none}
        .active{fill:#009e73}.inactive{fill:url(#inactive)}.background{fill:#e69f00}.suspended{fill:#0072b2}
        .notRunning{fill:url(#none)}.unknown{fill:url(#unknown)}.edge{fill:none;stroke:#818b98}.band,.task{stroke:#fff;stroke-width:.6}.band.thin,.task.thin{stroke:none}
        text.on{font-size:11px;fill:#000}text.onDark{font-size:11px;fill:#fff}
        .task{fill:#cc79a7}.taskOpen{stroke:#d55e00;stroke-width:3;fill:none}
        .stem{stroke:#818b98;stroke-width:.8;fill:none}
        .fatal{fill:#d55e00;stroke:#d55e00}.warning{fill:#e69f00;stroke:#8a5a00}.plain{fill:#0072b2;stroke:#0072b2}
        .minor{fill:#fff;stroke:#59636e}
        .budget,.memory,.cpu{fill:none;stroke-width:2;stroke-linejoin:round}.budget{stroke:#a8457b}.memory{stroke:#0072b2}.cpu{stroke:#00805d}
        .dot{stroke:none}.dot.budget{fill:#a8457b}.dot.memory{fill:#0072b2}.dot.cpu{fill:#00805d}
        .limit{stroke:#d55e00;stroke-width:1.3;stroke-dasharray:5 3;fill:none}.end{stroke:#59636e;stroke-width:1.5;fill:none}
        .end.killed{stroke:#d55e00;stroke-width:2}.hatch{stroke:#818b98;fill:none}
        @media(prefers-color-scheme:dark){
        text{fill:#f0f6fc}.soft{fill:#9198a1}.bad{fill:#ff9a5c}.page{fill:#0d1117}.lane{fill:#151b23}.grid{stroke:#3d444d}.axis{stroke:#9198a1}.band,.task{stroke:#0d1117}
        .plain{fill:#56b4e9;stroke:#56b4e9}.minor{fill:#0d1117;stroke:#9198a1}.warning{stroke:#e69f00}
        .budget{stroke:#cc79a7}.memory{stroke:#56b4e9}.cpu{stroke:#2fc79c}
        .dot.budget{fill:#cc79a7}.dot.memory{fill:#56b4e9}.dot.cpu{fill:#2fc79c}.end{stroke:#9198a1}
        }

        """

    /// What is no state is hatched, so that it isn't taken for one; inactive has lines, for without colour it is as light as
    /// background, beside which it stands where many fall into one pixel.
    static let patterns = """
        <pattern id="none" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
        <path class="hatch" d="M0 0V6"/></pattern>
        <pattern id="unknown" width="6" height="6" patternUnits="userSpaceOnUse"><path class="hatch" d="M0 3H6M3 0V6"/></pattern>
        <pattern id="inactive" width="4" height="4" patternUnits="userSpaceOnUse"><path fill="#56b4e9" d="M0 0H4V4H0z"/>\
        <path stroke="#1f78a8" d="M0 2H4"/></pattern>
        """

    /// White on what is dark.
    static func wordKind(on state: String) -> String {
        switch state {
        case "suspended": "onDark"
        case _ where hatched.contains(state): ""
        default: "on"
        }
    }
}
