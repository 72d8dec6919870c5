#!/usr/bin/env bash
# memory-warning.sh: a Python program with a cache hears that it nears its --memory, drops the cache, and gets to its end;
# without a handler for that it is killed on the way.
source "$(dirname "$0")/lib.sh"
need python3
# Not needed where curfew.py is installed, or lies beside the program.
PYTHONPATH=$(cd "$(dirname "$0")/../Sources/clients/python" && pwd)
export PYTHONPATH PYTHONDONTWRITEBYTECODE=1

cat >"$scratch/render.py" <<'PYTHON'
import sys
import time

import curfew

app = curfew.app()
cache = {}

if sys.argv[1] == "careful":
    @app.on("didReceiveMemoryWarning")
    def drop_cache(event):
        print(f"{event.level}: {len(cache)} pages dropped", flush=True)
        cache.clear()

app.start()
for page in range(300):
    cache[page] = b"x" * 1048576
    while len(cache) == 160 and sys.argv[1] == "careful":
        time.sleep(0.01)  # until it is warned, which may take a moment
while len(cache) > 200:
    time.sleep(1)  # until it is killed, which may as well
print("300 pages rendered")
PYTHON

# render NAME: 300 pages of 1 MiB, all of them kept, under a limit of 200 MiB. Its warning comes at 160.
render() {
    status=0
    curfew run --name "render-$$" --memory 200M -- python3 "$scratch/render.py" "$1" \
        >"$scratch/stdout" 2>"$scratch/stderr" || status=$?
}

render careless
((status == 137)) || fail "without a handler it ended with status $status, not 137: '$(<"$scratch/stderr")'"
grep -q 'killed: memory-limit (jetsam 7)' "$scratch/stderr" || fail "stderr doesn't say why: '$(<"$scratch/stderr")'"
step "300 pages of 1 MiB in a cache, --memory 200M, no handler: status $status"

render careful
((status == 0)) || fail "with a handler it ended with status $status: '$(<"$scratch/stderr")'"
grep -q '^warning: 1[0-9][0-9] pages dropped$' "$scratch/stdout" || fail "it wasn't warned: '$(<"$scratch/stdout")'"
grep -qx '300 pages rendered' "$scratch/stdout" || fail "it didn't get to its end: '$(<"$scratch/stdout")'"
step "the same with a handler for didReceiveMemoryWarning: status $status, and it says:"
sed 's/^/  /' "$scratch/stdout"
