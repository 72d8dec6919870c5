/// Whether what the proxy has yet to pass on was sent to it while every process of the app was stopped.
///
/// Once the proxy has passed on what it was sent before all was stopped, what it gets is from outside. A stopped proxy has
/// passed it on, for any SIGCONT would have continued it; a running one is asked, and answers in the same queue.
struct ProxyQueue {
    /// All of it was sent since, but for so many at its head.
    private var isClean = false
    private var older = 0
    private var lastQuestion: UInt32 = 0

    /// Of what is read now.
    var isFromOutside: Bool { isClean && older == 0 }

    /// Returns what to ask the proxy; nil where it has passed on all. `unread`: how much of that isn't read yet.
    mutating func allStopped(isProxyDone: Bool, unread: Int) -> UInt32? {
        if isProxyDone {
            isClean = true
            older = unread
            return nil
        }
        lastQuestion &+= 1
        return lastQuestion
    }

    mutating func continues() {
        isClean = false
        // An answer to come is to a question of the past.
        lastQuestion &+= 1
    }

    mutating func answered(_ question: UInt32) {
        guard question == lastQuestion else { return }
        isClean = true
        older = 0
    }

    /// One of it was read, and dealt with.
    mutating func taken() {
        if older > 0 { older -= 1 }
    }
}
