/// One script, or more, for each row of the table of transitions that wakes or ends an app; reviewed line by line
/// against the specification.
enum EndRowTranscript: String, CaseIterable {
    case wakingEvent, wakingEventLate, wakingEventPlain, exitsOnSuspend, exitsOnSuspendLate, terminated
    case terminatedLate, terminatedWhileSuspended, terminatedWoken, notified

    var text: String {
        switch self {
        case .wakingEvent:
            """
            # a waking event while suspended
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
            post a locale
                note a locale kept
            +60s wake a push id=7 request=1
                a suspended -> background
                resume a
                a <- didEnterBackground #5 5s to 1
                a <- change locale #6 to 1
                a <- wake push #7 30s id=7 to 1
                reply 1: background
            +1s ack a 5
                note a didEnterBackground #5 acknowledged
            +28.999s ack a 7
                note a push #7 acknowledged
                suspend a
                a background -> suspended
            wake a push id=8
                a suspended -> background
                resume a
                a <- didEnterBackground #8 5s to 1
                a <- wake push #9 30s id=8 to 1
            open a
                a background -> active
                a <- willEnterForeground #10 to 1
                a <- didBecomeActive #11 to 1
            +1000s tick
            """
        case .wakingEventLate:
            """
            # its time is up: killed
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
            cpu 1s
            +60s wake a push
                a suspended -> background
                resume a
                a <- didEnterBackground #5 5s to 1
                a <- wake push #6 30s to 1
            ack a 5
                note a didEnterBackground #5 acknowledged
            cpu 30s
            +29.999s tick
            +0.001s tick
                kill a background-fetch-timeout in background, event push, limit 30s, elapsed 30s, CPU 29s
                a background -> notRunning
            die a 9
            gone a
                ended a exit 124 background-fetch-timeout
            """
        case .wakingEventPlain:
            """
            # a plain app runs for the wake limit, and is suspended again
            launch a
                a notRunning -> active
            home a
                a active -> background
                suspend a
                a background -> suspended
            +60s wake a push request=1
                a suspended -> background
                resume a
                reply 1: background
            +29.999s tick
            +0.001s tick
                suspend a
                a background -> suspended
            """
        case .exitsOnSuspend:
            """
            # exits-on-suspend, home; the next open is another launch
            launch a exits
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
            home a request=1
                a active -> background
                a <- didEnterBackground #3 5s to 1
                reply 1: background
            +1s ack a 3
                note a didEnterBackground #3 acknowledged
                a <- willTerminate #4 5s to 1
            +1s ack a 4
                note a willTerminate #4 acknowledged
            +1s exit a 0
                sweep a waits
            gone a
                a background -> notRunning
                ended a exit 0
            open a
            launch b exits
                b notRunning -> active
            home b request=2
                b active -> background
                SIGTERM b
                reply 2: background
            die b 15
                sweep b waits
            gone b
                b background -> notRunning
                ended b exit 143
            """
        case .exitsOnSuspendLate:
            """
            # exits-on-suspend, and it doesn't exit
            launch a exits
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
            home a
                a inactive -> background
                a <- didEnterBackground #4 5s to 1
            ack a 4
                note a didEnterBackground #4 acknowledged
                a <- willTerminate #5 5s to 1
            +4.999s tick
            +0.001s tick
                kill a process-exit-watchdog in background, event willTerminate, limit 5s, elapsed 5s, CPU 0s
                a background -> notRunning
            """
        case .terminated:
            """
            # terminated while running: active, inactive, in background
            launch a
                a notRunning -> active
            hello a 1
                note a aware
                a <- didFinishLaunching #1 20s foreground quietly to 1
                a <- didBecomeActive #2 quietly to 1
            ack a 1
                note a didFinishLaunching #1 acknowledged
            quit a request=1
                a <- willTerminate #3 5s to 1
                reply 1: active
            +4.999s exit a 3
                sweep a waits
            gone a
                a active -> notRunning
                ended a exit 3
            launch b
                b notRunning -> active
            hello b 1
                note b aware
                b <- didFinishLaunching #1 20s foreground quietly to 1
                b <- didBecomeActive #2 quietly to 1
            ack b 1
                note b didFinishLaunching #1 acknowledged
            interrupt b
                b active -> inactive
                b <- willResignActive #3 to 1
            quit b
                b <- willTerminate #4 5s to 1
            exit b 0
                sweep b waits
            gone b
                b inactive -> notRunning
                ended b exit 0
            launch c
                c notRunning -> active
            hello c 1
                note c aware
                c <- didFinishLaunching #1 20s foreground quietly to 1
                c <- didBecomeActive #2 quietly to 1
            ack c 1
                note c didFinishLaunching #1 acknowledged
            begin c upload
                note c task 1 "upload" begun
                reply 0: task 1, inf left
            home c
                c active -> background
                c <- willResignActive #3 to 1
                c <- didEnterBackground #4 5s to 1
            quit c
                c <- willTerminate #5 5s to 1
            ack c 4
                note c unknown ack #4
            ack c 5
                note c willTerminate #5 acknowledged
            exit c 0
                sweep c waits
            gone c
                c background -> notRunning
                ended c exit 0
            """
        case .terminatedLate:
            """
            # terminated while running: SIGKILL of the whole tree when its limit is over
            launch a
                a notRunning -> active
            hello a 1
                note a aware
                a <- didFinishLaunching #1 20s foreground quietly to 1
                a <- didBecomeActive #2 quietly to 1
            ack a 1
                note a didFinishLaunching #1 acknowledged
            cpu 1s
            quit a
                a <- willTerminate #3 5s to 1
            +1s ack a 3
                note a willTerminate #3 acknowledged
            cpu 5.5s
            +3.999s tick
            +0.001s tick
                kill a process-exit-watchdog in active, event willTerminate, limit 5s, elapsed 5s, CPU 4.5s
                a active -> notRunning
            die a 9
            gone a
                ended a exit 124 process-exit-watchdog
            """
        case .terminatedWhileSuspended:
            """
            # terminated while suspended: no event, no SIGTERM
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
            quit a request=1
                kill a user-quit in suspended
                a suspended -> notRunning
                reply 1: notRunning
            die a 9
            gone a
                ended a exit 137 user-quit
            """
        case .terminatedWoken:
            """
            # terminated while suspended, with --terminate-suspended=wake
            launch a wake
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
            quit a request=1
                a suspended -> background
                resume a
                a <- willTerminate #5 5s to 1
                reply 1: background
            +5s tick
                kill a process-exit-watchdog in background, event willTerminate, limit 5s, elapsed 5s, CPU 0s
                a background -> notRunning
            """
        case .notified:
            """
            # a program made for systemd: ready, alive, more time, stopping
            launch a hello watchdog=10s
                a notRunning -> active
            +19s notify a extend to=5s
                note a timeouts extended to 5s
            +4.999s notify a ready
                note a ready
            +9.999s notify a alive
            +9.999s home a
                a active -> background
                suspend a
                a background -> suspended
            notify a alive
            +60s open a
                a suspended -> active
                resume a
            notify a extend to=1s
                note a nothing to extend
            +1s quit a
                SIGTERM a
            +4s notify a extend to=3s
                note a timeouts extended to 3s
            notify a stopping
                note a stopping
            +2.999s exit a 0
                sweep a waits
            gone a
                a active -> notRunning
                ended a exit 0
            launch b watchdog=10s
                b notRunning -> active
            +10s tick
                kill b watchdog in active, limit 10s, elapsed 10s
                b active -> notRunning
            """
        }
    }
}
