// The table of tools, and a plot for each of those that waste most: size of the inputs against memory, both on log axes.

const percent = (part) => part == null ? "–" : `${Math.round(100 * part)} %`;
const today = (both) => both ? el("div", {}, shown(both[0], 0), el("div", { class: "note" }, `today ${shown(both[1], 0)}`)) : "–";
const shortName = (id) => id.split("/").at(-1);

/** Opens the evidence of the tool at this place of the list. */
function reveal(index) {
  const details = document.getElementById(`tool-${index}`);
  details.open = true;
  details.querySelector("summary").focus();
  details.scrollIntoView({ block: "start" });
}

pagedTable(document.getElementById("tools"), {
  caption: "Memory in GiB, reserved in GiB·h", rows: data.rows, search: (row) => `${row.tool} ${row.place ?? ""} ${row.mem}`, size: 25,
  filters: data.rows.some((row) => row.is_change) && !data.rows.every((row) => row.is_change)
    ? [{ label: "Tools", choices: ["with a better value", "that keep theirs"], value: "with a better value", keep: (row, choice) => row.is_change === (choice === "with a better value") }]
    : [],
  columns: [
    {
      title: "Tool", value: (row) => row.tool, header: true,
      cell: (row) => {
        const index = data.rows.indexOf(row);
        const name = index < data.plots.length
          ? el("button", { type: "button", class: "link", title: row.tool, onclick: () => reveal(index) }, shortName(row.tool))
          : el("span", { title: row.tool }, shortName(row.tool));
        // A tool has several rows if rules set its memory.
        return el("div", {}, name, row.place && el("div", { class: "at" }, row.place));
      },
    },
    { title: "Proposed mem", value: (row) => row.mem, class: "mem" },
    { title: "Saves", value: (row) => row.saves, number: true, cell: (row) => percent(row.saves) },
    { title: "Asked", value: (row) => row.asked, number: true, cell: (row) => shown(row.asked, 1) },
    { title: "Median used", value: (row) => row.median, number: true, cell: (row) => shown(row.median, 1) },
    { title: "Most used", value: (row) => row.most, number: true, cell: (row) => shown(row.most, 1) },
    { title: "Jobs", value: (row) => row.jobs, number: true },
    { title: "Killed", value: (row) => row.killed, number: true, cell: (row) => shown(row.killed, 0) },
    { title: "Lost", value: (row) => row.lost?.[0], some: (row) => row.lost?.some(Boolean), number: true, cell: (row) => today(row.lost) },
    { title: "Run again", value: (row) => row.again?.[0], some: (row) => row.again?.some(Boolean), number: true, cell: (row) => today(row.again) },
    { title: "Reserved", value: (row) => row.reserved, number: true, cell: (row) => shown(row.reserved, 0) },
    { title: "Unused", value: (row) => row.unused, number: true, cell: (row) => percent(row.unused) },
  ],
});

/** Ticks of a log axis, at most so many if its domain allows: 1, 2, 5 of each power of ten, or less. */
function ticks([low, high], most) {
  const powers = Array.from({ length: 31 }, (_, index) => 10 ** (index - 12));
  const within = (steps) => powers.flatMap((power) => steps.map((step) => step * power)).filter((at) => at >= low * 0.999 && at <= high * 1.001);
  const choices = [[1, 2, 5], [1, 3], [1]].map(within).filter((choice) => choice.length > 1);
  return choices.find((choice) => choice.length <= most) ?? choices.at(-1) ?? [low, high];
}

/** Inputs that are smaller, or of no size, are drawn at the left edge. */
const LEAST = 0.001;

/** Draws the plot of the tool at this place of the list. */
function draw(tool, index) {
  const host = document.getElementById(`plot-${index}`);
  if (!tool.jobs.length) {
    host.replaceChildren(el("p", { class: "note" }, "No job has its memory and time measured."));
    return;
  }
  const jobs = tool.jobs.map(([size, peak, today, killed]) => ({ size: Math.max(size, LEAST), peak, today, killed: killed > 0 }))
    .sort((a, b) => a.size - b.size);
  const low = jobs[0].size, high = jobs.at(-1).size;
  const domain = low < high ? [low, high] : [low / 2, high * 2];
  const at = Array.from({ length: 81 }, (_, step) => domain[0] * (domain[1] / domain[0]) ** (step / 80));
  const memory = (line, size) => Math.min(line.base + line.slope * size, line.most ?? Infinity, tool.limit ?? Infinity);
  const proposed = tool.lines.flatMap((line) => at.map((size) => ({ size, memory: memory(line, size), version: line.version })));
  const further = tool.lines.length === 1
    ? tool.further.flatMap((ratio, attempt) => at.map((size) => (
      { size, attempt: attempt + 2, memory: Math.min(memory(tool.lines[0], size) * ratio, tool.limit ?? Infinity) })))
    : [];
  const killed = jobs.filter((job) => job.killed).length;
  const ends = [...jobs.flatMap((job) => [job.peak, job.today]), ...proposed.map((point) => point.memory), tool.limit].filter((number) => number > 0);
  const range = [Math.min(...ends) / 1.3, Math.max(...ends) * 1.3];
  const amount = (number) => Number(number.toPrecision(2)).toLocaleString("en", { maximumSignificantDigits: 3 });
  const entry = (look, sign, words) => el("span", { class: "entry" }, el("span", { class: look }, sign), ` ${words}`);
  const legend = el("p", { class: "note" },
    entry("dot", "●", "a job"),
    killed ? entry("bad", "▲", "killed, needed more") : null,
    entry("today", "▬", "today"),
    tool.lines.length ? entry("new", "▬", further.length ? "proposed (dashed: further attempts)" : "proposed") : null,
    tool.limit ? entry("bad", "▬", "largest destination") : null);
  const figure = el("div");
  host.replaceChildren(figure, legend);
  plot(figure, {
    caption: `${tool.name}: memory in GiB by the size of the inputs in GiB; ${jobs.length} jobs.`,
    label: `${tool.name}: memory by size of inputs of ${jobs.length} jobs, from ${shown(Math.min(...jobs.map((job) => job.peak)))} to `
      + `${shown(Math.max(...jobs.map((job) => job.peak)))} GiB; ${killed} killed`,
    make: (width) => drawing({
      width, height: Math.min(420, Math.max(280, width * 0.5)),
      x: { type: "log", domain, label: "inputs (GiB)", ticks: ticks(domain, width / 60), tickFormat: amount, grid: true },
      y: { type: "log", domain: range, label: "memory (GiB)", ticks: ticks(range, 10), tickFormat: amount, grid: true },
      marks: [
        tool.limit ? Plot.ruleY([tool.limit], { stroke: "var(--bad)", strokeDasharray: "2,3" }) : null,
        Plot.dot(jobs.filter((job) => !job.killed), { x: "size", y: "peak", r: 2.5, fill: "var(--soft)", fillOpacity: 0.6 }),
        Plot.dot(jobs.filter((job) => job.killed), { x: "size", y: "peak", r: 4, symbol: "triangle", fill: "var(--bad)" }),
        // Rules may ask for more than the size: a mark for each job, which make a line where they do not.
        Plot.dot(jobs, { x: "size", y: "today", symbol: "square", r: 2.2, fill: "var(--maybe)" }),
        Plot.line(further, { x: "size", y: "memory", z: "attempt", stroke: "var(--link)", strokeOpacity: 0.6, strokeDasharray: "5,4", clip: true }),
        Plot.line(proposed, { x: "size", y: "memory", z: "version", stroke: "var(--link)", strokeWidth: 2.2 }),
        Plot.text(tool.lines.filter((line) => line.version), {
          x: domain[1], y: (line) => memory(line, domain[1]), text: "version", textAnchor: "end", dy: -7, fill: "var(--text)", stroke: "var(--card)",
        }),
        Plot.tip(jobs, Plot.pointer({
          x: "size", y: "peak",
          title: (job) => `${shown(job.size, 3)} GiB of inputs: ${job.killed ? "killed at" : "used"} ${shown(job.peak)} GiB, today ${shown(job.today)} GiB`,
        })),
      ],
    }),
  });
}

// A plot is drawn when its evidence is opened: all at once would be thousands of points that nobody looks at.
data.plots.forEach((tool, index) => {
  const details = document.getElementById(`tool-${index}`);
  if (details.open) draw(tool, index);
  else details.addEventListener("toggle", () => draw(tool, index), { once: true });
});
