import CurfewEngine
import CurfewLinux
import CurfewWire
import Glibc

/// `curfew report`: the reports that kills have left.
enum ReportVerb {
    static func run(
        _ reader: ArgumentReader, store: ReportStore? = .ofThisUser()
    ) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader)
        guard let store else {
            return fail("there is no home directory of yours for reports to be in; XDG_STATE_HOME can name another")
        }
        let reports: [StoredReport]
        do throws(KernelError) { reports = try store.list() } catch { return fail(error.text) }
        guard let word = arguments.operands.first else {
            return list(reports, of: store, asJSON: arguments.has("--json"))
        }
        switch ReportLookup.find(word, among: reports) {
        case .found(let stored): return show(stored, of: store, asJSON: arguments.has("--json"))
        case .none where reports.isEmpty: return fail("there are no reports in \(store.path)")
        case .none: return fail("there is no report of \"\(word)\"; `curfew report` lists those that there are")
        case .several(let ids):
            throw UsageError(
                arguments.verb, "\"\(word)\" could mean \(ReportLookup.listed(ids)); say more of the one you mean")
        }
    }

    private static func list(_ reports: [StoredReport], of store: ReportStore, asJSON: Bool) -> Int32 {
        let summaries = reports.compactMap { summary($0, of: store) }
        if asJSON {
            Output.print(.array(summaries.map(\.json)))
        } else if summaries.isEmpty {
            Output.print("no reports: each kill leaves one in \(store.path)")
        } else {
            Output.print(lines: ReportSummary.table(summaries, width: TerminalWidth.columns))
        }
        return ExitStatus.success
    }

    /// Nil for one that has been taken away meanwhile.
    private static func summary(_ stored: StoredReport, of store: ReportStore) -> ReportSummary? {
        do throws(ReportStore.Unreadable) {
            return ReportSummary(stored, ReportFields(json: try store.contents(of: stored.id)))
        } catch {
            return error.isGone ? nil : ReportSummary(stored, nil, problem: error.problem)
        }
    }

    private static func show(_ stored: StoredReport, of store: ReportStore, asJSON: Bool) -> Int32 {
        do throws(ReportStore.Unreadable) {
            let report = try store.contents(of: stored.id)
            if asJSON {
                Output.print(report)
            } else {
                let text = ReportText(ReportSummary(stored, ReportFields(json: report)), ReportFields(json: report))
                Output.print(lines: text.lines(width: TerminalWidth.columns))
            }
            return ExitStatus.success
        } catch {
            return fail("\(stored.path): \(error.problem)")
        }
    }

    private static func fail(_ problem: String) -> Int32 {
        StandardError.print("curfew: report: \(problem)")
        return ExitStatus.failure
    }
}
