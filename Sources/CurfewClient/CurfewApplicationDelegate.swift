/// Is told of the app's events by UIKit's names, one at a time, on a thread of the library's own.
///
/// An event that requires it is acknowledged when the method returns; `event.deferAcknowledgement()` puts that off. Every
/// method has a default that does nothing. While one runs, the next event waits; expiration handlers don't.
public protocol CurfewApplicationDelegate: AnyObject, Sendable {
    /// The app runs. Restore here what was saved, if `options.isRestored`.
    func application(
        _ application: any BackgroundTaskScheduling, didFinishLaunchingWithOptions options: LaunchOptions)
    /// As the other, which the default of this one calls; for a launch whose acknowledgement is deferred.
    func application(_ application: any BackgroundTaskScheduling, didFinishLaunching event: LifecycleEvent)
    func applicationDidBecomeActive(_ application: any BackgroundTaskScheduling)
    func applicationWillResignActive(_ application: any BackgroundTaskScheduling)
    /// Save now: without a background task the app is suspended once this returns.
    func applicationDidEnterBackground(_ application: any BackgroundTaskScheduling)
    func applicationWillEnterForeground(_ application: any BackgroundTaskScheduling)
    /// The process is killed when its time is over; ending it is the method's business, or its caller's soon after.
    func applicationWillTerminate(_ application: any BackgroundTaskScheduling)
    /// Let go of what can be had again, caches first.
    func applicationDidReceiveMemoryWarning(
        _ application: any BackgroundTaskScheduling, level: LifecycleEvent.MemoryWarningLevel)
    /// Besides the task's own expiration handler.
    func application(
        _ application: any BackgroundTaskScheduling, backgroundTaskWillExpire task: BackgroundTaskIdentifier)
    /// `event.name` says what has changed, `event.info` to what.
    func application(_ application: any BackgroundTaskScheduling, didChange event: LifecycleEvent)
    /// `event.name` says what the app was woken for.
    func application(_ application: any BackgroundTaskScheduling, didWakeFor event: LifecycleEvent)
    /// An event that this version has no method for.
    func application(_ application: any BackgroundTaskScheduling, didReceive event: LifecycleEvent)
}

extension CurfewApplicationDelegate {
    public func application(
        _ application: any BackgroundTaskScheduling, didFinishLaunchingWithOptions options: LaunchOptions
    ) {}
    public func application(_ application: any BackgroundTaskScheduling, didFinishLaunching event: LifecycleEvent) {
        self.application(application, didFinishLaunchingWithOptions: event.launchOptions ?? LaunchOptions())
    }
    public func applicationDidBecomeActive(_ application: any BackgroundTaskScheduling) {}
    public func applicationWillResignActive(_ application: any BackgroundTaskScheduling) {}
    public func applicationDidEnterBackground(_ application: any BackgroundTaskScheduling) {}
    public func applicationWillEnterForeground(_ application: any BackgroundTaskScheduling) {}
    public func applicationWillTerminate(_ application: any BackgroundTaskScheduling) {}
    public func applicationDidReceiveMemoryWarning(
        _ application: any BackgroundTaskScheduling, level: LifecycleEvent.MemoryWarningLevel
    ) {}
    public func application(
        _ application: any BackgroundTaskScheduling, backgroundTaskWillExpire task: BackgroundTaskIdentifier
    ) {}
    public func application(_ application: any BackgroundTaskScheduling, didChange event: LifecycleEvent) {}
    public func application(_ application: any BackgroundTaskScheduling, didWakeFor event: LifecycleEvent) {}
    public func application(_ application: any BackgroundTaskScheduling, didReceive event: LifecycleEvent) {}

    /// Calls the method of this event.
    func receive(_ event: LifecycleEvent, from application: any BackgroundTaskScheduling) {
        switch event.kind {
        case .didFinishLaunching: self.application(application, didFinishLaunching: event)
        case .didBecomeActive: applicationDidBecomeActive(application)
        case .willResignActive: applicationWillResignActive(application)
        case .didEnterBackground: applicationDidEnterBackground(application)
        case .backgroundTaskWillExpire:
            self.application(application, backgroundTaskWillExpire: event.task ?? .invalid)
        case .willEnterForeground: applicationWillEnterForeground(application)
        case .willTerminate: applicationWillTerminate(application)
        case .didReceiveMemoryWarning:
            applicationDidReceiveMemoryWarning(application, level: event.memoryWarningLevel ?? .warning)
        case .change: self.application(application, didChange: event)
        case .wake: self.application(application, didWakeFor: event)
        case .other: self.application(application, didReceive: event)
        }
    }
}
