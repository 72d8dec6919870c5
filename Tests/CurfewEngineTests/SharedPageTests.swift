import CCurfew
import Testing

@testable import CurfewEngine

@Suite("What the proxy and the supervisor share")
struct SharedPageTests {
    private let pages = SharedPages()
    private var page: SharedPage { pages.page }
    /// No parent of this process, so that nobody is rung for.
    private let proxy = Int32.max - 3

    @Test("Nothing is noted at first")
    func empty() {
        #expect(page.mainPid == 0)
        #expect(page.group == 0)
        #expect(page.report == nil)
        #expect(page.path(.unified) == "")
        #expect(page.path(.socket) == "")
        #expect(page.newsCount == 0)
        #expect(page.takeNews(proxy: proxy) == nil)
    }

    @Test("Each path has its place; one that is too long is none")
    func paths() {
        let paths: [SharedPage.Path] = [.unified, .freezer, .memory, .cpu, .socket]
        for path in paths { page.set(path, "/sys/\(path.rawValue)") }
        #expect(paths.map { page.path($0) } == ["/sys/0", "/sys/1", "/sys/2", "/sys/3", "/sys/4"])
        let longest = String(repeating: "x", count: 799)
        page.set(.freezer, longest)
        #expect(page.path(.freezer) == longest)
        #expect(page.path(.memory) == "/sys/2")
        page.set(.freezer, longest + "x")
        #expect(page.path(.freezer) == "")
        #expect(page.path(.memory) == "/sys/2")
    }

    @Test("The child notes who it is; another can be named in its place, and the group stays")
    func mainPid() {
        pages.noteLaunch(70, group: 70)
        #expect(page.mainPid == 70)
        #expect(page.group == 70)
        page.mainPid = 77
        #expect(page.mainPid == 77)
        #expect(page.group == 70)
    }

    @Test("The report's file is known again, beside all else")
    func report() {
        pages.noteLaunch(70, group: 71)
        page.setProxySignal(9)
        page.set(.unified, "/sys")
        page.report = ReportFile.Identity(device: 3, inode: 1 << 40)
        #expect(page.report == ReportFile.Identity(device: 3, inode: 1 << 40))
        #expect(page.mainPid == 70)
        #expect(page.group == 71)
        #expect(page.path(.unified) == "/sys")
        #expect(pages.proxySignal == 9)
        page.report = nil
        #expect(page.report == nil)
    }

    @Test("News come in the order that they were put, as many as there is room for")
    func news() {
        let most = Int(CURFEW_NEWS)
        for number in 0..<most { #expect(pages.put(15, number: UInt32(number))) }
        let isPut = pages.put(15)
        #expect(!isPut)
        #expect(page.newsCount == most)
        let numbers = (0..<most).map { _ in page.takeNews(proxy: proxy)?.number }
        #expect(numbers == (0..<most).map { UInt32($0) })
        #expect(page.newsCount == 0)
        #expect(page.takeNews(proxy: proxy) == nil)
    }

    @Test("What is wished of the proxy, and asked, is there for it")
    func wishes() {
        page.wish(20, number: 5, of: proxy)
        #expect(pages.wish == (5, 20))
        page.wish(0, number: 5, of: proxy)
        #expect(pages.wish == (5, 0))
        page.ask(7, of: proxy)
        #expect(pages.question == 7)
        #expect(pages.wish == (5, 0))
    }
}
