import CurfewWire

/// A timeline as an SVG document that stands alone: no font, script or file but its own.
///
/// Its colours are Okabe and Ito's, which the colour-blind can tell apart; what they say is said in words or by form too.
/// Source: Okabe, Ito, "Color Universal Design", 2008.
public struct SVGPicture {
    static let width = 960.0
    static let left = 92.0
    static let right = 24.0
    static let margin = 20.0

    private let timeline: Timeline
    private let scale: TimeScale

    public init(_ timeline: Timeline) {
        self.timeline = timeline
        scale = TimeScale(
            from: timeline.from, to: timeline.to, left: Self.left, width: Self.width - Self.left - Self.right)
    }

    /// The whole document, ended by a line feed.
    public var text: String {
        var body = Markup()
        var y = Self.margin
        y = writeLegend(&body, y)
        if timeline.runs.isEmpty {
            body.label("Nothing is known of any app.", x: Self.margin, y: y + 16)
            y += 30
        }
        for run in timeline.runs {
            let drawing = RunDrawing(run, scale)
            y = drawing.write(into: &body, at: y) + 16
        }
        if !timeline.runs.isEmpty { y = writeAxis(&body, y) }
        return document(body.text, height: y + Self.margin / 2)
    }

    private func document(_ body: String, height: Double) -> String {
        let size = "\(Markup.number(Self.width)) \(Markup.number(height))"
        var whole = Markup()
        whole.open(
            "svg",
            [
                ("xmlns", "http://www.w3.org/2000/svg"), ("viewBox", "0 0 \(size)"),
                ("width", Markup.number(Self.width)), ("height", Markup.number(height)), ("role", "img"),
            ])
        whole.raw("\n<title>\(Markup.escape(title))</title>\n<style>\n\(Palette.style)</style>\n\(Palette.patterns)\n")
        whole.rectangle(x: 0, y: 0, width: Self.width, height: height, kind: "page")
        whole.raw(body + "</svg>\n")
        return whole.text
    }

    private var title: String {
        let runs = timeline.runs.map { "\($0.name): \(RunText.outcome($0))" }
        return "Timeline of " + (runs.isEmpty ? "nothing" : runs.joined(separator: "; "))
    }

    /// The states that are there, and what they look like.
    private func writeLegend(_ body: inout Markup, _ y: Double) -> Double {
        let present = Set(timeline.runs.flatMap(\.drawnBands).map { Palette.known($0.state) })
        var x = Self.left
        for state in Palette.states where present.contains(state) {
            let height = 14 * Palette.height(of: state)
            body.rectangle(x: x, y: y + 2 - height, width: 16, height: height, kind: "band \(state)")
            body.label(state, x: x + 21, y: y, kind: "small")
            x += 21 + TextWidth.of(state) + 16
        }
        return y + 20
    }

    private func writeAxis(_ body: inout Markup, _ y: Double) -> Double {
        body.path([(scale.left, y), (scale.right, y)], kind: "axis")
        for (time, label) in scale.ticks {
            let x = scale.x(time)
            body.path([(x, y), (x, y + 5)], kind: "axis")
            body.label(label, x: x, y: y + 18, kind: "small", anchor: "middle")
        }
        body.label(RunText.axis(timeline), x: scale.left, y: y + 36, kind: "small soft")
        return y + 40
    }
}
