# Sourced by job scripts, maybe twice: puts the job in a cgroup whose memory is limited to so many MiB.
if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
    tpvc_cgroup=/sys/fs/cgroup/tpvc-history-$$ tpvc_limit=memory.max
else
    tpvc_cgroup=/sys/fs/cgroup/memory/tpvc-history-$$ tpvc_limit=memory.limit_in_bytes
fi
mkdir -p "$tpvc_cgroup"
echo "$1M" > "$tpvc_cgroup/$tpvc_limit"
echo $$ > "$tpvc_cgroup/cgroup.procs"
