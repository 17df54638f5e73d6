// The plots of a diff, and its long tables with search.

const jobs = data.jobs;

if (jobs && jobs.causes.length) {
  const moved = jobs.destinations.filter((row) => row.old.jobs !== row.new.jobs).slice(0, 30);
  if (moved.length) {
    const names = moved.map((row) => row.id);
    plot(document.getElementById("destinations"), {
      caption: "Jobs of each destination: a ring before, a dot after.",
      label: `Jobs by destination: ${moved.map((row) => `${row.id}: ${row.old.jobs} to ${row.new.jobs}`).join("; ")}`,
      make: (width) => Plot.plot({
        width, height: 60 + 26 * moved.length, marginLeft: margin(names, width), x: { label: "jobs", grid: true },
        y: { domain: names, label: null, tickFormat: short(width) },
        marks: [
          Plot.link(moved, { x1: (row) => row.old.jobs, x2: (row) => row.new.jobs, y1: "id", y2: "id", strokeOpacity: 0.6 }),
          Plot.dot(moved, { x: (row) => row.old.jobs, y: "id", r: 5, title: (row) => `${row.id}: ${shown(row.old.jobs)} before` }),
          Plot.dot(moved, { x: (row) => row.new.jobs, y: "id", r: 5, fill: "currentColor", title: (row) => `${row.id}: ${shown(row.new.jobs)} after` }),
        ],
      }),
    });
  }

  const flows = jobs.flows.slice(0, 200);
  if (flows.length) {
    const from = [...new Set(flows.map((flow) => flow.from))], to = [...new Set(flows.map((flow) => flow.to))];
    plot(document.getElementById("flows"), {
      caption: "Jobs that go elsewhere: from the rows to the columns. The darker, the more.",
      label: `Jobs that go elsewhere: ${flows.slice(0, 20).map((flow) => `${flow.jobs} from ${flow.from} to ${flow.to}`).join("; ")}`,
      make: (width) => Plot.plot({
        width, height: 150 + 26 * from.length, marginLeft: margin(from, width), marginBottom: 120,
        x: { domain: to, label: null, tickRotate: -40, tickFormat: short(width) }, y: { domain: from, label: null, tickFormat: short(width) },
        color: { type: flows.length > 1 ? "log" : "linear", scheme: "Blues", range: [0.25, 1] },
        marks: [Plot.cell(flows, { x: "to", y: "from", fill: "jobs", inset: 1, title: (flow) => `${shown(flow.jobs)} from ${flow.from} to ${flow.to}` })],
      }),
    });
  }

  const name = (ratio) => ratio.from == null ? `< ${ratio.below}` : ratio.below == null ? `≥ ${ratio.from}` : `${ratio.from} to ${ratio.below}`;
  const ratios = [["cores", jobs.cores_ratios], ["memory", jobs.mem_ratios]]
    .flatMap(([what, rows]) => rows.map((ratio) => ({ what, ratio: name(ratio), jobs: ratio.jobs })));
  if (ratios.some((ratio) => ratio.jobs)) {
    plot(document.getElementById("ratios"), {
      caption: "How many times as much as before: jobs by the ratio of new to old, those of equal amounts left out.",
      label: `Ratios of new to old: ${ratios.filter((row) => row.jobs).map((row) => `${row.what} ${row.ratio}: ${row.jobs}`).join("; ")}`,
      make: (width) => Plot.plot({
        width, height: 340, marginLeft: 60, marginBottom: 70, x: { domain: jobs.cores_ratios.map(name), label: "new / old", tickRotate: -40 },
        y: { label: "jobs", grid: true }, fy: { label: null },
        marks: [Plot.barY(ratios, { x: "ratio", y: "jobs", fy: "what", fill: "what", title: (row) => `${row.what}, ${row.ratio}: ${shown(row.jobs)}` }), Plot.ruleY([0])],
      }),
    });
  } else document.getElementById("ratios").replaceChildren(el("p", { class: "note" }, "Jobs get as many cores and as much memory as before."));

  const top = jobs.tools.slice(0, 15);
  plot(document.getElementById("tools"), {
    caption: "The tools of most jobs that get another answer.",
    label: `Jobs by tool: ${top.map((tool) => `${tool.id}: ${tool.new.jobs}`).join("; ")}`,
    make: (width) => {
      const last = (id) => id.split("/").slice(-2).join("/");
      return Plot.plot({
        width, height: 60 + 24 * top.length, marginLeft: margin(top.map((tool) => last(tool.id)), width), x: { label: "jobs", grid: true },
        y: { domain: top.map((tool) => tool.id), label: null, tickFormat: (id) => short(width)(last(id)) },
        marks: [Plot.barX(top, { x: (tool) => tool.new.jobs, y: "id", fill: "#4c78a8", title: (tool) => `${tool.id}: ${shown(tool.new.jobs)}` }), Plot.ruleX([0])],
      });
    },
  });
  pagedTable(document.getElementById("all-tools"), {
    caption: "Jobs that get another answer, by tool", rows: jobs.tools, search: (tool) => tool.id, size: 20,
    columns: [
      { title: "Tool", value: (tool) => tool.id, header: true },
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
  const place = (change) => (change.new_places ?? change.old_places ?? [])[0];
  const item = (change) => {
    const text = words[change.kind](change), at = place(change) && el("span", { class: "at" }, ` ${place(change)}`);
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
