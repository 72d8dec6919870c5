/// What `timeout --help` prints, laid out as GNU programs do.
///
/// It stands here and not with the other verbs' in CurfewArguments: a link called `timeout` has to explain itself where nothing
/// but the executable was copied. `TimeoutHelpTests` holds it to the options that are read.
public enum TimeoutHelp {
    public static let text: StaticString = """
        Usage: timeout [OPTION]... DURATION COMMAND [ARG]...
          or:  timeout [OPTION]
          or:  curfew timeout ...
        Run COMMAND, and end it if it still runs after DURATION: GNU timeout, and
        nothing that COMMAND has started escapes it.

        Mandatory arguments to long options are mandatory for short options too.
          -f, --foreground
                         stay in the caller's process group, so that COMMAND can read
                           the terminal from a script and gets its keys; then only
                           COMMAND itself is signalled, and what it has started is
                           left alone
          -k, --kill-after=DURATION
                         send KILL too when COMMAND still runs this long after the
                           first signal; 0, the default, is never
          -p, --preserve-status
                         exit with COMMAND's own status even when the time was over
          -s, --signal=SIGNAL
                         send this when the time is over: a name such as HUP or
                           SIGHUP, or a number; TERM is the default
          -v, --verbose  tell on standard error each signal that is sent; twice, what
                           was there too, and where it was
              --help     display this help and exit
              --version  output version information and exit

        What GNU timeout doesn't have:
              --memory=SIZE
                         kill it all once its footprint passes this, such as 200M or
                           1.5G
              --report=FILE
                         write a JSON report of the run to FILE
              --time-scale=N
                         divide every duration: with 60, ten minutes pass in ten
                           seconds
              --profile=NAME
                         give it a life in background as `curfew run` does, with this
                           profile's numbers: ios4, ios5, ios7 or ios13; without,
                           nothing of the kind is there
              --containment=KIND
                         what holds its processes together: auto, cgroup2, cgroup1 or
                           tree

        DURATION is a number with an optional suffix: s for seconds (the default), m
        for minutes, h for hours or d for days; 0 is no limit. What systemd accepts
        works too: 1h30min, 250ms.

        When the time is over, all that COMMAND has started is signalled, daemons too.
        Once COMMAND has ended, the rest has until --kill-after, or 5 s after the
        signal, and is then killed. What COMMAND leaves behind when it ends in time is
        left alone.

        Exit status:
          124  the time was over, and --preserve-status isn't given
          125  timeout itself failed, wrong usage included
          126  COMMAND was found but can't be executed
          127  COMMAND wasn't found
          137  COMMAND (or timeout itself) was sent KILL, or passed --memory
          -    else COMMAND's own; timeout dies of a signal that ended COMMAND in time

        `curfew report last` tells what was ended, and where it was.
        """
}
