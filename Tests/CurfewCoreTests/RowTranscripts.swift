/// One script, or more, for each row of the table of transitions that begins or ends in the foreground; reviewed
/// line by line against the specification.
enum RowTranscript: String, CaseIterable {
    case launch, launchAware, launchInBackground, launchInBackgroundLate, launchInBackgroundPlain, home, homeLate
    case homeWithoutTasks, homeWithTasks, homeWithTasksLate, openFromSuspended, openFromBackground, interruption
    case interruptionIgnored, interruptionAccepted

    var text: String {
        switch self {
        case .launch:
            """
            # launch, with options
            launch a option=mail:ann
                a notRunning -> active
            +1s hello a 1
                note a aware
                a <- didFinishLaunching #1 20s foreground option=mail:ann quietly to 1
                a <- didBecomeActive #2 quietly to 1
            +1s ack a 1
                note a didFinishLaunching #1 acknowledged
            +1000s tick
            """
        case .launchAware:
            """
            # launch that must say hello: one limit for hello and acknowledgement
            launch a hello option=mail:ann
                a notRunning -> active
            +19.999s hello a 1
                note a aware
                a <- didFinishLaunching #1 0.001s foreground option=mail:ann to 1
                a <- didBecomeActive #2 to 1
            ack a 1
                note a didFinishLaunching #1 acknowledged
            +1000s exit a 0
                sweep a waits
            gone a
                a active -> notRunning
                ended a exit 0
            launch b hello
                b notRunning -> active
            +1s hello b 1
                note b aware
                b <- didFinishLaunching #1 19s foreground to 1
                b <- didBecomeActive #2 to 1
            +18.999s tick
            +0.001s tick
                kill b launch-watchdog in active, event didFinishLaunching, limit 20s, elapsed 20s, CPU 0s
                b active -> notRunning
            """
        case .launchInBackground:
            """
            # launch in background, for a waking event
            launch a for=fetch option=mail:ann
                a notRunning -> background
            +1s hello a 1
                note a aware
                a <- didFinishLaunching #1 20s background for fetch option=mail:ann quietly to 1
                a <- didEnterBackground #2 5s quietly to 1
                a <- wake fetch #3 30s quietly to 1
            +1s ack a 1
                note a didFinishLaunching #1 acknowledged
            +1s ack a 2
                note a didEnterBackground #2 acknowledged
            +27.999s tick
            ack a 3
                note a fetch #3 acknowledged
                suspend a
                a background -> suspended
            open a
                a suspended -> active
                resume a
                a <- willEnterForeground #4 to 1
                a <- didBecomeActive #5 to 1
            """
        case .launchInBackgroundLate:
            """
            # launch in background, the waking event not handled in time
            launch a for=fetch
                a notRunning -> background
            hello a 1
                note a aware
                a <- didFinishLaunching #1 20s background for fetch quietly to 1
                a <- didEnterBackground #2 5s quietly to 1
                a <- wake fetch #3 30s quietly to 1
            ack a 1
                note a didFinishLaunching #1 acknowledged
            ack a 2
                note a didEnterBackground #2 acknowledged
            cpu 2.5s
            +29.999s tick
            +0.001s tick
                kill a background-fetch-timeout in background, event fetch, limit 30s, elapsed 30s, CPU 2.5s
                a background -> notRunning
            die a 9
            gone a
                ended a exit 124 background-fetch-timeout
            """
        case .launchInBackgroundPlain:
            """
            # launch of a plain app in background, for a waking event
            launch a for=fetch hooks
                a notRunning -> background
                a <- didFinishLaunching #1 background for fetch hooks
                a <- didEnterBackground #2 hooks
                a <- wake fetch #3 hooks
            +29.999s tick
            +0.001s tick
                suspend a
                a background -> suspended
            """
        case .home:
            """
            # home
            launch a
                a notRunning -> active
            hello a 1
                note a aware
                a <- didFinishLaunching #1 20s foreground quietly to 1
                a <- didBecomeActive #2 quietly to 1
            ack a 1
                note a didFinishLaunching #1 acknowledged
            home a request=1
                a active -> background
                a <- willResignActive #3 to 1
                a <- didEnterBackground #4 5s to 1
                reply 1: background
            +4.999s ack a 4
                note a didEnterBackground #4 acknowledged
                suspend a
                a background -> suspended
            """
        case .homeLate:
            """
            # home, not acknowledged in time
            launch a
                a notRunning -> active
            hello a 1
                note a aware
                a <- didFinishLaunching #1 20s foreground quietly to 1
                a <- didBecomeActive #2 quietly to 1
            ack a 1
                note a didFinishLaunching #1 acknowledged
            home a
                a active -> background
                a <- willResignActive #3 to 1
                a <- didEnterBackground #4 5s to 1
            cpu 4.5s
            +4.999s tick
            +0.001s tick
                kill a scene-update-watchdog in background, event didEnterBackground, limit 5s, elapsed 5s, CPU 4.5s
                a background -> notRunning
            die a 9
            gone a
                ended a exit 124 scene-update-watchdog
            """
        case .homeWithoutTasks:
            """
            # … then: no task, suspended at once when that is acknowledged; a plain app without it
            launch a
                a notRunning -> active
            hello a 1
                note a aware
                a <- didFinishLaunching #1 20s foreground quietly to 1
                a <- didBecomeActive #2 quietly to 1
            ack a 1
                note a didFinishLaunching #1 acknowledged
            home a
                a active -> background
                a <- willResignActive #3 to 1
                a <- didEnterBackground #4 5s to 1
            ack a 4
                note a didEnterBackground #4 acknowledged
                suspend a
                a background -> suspended
            launch b
                b notRunning -> active
            home b request=1
                b active -> background
                suspend b
                b background -> suspended
                reply 1: suspended
            """
        case .homeWithTasks:
            """
            # … then: tasks open, it runs on its budget; the last end in background suspends it
            launch a budget=30s lead=5s
                a notRunning -> active
            hello a 1
                note a aware
                a <- didFinishLaunching #1 20s foreground quietly to 1
                a <- didBecomeActive #2 quietly to 1
            ack a 1
                note a didFinishLaunching #1 acknowledged
            begin a upload
                note a task 1 "upload" begun
                reply 0: task 1, inf left
            begin a index
                note a task 2 "index" begun
                reply 0: task 2, inf left
            home a
                a active -> background
                a <- willResignActive #3 to 1
                a <- didEnterBackground #4 5s to 1
            ack a 4
                note a didEnterBackground #4 acknowledged
            +10s end a 1
                note a task 1 "upload" ended
                reply 0: task 1 ended
            +14.999s tick
            +0.001s tick
                note a warned tasks 2
                a <- backgroundTaskWillExpire #5 task 2 5s to 1
            +4.999s end a 2
                note a task 2 "index" ended
                reply 0: task 2 ended
                suspend a
                a background -> suspended
            """
        case .homeWithTasksLate:
            """
            # … and one still open at the budget's end is its death
            launch a budget=30s lead=5s
                a notRunning -> active
            begin a upload
                note a task 1 "upload" begun
                reply 0: task 1, inf left
            home a
                a active -> background
            +25s tick
                note a warned tasks 1
            +4.999s tick
            +0.001s tick
                kill a background-task-timeout in background, limit 30s, task 1 "upload" 30s
                a background -> notRunning
            die a 9
            gone a
                ended a exit 124 background-task-timeout
            """
        case .openFromSuspended:
            """
            # open, from suspended: changes, the latest of each, before didBecomeActive
            launch a
                a notRunning -> active
            hello a 1
                note a aware
                a <- didFinishLaunching #1 20s foreground quietly to 1
                a <- didBecomeActive #2 quietly to 1
            ack a 1
                note a didFinishLaunching #1 acknowledged
            home a
                a active -> background
                a <- willResignActive #3 to 1
                a <- didEnterBackground #4 5s to 1
            ack a 4
                note a didEnterBackground #4 acknowledged
                suspend a
                a background -> suspended
            +1s post a locale language=de
                note a locale kept
            post a timezone request=1
                note a timezone kept
                reply 1: suspended
            +1s post a locale language=fr
                note a locale kept
            +1s open a request=2
                a suspended -> active
                resume a
                a <- willEnterForeground #5 to 1
                a <- change locale #6 language=fr to 1
                a <- change timezone #7 to 1
                a <- didBecomeActive #8 to 1
                reply 2: active
            post a locale language=it
                a <- change locale #9 language=it to 1
            """
        case .openFromBackground:
            """
            # open, from background: the clock stops, the tasks stay, remaining is infinite
            launch a budget=30s
                a notRunning -> active
            hello a 1
                note a aware
                a <- didFinishLaunching #1 20s foreground quietly to 1
                a <- didBecomeActive #2 quietly to 1
            ack a 1
                note a didFinishLaunching #1 acknowledged
            begin a upload
                note a task 1 "upload" begun
                reply 0: task 1, inf left
            home a
                a active -> background
                a <- willResignActive #3 to 1
                a <- didEnterBackground #4 5s to 1
            +1s open a request=1
                a background -> active
                a <- willEnterForeground #5 to 1
                a <- didBecomeActive #6 to 1
                reply 1: active
            begin a index
                note a task 2 "index" begun
                reply 0: task 2, inf left
            ack a 4
                note a unknown ack #4
            +1000s tick
            """
        case .interruption:
            """
            # an interruption begins
            launch a
                a notRunning -> active
            hello a 1
                note a aware
                a <- didFinishLaunching #1 20s foreground quietly to 1
                a <- didBecomeActive #2 quietly to 1
            ack a 1
                note a didFinishLaunching #1 acknowledged
            interrupt a request=1
                a active -> inactive
                a <- willResignActive #3 to 1
                reply 1: inactive
            interrupt a request=2
                reply 2: inactive
            +1000s tick
            """
        case .interruptionIgnored:
            """
            # an interruption ignored
            launch a
                a notRunning -> active
            hello a 1
                note a aware
                a <- didFinishLaunching #1 20s foreground quietly to 1
                a <- didBecomeActive #2 quietly to 1
            ack a 1
                note a didFinishLaunching #1 acknowledged
            interrupt a
                a active -> inactive
                a <- willResignActive #3 to 1
            +1s dismiss a request=1
                a inactive -> active
                a <- didBecomeActive #4 to 1
                reply 1: active
            dismiss a request=2
                reply 2: active
            interrupt a
                a active -> inactive
                a <- willResignActive #5 to 1
            +1s open a request=3
                a inactive -> active
                a <- didBecomeActive #6 to 1
                reply 3: active
            """
        case .interruptionAccepted:
            """
            # an interruption accepted
            launch a
                a notRunning -> active
            hello a 1
                note a aware
                a <- didFinishLaunching #1 20s foreground quietly to 1
                a <- didBecomeActive #2 quietly to 1
            ack a 1
                note a didFinishLaunching #1 acknowledged
            interrupt a
                a active -> inactive
                a <- willResignActive #3 to 1
            +1s home a request=1
                a inactive -> background
                a <- didEnterBackground #4 5s to 1
                reply 1: background
            ack a 4
                note a didEnterBackground #4 acknowledged
                suspend a
                a background -> suspended
            open a
                a suspended -> active
                resume a
                a <- willEnterForeground #5 to 1
                a <- didBecomeActive #6 to 1
            interrupt a
                a active -> inactive
                a <- willResignActive #7 to 1
            launch b
                a inactive -> background
                a <- didEnterBackground #8 5s to 1
                b notRunning -> active
            ack a 8
                note a didEnterBackground #8 acknowledged
                suspend a
                a background -> suspended
            """
        }
    }
}
