#!/usr/bin/env bash
# slurm.sh: shards as a job array of Slurm, their results joined into one JUnit file.
#
# On a cluster of yours that takes shard.sbatch and the last step. Here a cluster of one node is started for it: on the
# loopback device, and with nothing outside its scratch directory.
source "$(dirname "$0")/../lib.sh"
need slurmctld slurmd sbatch munged python3
((EUID == 0)) || { echo "skipped: a slurmd that starts jobs needs root"; exit 77; }

# daemon PROGRAM…: one that stays in front, and ends when its `curfew timeout` is told that the time is over, with whatever it
# has started: a slurmd leaves its jobs alone.
daemon() { curfew timeout --kill-after 5 2m "$@" >"$scratch/${1##*/}.out" 2>&1 & }
trap 'kill -ALRM $(jobs -p) 2>/dev/null || true; wait; clean_up' EXIT

# free_ports N: so many that nobody listens on.
free_ports() {
    python3 -c 'import socket, sys
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(each.getsockname()[1] for each in sockets))' "$1"
}

node=$(hostname -s)
read -r controller_port node_port < <(free_ports 2)
mkdir "$scratch"/{state,spool,project}
# By this key, which we alone can read, the daemons know each other and whoever submits jobs.
(umask 077 && head -c 128 /dev/urandom >"$scratch/munge.key")
export SLURM_CONF=$scratch/slurm.conf
cat >"$SLURM_CONF" <<END
ClusterName=fleet
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$controller_port
SlurmdPort=$node_port
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$scratch/munge.socket
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
# No cgroups: in a container there are seldom any to be had.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
MailProg=/bin/true
SlurmdParameters=config_overrides
NodeName=$node NodeAddr=127.0.0.1 CPUs=3 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=5
END

step "a cluster of one node"
daemon munged --foreground --force --socket "$scratch/munge.socket" --key-file "$scratch/munge.key" \
    --pid-file "$scratch/munged.pid" --log-file "$scratch/munged.log" --seed-file "$scratch/munged.seed"
wait_until 20 "munged listens" test -S "$scratch/munge.socket"
daemon slurmctld -D
daemon slurmd -D
is_idle() { [[ $(sinfo --noheader --format %T 2>/dev/null) == idle ]]; }
wait_until 30 "the node is idle" is_idle

step "an array of jobs, a shard each"
cp "${BASH_SOURCE%/*}"/{suite.curfew,shard.sbatch} "$scratch/project"
cd "$scratch/project"
failed=0
timeout 60 sbatch --quiet --wait shard.sbatch suite.curfew || failed=$?
cat shard-*.log

step "their results in one file, failures and all"
curfew test --join-junit results.xml shard-*.xml
((failed == 0)) || fail "sbatch ended with status $failed"
played=$(grep -c '<testcase' results.xml)
listed=$(curfew test --list suite.curfew | wc -l)
((played == listed)) || fail "$played test cases are in the joined file, not $listed"
step "$played test cases, each played by one shard"
