#!/usr/bin/env bash
# parallel.sh: shards side by side by GNU parallel, their results joined into one JUnit file.
#
# With `--sshlogin` it spreads them over machines: a shard finds its own scenarios by itself, nothing is handed out.
source "$(dirname "$0")/../lib.sh"
need parallel
cd "$(dirname "$0")"
export PARALLEL_HOME=$scratch/parallel

shards=3
step "$shards shards, a job each"
failed=0
# -q: the words are passed on as they stand here. Its status is how many shards failed.
parallel -q --jobs "$shards" --tagstring shard-{} \
    curfew test --shard "{}/$shards" --jobs 1 --await 30s --junit "$scratch/shard-{}.xml" suite.curfew \
    ::: $(seq "$shards") || failed=$?

step "their results in one file, failures and all"
curfew test --join-junit "$scratch/results.xml" "$scratch"/shard-*.xml
((failed == 0)) || fail "$failed of $shards shards failed"

played=$(grep -c '<testcase' "$scratch/results.xml")
listed=$(curfew test --list suite.curfew | wc -l)
((played == listed)) || fail "$played test cases are in the joined file, not $listed"
step "$played test cases, each played by one shard"
