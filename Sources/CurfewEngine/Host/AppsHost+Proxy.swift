import CCurfew
import CurfewLinux
import Glibc

/// What the proxy tells whoever holds the apps.
extension AppsHost {
    /// SIGCHLD, what asks for an end, the proxy's bell, and what continues us, whose timer goes on once it is read.
    static var waitedSignals: UInt64 {
        [SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGCONT, Int32(CURFEW_DOORBELL), Int32(CURFEW_PROXY_GONE_SIGNAL)]
            .reduce(0) { $0 | 1 << UInt64($1 - 1) }
    }

    /// In turns, as signals come.
    func readNews(of proxy: Int32, on page: SharedPage, _ take: (ProxyNews) -> Void) {
        for _ in 0..<Self.signalsPerTurn {
            guard !isOver, let news = page.takeNews(proxy: proxy) else { return }
            take(ProxyNews(news))
        }
        // No more come as long as nobody rings.
        if page.newsCount > 0 { _ = curfew_kill(getpid(), Int32(CURFEW_DOORBELL)) }
    }

    /// The proxy has continued us. Between two looks nothing was enforced; what is due by now is done now.
    ///
    /// `tell`: says so to people, who hear of the first time alone.
    func wasStopped(_ tell: () -> Void) {
        guard let news = stops.news(at: kernel.now) else { return }
        if news == .first { tell() }
        recordOfAll(.supervisorStopped)
    }
}

/// Something that the proxy has told.
enum ProxyNews: Hashable {
    /// It has passed on all that it was sent before that question.
    case answered(UInt32)
    /// It has continued us, whom somebody had stopped.
    case continuedUs
    /// A signal that it got, and how many wishes to stop it had met by then.
    case got(Int32, from: SignalSender, stops: UInt32)

    init(_ news: curfew_news) {
        switch news.signal {
        case 0: self = .answered(news.number)
        case SIGSTOP: self = .continuedUs
        default: self = .got(news.signal, from: SignalSender(code: news.code, pid: news.pid), stops: news.number)
        }
    }
}
