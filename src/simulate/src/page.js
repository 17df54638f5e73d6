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
    make: (width) => drawing({
      width, height: 240, x: { label: "UTC" }, y: { label: unit, grid: true, ...counts([...all.map((point) => point.value), limit ?? 0]) },
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

levels(document.getElementById("levels"), "Jobs that wait and jobs that run", "jobs", sides.flatMap((side) => [
  ...points(side.waiting, "waiting", side.side), ...points(side.running, "running", side.side)]), null);

/** The plots of a cluster. */
function draw(host, cluster, index) {
  const of = (level, name) => sides.flatMap((side) => points(side.clusters[index][level], name, side.side));
  const figures = [
    ["cores in use", "cores", of("cores_used", "cores"), cluster.cores],
    cluster.mem_used.most && ["memory in use", "GiB", of("mem_used", "memory"), cluster.mem],
    cluster.gpus_used.most && ["GPUs in use", "GPUs", of("gpus_used", "GPUs"), cluster.gpus],
    cluster.queue.most && ["jobs in the queue", "jobs", of("queue", "queued"), null],
  ].filter(Boolean);
  host.replaceChildren(...figures.map(() => el("div")));
  figures.forEach(([caption, ...rest], at) => levels(host.children[at], `${cluster.name}: ${caption}`, ...rest));
}

// Of the clusters one is drawn: first that of the longest queue.
if (set.clusters.length) {
  const queues = set.clusters.map((cluster) => cluster.queue.mean);
  const longest = queues.indexOf(Math.max(...queues));
  const host = el("div");
  const chosen = el("select", { onchange: () => draw(host, set.clusters[chosen.value], chosen.value) },
    ...set.clusters.map((cluster, index) => el("option", { value: index, selected: index === longest }, cluster.name)));
  document.getElementById("clusters").replaceChildren(el("div", { class: "tools" }, el("label", {}, "Cluster", chosen)), host);
  draw(host, set.clusters[longest], longest);
}

// Destinations whose jobs start at once have no bar.
const isWaiting = (row) => row.wait_95 > 0;
const waiting = [...new Set(sides.flatMap((side) => side.destinations.filter(isWaiting).map((row) => row.name)))];
const most = set.destinations.map((row) => row.name).filter((name) => waiting.includes(name)).slice(0, 30);
const bars = sides.flatMap((side) => side.destinations.filter((row) => most.includes(row.name) && row.wait_median !== null).map((row) => ({ ...row, side: side.side })));
const places = document.getElementById("waits");
if (!most.length) places.replaceChildren(el("p", { class: "note" }, "95 % of the jobs of each destination start at once."));
else plot(places, {
  caption: `Waits by destination: the bar ends at the median, the line at 95 %.${most.length < set.destinations.length ? " At the others 95 % of the jobs start at once, or none does." : ""}`,
  label: `Waits by destination: ${bars.map((row) => `${row.name} ${row.side} median ${wait(row.wait_median)}, 95 % ${wait(row.wait_95)}`).join("; ")}`,
  make: (width) => {
    const { margin, text } = beside(most, width);
    return drawing({
      width, marginLeft: margin, height: 72 + (sides.length > 1 ? 40 : 26) * most.length,
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

/** All rows of a group, with search. */
function group(id, caption, title, rows, short = (name) => name) {
  if (!rows.length) return;
  const columns = [
    ["Jobs", "jobs"], ["Failed", "failed"], ["Median wait", "wait_median", wait], ["95\u00a0%", "wait_95", wait],
    ["Longest", "wait_most", wait], ["Not ready", "not_ready"], ["Attempts out of memory", "deaths"], ["core·h", "core_hours", hours],
    ["Wasted core·h", "core_hours_wasted", hours], ["GiB·h", "gib_hours", hours], ["Wasted GiB·h", "gib_hours_wasted", hours], ["GPU·h", "gpu_hours", hours],
  ];
  pagedTable(document.getElementById(id), {
    caption, rows, search: (row) => row.name, size: 25,
    columns: [
      { title, value: (row) => row.name, cell: (row) => el("span", { title: row.name }, ...broken(short(row.name))), header: true },
      ...columns.map(([title, key, cell]) => ({ title, value: (row) => row[key], cell: cell && ((row) => cell(row[key])), number: true })),
    ],
  });
}

group("tools", "Waits by tool", "Tool", set.tools, toolName);
group("users", "Waits by user", "User", set.users);
