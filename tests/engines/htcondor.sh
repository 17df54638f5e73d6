#!/usr/bin/env bash
# A real HTCondor on this machine, for tests: a personal pool of Debian trixie's packages in a chroot of its own.
#
#   htcondor.sh setup DIR            makes the chroot (once, in ~/.cache/tpvc-tests/htcondor) and the pool's folders in DIR
#   htcondor.sh start DIR            starts the pool and waits until it has slots
#   htcondor.sh run DIR COMMAND...   runs a command as the pool's user, in DIR/work, which has the same path inside
#   htcondor.sh root DIR COMMAND...  the same as root
#   htcondor.sh stop DIR             ends the pool with all that runs in it; DIR stays
#
# The pool lives in namespaces of its own: its mounts and processes end with the first process there, however that ends.
# Exit status 77: HTCondor cannot be had here, and the message says why.
set -euo pipefail

cache=${TPVC_TESTS_CACHE:-$HOME/.cache/tpvc-tests}/htcondor
user=5000
slots=${TPVC_TESTS_SLOTS:-4}
seconds_to_start=90

skip() { echo "htcondor.sh: HTCondor is not tested: $*" >&2; exit 77; }
fail() { echo "htcondor.sh: $*" >&2; exit 1; }

# The first process of the pool, as this machine numbers it; nothing where the pool does not run.
first_process() {
    local pid
    pid=$(cat "$dir/pid" 2> /dev/null) || return 0
    # The number could be another process's by now: the pool's first one carries the folder's name.
    if tr '\0' '\n' 2> /dev/null < "/proc/$pid/cmdline" | grep -qxF "$dir"; then echo "$pid"; fi
}

inside() { # inside USER COMMAND...
    local pid as=$1
    shift
    pid=$(first_process)
    [ -n "$pid" ] || fail "the pool in $dir does not run"
    nsenter --target "$pid" --mount --pid --root --wd="/" \
        chroot --userspec="$as:$as" / /usr/bin/env -i HOME="$dir/work" USER=tpvc LANG=C.UTF-8 TERM="${TERM:-dumb}" \
        PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin sh -c 'cd "$0" && exec "$@"' "$dir/work" "$@"
}

make_chroot() {
    mkdir -p "$cache"
    exec 8> "$cache/lock"
    flock 8
    [ -d "$cache/root" ] && return
    [ "${TPVC_CI_INSTALL:-1}" = 1 ] || skip "there is no chroot with it; TPVC_CI_INSTALL=1 makes one"
    if ! command -v debootstrap > /dev/null; then
        { apt-get update --quiet=2 && apt-get install --yes --quiet=2 --no-install-recommends debootstrap; } > "$cache/apt.log" 2>&1 ||
            skip "debootstrap cannot be installed; see $cache/apt.log"
    fi
    rm -rf "$cache/root.new"
    if ! unshare --mount --pid --fork bash -euo pipefail -c '
        root=$1
        debootstrap --variant=minbase trixie "$root" http://deb.debian.org/debian
        printf "#!/bin/sh\nexit 101\n" > "$root/usr/sbin/policy-rc.d"
        chmod 755 "$root/usr/sbin/policy-rc.d"
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        export DEBIAN_FRONTEND=noninteractive LC_ALL=C
        chroot "$root" apt-get install --yes --no-install-recommends condor minicondor
        chroot "$root" useradd --uid '$user' --no-create-home tpvc
        chroot "$root" apt-get clean
        rm -rf "$root"/var/lib/apt/lists/*
    ' - "$cache/root.new" > "$cache/setup.log" 2>&1; then
        tail -3 "$cache/setup.log" >&2
        skip "its chroot cannot be made; see $cache/setup.log"
    fi
    mv "$cache/root.new" "$cache/root"
}

setup() {
    [ "$(id -u)" = 0 ] || skip "it needs root: a chroot, mounts, a user of its own for jobs"
    [ -e /etc/debian_version ] || skip "this is no Debian machine"
    unshare --mount --pid --fork true 2> /dev/null || skip "this machine allows no mounts (a container without SYS_ADMIN?)"
    make_chroot
    mkdir -p "$dir"/{config,log,spool,execute,work}
    cp "$cache/root/etc/condor/config.d/"* "$dir/config"
    cat > "$dir/config/99-tpvc" << CONFIG
ENABLE_IPV6 = False
NETWORK_INTERFACE = 127.0.0.1
SHARED_PORT_PORT = 19618
COLLECTOR_HOST = \$(CONDOR_HOST):19618
LOG = $dir/log
SPOOL = $dir/spool
EXECUTE = $dir/execute
PER_JOB_NAMESPACES = False
MOUNT_UNDER_SCRATCH =
NUM_CPUS = $slots
MEMORY = $((slots * 1024))
MachineMaxVacateTime = 5
NEGOTIATOR_MIN_INTERVAL = 1
NEGOTIATOR_CYCLE_DELAY = 1
NEGOTIATOR_INTERVAL = 1
CONFIG
    local condor
    condor=$(grep '^condor:' "$cache/root/etc/passwd" | cut -d: -f3,4)
    chown -R "$condor" "$dir"/{log,spool,execute}
    chmod 755 "$dir" "$dir/execute"
    chown "$user:$user" "$dir/work"
}

start() {
    [ -d "$cache/root" ] && [ -d "$dir/config" ] || fail "there is no pool in $dir: \`htcondor.sh setup $dir\`"
    [ -z "$(first_process)" ] || fail "the pool in $dir runs already"
    # The mounts are private to the namespace. Its first process is a shell, which buries what others leave.
    setsid unshare --mount --pid --fork --kill-child --propagation private bash -euo pipefail -c '
        root=$1 dir=$2
        mount --bind "$root" "$root"
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        mount -t tmpfs tmpfs "$root/tmp"
        mount -t tmpfs tmpfs "$root/run"
        mount --bind "$dir/config" "$root/etc/condor/config.d"
        mkdir -p "$root/run/condor" "$root/run/lock/condor" "$root/$dir"
        chroot "$root" chown condor:condor /run/condor /run/lock/condor
        mount --rbind "$dir" "$root/$dir"
        exec chroot "$root" bash -c "condor_master -f; exit" "$dir" "$dir"
    ' - "$cache/root" "$dir" > "$dir/start.log" 2>&1 < /dev/null &
    local outer=$! pid='' waited
    for ((waited = 0; waited < seconds_to_start * 2; waited++)); do
        if [ -z "$pid" ]; then
            pid=$(pgrep --parent "$outer" | head -1) && echo "$pid" > "$dir/pid"
        elif [ -n "$(first_process)" ] && [ "$(inside "$user" condor_status -af Name 2> /dev/null | wc -l)" -gt 0 ] &&
            inside "$user" condor_q > /dev/null 2>&1; then
            return
        fi
        kill -0 "$outer" 2> /dev/null || break
        sleep 0.5
    done
    cat "$dir/start.log" >&2
    stop
    fail "the pool did not start within $seconds_to_start s; see $dir/log"
}

# The end of the first process is the end of its namespaces: of all other processes there, and of the mounts.
stop() {
    local pid
    pid=$(first_process)
    if [ -n "$pid" ]; then
        timeout 20 "$0" root "$dir" condor_off -master -fast > /dev/null 2>&1 || true
        kill -9 "$pid" 2> /dev/null || true
        while kill -0 "$pid" 2> /dev/null; do sleep 0.1; done
    fi
    rm -f "$dir/pid"
}

[ $# -ge 2 ] || fail "usage: htcondor.sh setup|start|run|root|stop DIR [COMMAND...]"
verb=$1
dir=$(realpath --canonicalize-missing "$2")
shift 2
case $verb in
    setup) setup ;;
    start) start ;;
    run) inside "$user" "$@" ;;
    root) inside 0 "$@" ;;
    stop) stop ;;
    *) fail "there is no verb \`$verb\`" ;;
esac
