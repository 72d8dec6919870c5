"""aware.py prints a book in the background, and ends its task in time when ten minutes are over."""

import pytest


@pytest.fixture
def app(curfew_app):
    app = curfew_app("python3", "../aware.py", "app", options=["--budget", "10m"])
    app.launch()
    app.await_output("didBecomeActive")
    return app


def test_warned_it_ends_its_task_and_is_suspended(app):
    app.home()
    app.expect_events("willResignActive", "didEnterBackground")
    app.await_task("print the book", "open")
    app.expect_state("background")
    assert app.remaining == 600
    app.advance("10m")
    app.expect_event("backgroundTaskWillExpire")
    app.await_state("suspended")
    app.expect_task("print the book", "ended")
    app.expect_silence("100ms")
    app.open()
    app.expect_events("willEnterForeground", "didBecomeActive")
    app.expect_pid("same")


def test_reclaimed_it_is_another_process_that_is_told_so(app):
    app.home()
    app.await_task("print the book", "open")
    app.advance("10m")
    app.await_state("suspended")
    app.reclaim()
    app.expect_exit(137)
    app.open()
    app.expect_pid("changed")
    app.await_event("didFinishLaunching", restored=True, ended="memory-pressure")
    app.quit()
    app.expect_exit(0)
