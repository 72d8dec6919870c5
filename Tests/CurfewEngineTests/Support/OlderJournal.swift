import Testing

/// Journals as Curfew wrote them when its engine kept the times of retries to itself: they have the ticks, and none of the
/// answers that arm a timer now. Some ticks are left out.
struct OlderJournal: CustomTestStringConvertible {
    let testDescription: String
    let text: String

    var lines: [String] { text.split(separator: "\n").map { String($0) } }

    static let all = [hanging, stoppedByTerminal]

    /// A process in vfork is seen stopped by nobody; and one that takes long to die.
    private static let hanging = OlderJournal(
        testDescription: "a stop that hangs, and a kill that is given up",
        text: """
            curfew-journal version=1
            input at=24890587094125 name=launch app=1 budget=600000000000 expiration-lead=5000000000 \
            enter-background-limit=5000000000 terminate-limit=5000000000 launch-limit=20000000000 \
            wake-limit=30000000000 time-limit=1500000000 lock-wait=5000000000 resume-window=300000000000 \
            background-cpu=48000000000 background-cpu-window=60000000000 cpu-limit-action=kill processors=2 \
            locks=report resume-limit=15 yields=false hello=false terminate-suspended=kill terminate-signal=15 \
            exits-on-suspend=false announces=false wait-all=false background=false
            input at=24890608792144 name=started app=1
            effect name=stateChanged app=1 from=notRunning to=active
            input at=24891002227580 name=home app=1 stopped=false request=1
            effect name=stateChanged app=1 from=active to=background
            effect name=checkTracer app=1
            effect name=measureCPUTime app=1
            input at=24891002581021 name=tracerChecked app=1 traced=false
            effect name=suspend app=1
            input at=24891002718410 name=cpuTimeMeasured app=1 cpu=0
            input at=24891046273579 name=tick
            input at=24891084085952 name=tick
            input at=24891118346812 name=tick
            input at=24891152060172 name=tick
            input at=24891182467108 name=tick
            input at=24891216315618 name=tick
            input at=24891216387238 name=suspensionIncomplete app=1
            effect name=stateChanged app=1 from=background to=suspended
            effect name=note app=1 note=suspensionIncomplete
            effect name=reply request=1 state=suspended
            effect name=checkLocks app=1
            input at=24891216887729 name=locksChecked app=1
            input at=24891219123081 name=disconnected app=1 connection=2
            input at=24891546389819 name=open app=1 request=2
            effect name=stateChanged app=1 from=suspended to=active
            effect name=resume app=1
            effect name=reply request=2 state=active
            input at=24891546854939 name=disconnected app=1 connection=3
            input at=24892108810023 name=tick
            effect name=kill app=1 reason=time-limit state=active limit=1500000000 elapsed=1500017879
            effect name=stateChanged app=1 from=active to=notRunning
            input at=24892109810023 name=tick
            input at=24892111810023 name=tick
            input at=24892115810023 name=tick
            input at=24892123810023 name=tick
            input at=24892139810023 name=tick
            input at=24892171810023 name=tick
            input at=24892235810023 name=tick
            input at=24892335810023 name=tick
            input at=24902035810023 name=tick
            input at=24902135810023 name=tick
            input at=24902135860023 name=treeGone app=1
            effect name=ended app=1 state=active status=124 reason=time-limit
            """)

    /// Written by hand, from what that version answered.
    private static let stoppedByTerminal = OlderJournal(
        testDescription: "stops by a terminal, a page-out, something left behind",
        text: """
            curfew-journal version=1
            input at=24890587094125 name=launch app=1 budget=600000000000 expiration-lead=5000000000 \
            enter-background-limit=5000000000 terminate-limit=5000000000 launch-limit=20000000000 \
            wake-limit=30000000000 time-limit=9223372036854775807 lock-wait=5000000000 \
            resume-window=300000000000 background-cpu=48000000000 background-cpu-window=60000000000 \
            cpu-limit-action=kill processors=2 locks=report resume-limit=15 page-out=2000000000 page-out-above=0 \
            yields=false hello=false terminate-suspended=kill terminate-signal=15 exits-on-suspend=false \
            announces=false wait-all=false background=false
            input at=24890587094135 name=started app=1
            effect name=stateChanged app=1 from=notRunning to=active
            input at=24890687094125 name=home app=1 stopped=true
            effect name=stateChanged app=1 from=active to=background
            effect name=checkTracer app=1
            effect name=measureCPUTime app=1
            input at=24890688094125 name=tracerChecked app=1 traced=false
            effect name=suspend app=1
            input at=24890693094125 name=tick
            input at=24890694094125 name=suspensionConfirmed app=1
            effect name=stateChanged app=1 from=background to=suspended
            effect name=checkLocks app=1
            input at=24890694094125 name=locksChecked app=1
            input at=24892694094125 name=tick
            effect name=pageOut app=1 from=0
            input at=24892695094125 name=tick
            input at=24892696094125 name=tick
            input at=24892698094125 name=tick
            input at=24892699094125 name=tick
            input at=24893587094125 name=open app=1
            effect name=stateChanged app=1 from=suspended to=active
            effect name=resume app=1
            input at=24893687094125 name=beginTask app=1 task-name=t owner=0 request=1
            effect name=note app=1 note=taskDidBegin task=1 title=t
            effect name=reply request=1 task=1 remaining=9223372036854775807
            input at=24893787094125 name=home app=1 stopped=true
            effect name=stateChanged app=1 from=active to=background
            effect name=resume app=1
            effect name=measureCPUTime app=1
            effect name=checkTracer app=1
            input at=24893887094125 name=stoppedByTerminal app=1
            input at=24893987094125 name=endTask app=1 task=1 request=2
            effect name=note app=1 note=taskDidEnd task=1 title=t
            effect name=reply request=2 task=1 known=true
            input at=24893988094125 name=tracerChecked app=1 traced=false
            effect name=suspend app=1
            input at=24893989094125 name=stoppedByTerminal app=1
            input at=24893997094125 name=tick
            input at=24894087094125 name=open app=1
            effect name=stateChanged app=1 from=background to=active
            effect name=resume app=1
            input at=24894187094125 name=leaderExited app=1 exited=3
            effect name=sweep app=1 kills=false
            input at=24894188094125 name=leftBehind app=1
            effect name=terminate app=1 signal=15
            input at=24894287094125 name=treeGone app=1
            effect name=stateChanged app=1 from=active to=notRunning
            effect name=ended app=1 state=active status=3
            """)
}
