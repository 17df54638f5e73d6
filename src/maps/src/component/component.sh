#!/bin/sh
# Runs one component of a map on an execute node, and writes its error report where the program cannot write it itself.
#
#   component.sh MEMORY COMPONENT CLUSTER SUMMARY ERROR STDERR PROGRAM ARGUMENTS...
#
# MEMORY is the limit of resident memory in MiB (0: none), SUMMARY and ERROR are the files of which one is there in the end, and STDERR is
# where standard error goes (`-`: the engine keeps it). PROGRAM is run as `PROGRAM maps component ARGUMENTS... --heartbeat FILE`.
# The node needs a POSIX shell and its utilities, and nothing else; `mktemp` and `iconv` make the report better where they are.
# It exits with 0 unless neither file is there: what went wrong with a component is in its report, not in an exit code. Then it exits with 28 if
# the disk is full, with 74 if they could not be written otherwise, and with 143 if it was asked to end.
LC_ALL=C
export LC_ALL
memory=$1 component=$2 cluster=$3 summary=$4 error=$5 stderr=$6 program=$7
shift 7

# `tpvc maps edit` changes the attributes of HTCondor's job, and cannot change its arguments.
attribute() { sed -n "s/^$1 = \([0-9][0-9]*\)\$/\1/p" "$_CONDOR_JOB_AD"; }
if [ -r "${_CONDOR_JOB_AD-}" ]; then
    memory=$(attribute TpvcMemory) disk=$(attribute TpvcDisk)
    memory=${memory:-0}
    [ -z "$disk" ] || set -- "$@" --disk "$disk"
fi
# The program watches its memory itself. What it takes too fast for that, a cgroup keeps from it, where this user may make one and no engine does.
cgroup=
if [ "$memory" != 0 ]; then
    set -- "$@" --memory "$memory"
    if [ -z "${SLURM_JOB_ID-}${_CONDOR_JOB_AD-}" ]; then
        parent=$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup 2> /dev/null)
        limit=memory.limit_in_bytes
        if [ -n "$parent" ]; then
            parent=/sys/fs/cgroup/memory$parent
        else
            parent=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup 2> /dev/null)
            limit=memory.max
        fi
        # Those that killed scripts have left. Of a script that runs, it has the count of what was killed for memory.
        for left in "${parent%/}"/tpvc-*; do
            kill -0 "${left##*-}" 2> /dev/null || rmdir "$left" 2> /dev/null
        done
        cgroup=${parent%/}/tpvc-$component-$$
        if ! { mkdir "$cgroup" && echo $((memory * 1048576)) > "$cgroup/$limit"; } 2> /dev/null; then
            rmdir "$cgroup" 2> /dev/null
            cgroup=
        fi
    fi
fi

# The report of an earlier run of this component would be taken for this one's.
rm -f "$error"
# HTCondor transfers the files that are named here, and takes it for a failure where one is missing. Empty ones count as absent.
leave_files() {
    for file in ${TPVC_LEAVE-}; do [ -e "$file" ] || touch "$file"; done
}
leave_files
trap leave_files EXIT
# HTCondor does not keep the mode of each file that it transfers.
[ -x "$program" ] || chmod u+x "$program" 2> /dev/null

# Two scratch files: 3 is the heartbeat, into which the program writes the line that it works on and its memory; 4 is standard error. They
# have no name any more when the program starts, so that no kill leaves them behind.
heartbeat=/dev/null said=/dev/null
open_scratch() {
    scratch=$(mktemp "${TMPDIR:-/tmp}/tpvc-component.XXXXXX" 2> /dev/null)
}
if open_scratch && exec 3<> "$scratch"; then
    rm -f "$scratch"
    heartbeat=/dev/fd/3
fi
if open_scratch && exec 4<> "$scratch"; then
    rm -f "$scratch"
    said=/dev/fd/4
else
    exec 4>&2
fi

# The engine asks for an end with this signal, before it kills. The program gets it, too. There is no report then: a component that is
# held, or that gave its place to another, is no error and will start anew.
asked_to_end=
child=
trap 'asked_to_end=yes; [ -z "$child" ] || kill -TERM "$child" 2> /dev/null' TERM INT HUP

# A shell gives nothing to what it starts in the background; the program has the standard input of this script, whose end may tell it to end.
exec 5<&0
(
    [ -z "$cgroup" ] || echo 0 2> /dev/null > "$cgroup/cgroup.procs"
    exec "$program" maps component "$@" --heartbeat "$heartbeat" <&5 2>&4
) &
child=$!
wait "$child"
status=$?
# A signal to this script ends `wait` before the program has ended.
while [ -n "$asked_to_end" ] && kill -0 "$child" 2> /dev/null; do
    wait "$child"
    status=$?
done

# The program's own word for it: what it was tied to, the runner of this machine, was killed.
[ "$status" != 75 ] || asked_to_end=yes

node=$(uname -n)
reported=
if [ -s "$error" ] || { [ "$status" = 0 ] && [ -s "$summary" ]; }; then
    reported=yes
elif [ -n "$asked_to_end" ]; then
    echo "the engine asked component $component to end on \`$node\` (now: $(date -u '+%Y-%m-%d %H:%M:%S') UTC):" \
        'its time was over, it was held or removed, or its place was needed' >&4
fi

exceeded=
if [ -n "$cgroup" ]; then
    # `memory.events` of version 2 has the line that `memory.oom_control` of version 1 has.
    exceeded=$(cat "$cgroup/memory.events" "$cgroup/memory.oom_control" 2> /dev/null | sed -n 's/^oom_kill \([1-9].*\)/\1/p')
    rmdir "$cgroup" 2> /dev/null
fi

# What was said goes to where `tpvc maps logs` finds it.
if [ "$said" != /dev/null ] && [ -s "$said" ]; then
    if [ "$stderr" = - ]; then cat "$said" >&2; else cat "$said" 2> /dev/null > "$stderr" || rm -f "$stderr"; fi
fi

[ -z "$reported" ] || exit 0
[ -z "$asked_to_end" ] || exit 143

machine=$(uname -s -m)
line= used=
if [ "$heartbeat" != /dev/null ]; then
    read -r line used < "$heartbeat"
fi
case $line in '' | *[!0-9]*) line= ;; esac
case $used in '' | *[!0-9]*) used= ;; esac
# Whatever was seen before, it had come to its limit.
[ -z "$exceeded" ] || used=$((memory * 1024))
used_mib=
[ -z "$used" ] || used_mib=$(((used + 1023) / 1024))
tail=
[ "$said" = /dev/null ] || tail=$(tail -n 40 "$said" | tail -c 4000)

grant='give it more with `tpvc maps edit`, then `tpvc maps rerun`'
again='`tpvc maps rerun` runs it again'
fault='if it ends so again, report this as a bug, with this error report'
signal=0
[ "$status" -le 128 ] || signal=$((status - 128))
case $status in
    0)
        message='the program ended without an answer and without an error'
        help=$fault
        ;;
    126)
        message="the program cannot run on \`$node\`, which is \`$machine\`"
        help='if its kind of machine is not the one that the map was made for, ask the engine for nodes that are; if it is, its file system may not allow programs (`noexec`)'
        ;;
    127)
        if [ -e "$program" ]; then
            message="the program cannot run on \`$node\`: what it needs is not installed"
            help='make the map with the static `tpvc` of a release, which needs nothing'
        else
            message="the program is not there on \`$node\`"
            help='the folder of maps must be on a file system that each execute node sees under the same path (`--maps-dir`)'
        fi
        ;;
    *)
        message="killed by signal $signal"
        help=$again
        case $signal in
            0)
                message="the program ended with exit code $status"
                help=$fault
                ;;
            4)
                message="$message (illegal instruction)"
                help="the processor of \`$node\` may be older than the program needs; ask the engine for another node"
                ;;
            6 | 7 | 11)
                case $tail in
                    *'memory allocation of'*)
                        message='out of memory'
                        help=$grant
                        ;;
                    *) help=$fault ;;
                esac
                ;;
            9)
                if [ -n "$exceeded" ]; then
                    message="it used more memory than its limit of $memory MiB"
                    help='give it more memory: `tpvc maps edit --memory`, then `tpvc maps rerun`'
                else
                    help="somebody killed it, or \`$node\` had no memory left${used_mib:+ (it used $used_mib MiB)}; $grant"
                fi
                ;;
            24) help='it used more processor time than the node allows; give it more time with `tpvc maps edit`, then `tpvc maps rerun`' ;;
            25) help='a file became larger than the node allows (`ulimit -f`)' ;;
        esac
        ;;
esac

# Text as the inside of a JSON string. Bytes that are no UTF-8 become `?`.
escape() {
    text=$(printf '%s\n' "$1" | tr -d '\000-\010\013-\037\177')
    printf '%s\n' "$text" | iconv -f UTF-8 -t UTF-8 > /dev/null 2>&1 || text=$(printf '%s\n' "$text" | tr '\200-\377' '?')
    printf '%s\n' "$text" | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/	/\\t/g' -e '$!s/$/\\n/' | tr -d '\n'
}

report() {
    printf '{"component":%s,"cluster":%s,"message":"%s","help":"%s","node":"%s","time":%s,"command":"%s"' \
        "$component" "$cluster" "$(escape "$message")" "$(escape "$help")" "$(escape "$node")" "$(date +%s)" \
        "$(escape "$command")" &&
        { [ -z "$line" ] || printf ',"line":%s' "$line"; } &&
        { [ -z "$used" ] || printf ',"memory_kib":%s' "$used"; } &&
        { [ "$memory" = 0 ] || printf ',"memory_limit_mib":%s' "$memory"; } &&
        { [ -z "$tail" ] || printf ',"stderr":"%s"' "$(escape "$tail")"; } &&
        printf '}\n'
}

# Whole or absent: written beside its place, then renamed.
case $error in
    */*) part=${error%/*}/.part-$component-$$ ;;
    *) part=.part-$component-$$ ;;
esac
command="$program maps component $*"
if report > "$part" && mv -f "$part" "$error"; then
    exit 0
fi
rm -f "$part"
# The engines know these two: that is all that they can be told.
unwritten=74
case $tail in *'the disk is full'*) unwritten=28 ;; esac
echo "component $component: $message; and its report cannot be written to \`$error\`" >&2
exit "$unwritten"
