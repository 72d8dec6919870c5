/// What tells a program of its lifecycle, as an `AsyncSequence` and as a delegate.
///
/// Asking for events makes the app *aware*: from then on it is told before it is suspended, and has to acknowledge. When
/// nobody listens any more it is a plain app again.
public protocol LifecycleProviding: AnyObject, Sendable {
    /// The app's events from the moment a loop over them begins.
    var events: LifecycleEvents { get }

    /// Is told of every event while it is set; held strongly, since nothing else might hold it.
    var delegate: (any CurfewApplicationDelegate)? { get set }
}
