#!/usr/bin/env bash
# pytest-plugin.sh: the scenarios of a Python app as pytest's tests, by the fixture curfew_app; and what a failure shows.
source "$(dirname "$0")/lib.sh"
need python3
python3 -c 'import pytest; assert pytest.version_tuple >= (8,)' 2>/dev/null || {
    echo "skipped: pytest 8 or newer isn't installed"
    exit 77
}

here=$(cd "$(dirname "$0")" && pwd)
# After `pip install ./Sources/clients/pytest` it is `pytest examples/pytest`.
export PYTHONPATH=$here/../Sources/clients/pytest/src PYTHONDONTWRITEBYTECODE=1
run=(python3 -m pytest -q -p no:cacheprovider -p pytest_curfew.plugin --curfew-await 30s)

step "pytest examples/pytest"
"${run[@]}" "$here/pytest" || fail "a test failed"

step "a test that asks for too much says what was seen instead, and what happened last"
cat >"$scratch/test_wrong.py" <<'EOT'
def test_it_goes_on_in_the_background(curfew_app):
    app = curfew_app("sleep", "60")
    app.launch()
    app.home()
    app.expect_state("background")
EOT
status=0
"${run[@]}" "$scratch/test_wrong.py" | tee "$scratch/told" || status=$?
((status == 1)) || fail "the status is $status, not 1"
grep -q 'seen      it is suspended' "$scratch/told" || fail "it doesn't say what it saw"
grep -q 'stateDidChange from=background to=suspended' "$scratch/told" || fail "it doesn't show the last events"
