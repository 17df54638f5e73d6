// The plots of a diff, and its long tables with search.

const jobs = data.jobs;

if (jobs && jobs.causes.length) {
  const moved = jobs.destinations.map((row) => ({ id: row.id, old: row.old.jobs, new: row.new.jobs, more: row.new.jobs - row.old.jobs }))
    .filter((row) => row.more !== 0).sort((a, b) => Math.abs(b.more) - Math.abs(a.more)).slice(0, 30).sort((a, b) => b.more - a.more);
  if (moved.length) {
    const names = moved.map((row) => row.id);
    const sign = (number) => `${number > 0 ? "+" : ""}${shown(number)}`;
    plot(document.getElementById("destinations"), {
      caption: "Jobs that each destination gets more, to the right, or fewer, to the left.",
      label: `Change of jobs by destination: ${moved.map((row) => `${row.id}: ${sign(row.more)}, ${row.old} to ${row.new}`).join("; ")}`,
      make: (width) => drawing({
        width, height: 72 + 26 * moved.length, marginLeft: beside(names, width).margin,
        x: { label: "jobs more or fewer", grid: true, tickFormat: (number) => sign(number) },
        y: { domain: names, label: null, tickFormat: beside(names, width).text },
        color: { domain: ["more", "fewer"], range: ["var(--link)", "var(--maybe)"] },
        marks: [
          Plot.barX(moved, { x: "more", y: "id", fill: (row) => row.more > 0 ? "more" : "fewer", insetTop: 4, insetBottom: 4,
            title: (row) => `${row.id}: ${shown(row.old)} before, ${shown(row.new)} after` }),
          Plot.ruleX([0]),
        ],
      }),
    });
  }

  // Of jobs that swap places, as many come as go: what is left is the change.
  const count = new Map(jobs.flows.map((flow) => [JSON.stringify([flow.from, flow.to]), flow.jobs]));
  const net = jobs.flows.map((flow) => ({ ...flow, jobs: flow.jobs - (count.get(JSON.stringify([flow.to, flow.from])) ?? 0) }));
  const swapped = jobs.flows.reduce((sum, flow, index) => sum + flow.jobs - Math.max(0, net[index].jobs), 0);
  const flows = net.filter((flow) => flow.jobs > 0).sort((a, b) => b.jobs - a.jobs).slice(0, 200);
  if (flows.length) {
    const from = [...new Set(flows.map((flow) => flow.from))], to = [...new Set(flows.map((flow) => flow.to))];
    plot(document.getElementById("flows"), {
      caption: `Jobs that go elsewhere: from the rows to the columns. The stronger the colour, the more.${swapped
        ? ` Another ${shown(swapped)} jobs swap places: between two destinations, as many come as go.` : ""}`,
      label: `Jobs that go elsewhere: ${flows.slice(0, 20).map((flow) => `${flow.jobs} from ${flow.from} to ${flow.to}`).join("; ")}`,
      make: (width) => {
        const below = beside(to, 420), left = beside(from, width);
        return drawing({
          width, height: 40 + 26 * from.length + below.margin, marginLeft: Math.max(left.margin, below.margin * 0.5), marginBottom: below.margin,
          x: { domain: to, label: null, tickRotate: -40, tickFormat: below.text }, y: { domain: from, label: null, tickFormat: left.text },
          opacity: { type: flows.length > 1 ? "log" : "linear", range: [0.25, 1] },
          marks: [Plot.cell(flows, { x: "to", y: "from", fill: "var(--link)", fillOpacity: "jobs", inset: 1, title: (flow) => `${shown(flow.jobs)} from ${flow.from} to ${flow.to}` })],
        });
      },
    });
  } else if (swapped) {
    document.getElementById("flows").replaceChildren(
      el("p", { class: "note" }, `${shown(swapped)} jobs swap places: between two destinations, as many come as go.`));
  }

  const name = (ratio) => ratio.from == null ? `< ${ratio.below}` : ratio.below == null ? `≥ ${ratio.from}` : `${ratio.from} to ${ratio.below}`;
  const ratios = [["cores", jobs.cores_ratios], ["memory", jobs.mem_ratios]]
    .flatMap(([what, rows]) => rows.map((ratio) => ({ what, ratio: name(ratio), jobs: ratio.jobs })));
  if (ratios.some((ratio) => ratio.jobs)) {
    plot(document.getElementById("ratios"), {
      caption: "How many times as much as before: jobs by the ratio of new to old, those of equal amounts left out.",
      label: `Ratios of new to old: ${ratios.filter((row) => row.jobs).map((row) => `${row.what} ${row.ratio}: ${row.jobs}`).join("; ")}`,
      make: (width) => drawing({
        width, height: 340, marginRight: 60, marginBottom: 70, x: { domain: jobs.cores_ratios.map(name), label: "new / old", tickRotate: -40 },
        y: { ...counts(ratios.map((row) => row.jobs)), label: "jobs", grid: true }, fy: { label: null },
        marks: [Plot.barY(ratios, { x: "ratio", y: "jobs", fy: "what", fill: "what", title: (row) => `${row.what}, ${row.ratio}: ${shown(row.jobs)}` }), Plot.ruleY([0])],
      }),
    });
  } else document.getElementById("ratios").replaceChildren(el("p", { class: "note" }, "Jobs get as many cores and as much memory as before."));

  const top = jobs.tools.slice(0, 15);
  plot(document.getElementById("tools"), {
    caption: "The tools of most jobs that get another answer.",
    label: `Jobs by tool: ${top.map((tool) => `${tool.id}: ${tool.new.jobs}`).join("; ")}`,
    make: (width) => {
      const ids = top.map((tool) => toolName(tool.id)), left = beside(ids, width);
      return drawing({
        width, height: 72 + 24 * top.length, marginLeft: left.margin, x: { ...counts(top.map((tool) => tool.new.jobs)), label: "jobs", grid: true },
        y: { domain: top.map((tool) => tool.id), label: null, tickFormat: (id) => left.text(toolName(id)) },
        marks: [Plot.barX(top, { x: (tool) => tool.new.jobs, y: "id", fill: "var(--link)", title: (tool) => `${tool.id}: ${shown(tool.new.jobs)}` }), Plot.ruleX([0])],
      });
    },
  });
  pagedTable(document.getElementById("all-tools"), {
    caption: "Jobs that get another answer, by tool", rows: jobs.tools, search: (tool) => tool.id, size: 20,
    columns: [
      { title: "Tool", value: (tool) => tool.id, cell: (tool) => el("span", { title: tool.id }, ...broken(toolName(tool.id))), header: true },
      { title: "Jobs", value: (tool) => tool.new.jobs, number: true },
      { title: "Cores before", value: (tool) => tool.old.cores, number: true },
      { title: "Cores after", value: (tool) => tool.new.cores, number: true },
      { title: "GiB before", value: (tool) => tool.old.mem, number: true },
      { title: "GiB after", value: (tool) => tool.new.mem, number: true },
    ],
  });
}

const changes = document.getElementById("changes");
if (changes) {
  const value = (text) => text == null ? "not set" : text;
  const words = {
    added: () => "added", removed: () => "removed", renamed: (change) => `renamed from ${change.old}`,
    rule_added: (change) => `rule ${change.rule} added\n${change.new}`, rule_removed: (change) => `rule ${change.rule} removed\n${change.old}`,
    field: (change) => `${change.rule ? `rule ${change.rule}: ` : ""}${change.field}: ${value(change.old)} → ${value(change.new)}`,
    rule_order: (change) => `order of rules: ${change.old} → ${change.new}`, env_order: (change) => `order of env: ${change.old} → ${change.new}`,
    lookup_order: (change) => `order of lookup: ${change.old} → ${change.new}`,
    unreachable: (change) => `can never go to ${change.old} now`, reachable: (change) => `may go to ${change.new} now`,
    destination_order: (change) => `order of destinations: ${change.old} → ${change.new}`,
  };
  // Places are `FILE:LINE`: the whole of one stands at its group's first change, and of others in the same file the line alone.
  const place = (change) => (change.new_places ?? change.old_places ?? [])[0];
  const fileOf = (place) => place?.replace(/(:\d+)+$/, "");
  const item = (change, index, all) => {
    const here = place(change), again = index > 0 && here && fileOf(here) === fileOf(place(all[index - 1]));
    const text = words[change.kind](change);
    const at = here && el("span", { class: "at", title: here }, again ? ` ${here.slice(fileOf(here).length)}` : ` ${here}`);
    const [first, ...rest] = text.split("\n");
    return rest.length || first.length > 300
      ? el("details", {}, el("summary", {}, `${first.slice(0, 300)} …`, at), el("pre", {}, text)) : el("div", {}, text, at);
  };
  const entities = (group) => {
    const first = group.entities.slice(0, 5).map((id) => el("div", {}, el("code", {}, id)));
    const more = group.entities.slice(5);
    return el("div", {}, ...first, more.length > 0 && el("details", {}, el("summary", {}, `and ${shown(more.length)} more`), more.join(", ")));
  };
  pagedTable(changes, {
    caption: "Entity by entity", rows: data.groups, size: 30,
    search: (group) => `${group.section} ${group.entities.join(" ")} ${group.changes.map((change) => words[change.kind](change)).join(" ")}`,
    filters: [{ label: "Section", choices: [...new Set(data.groups.map((group) => group.section))], keep: (group, section) => group.section === section }],
    columns: [
      { title: "Section", value: (group) => group.section },
      { title: "Entities", value: (group) => group.entities[0], cell: entities },
      { title: "How many", value: (group) => group.entities.length, number: true },
      { title: "Changes", value: (group) => group.changes.length, cell: (group) => el("div", {}, ...group.changes.map(item)) },
    ],
  });
}
