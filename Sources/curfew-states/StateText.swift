import CurfewCore

/// The transitions and their watchdogs as Markdown.
enum StateText {
    static var document: String {
        """
        # States and transitions

        Drawn from `Sources/CurfewCore/Vocabulary/Transition.swift` by `make states`; don't edit it by hand.

        ![the states and what leads from one to another](states.svg)

        \(table(of: Transition.allCases))

        Only an aware app is told of events, in the order given. One that is suspended is told nothing before it runs again. A
        plain app is stopped, continued and ended just so, without a word (`--on` and `--exec-on` aside); it is asked to end by
        SIGTERM.

        An app that doesn't acknowledge in time is killed:

        \(watchdogs)

        A waking event that isn't acknowledged within `--wake-limit` (`processing`: `--processing-limit`) is `\(KillReason.backgroundFetchTimeout.rawValue)` \
        (\(KillReason.backgroundFetchTimeout.code ?? "")).

        """
    }

    private static func table(of transitions: [Transition]) -> String {
        let rows = transitions.map { transition in
            [
                transition.rawValue, transition.from.map(\.rawValue).joined(separator: ", "), transition.to.rawValue,
                transition.events.isEmpty ? "–" : transition.events.map { "`\($0.rawValue)`" }.joined(separator: ", "),
                transition.cause,
            ]
        }
        return markdown(["transition", "from", "to", "events, in order", "when, and what else"], rows)
    }

    private static var watchdogs: String {
        let rows = LifecycleEvent.allCases.compactMap { event in
            event.watchdog.map {
                [
                    "`\(event.rawValue)`", "`\(option(for: event))`", "`\($0.rawValue)`", $0.code ?? "–",
                ]
            }
        }
        return markdown(["event", "limit", "reason", "code"], rows)
    }

    private static func option(for event: LifecycleEvent) -> String {
        switch event {
        case .didFinishLaunching: "--launch-limit"
        case .didEnterBackground: "--enter-background-limit"
        case .willTerminate: "--terminate-limit"
        case .didBecomeActive, .willResignActive, .willEnterForeground, .backgroundTaskWillExpire,
            .didReceiveMemoryWarning:
            "–"
        }
    }

    private static func markdown(_ titles: [String], _ rows: [[String]]) -> String {
        let rule = titles.map { _ in "---" }
        return ([titles, rule] + rows).map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }
}
