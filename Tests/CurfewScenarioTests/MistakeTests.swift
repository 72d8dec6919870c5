import Testing

/// What is said of each mistake, word for word.
@Suite("Mistakes")
struct MistakeTests {
    @Test(
        "Unknown words",
        arguments: [
            ("lanch", ["1:1: error: there is no statement \"lanch\"; did you mean \"launch\"?\(Accepted.statements)"]),
            ("Home", ["1:1: error: there is no statement \"Home\"; did you mean \"home\"?\(Accepted.statements)"]),
            ("hoem", ["1:1: error: there is no statement \"hoem\"; did you mean \"home\"?\(Accepted.statements)"]),
            (
                "frobnicate",
                [
                    "1:1: error: there is no statement \"frobnicate\"; a command is run by: do frobnicate\(Accepted.statements)"
                ]
            ),
            (
                "ls -l",
                [
                    "1:1: error: there is no statement \"ls\"; a command is run by: do ls\(Accepted.statements)"
                ]
            ),
            (
                "run ./x",
                [
                    "1:1: error: there is no statement \"run\": `app OPTIONS -- COMMAND` says what is tested and `launch` starts it; another command is run by `do COMMAND`"
                ]
            ),
            (
                "sleep 2",
                [
                    "1:7: error: \"2\" is one too many; it is written: sleep; to look on for a time write `expect silence D`, to wait for something `await CONDITION`, to let time pass for the app `advance D`"
                ]
            ),
            (
                "wait",
                [
                    "1:1: error: there is no statement \"wait\": write `await CONDITION` to wait for something, `await exit N` for the app's end"
                ]
            ),
            (
                "exec ./x",
                [
                    "1:1: error: there is no statement \"exec\": a command is run by `do COMMAND`, what is tested is named by `app`"
                ]
            ),
            ("sh -c x", ["1:1: error: there is no statement \"sh\": a shell is run by `do sh -c '…'`"]),
            ("bash", ["1:1: error: there is no statement \"bash\": a shell is run by `do bash -c '…'`"]),
            (
                "kill 1",
                [
                    "1:1: error: there is no statement \"kill\": write `quit`, `reclaim`, or `do kill …` for a signal of your own"
                ]
            ),
            (
                "curfew home",
                ["1:1: error: there is no statement \"curfew\": its verbs are statements: `home`, not `curfew home`"]
            ),
            (
                "state active",
                [
                    "1:1: error: there is no statement \"state\": it is a condition; write `expect state STATE` or `await state STATE`"
                ]
            ),
            (
                "'home'",
                ["1:1: error: a statement begins with a plain word, without quotes and variables; it is 'home' here"]
            ),
            ("$x", ["1:1: error: a statement begins with a plain word, without quotes and variables; it is $x here"]),
            ("home;", ["1:1: error: one statement a line; there is no ;"]),
            (";", ["1:1: error: one statement a line; there is no ;"]),
            ("!do x", ["1:1: error: a blank stands between ! and what it denies, as in: ! expect state active"]),
            ("! home", ["1:3: error: ! stands before `do` and `expect`, not before \"home\""]),
            ("!", ["1:1: error: ! stands before `do` or `expect`"]),
            ("! await state active", ["1:3: error: `await` has no !; `! expect` says what doesn't hold"]),
            (
                "await stat active",
                ["1:7: error: there is no condition \"stat\"; did you mean \"state\"?\(Accepted.conditions)"]
            ),
            (
                "await frob",
                [
                    "1:7: error: there is no condition \"frob\"\(Accepted.conditions)"
                ]
            ),
            ("expect not state active", ["1:8: error: what doesn't hold is written: ! expect CONDITION"]),
            ("expect ! state active", ["1:8: error: what doesn't hold is written: ! expect CONDITION"]),
            ("await suspended", ["1:7: error: there is no condition \"suspended\"; did you mean \"state suspended\"?"]),
            (
                "await foreground",
                ["1:7: error: the foreground is two states; write `state active` or `state inactive`"]
            ),
            (
                "expect didBecomeActive",
                ["1:8: error: there is no condition \"didBecomeActive\"; did you mean \"event didBecomeActive\"?"]
            ),
            (
                "await 'state' active",
                [
                    "1:7: error: a condition begins with a plain word\(Accepted.conditions)"
                ]
            ),
            ("expect memory<5M", ["1:8: error: OP and VALUE are words of their own; it is written: memory OP VALUE"]),
            (
                "await state foreground",
                ["1:13: error: the foreground is two states; write `state active` or `state inactive`"]
            ),
            (
                "await state backgroud",
                [
                    "1:13: error: there is no state \"backgroud\"; did you mean \"background\"? accepted: active, inactive, background, suspended, notRunning"
                ]
            ),
            (
                "await state notrunning",
                [
                    "1:13: error: there is no state \"notrunning\"; did you mean \"notRunning\"? accepted: active, inactive, background, suspended, notRunning"
                ]
            ),
            (
                "await state gone",
                [
                    "1:13: error: there is no state \"gone\"; accepted: active, inactive, background, suspended, notRunning"
                ]
            ),
            (
                "expect killed memory-limt",
                ["1:15: error: there is no reason \"memory-limt\"; did you mean \"memory-limit\"?\(Accepted.reasons)"]
            ),
            (
                "expect killed hunger",
                [
                    "1:15: error: there is no reason \"hunger\"\(Accepted.reasons)"
                ]
            ),
            (
                "warn crtical",
                ["1:6: error: there is no level \"crtical\"; did you mean \"critical\"? accepted: warning, critical"]
            ),
            ("await silence 3s within 1s", ["1:15: error: that silence is longer than its deadline"]),
            (
                "key Return hi",
                ["1:5: warning: there is no key \"Return\", so its letters are typed; did you mean \"Enter\"?"]
            ),
            ("key Entr", ["1:5: warning: there is no key \"Entr\", so its letters are typed; did you mean \"Enter\"?"]),
            ("pressure low", ["1:10: error: there is no level \"low\"; accepted: normal, warning, critical"]),
            ("warn loud", ["1:6: error: there is no level \"loud\"; accepted: warning, critical"]),
            (
                "await task t opn",
                ["1:14: error: \"opn\" isn't accepted here; did you mean \"open\"? it is written: task NAME open|ended"]
            ),
            ("await pid new", ["1:11: error: \"new\" isn't accepted here; it is written: pid changed|same"]),
            (
                "expect file a exist",
                [
                    "1:15: error: \"exist\" isn't accepted here; did you mean \"exists\"? it is written: file PATH exists|absent|contains REGEX"
                ]
            ),
            (
                "expect file a has b",
                ["1:15: error: \"has\" isn't accepted here; it is written: file PATH exists|absent|contains REGEX"]
            ),
            (
                "expect memory == 5M",
                [
                    "1:15: error: \"==\" isn't accepted here; accepted: <, <=, =, >=, >; it is written: memory OP VALUE"
                ]
            ),
            ("expect memory '<' 5M", []),
            (
                "stress warning",
                [
                    "1:1: error: there is no statement \"stress\"; a command is run by: do stress\(Accepted.statements)"
                ]
            ),
        ] as [(String, [String])])
    func unknownWords(text: String, said: [String]) {
        #expect(problems(after: text) == said)
    }

    @Test(
        "Missing words",
        arguments: [
            ("await", ["1:1: error: CONDITION is missing; it is written: await CONDITION [within D]"]),
            ("expect", ["1:1: error: CONDITION is missing; it is written: [!] expect CONDITION"]),
            ("! expect", ["1:3: error: CONDITION is missing; it is written: [!] expect CONDITION"]),
            ("do", ["1:1: error: COMMAND is missing; it is written: [!] do COMMAND… [&]"]),
            ("do &", ["1:1: error: COMMAND is missing; it is written: [!] do COMMAND… [&]"]),
            ("! do", ["1:3: error: COMMAND is missing; it is written: [!] do COMMAND… [&]"]),
            ("wake", ["1:1: error: NAME is missing; it is written: wake NAME [KEY=VALUE…]"]),
            ("post", ["1:1: error: NAME is missing; it is written: post NAME [KEY=VALUE…]"]),
            ("advance", ["1:1: error: D is missing; it is written: advance D"]),
            ("send", ["1:1: error: TEXT is missing; it is written: send TEXT"]),
            ("key", ["1:1: error: a KEY is missing; it is written: key KEYS…"]),
            ("set", ["1:1: error: NAME is missing; it is written: set NAME VALUE"]),
            ("set x", ["1:1: error: VALUE is missing; it is written: set NAME VALUE"]),
            ("await state", ["1:7: error: STATE is missing; it is written: state STATE"]),
            ("await event", ["1:7: error: NAME is missing; it is written: event NAME [KEY=VALUE…]"]),
            ("await events", ["1:7: error: a NAME is missing; it is written: events NAME…"]),
            ("await task", ["1:7: error: NAME is missing; it is written: task NAME open|ended"]),
            ("await task t", ["1:7: error: open or ended is missing; it is written: task NAME open|ended"]),
            ("await output", ["1:7: error: REGEX is missing; it is written: output REGEX [as NAME…]"]),
            ("await output x as", ["1:7: error: a NAME after `as` is missing; it is written: output REGEX [as NAME…]"]),
            ("await silence", ["1:7: error: D is missing; it is written: silence D"]),
            ("await exit", ["1:7: error: N is missing; it is written: exit N"]),
            ("await killed", ["1:7: error: REASON is missing; it is written: killed REASON"]),
            ("await pid", ["1:7: error: changed or same is missing; it is written: pid changed|same"]),
            ("await file", ["1:7: error: PATH is missing; it is written: file PATH exists|absent|contains REGEX"]),
            (
                "await file a",
                [
                    "1:7: error: exists, absent or contains REGEX is missing; it is written: file PATH exists|absent|contains REGEX"
                ]
            ),
            (
                "await file a contains",
                ["1:7: error: REGEX is missing; it is written: file PATH exists|absent|contains REGEX"]
            ),
            ("expect remaining", ["1:8: error: OP is missing; it is written: remaining OP VALUE"]),
            ("expect remaining <", ["1:8: error: VALUE is missing; it is written: remaining OP VALUE"]),
            (
                "await state active within",
                ["1:20: error: D is missing after `within`; it is written: await CONDITION [within D]"]
            ),
            ("await within 5s", ["1:1: error: CONDITION is missing; it is written: await CONDITION [within D]"]),
        ] as [(String, [String])])
    func missingWords(text: String, said: [String]) {
        #expect(problems(after: text) == said)
    }

    @Test(
        "Words too many",
        arguments: [
            ("launch now", ["1:8: error: \"now\" is one too many; it is written: launch"]),
            ("home 'a b'", ["1:6: error: \"a b\" is one too many; it is written: home"]),
            ("quit x", ["1:6: error: \"x\" is one too many; it is written: quit"]),
            ("warn warning x", ["1:14: error: \"x\" is one too many; it is written: warn [LEVEL]"]),
            ("advance 5s 3s", ["1:12: error: \"3s\" is one too many; it is written: advance D"]),
            (
                "send a b",
                ["1:8: error: \"b\" is one too many; it is written: send TEXT; a TEXT with blanks stands in quotes"]
            ),
            (
                "set x a b",
                [
                    "1:9: error: \"b\" is one too many; it is written: set NAME VALUE; a VALUE with blanks stands in quotes"
                ]
            ),
            ("await state active now", ["1:20: error: \"now\" is one too many; it is written: state STATE"]),
            (
                "await state active 5s",
                ["1:20: error: \"5s\" is one too many; it is written: state STATE; a deadline is written: within 5s"]
            ),
            (
                "await state active witin 5s",
                ["1:20: error: \"witin\" is one too many; it is written: state STATE; did you mean \"within\"?"]
            ),
            ("expect state active 5s", ["1:21: error: \"5s\" is one too many; it is written: state STATE"]),
            (
                "await output listening on",
                [
                    "1:24: error: \"on\" is one too many; it is written: output REGEX [as NAME…]; a REGEX with blanks stands in quotes"
                ]
            ),
            ("await task t open x", ["1:19: error: \"x\" is one too many; it is written: task NAME open|ended"]),
            (
                "await exit 0 1",
                ["1:14: error: \"1\" is one too many; it is written: exit N; a deadline is written: within 1"]
            ),
            ("await silence 2s x", ["1:18: error: \"x\" is one too many; it is written: silence D"]),
            ("expect pid same x", ["1:17: error: \"x\" is one too many; it is written: pid changed|same"]),
            (
                "expect file a exists x",
                [
                    "1:22: error: \"x\" is one too many; it is written: file PATH exists|absent|contains REGEX; a REGEX with blanks stands in quotes"
                ]
            ),
            (
                "expect file a contains b c",
                [
                    "1:26: error: \"c\" is one too many; it is written: file PATH exists|absent|contains REGEX; a REGEX with blanks stands in quotes"
                ]
            ),
            ("expect cpu < 5s x", ["1:17: error: \"x\" is one too many; it is written: cpu OP VALUE"]),
        ] as [(String, [String])])
    func wordsTooMany(text: String, said: [String]) {
        #expect(problems(after: text) == said)
    }

    @Test(
        "Values",
        arguments: [
            ("advance 5x", ["1:9: error: \"5x\" isn't a duration such as 90, 1.5s, 10m or 1h30min"]),
            ("advance inf", ["1:9: error: \"inf\" isn't a duration such as 90, 1.5s, 10m or 1h30min"]),
            ("advance -1", ["1:9: error: \"-1\" isn't a duration such as 90, 1.5s, 10m or 1h30min"]),
            (
                "await state active within soon",
                ["1:27: error: \"soon\" isn't a duration such as 90, 1.5s, 10m or 1h30min"]
            ),
            ("await silence ''", ["1:15: error: \"\" isn't a duration such as 90, 1.5s, 10m or 1h30min"]),
            ("expect exit x", ["1:13: error: \"x\" isn't a whole number, 0 or more"]),
            ("expect exit 256", ["1:13: error: 256 isn't an exit status, 0 to 255"]),
            ("expect exit -1", ["1:13: error: \"-1\" isn't a whole number, 0 or more"]),
            ("await output '(x)' as a b", ["1:14: error: \"(x)\" has no group for $b; what ( and ) enclose is one"]),
            (
                "await output '(?x)(a) # c' as a b",
                ["1:14: error: \"(?x)(a) # c\" has no group for $b; what ( and ) enclose is one"]
            ),
            ("await output '(?<n>a)(b)' as x y", []),
            (
                "expect exit 99999999999999999999",
                ["1:13: error: \"99999999999999999999\" isn't a whole number, 0 or more"]
            ),
            ("expect output '('", ["1:15: error: \"(\" isn't a regular expression: expected ')'"]),
            ("expect output '[a'", ["1:15: error: \"[a\" isn't a regular expression: expected ']'"]),
            (
                "expect output 'a**'",
                ["1:15: error: \"a**\" isn't a regular expression: quantifier '*' must appear after expression"]
            ),
            (
                "expect output \\d+",
                ["1:16: error: outside quotes \\d is no more than d, as in sh; a REGEX with \\ stands in '…'"]
            ),
            (
                "expect file a contains '*'",
                ["1:24: error: \"*\" isn't a regular expression: quantifier '*' must appear after expression"]
            ),
            ("await output x as port", ["1:14: error: \"x\" has no group for $port; what ( and ) enclose is one"]),
            ("await output '(x)' as 1", ["1:23: error: \"1\" isn't a name: letters, digits and _, first no digit"]),
            ("await output '(x)' as $p", ["1:23: error: NAME is written without $ where it gets its value"]),
            ("await output '(x)(y)' as a a", ["1:28: error: $a is named twice"]),
            ("expect memory < 5", []),
            (
                "expect memory < 5KB",
                ["1:17: error: \"5KB\" isn't a size such as 200M (200 MiB), 1.5G, 64KiB or a number of bytes"]
            ),
            ("expect cpu < 5M", ["1:14: error: \"5M\" isn't a duration such as 90, 1.5s, 10m or 1h30min"]),
            ("expect remaining < x", ["1:20: error: \"x\" isn't a duration such as 90, 1.5s, 10m or 1h30min"]),
            ("expect processes = -1", ["1:20: error: \"-1\" isn't a whole number, 0 or more"]),
            ("expect processes = 1.5", ["1:20: error: \"1.5\" isn't a whole number, 0 or more"]),
            ("set 1 x", ["1:5: error: \"1\" isn't a name: letters, digits and _, first no digit"]),
            ("set $x y", ["1:5: error: NAME is written without $ where it gets its value"]),
            ("set x=1", ["1:5: error: a blank stands between NAME and VALUE; it is written: set NAME VALUE"]),
            ("set a-b c", ["1:5: error: \"a-b\" isn't a name: letters, digits and _, first no digit"]),
            (
                "wake 1",
                ["1:6: error: \"1\" isn't an event's name: letters, digits, - _ and . (first a letter), 64 at most"]
            ),
            (
                "wake 'a b'",
                ["1:6: error: \"a b\" isn't an event's name: letters, digits, - _ and . (first a letter), 64 at most"]
            ),
            (
                "wake didBecomeActive",
                [
                    "1:6: error: didBecomeActive is an event of the lifecycle; only Curfew delivers it, so yours needs another name"
                ]
            ),
            ("wake fetch x", ["1:12: error: \"x\" isn't KEY=VALUE, such as reason=nightly"]),
            (
                "wake fetch =x",
                ["1:12: error: \"\" isn't a KEY: letters, digits, - _ and . (first a letter), 64 at most"]
            ),
            ("wake fetch ''", ["1:12: error: \"\" isn't KEY=VALUE, such as reason=nightly"]),
            (
                "post t k0=1 k1=1 k2=1 k3=1 k4=1 k5=1 k6=1 k7=1 k8=1 k9=1 k10=1 k11=1 k12=1 k13=1 k14=1 k15=1 k16=1",
                ["1:94: error: \"k16=1\" is one too many: an event carries 16 pairs at most"]
            ),
            (
                "expect event 1",
                ["1:14: error: \"1\" isn't an event's name: letters, digits, - _ and . (first a letter), 64 at most"]
            ),
            ("expect event a b", ["1:16: error: \"b\" isn't KEY=VALUE, such as reason=nightly"]),
            (
                "expect events a 'b c'",
                ["1:17: error: \"b c\" isn't an event's name: letters, digits, - _ and . (first a letter), 64 at most"]
            ),
            (
                "await output '" + String(repeating: "x", count: 4097) + "'",
                ["1:14: error: a regular expression has 4096 bytes at most"]
            ),
        ] as [(String, [String])])
    func values(text: String, said: [String]) {
        #expect(problems(after: text) == said)
    }

    @Test(
        "What needs a shell",
        arguments: [
            (
                "do a | b",
                ["1:6: error: | needs a shell, and commands are run without one; write do sh -c '…', or quote the word"]
            ),
            (
                "do a > b",
                ["1:6: error: > needs a shell, and commands are run without one; write do sh -c '…', or quote the word"]
            ),
            (
                "do a 2> b",
                [
                    "1:6: error: 2> needs a shell, and commands are run without one; write do sh -c '…', or quote the word"
                ]
            ),
            (
                "do a >>b",
                [
                    "1:6: error: >> needs a shell, and commands are run without one; write do sh -c '…', or quote the word"
                ]
            ),
            (
                "do a <b",
                ["1:6: error: < needs a shell, and commands are run without one; write do sh -c '…', or quote the word"]
            ),
            (
                "do a && b",
                [
                    "1:6: error: && needs a shell, and commands are run without one; write do sh -c '…', or quote the word"
                ]
            ),
            (
                "do a || b",
                [
                    "1:6: error: || needs a shell, and commands are run without one; write do sh -c '…', or quote the word"
                ]
            ),
            (
                "do a; b",
                ["1:5: error: ; needs a shell, and commands are run without one; write do sh -c '…', or quote the word"]
            ),
            (
                "do a `b`",
                ["1:6: error: ` needs a shell, and commands are run without one; write do sh -c '…', or quote the word"]
            ),
            (
                "do a $(b)",
                [
                    "1:6: error: $( needs a shell, and commands are run without one; write do sh -c '…', or quote the word"
                ]
            ),
            (
                "do a 2>&1",
                [
                    "1:6: error: 2>& needs a shell, and commands are run without one; write do sh -c '…', or quote the word"
                ]
            ),
            (
                "do a & b",
                ["1:6: error: & needs a shell, and commands are run without one; write do sh -c '…', or quote the word"]
            ),
            (
                "do a&",
                ["1:5: error: & needs a shell, and commands are run without one; write do sh -c '…', or quote the word"]
            ),
            ("! do a &", ["1:8: error: `! do` waits for how the command ends, and & doesn't; leave one away"]),
            ("do a 'x|y' \"&\" \\;", []),
        ] as [(String, [String])])
    func whatNeedsAShell(text: String, said: [String]) {
        #expect(problems(after: text) == said)
    }

    @Test(
        "Deadlines and denials",
        arguments: [
            (
                "expect state active within 5s",
                ["1:21: error: `expect` looks at once and has no deadline; `await CONDITION within D` waits"]
            ),
            (
                "! expect state active within 5s",
                ["1:23: error: `expect` looks at once and has no deadline; `await CONDITION within D` waits"]
            ),
            (
                "expect state active within",
                ["1:21: error: `expect` looks at once and has no deadline; `await CONDITION within D` waits"]
            ),
            ("! expect output '(x)' as y", ["1:17: error: `! expect` finds nothing that `as` could name"]),
        ] as [(String, [String])])
    func deadlinesAndDenials(text: String, said: [String]) {
        #expect(problems(after: text) == said)
    }

    @Test(
        "Declarations",
        arguments: [
            ("app\nlaunch", ["1:1: error: COMMAND is missing; it is written: app [OPTIONS --] COMMAND…"]),
            (
                "app --budget 10m\nlaunch",
                [
                    "1:5: error: -- is missing between the options of run and the command; it is written: app [OPTIONS --] COMMAND…"
                ]
            ),
            (
                "app --budget 10m ./x\nlaunch",
                [
                    "1:5: error: -- is missing between the options of run and the command; it is written: app [OPTIONS --] COMMAND…"
                ]
            ),
            ("app --\nlaunch", ["1:1: error: COMMAND is missing; it is written: app [OPTIONS --] COMMAND…"]),
            (
                "app --time-scale 60 -- ./x\nlaunch",
                ["1:5: error: here --time-scale is a statement of its own: time-scale N"]
            ),
            (
                "app --aware --time-scale=60 -- ./x\nlaunch",
                ["1:13: error: here --time-scale is a statement of its own: time-scale N"]
            ),
            (
                "app --manual-clock -- ./x\nlaunch",
                ["1:5: error: --manual-clock goes without saying, unless there is a `time-scale`"]
            ),
            (
                "app --journal=j -- ./x\nlaunch",
                [
                    "1:5: error: a scenario writes them itself, where `curfew test --artifacts DIR` says; "
                        + "leave --journal away"
                ]
            ),
            (
                "app --report r -- ./x\nlaunch",
                [
                    "1:5: error: a scenario writes them itself, where `curfew test --artifacts DIR` says; "
                        + "leave --report away"
                ]
            ),
            (
                "app --state-dir=d -- ./x\nlaunch",
                ["1:5: error: a scenario's app has a CURFEW_STATE_DIR of its own; leave --state-dir away"]
            ),
            ("app ./x --time-scale 60\nlaunch", []),
            (
                "app ./x > y\nlaunch",
                ["1:9: error: > needs a shell, and commands are run without one; write do sh -c '…', or quote the word"]
            ),
            (
                "app --on a|b -- ./x\nlaunch",
                [
                    "1:11: error: | needs a shell, and commands are run without one; write do sh -c '…', or quote the word"
                ]
            ),
            ("app --name=a -- ./x\nlaunch", ["1:5: error: a scenario finds its app without --name; leave it away"]),
            ("app ./x\nmatrix\nlaunch", ["2:1: error: NAME is missing; it is written: matrix NAME VALUES…"]),
            ("app ./x\nmatrix x\nlaunch", ["2:1: error: a VALUE is missing; it is written: matrix NAME VALUES…"]),
            ("app ./x\ntime-scale\nlaunch", ["2:1: error: N is missing; it is written: time-scale N"]),
            ("app ./x\ntime-scale 0\nlaunch", ["2:12: error: \"0\" isn't a number from 0.001 to 1000000, such as 60"]),
            (
                "app ./x\ntime-scale fast\nlaunch",
                ["2:12: error: \"fast\" isn't a number from 0.001 to 1000000, such as 60"]
            ),
            ("app ./x\ntime-scale 2 3\nlaunch", ["2:14: error: \"3\" is one too many; it is written: time-scale N"]),
            ("app ./x\nskip\nlaunch", ["2:1: error: unless is missing; it is written: skip unless COMMAND…"]),
            (
                "app ./x\nskip if x\nlaunch",
                ["2:6: error: after `skip` stands `unless`, not \"if\"; it is written: skip unless COMMAND…"]
            ),
            ("app ./x\nskip unless\nlaunch", ["2:1: error: COMMAND is missing; it is written: skip unless COMMAND…"]),
            (
                "app ./x\nskip unless a | b\nlaunch",
                [
                    "2:15: error: | needs a shell, and commands are run without one; write do sh -c '…', or quote the word"
                ]
            ),
            ("app ./x\nset x\nlaunch\ndo echo $x", ["2:1: error: VALUE is missing; it is written: set NAME VALUE"]),
        ] as [(String, [String])])
    func declarations(text: String, said: [String]) {
        #expect(problems(text) == said)
    }

    @Test(
        "Order",
        arguments: [
            ("launch\nhome", ["1:1: error: no `app` says what is tested; write app COMMAND… above `launch`"]),
            (
                "home",
                [
                    "1:1: error: `home` needs the app to run; `launch` is missing above it",
                    "1:1: error: no `app` says what is tested; write app COMMAND… above `launch`",
                ]
            ),
            ("app ./x\nhome\nopen\nlaunch", ["2:1: error: `home` needs the app to run; `launch` is missing above it"]),
            (
                "app ./x\nawait state active\nlaunch",
                ["2:1: error: `await` needs the app to run; `launch` is missing above it"]
            ),
            ("app ./x\napp ./y\nlaunch", ["2:1: error: there is an `app` already, on line 1"]),
            ("launch\napp ./x", ["2:1: error: `app` stands below `launch`, and belongs above line 1"]),
            (
                "app ./x\nlaunch\ntime-scale 2",
                ["3:1: error: `time-scale` stands below `launch`, and belongs above line 2"]
            ),
            ("app ./x\ntime-scale 2\ntime-scale 3\nlaunch", ["3:1: error: there is a `time-scale` already, on line 2"]),
            (
                "app ./x\ntime-scale 2\nlaunch\nadvance 5s",
                ["4:1: error: `advance` and `time-scale` exclude each other: with `time-scale` time runs by itself"]
            ),
            (
                "app ./x\nlaunch\nmatrix a 1\ndo echo $a",
                ["3:1: error: `matrix` stands below `launch`, and belongs above line 2"]
            ),
            ("app ./x\nmatrix a 1\nmatrix a 2\nlaunch\ndo echo $a", ["3:1: error: there is a matrix \"a\" already"]),
            (
                "app ./x\nlaunch\nskip unless true",
                ["3:1: error: `skip` stands below `launch`, and belongs above line 2"]
            ),
            ("app ./x\ndo true\nexpect file a absent\nset a 1\nlaunch\ndo echo $a", []),
            ("app ./x", ["1:1: warning: this app is never launched; `launch` is missing"]),
            (
                "app ./x\nlanch\nhome",
                ["2:1: error: there is no statement \"lanch\"; did you mean \"launch\"?\(Accepted.statements)"]
            ),
            (
                "ap ./x\nlaunch",
                ["1:1: error: there is no statement \"ap\"; did you mean \"app\"?\(Accepted.statements)"]
            ),
            (
                "frob\nhome",
                [
                    "1:1: error: there is no statement \"frob\"; a command is run by: do frob\(Accepted.statements)",
                    "1:1: error: no `app` says what is tested; write app COMMAND… above `launch`",
                ]
            ),
        ] as [(String, [String])])
    func order(text: String, said: [String]) {
        #expect(problems(text) == said)
    }

    @Test(
        "Variables",
        arguments: [
            (
                "app ./x $port\nset port 1\nlaunch",
                [
                    "1:9: error: nothing above gives $port a value; `set`, `matrix` and `as` name one, and $ itself is written \\$"
                ]
            ),
            (
                "app ./x\nlaunch\ndo echo $HOME",
                [
                    "3:9: error: nothing above gives $HOME a value; `set`, `matrix` and `as` name one, and $ itself is written \\$"
                ]
            ),
            (
                "app ./x\nlaunch\nawait output 'on (.)' as port\ndo echo $port $prot",
                ["4:15: error: nothing above gives $prot a value; did you mean $port?"]
            ),
            ("app ./x\nset port 1\nlaunch", ["2:1: warning: $port is never used"]),
            ("app ./x\nmatrix port 1 2\nlaunch", ["2:1: warning: $port is never used: each value runs the same"]),
            ("set a 1\nset b $a\napp ./x $b\nlaunch", []),
            ("app ./x $CURFEW_STATE_DIR/a\nlaunch\nexpect file ${CURFEW_STATE_DIR}/a exists", []),
            (
                "set CURFEW_STATE_DIR /tmp\nmatrix CURFEW_STATE_DIR a b\napp ./x\nlaunch\nawait output '(.)' as CURFEW_STATE_DIR",
                [
                    "1:5: error: $CURFEW_STATE_DIR is the scenario's own folder; give this another name",
                    "2:8: error: $CURFEW_STATE_DIR is the scenario's own folder; give this another name",
                    "5:23: error: $CURFEW_STATE_DIR is the scenario's own folder; give this another name",
                ]
            ),
            (
                "app ./x\nset a 'x\nlaunch\ndo echo $a",
                ["2:7: error: this ' is never closed; a quote ends on the line that it begins on"]
            ),
            (
                "app ./x\nset a 1\nlaunch\nhoem $a",
                ["4:1: error: there is no statement \"hoem\"; did you mean \"home\"?\(Accepted.statements)"]
            ),
            ("app ./x\nmatrix a ${b\nlaunch\ndo echo $a", ["2:10: error: this ${ has no } on its line; write ${NAME}"]),
            (
                "app ./x\nlaunch\nawait output '(' as port\ndo echo $port",
                ["3:14: error: \"(\" isn't a regular expression: expected ')'"]
            ),
            (
                "app ./x\nset a 1\nlaunch\nfrob $a",
                [
                    "4:1: error: there is no statement \"frob\"; a command is run by: do frob\(Accepted.statements)"
                ]
            ),
        ] as [(String, [String])])
    func variables(text: String, said: [String]) {
        #expect(problems(text) == said)
    }

    @Test(
        "Headings",
        arguments: [
            ("", ["1:1: error: there is no statement in this file"]),
            ("# nothing\n", ["1:1: error: there is no statement in this file"]),
            (
                "scenario",
                [
                    "1:1: error: NAME is missing; it is written: scenario \"NAME\"",
                    "1:1: error: this scenario has no statements",
                ]
            ),
            (
                "scenario a b\napp ./x\nlaunch",
                [
                    "1:12: error: \"b\" is one too many; it is written: scenario \"NAME\"; a NAME with blanks stands in quotes"
                ]
            ),
            ("scenario ''\napp ./x\nlaunch", ["1:10: error: a scenario's name can't be empty"]),
            ("scenario $a\napp ./x\nlaunch", ["1:10: error: a scenario's name has no variables; write \\$ for a $"]),
            (
                "app ./x\nscenario a\nscenario b\nlaunch",
                [
                    "1:1: warning: this app is never launched; `launch` is missing",
                    "2:1: error: this scenario has no statements",
                ]
            ),
            (
                "app ./x\nscenario a\nlaunch\nscenario a\nlaunch",
                ["4:1: error: there is a scenario \"a\" already, on line 2"]
            ),
            (
                "app ./x\nbefore\nlaunch",
                [
                    "2:1: error: there is no scenario that this could belong to; put scenario \"NAME\" above its first statement"
                ]
            ),
            (
                "app ./x\nlaunch\nafter\ndo true",
                [
                    "2:1: error: \"launch\" stands above the first heading, where only app, set, matrix, time-scale and skip may; put it below `before`",
                    "3:1: error: there is no scenario that this could belong to; put scenario \"NAME\" above its first statement",
                ]
            ),
            (
                "before\napp ./x\nbefore\nlaunch\nscenario a\nhome",
                [
                    "3:1: error: there is a `before` already, on line 1",
                    "6:1: error: `home` needs the app to run; `launch` is missing above it",
                ]
            ),
            (
                "app ./x\nbefore now\nlaunch\nscenario a\nhome",
                [
                    "2:8: error: \"now\" is one too many; it is written: before; what belongs to it stands on the lines below"
                ]
            ),
            (
                "app ./x\nlaunch\nscenario a\nhome\nscenario b\nopen",
                [
                    "2:1: error: \"launch\" stands above the first heading, where only app, set, matrix, time-scale and skip may; put it below `before`"
                ]
            ),
            (
                "app ./x\nafter\napp ./y\nscenario a\nlaunch",
                ["3:1: error: \"app\" can't stand below `after`: the scenario is over there"]
            ),
            ("app ./x\nafter\nscenario a\nlaunch", ["2:1: error: nothing stands below this heading"]),
            ("app ./x\nset a 1\nscenario a\nlaunch\nscenario b\nlaunch\ndo echo $a", []),
            (
                "scenario a\nlaunch\nscenario b\nlaunch",
                [
                    "2:1: error: no `app` says what is tested; write app COMMAND… above `launch`",
                    "4:1: error: no `app` says what is tested; write app COMMAND… above `launch`",
                ]
            ),
            (
                "app ./x\nset a 1\nscenario a\nlaunch\nhom\nscenario b\nlaunch\nafter\ndo rm $a $b",
                [
                    "5:1: error: there is no statement \"hom\"; did you mean \"home\"?\(Accepted.statements)",
                    "9:10: error: nothing above gives $b a value; `set`, `matrix` and `as` name one, and $ itself is written \\$",
                ]
            ),
            (
                "scenario 'a\napp ./x\nlaunch",
                ["1:10: error: this ' is never closed; a quote ends on the line that it begins on"]
            ),
        ] as [(String, [String])])
    func headings(text: String, said: [String]) {
        #expect(problems(text) == said)
    }

    @Test(
        "Several at once",
        arguments: [
            (
                "app ./x\nlanch\nawait stat active\nexpect state actve\ndo a | b\nadvance 5x\n'",
                [
                    "2:1: error: there is no statement \"lanch\"; did you mean \"launch\"?\(Accepted.statements)",
                    "3:7: error: there is no condition \"stat\"; did you mean \"state\"?\(Accepted.conditions)",
                    "4:14: error: there is no state \"actve\"; did you mean \"active\"? accepted: active, inactive, background, suspended, notRunning",
                    "5:6: error: | needs a shell, and commands are run without one; write do sh -c '…', or quote the word",
                    "6:9: error: \"5x\" isn't a duration such as 90, 1.5s, 10m or 1h30min",
                    "7:1: error: this ' is never closed; a quote ends on the line that it begins on",
                ]
            )
        ] as [(String, [String])])
    func severalAtOnce(text: String, said: [String]) {
        #expect(problems(text) == said)
    }

    @Test(
        "Warnings",
        arguments: [
            (
                "app ./x\nlaunch\nawait event didEnterBackgroud",
                [
                    "3:13: warning: the lifecycle has no event \"didEnterBackgroud\"; did you mean \"didEnterBackground\"?"
                ]
            ),
            (
                "app ./x\nlaunch\nexpect events willresignactive didBecomeActive",
                ["3:15: warning: the lifecycle has no event \"willresignactive\"; did you mean \"willResignActive\"?"]
            ),
            ("app ./x\nlaunch\nawait event settingsDidChange", []),
            ("app ./x\nset a b\nlaunch\npost $a\nexpect event didBecomeActve", []),
            ("app --wake didBecomeActve -- ./x\nlaunch\nexpect event didBecomeActve", []),
            ("app ./x\nlaunch\nexpect event backgroundTasksWillExpire", []),
            ("app ./x\nlaunch\npost didBecomeActve\nexpect event didBecomeActve", []),
        ] as [(String, [String])])
    func warnings(text: String, said: [String]) {
        #expect(problems(text) == said)
    }
}
