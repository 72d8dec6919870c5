import CurfewLinux
import CurfewStore
import Glibc

func hold(_ directory: String) {
    do throws(StoreRefusal) {
        let store = try StoreThread.start(directory: directory)
        say("open")
        while readLine() != nil {}
        store.stop()
    } catch {
        say(error.text)
        exit(1)
    }
}

/// One run after the other, of five apps, and what each has scheduled; some requests are under way at a time.
func keep(_ directory: String) { keep(Client(directory), turns: .max) }

/// One of these, and then the end of the server, which writes too.
func live(_ directory: String) {
    let client = Client(directory)
    keep(client, turns: 1)
    client.stop()
    say("closed")
}

private func keep(_ client: Client, turns: Int) {
    var launches: [String: Int] = [:]
    for app in client.load().apps { launches[app.name] = app.launches }
    for turn in 0..<turns {
        let name = "app\(turn % 5)"
        let number = launches[name, default: 0] + 1
        launches[name] = number
        let app = StoredApp(name: name, source: .bare, command: ["sleep", "\(turn)"], launches: number)
        let run = StoredRun(app: name, number: number, began: Int64(turn), pid: turn + 1, wasInFront: turn % 2 == 0)
        let end = StoredRun.End(ended: Int64(turn) + 1, reason: "exited", status: turn % 256)
        keep([("launched", .appLaunched(app, toFront: true)), ("began", .runBegan(run))], of: name, number, client)
        keep(Schedule.begun(of: name, number), of: name, number, client)
        keep([("ended", .runEnded(app: name, number: number, end))], of: name, number, client)
        keep(Schedule.over(of: name, number), of: name, number, client)
    }
}

/// All at once; says of each that was kept what it was.
private func keep(_ changes: [(what: String, change: StoreChange)], of app: String, _ number: Int, _ client: Client) {
    let asked = changes.map { (what: $0.what, ticket: client.ask(.change($0.change))) }
    for each in asked where client.answer(to: each.ticket) == .kept { say("\(each.what) \(app) \(number)") }
}

func fillDisk(_ directory: String) {
    Disk.mount(on: directory, bytes: 1 << 20)
    let ballast = directory + "/ballast"
    Disk.fill(ballast, bytes: 768 << 10)
    runInto(directory, untilRoom: { unlink(ballast) == 0 })
}

func fillFiles(_ directory: String) {
    var limit = rlimit(rlim_cur: 256 << 10, rlim_max: .max)
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    runInto(
        directory,
        untilRoom: {
            var limit = rlimit(rlim_cur: .max, rlim_max: .max)
            return setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0
        })
}

func beReadOnly(_ directory: String) {
    Disk.mount(on: directory, bytes: 1 << 20)
    Disk.setReadOnly(true, directory)
    let client = Client(directory + "/curfew")
    say("began with \(client.state.word)")
    for number in 1...3 { _ = client.do(.appLaunched(client.app(number), toFront: true)) }
    say("held \(client.state.held)")
    Disk.setReadOnly(false, directory)
    client.time.pass(seconds: 3600)
    _ = client.do(.moveToFront(client.app(1).name))
    client.tellWhatIsThere()
}

/// Launches apps until one isn't written, then two more, makes room, and looks whether all are there.
private func runInto(_ directory: String, untilRoom makeRoom: () -> Bool) {
    let client = Client(directory)
    var number = 0
    repeat { number += 1 } while client.do(.appLaunched(client.app(number), toFront: true)) == .kept && number < 1000
    for further in 1...2 { _ = client.do(.appLaunched(client.app(number + further), toFront: true)) }
    say("not kept: \(client.state.word), held \(client.state.held)")
    say("still read: \(client.load().apps.count == number + 2)")
    guard makeRoom() else { exit(2) }
    _ = client.do(.moveToFront(client.app(1).name))
    say("before its time: \(client.state.word)")
    client.time.pass(seconds: 3600)
    _ = client.do(.moveToFront(client.app(2).name))
    say("all there: \(client.reopened().apps.count == number + 2)")
    client.tellWhatIsThere()
}
