// The plots and tables of a simulation.

const set = data.sets.at(-1);
const sides = data.sets.map((side, index) => ({ ...side, side: data.sets.length > 1 ? ["old", "new"][index] : "" }));

/** The steps of a level as points in time. */
function points(level, name, side) {
  return level.steps.map((value, index) => ({ at: new Date(1000 * (data.period[0] + index * level.step)), value, name, side }));
}

/** Levels over time, a line for each name; where there are two rule sets, the old one is dashed, and a dotted line is the most that there is. */
function levels(host, caption, unit, all, limit) {
  const names = [...new Set(all.map((point) => point.name))];
  const lines = [sides.length > 1 && "dashed: the old rules, solid: the new ones", limit && `dotted: the ${shown(limit)} ${unit} that there are`].filter(Boolean);
  plot(host, {
    caption: lines.length ? `${caption} (${lines.join("; ")})` : caption,
    label: `${caption}: ${names.map((name) => `${name} up to ${shown(Math.max(...all.filter((p) => p.name === name).map((p) => p.value)))}`).join("; ")}`,
    make: (width) => Plot.plot({
      width, height: 240, x: { label: null }, y: { label: unit, grid: true, ...counts([...all.map((point) => point.value), limit ?? 0]) },
      color: { domain: names, legend: names.length > 1 },
      marks: [
        Plot.ruleY([0]),
        limit ? Plot.ruleY([limit], { strokeDasharray: "2,4" }) : null,
        ...sides.map(({ side }) => Plot.lineY(all.filter((point) => point.side === side), {
          x: "at", y: "value", stroke: "name", curve: "step-after", strokeWidth: 1.5, strokeDasharray: side === "old" ? "4,3" : null,
        })),
        Plot.tip(all, Plot.pointerX({ x: "at", y: "value", title: (p) => `${p.name} ${p.side}\n${p.at.toISOString().slice(0, 16)}\n${shown(p.value)}` })),
      ],
    }),
  });
}

const overTime = document.getElementById("levels");
const figures = [["Jobs that wait and jobs that run", "jobs", sides.flatMap((side) => [
  ...points(side.waiting, "waiting", side.side), ...points(side.running, "running", side.side)]), null]];
set.clusters.forEach((cluster, index) => {
  const of = (level, name) => sides.flatMap((side) => points(side.clusters[index][level], name, side.side));
  figures.push([`${cluster.name}: cores in use`, "cores", of("cores_used", "cores"), cluster.cores]);
  if (cluster.mem_used.most) figures.push([`${cluster.name}: memory in use`, "GiB", of("mem_used", "memory"), cluster.mem]);
  if (cluster.gpus_used.most) figures.push([`${cluster.name}: GPUs in use`, "GPUs", of("gpus_used", "GPUs"), cluster.gpus]);
  if (cluster.queue.most) figures.push([`${cluster.name}: jobs in the queue`, "jobs", of("queue", "queued"), null]);
});
overTime.replaceChildren(...figures.map(() => el("div")));
figures.forEach(([caption, unit, all, limit], index) => levels(overTime.children[index], caption, unit, all, limit));

const most = set.destinations.slice(0, 30).map((row) => row.name);
const bars = sides.flatMap((side) => side.destinations.filter((row) => most.includes(row.name) && row.wait_median !== null).map((row) => ({ ...row, side: side.side })));
plot(document.getElementById("waits"), {
  caption: "Waits by destination: the bar ends at the median, the line at 95 %.",
  label: `Waits by destination: ${bars.map((row) => `${row.name} ${row.side} median ${wait(row.wait_median)}, 95 % ${wait(row.wait_95)}`).join("; ")}`,
  make: (width) => {
    const { margin, text } = beside(most, width);
    return Plot.plot({
      width, marginLeft: margin, height: 60 + (sides.length > 1 ? 40 : 26) * most.length,
      x: { label: "wait", ...waits(bars.flatMap((bar) => [bar.wait_median, bar.wait_95])) },
      ...(sides.length > 1
        ? { fy: { domain: most, label: null, tickFormat: text, axis: "left" }, y: { axis: null, domain: ["old", "new"] }, color: { domain: ["old", "new"], legend: true } }
        : { y: { domain: most, label: null, tickFormat: text } }),
      marks: [
        Plot.barX(bars, { x: "wait_median", y: sides.length > 1 ? "side" : "name", fy: sides.length > 1 ? "name" : null, fill: sides.length > 1 ? "side" : "var(--link)" }),
        Plot.ruleY(bars, { x1: 0, x2: "wait_95", y: sides.length > 1 ? "side" : "name", fy: sides.length > 1 ? "name" : null }),
      ],
    });
  },
});

/** All rows of a group, with search. Columns in which nothing stands are left out. */
function group(id, caption, title, rows) {
  const host = document.getElementById(id);
  if (!rows.length) return;
  const columns = [
    ["Jobs", "jobs"], ["Failed", "failed"], ["Mean wait", "wait_mean", wait], ["Median", "wait_median", wait], ["95 %", "wait_95", wait],
    ["Longest", "wait_most", wait], ["Not ready", "not_ready"], ["Deaths", "deaths"], ["core·h", "core_hours"], ["Wasted core·h", "core_hours_wasted"],
    ["GiB·h", "gib_hours"], ["Wasted GiB·h", "gib_hours_wasted"], ["GPU·h", "gpu_hours"],
  ];
  const used = columns.filter(([, key]) => rows.some((row) => row[key]));
  pagedTable(host, {
    caption, rows, search: (row) => row.name,
    columns: [
      { title, value: (row) => row.name, header: true },
      ...used.map(([name, key, cell]) => ({ title: name, value: (row) => row[key], cell: cell && ((row) => cell(row[key])), number: true })),
    ],
  });
}

group("tools", "All tools", "Tool", set.tools);
group("users", "All users", "User", set.users);
