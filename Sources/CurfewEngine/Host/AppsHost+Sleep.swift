import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// Waiting for what wakes an app that is stopped.
extension AppsHost: SleepHost {
    /// Before an app can be put to sleep for the first time.
    func prepareSleep(for manifest: Manifest) {
        InputWatch.prepare()
        kernel.sleepHost = self
        guard manifest.policy.sleep != nil else { return }
        kernel.watchesInput = { [unowned self] app, epoll in
            loop.add(epoll, Kind.input.token(app.rawValue))
        }
    }

    func isAsleep(_ app: AppID) -> Bool { engine.core.app(app)?.isAsleep == true }

    func sleepsAsAsked(_ app: AppID) -> Bool { engine.core.app(app)?.sleepsAsAsked == true }

    func holdsBack(_ app: AppID, at socket: ListeningSocket) -> Bool {
        engine.core.app(app)?.holdsBack(socket) == true
    }

    /// `childsEnd`: our copy of the app's end of its control pipe.
    func noteChannel(_ childsEnd: Descriptor, of instance: Instance) {
        guard instance.manifest.policy.sleep?.wakesForInput == true else { return }
        var status = curfew_file_status()
        guard childsEnd.isOpen, curfew_fstat(childsEnd.number, &status) == 0 else { return }
        instance.channelSocket = status.inode
    }

    func inputCame(for app: AppID) {
        guard let instance = kernel.instances[app] else { return }
        switch instance.takeInput(getsKeys: getsKeys(app), holdsBack: { holdsBack(app, at: $0) }) {
        case .news(let news):
            instance.inputSeenAt = turnBegan
            engine.feed(.app(app, .inputCame(news)))
        case .waiting(let sockets): for socket in sockets { engine.feed(.app(app, .connectionWaits(socket))) }
        }
    }

    /// All of it goes on. Told now, and not when it was decided, which would have held it up.
    func isContinued(_ app: AppID) {
        guard let instance = kernel.instances[app], var waking = instance.waking else { return }
        instance.waking = nil
        waking.resumedIn = kernel.now - (instance.inputSeenAt ?? turnBegan)
        instance.inputSeenAt = nil
        instance.wakings.count(waking)
        record(.woken(waking), of: app)
    }

    /// Whether it sleeps, what would wake it, or why it is awake; and how often it has been woken.
    func sleepFields(of app: App, _ instance: Instance) -> [Field] {
        var fields: [Field] = []
        if app.isAsleep {
            fields.append(Field("asleep", app.sleepsUntilOpened ? "until-opened" : "true"))
            fields += instance.shortestWait?.fields ?? []
        }
        if app.policy.sleep?.wakesForInput == true {
            fields.append(Field("wake-on", instance.manifest.inputFilter.text))
        }
        if let span = app.policy.sleep?.whenIdle {
            fields.append(Field("sleep-when-idle", Seconds.text(nanoseconds: span.nanoseconds)))
        }
        if !app.sharedListeners.isEmpty {
            fields.append(Field("shared-listeners", app.sharedListeners.map(\.text).joined(separator: ", ")))
        }
        if let reason = app.awakeReason { fields.append(Field("awake", reason.text)) }
        fields += instance.wakings.fields
        return fields
    }
}
