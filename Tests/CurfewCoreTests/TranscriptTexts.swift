/// Scripts with what they bring about, reviewed line by line against the specification.
enum Transcript: String, CaseIterable {
    case plain, aware, budget, lateTick, openMidTask, backgroundLaunch, quitRunning, quitSuspended, twoApps
    case stoppedByTerminal, ownersDie, debugger, watchdogs, overtaken, wholeTree, helloWhileSuspended

    var text: String {
        switch self {
        case .plain:
            """
            # launch, home, open, home, end
            launch a
                a notRunning -> active
            +10s home a request=1
                a active -> background
                suspend a
                a background -> suspended
                reply 1: suspended
            +3600s open a request=2
                a suspended -> active
                resume a
                reply 2: active
            +1s home a
                a active -> background
                suspend a
                a background -> suspended
            +1s tick
            open a
                a suspended -> active
                resume a
            +1s exit a 0
                sweep a waits
            gone a
                a active -> notRunning
                ended a exit 0
            """
        case .aware:
            """
            # every event of an aware app, in order
            launch a hello
                a notRunning -> active
            +1s hello a 1
                note a aware
                a <- didFinishLaunching #1 19s foreground to 1
                a <- didBecomeActive #2 to 1
            +1s ack a 1
                note a didFinishLaunching #1 acknowledged
            +60s home a request=1
                a active -> background
                a <- willResignActive #3 to 1
                a <- didEnterBackground #4 5s to 1
                reply 1: background
            +4.999s ack a 4
                note a didEnterBackground #4 acknowledged
                suspend a
                a background -> suspended
            +100s open a request=2
                a suspended -> active
                resume a
                a <- willEnterForeground #5 to 1
                a <- didBecomeActive #6 to 1
                reply 2: active
            +1s home a
                a active -> background
                a <- willResignActive #7 to 1
                a <- didEnterBackground #8 5s to 1
            +1s open a
                a background -> active
                a <- willEnterForeground #9 to 1
                a <- didBecomeActive #10 to 1
            ack a 8
                note a unknown ack #8
            +1s quit a request=3
                a <- willTerminate #11 5s to 1
                reply 3: active
            +1s ack a 11
                note a willTerminate #11 acknowledged
            +1s exit a 0
                sweep a waits
            gone a
                a active -> notRunning
                ended a exit 0
            """
        case .budget:
            """
            # two tasks, one clock
            launch a
                a notRunning -> active
            hello a 1
                note a aware
                a <- didFinishLaunching #1 20s foreground quietly to 1
                a <- didBecomeActive #2 quietly to 1
            ack a 1
                note a didFinishLaunching #1 acknowledged
            begin a upload from=7
                note a task 1 "upload" begun
                reply 0: task 1, inf left
            +5s home a
                a active -> background
                a <- willResignActive #3 to 1
                a <- didEnterBackground #4 5s to 1
            +1s ack a 4
                note a didEnterBackground #4 acknowledged
            +99s begin a index
                note a task 2 "index" begun
                reply 0: task 2, 500s left
            +494.999s tick
            +0.001s tick
                note a warned tasks 1,2
                a <- backgroundTaskWillExpire #5 task 1 5s to 1,7
                a <- backgroundTaskWillExpire #6 task 2 5s to 1
            +1s begin a more
                reply 0: error expired
            +1s end a 2
                note a task 2 "index" ended
                reply 0: task 2 ended
            +2.999s tick
            +0.001s tick
                kill a background-task-timeout in background, limit 600s, task 1 "upload" 605s
                a background -> notRunning
            die a 9
            gone a
                ended a exit 124 background-task-timeout
            """
        case .lateTick:
            """
            # the machine was busy: grace counts from the warning's delivery
            launch a budget=25s lead=5s
                a notRunning -> active
            begin a upload
                note a task 1 "upload" begun
                reply 0: task 1, inf left
            home a
                a active -> background
            +31s tick
                note a warned tasks 1
            tick
            +4.999s tick
            +0.001s tick
                kill a background-task-timeout in background, limit 25s, task 1 "upload" 36s
                a background -> notRunning
            """
        case .openMidTask:
            """
            # the clock stops, the task stays, the next home gives the full budget
            launch a budget=30s lead=5s
                a notRunning -> active
            begin a upload
                note a task 1 "upload" begun
                reply 0: task 1, inf left
            home a
                a active -> background
            +26s tick
                note a warned tasks 1
            +1s open a
                a background -> active
            +1000s tick
            home a
                a active -> background
            +24.999s tick
            +0.001s tick
                note a warned tasks 1
            end a 1
                note a task 1 "upload" ended
                reply 0: task 1 ended
                suspend a
                a background -> suspended
            """
        case .backgroundLaunch:
            """
            # aware and plain
            launch a background
                a notRunning -> background
            +1s hello a 1
                note a aware
                a <- didFinishLaunching #1 20s background quietly to 1
                a <- didEnterBackground #2 5s quietly to 1
            +1s ack a 1
                note a didFinishLaunching #1 acknowledged
            +1s ack a 2
                note a didEnterBackground #2 acknowledged
                suspend a
                a background -> suspended
            +60s open a
                a suspended -> active
                resume a
                a <- willEnterForeground #3 to 1
                a <- didBecomeActive #4 to 1
            launch b background grace=2s
                b notRunning -> background
            +1s begin b fetch
                note b task 1 "fetch" begun
                reply 0: task 1, 599s left
            +5s end b 1
                note b task 1 "fetch" ended
                reply 0: task 1 ended
                suspend b
                b background -> suspended
            """
        case .quitRunning:
            """
            # SIGTERM, and what becomes of it
            launch a
                a notRunning -> active
            quit a request=1
                SIGTERM a
                reply 1: active
            +1s die a 15
                sweep a waits
            gone a
                a active -> notRunning
                ended a exit 143
            launch b
                b notRunning -> active
            quit b
                SIGTERM b
            +4.999s tick
            +0.001s tick
                kill b process-exit-watchdog in active, event willTerminate, limit 5s, elapsed 5s, CPU 0s
                b active -> notRunning
            die b 9
            gone b
                ended b exit 124 process-exit-watchdog
            """
        case .quitSuspended:
            """
            # killed without a word, or woken first
            launch a
                a notRunning -> active
            home a
                a active -> background
                suspend a
                a background -> suspended
            quit a request=1
                kill a user-quit in suspended
                a suspended -> notRunning
                reply 1: notRunning
            die a 9
            gone a
                ended a exit 137 user-quit
            launch b wake
                b notRunning -> active
            home b
                b active -> background
                suspend b
                b background -> suspended
            quit b request=2
                b suspended -> background
                resume b
                SIGTERM b
                reply 2: background
            +1s exit b 7
                sweep b waits
            gone b
                b background -> notRunning
                ended b exit 7
            """
        case .twoApps:
            """
            # one in front
            launch a
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
            launch b
                a active -> background
                a <- willResignActive #3 to 1
                a <- didEnterBackground #4 5s to 1
                b notRunning -> active
            ack a 4
                note a didEnterBackground #4 acknowledged
            +10s open a
                b active -> background
                a background -> active
                a <- willEnterForeground #5 to 1
                a <- didBecomeActive #6 to 1
                suspend b
                b background -> suspended
            +10s open b
                a active -> background
                a <- willResignActive #7 to 1
                a <- didEnterBackground #8 5s to 1
                b suspended -> active
                resume b
            +1s ack a 8
                note a didEnterBackground #8 acknowledged
            +1s end a 1
                note a task 1 "upload" ended
                reply 0: task 1 ended
                suspend a
                a background -> suspended
            exit b 0
                sweep b waits
            gone b
                b active -> notRunning
                ended b exit 0
            open a
                a suspended -> active
                resume a
                a <- willEnterForeground #9 to 1
                a <- didBecomeActive #10 to 1
            """
        case .stoppedByTerminal:
            """
            # Ctrl-Z: continued for what is owed
            launch a grace=2s
                a notRunning -> active
            home a stopped
                a active -> background
                resume a
            +2s tick
                suspend a
                a background -> suspended
            open a
                a suspended -> active
                resume a
            begin a upload
                note a task 1 "upload" begun
                reply 0: task 1, inf left
            home a stopped
                a active -> background
                resume a
            """
        case .ownersDie:
            """
            # two owners
            launch a
                a notRunning -> active
            begin a one owner=1
                note a task 1 "one" begun
                reply 0: task 1, inf left
            begin a two owner=2
                note a task 2 "two" begun
                reply 0: task 2, inf left
            begin a three owner=1
                note a task 3 "three" begun
                reply 0: task 3, inf left
            home a
                a active -> background
            owner-dies a 1
                note a task 1 "one" released
                note a task 3 "three" released
            end a 1
                note a unknown task 1 ended
                reply 0: task 1 unknown
            owner-dies a 2
                note a task 2 "two" released
                suspend a
                a background -> suspended
            """
        case .debugger:
            """
            # neither suspended nor killed, and the clock stands
            launch a budget=30s lead=5s
                a notRunning -> active
            begin a upload
                note a task 1 "upload" begun
                reply 0: task 1, inf left
            home a
                a active -> background
            tracer on
            +25s tick
                note a traced
            +1s tick
            +600s tick
            tracer off
            +1s tick
                note a no longer traced
                note a warned tasks 1
            +5s tick
                kill a background-task-timeout in background, limit 30s, task 1 "upload" 632s
                a background -> notRunning
            """
        case .watchdogs:
            """
            # launch, didEnterBackground, willTerminate
            launch a hello
                a notRunning -> active
            +20s tick
                kill a launch-watchdog in active, limit 20s, elapsed 20s, CPU 0s
                a active -> notRunning
            launch b
                b notRunning -> active
            hello b 1
                note b aware
                b <- didFinishLaunching #1 20s foreground quietly to 1
                b <- didBecomeActive #2 quietly to 1
            ack b 1
                note b didFinishLaunching #1 acknowledged
            home b
                b active -> background
                b <- willResignActive #3 to 1
                b <- didEnterBackground #4 5s to 1
            +5s tick
                kill b scene-update-watchdog in background, event didEnterBackground, limit 5s, elapsed 5s, CPU 0s
                b background -> notRunning
            launch c
                c notRunning -> active
            hello c 1
                note c aware
                c <- didFinishLaunching #1 20s foreground quietly to 1
                c <- didBecomeActive #2 quietly to 1
            quit c
                c <- willTerminate #3 5s to 1
            +5s tick
                kill c process-exit-watchdog in active, event willTerminate, limit 5s, elapsed 5s, CPU 0s
                c active -> notRunning
            """
        case .overtaken:
            """
            # a begin sent before the stop
            launch a
                a notRunning -> active
            home a
                a active -> background
                suspend a
                a background -> suspended
            begin a upload
                note a task 1 "upload" begun
                reply 0: task 1, 600s left
                a suspended -> background
                resume a
            +1s end a 1
                note a task 1 "upload" ended
                reply 0: task 1 ended
                suspend a
                a background -> suspended
            end a 1
                note a unknown task 1 ended
                reply 0: task 1 unknown
            """
        case .wholeTree:
            """
            # --wait-all
            launch a wait-all limit=60s
                a notRunning -> active
            exit a 3
                sweep a waits
            home a
                a active -> background
                suspend a
                a background -> suspended
            +60s tick
                kill a time-limit in suspended, limit 60s, elapsed 60s
                a suspended -> notRunning
            gone a
                ended a exit 124 time-limit
            """
        case .helloWhileSuspended:
            """
            # heard on the next open
            launch a
                a notRunning -> active
            home a
                a active -> background
                suspend a
                a background -> suspended
            hello a 1
                note a aware
            +1s open a
                a suspended -> active
                resume a
                a <- didFinishLaunching #1 20s foreground quietly to 1
                a <- didBecomeActive #2 quietly to 1
            ack a 1
                note a didFinishLaunching #1 acknowledged
            close a 1
                note a plain
            home a
                a active -> background
                suspend a
                a background -> suspended
            """
        }
    }
}
