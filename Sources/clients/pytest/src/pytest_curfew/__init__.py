"""Lifecycle tests with pytest: what a program does when it is sent home, expires, is reclaimed and comes back.

    def test_an_upload_is_finished_in_the_background(curfew_app):
        app = curfew_app("./uploader", "--port", "0", options=["--budget", "10m"])
        app.launch()
        port = app.await_output(r"listening on (\\d+)")[1]
        app.do_beside("./client", port, "upload", "big.bin")
        app.home()
        app.expect_events("willResignActive", "didEnterBackground")
        app.advance("9m55s")
        app.await_event("backgroundTaskWillExpire")
        app.await_state("suspended")

The statements and conditions are those of Curfew's scenarios, by the same names. Needs Python 3.9 or newer, pytest 8
or newer, Linux, and a `curfew`. Reference: docs/test-frameworks.md.
"""

from ._app import App
from ._durations import Duration
from ._failures import CurfewError, CurfewFailure
from ._record import Event
from .plugin import CurfewApps

__all__ = ["App", "CurfewApps", "CurfewError", "CurfewFailure", "Duration", "Event"]

# Where people find them, as a report names them.
for _each in (App, CurfewApps, CurfewError, CurfewFailure, Event):
    _each.__module__ = __name__
