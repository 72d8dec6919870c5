import CurfewCore

extension Policy {
    /// Asleep after a minute, woken by its input.
    static func sleeping(
        whenIdle: Span? = .seconds(60), isForced: Bool = false, wakesForInput: Bool = true,
        _ change: (inout Policy) -> Void = { _ in }
    ) -> Policy {
        .with {
            var sleep = SleepPolicy()
            sleep.whenIdle = whenIdle
            sleep.isForced = isForced
            sleep.wakesForInput = wakesForInput
            $0.sleep = sleep
            change(&$0)
        }
    }
}

extension Scenario {
    @discardableResult
    func sleep(stays: Bool = false, request: Int? = nil, _ app: AppID = .a) -> [String] {
        send(.app(app, .sleep(stays: stays, request: request.map { RequestID($0) })))
    }

    @discardableResult
    func watched(_ obstacle: String? = nil, _ app: AppID = .a) -> [String] {
        send(.app(app, .inputWatched(obstacle: obstacle)))
    }

    /// It has done something between the look that found it idle and its stop.
    @discardableResult
    func ranOn(_ app: AppID = .a) -> [String] { send(.app(app, .ranOn)) }

    @discardableResult
    func input(_ app: AppID = .a) -> [String] {
        send(.app(app, .inputCame(InputNews(kind: "connection", text: "a connection to :6379", to: ":6379"))))
    }

    /// What it has done by now is measured.
    @discardableResult
    func idle(
        cpu: Span = .zero, written: UInt64 = 0, processes: UInt64 = 1, terminal: UInt64 = 0, obstacle: String? = nil
    ) -> [String] {
        let sample = IdleSample(
            cpuTime: cpu, written: written, processes: processes, terminal: terminal, obstacle: obstacle)
        return send(.app(.a, .idlenessMeasured(sample)))
    }

    /// Looks as often as it takes, and finds nothing done; what followed.
    @discardableResult
    func beIdle(for span: Span) -> [String] {
        let end = now + span
        var lines = idle()
        while let next = supervisor.nextDeadline.earliest, next <= end {
            for line in run(next - now) {
                lines += line == "measure idleness a" ? idle() : [line]
            }
        }
        run(end - now)
        return lines
    }

    static func asleep(_ policy: Policy = .sleeping()) -> Scenario {
        let scenario = Scenario(policy)
        scenario.sleep()
        scenario.watched()
        return scenario
    }

    var isAsleep: Bool { supervisor.app(.a)?.isAsleep == true }
}
