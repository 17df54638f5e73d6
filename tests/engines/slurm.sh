#!/usr/bin/env bash
# A real Slurm on this machine for the tests: one node, as root or as a normal user, without munge and without an account database.
#
#   slurm.sh setup DIR   installs slurm-wlm where it is missing, and writes DIR/slurm.conf
#   slurm.sh start DIR   starts the daemons that don't run, and waits until the node takes jobs
#   slurm.sh stop DIR    cancels what runs and stops the daemons
#
# After `start`, `export SLURM_CONF=DIR/slurm.conf` is all that a client needs. It exits with 77 where Slurm can't be installed.
# TPVC_SLURM_PORT is the first of the two ports on the loopback address (16817), TPVC_SLURM_CPUS what the node claims to have
# (2), TPVC_SLURM_MAX_ARRAY the site's MaxArraySize (10001).
set -euo pipefail

usage() {
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2
    exit 2
}

skip() {
    echo "slurm.sh: no Slurm here: $*" >&2
    exit 77
}

setup() {
    if ! command -v slurmctld > /dev/null || ! command -v slurmd > /dev/null || ! command -v sbatch > /dev/null; then
        [ "${TPVC_CI_INSTALL:-1}" = 1 ] || skip "it is not installed; TPVC_CI_INSTALL=1 installs it"
        command -v apt-get > /dev/null || skip "it is not installed, and there is no \`apt-get\` to install it with"
        local sudo=
        if [ "$(id -u)" != 0 ]; then
            sudo="sudo -n"
            $sudo true 2> /dev/null || skip "it is not installed, and only root can install it"
        fi
        # The package would start daemons of its own, without a configuration.
        $sudo apt-get update --quiet >&2 || true
        $sudo env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
            apt-get install --yes --quiet --no-install-recommends slurm-wlm >&2 || skip "\`apt-get install slurm-wlm\` failed"
    fi
    local port=${TPVC_SLURM_PORT:-16817} memory
    memory=$(awk '/^MemTotal/ { print int($2 / 1024 * 0.9) }' /proc/meminfo)
    mkdir -p "$dir/state" "$dir/spool" "$dir/log" "$dir/run"
    cat > "$SLURM_CONF" << CONF
ClusterName=tpvc
SlurmctldHost=localhost(127.0.0.1)
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=5
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/run/slurmctld.pid
SlurmdPidFile=$dir/run/slurmd.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,sched_min_interval=0,bf_interval=1,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MinJobAge=5
MaxArraySize=${TPVC_SLURM_MAX_ARRAY:-10001}
NodeName=localhost NodeHostname=localhost NodeAddr=127.0.0.1 CPUs=${TPVC_SLURM_CPUS:-2} RealMemory=$memory State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
}

# Whether the daemon of a name, `slurmctld` or `slurmd`, runs: its pid file survives a `kill -9`.
running() {
    local pid
    pid=$(cat "$dir/run/$1.pid" 2> /dev/null) && [ "$(cat "/proc/$pid/comm" 2> /dev/null)" = "$1" ]
}

start() {
    [ -e "$SLURM_CONF" ] || { echo "slurm.sh: there is no \`$SLURM_CONF\`: run \`slurm.sh setup $dir\`" >&2; exit 1; }
    local state
    for _ in $(seq 150); do
        # Here, since one that was killed this moment may still seem to run. They get no descriptor of ours, such as a pipe that a test
        # waits for the end of.
        running slurmctld || slurmctld -f "$SLURM_CONF" < /dev/null > /dev/null 2>&1
        running slurmd || slurmd -N localhost -f "$SLURM_CONF" < /dev/null > /dev/null 2>&1
        state=$(timeout 5 sinfo --noheader --format=%T 2> /dev/null || true)
        case $state in
            # The controller may not have seen yet that its node's daemon is gone.
            idle | mixed | allocated | completing) sleep 0.5; if running slurmctld && running slurmd; then return 0; fi ;;
            # A node that was killed with its jobs waits for someone who says that it may go on.
            down* | drain*) scontrol update nodename=localhost state=resume 2> /dev/null || true ;;
        esac
        sleep 0.2
    done
    echo "slurm.sh: the node does not take jobs (its state: \`${state:-unknown}\`). The ends of the logs:" >&2
    tail -n 20 "$dir"/log/*.log >&2 || true
    exit 1
}

# The daemons that start a job's steps belong to no pid file. Their sockets stand in the spool folder.
step_daemons() {
    local socket
    for socket in $(awk -v spool="$dir/spool/" 'index($8, spool) == 1 { print $7 }' /proc/net/unix); do
        { find /proc/[0-9]*/fd -lname "socket:\[$socket\]" 2> /dev/null || true; } | cut -d/ -f3
    done | sort -u
}

stop() {
    if running slurmctld; then
        timeout 10 scancel --user="$(id -un)" 2> /dev/null || true
        for _ in $(seq 50); do
            [ -n "$(timeout 5 squeue --noheader 2> /dev/null)" ] || break
            sleep 0.2
        done
    fi
    local name pids=
    for name in slurmctld slurmd; do
        ! running "$name" || pids="$pids $(cat "$dir/run/$name.pid")"
    done
    pids="$pids $(step_daemons | tr '\n' ' ')"
    local signal pid
    for signal in TERM KILL; do
        for pid in $pids; do kill -s "$signal" "$pid" 2> /dev/null || true; done
        for _ in $(seq 25); do
            local left=
            for pid in $pids; do
                ! kill -0 "$pid" 2> /dev/null || left="$left $pid"
            done
            [ -n "$left" ] || return 0
            sleep 0.2
        done
    done
    echo "slurm.sh: these do not end:$left" >&2
    exit 1
}

[ $# = 2 ] || usage
case $2 in
    /*) dir=$2 ;;
    *) dir=$PWD/$2 ;;
esac
export SLURM_CONF=$dir/slurm.conf
case $1 in
    setup | start | stop) "$1" ;;
    *) usage ;;
esac
