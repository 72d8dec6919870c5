"""A pytest plugin: at the end of a run each skipped test is named with its reason, a line each."""


def skipped_line(report):
    """`skipped: NODE: REASON`, as the other kinds of tests here print it."""
    # A skip's longrepr is (path, line, "Skipped: reason"); an expected failure, which is none, has no such.
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return f"skipped: {report.nodeid}: {' '.join(reason.removeprefix('Skipped: ').split())}"


def pytest_terminal_summary(terminalreporter):
    skipped = [report for report in terminalreporter.getreports("skipped") if not hasattr(report, "wasxfail")]
    if skipped:
        terminalreporter.section("skipped tests")
    for report in skipped:
        terminalreporter.write_line(skipped_line(report))
