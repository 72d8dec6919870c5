import CurfewWire

/// A timeline as a page that can be zoomed and moved, and says what the pointer is on: one file, nothing fetched.
public struct HTMLPage {
    private typealias Members = [(key: String, value: JSON)]

    private let timeline: Timeline

    public init(_ timeline: Timeline) { self.timeline = timeline }

    /// The whole document, ended by a line feed.
    public var text: String {
        let title = "Timeline of " + timeline.runs.map(\.name).joined(separator: ", ")
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
            <title>\(Markup.escape(title))</title>
            <style>
            \(Palette.style)\(HTMLScript.style)</style>
            </head>
            <body>
            <svg width="0" height="0" aria-hidden="true">\(Palette.patterns)</svg>
            <div class="tools" role="toolbar" aria-label="View">
            <button id="nearer" title="Nearer (+)">+</button>
            <button id="farther" title="Farther (-)">−</button>
            <button id="earlier" title="Earlier (left arrow)">←</button>
            <button id="later" title="Later (right arrow)">→</button>
            <button id="all" title="All of it (0)">all</button>
            <button id="rows" title="More rows of tasks (r)">more rows</button>
            <span id="view"></span>
            </div>
            <main id="runs" tabindex="0"></main>
            <p id="on" role="status">\(HTMLScript.hint)</p>
            <noscript><p>This page draws by a script; <code>curfew timeline -o FILE.svg</code> needs none.</p></noscript>
            <script type="application/json" id="data">\(Self.embedded(data))</script>
            <script>
            \(HTMLScript.text)
            </script>
            </body>
            </html>

            """
    }

    /// JSON that can't end the element it stands in.
    private static func embedded(_ json: JSON) -> String {
        json.text.split(separator: "<", omittingEmptySubsequences: false).joined(separator: "\\u003c")
    }

    // MARK: Data

    private var data: JSON {
        .object([
            ("axis", .string(RunText.axis(timeline))), ("length", time(max(timeline.to, timeline.from + 1))),
            ("states", .array(Palette.states.map { .array([.string($0), .number(Palette.height(of: $0))]) })),
            ("runs", .array(timeline.runs.map { run($0) })),
        ])
    }

    private func run(_ run: AppRun) -> JSON {
        var members: Members = [
            ("name", text(run.name)), ("outcome", text(RunText.outcome(run))), ("facts", text(RunText.facts(run))),
            ("killed", .bool(run.end.map { !$0.reason.isEmpty } ?? false)),
            (
                "bands",
                .array(run.drawnBands.map { .array([.string(Palette.known($0.state)), time($0.from), time($0.to)]) })
            ),
            ("marks", .array(run.marks.map { mark($0) })), ("tasks", .array(tasks(run))),
            ("budget", .array(run.budget.map { samples($0, per: 1_000) })), ("memory", samples(run.memory, per: 1)),
            ("cpu", samples(run.cpu, per: 1_000)), ("limits", .array(run.memoryLimits.map { limit($0) })),
            ("to", time(run.to)), ("cpuNote", text(RunText.cpuLimit(run))),
        ]
        if let span = run.budgetSpan { members.append(("budgetSpan", .number(Double(span) / 1e3))) }
        if let end = run.end {
            members.append(("end", .object([("time", time(end.time)), ("label", text(RunText.endLabel(end)))])))
        }
        return .object(members)
    }

    private func mark(_ mark: AppRun.Mark) -> JSON {
        .array([time(mark.time), text(mark.label), .integer(Int64(mark.rank.rawValue)), text(mark.detail)])
    }

    private func tasks(_ run: AppRun) -> [JSON] {
        run.tasks.map { task in
            .array([
                text(task.name.isEmpty ? "task \(task.number)" : task.name), time(task.from), time(task.to),
                .bool(task.outcome == .open), text(RunText.task(task, since: timeline.from)),
            ])
        }
    }

    private func limit(_ limit: AppRun.Limit) -> JSON {
        .array([time(limit.time), limit.value.map { JSON.integer($0) } ?? .null])
    }

    /// Times and values; these in `unit`s.
    private func samples(_ samples: [AppRun.Sample], per unit: Double) -> JSON {
        .array(
            samples.map { .array([time($0.time), unit == 1 ? .integer($0.value) : .number(Double($0.value) / unit)]) })
    }

    /// Microseconds since the beginning.
    private func time(_ time: Int64) -> JSON { .number(Double(time - timeline.from) / 1e3) }

    private func text(_ text: String) -> JSON { .string(Printable.text(text)) }
}
