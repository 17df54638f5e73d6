// The matrix: where ordinary jobs of tools go, the destinations that any job may get, and why.

const columns = data.destinations.map((one, index) => ({ ...one, index })).filter((one) => !one.is_abstract);

/** Rows, one a tool, with the proofs for all users and for those without roles. */
const tools = data.tools.map((tool) => ({
  ...tool,
  all: data.rows[tool.row],
  plain: data.rows[tool.ordinary ?? tool.row],
  ends: tool.tried.map((end) => end == null ? null : data.tried.ends[end]),
}));
const sharers = new Map();
for (const tool of tools) sharers.set(tool.row, [...(sharers.get(tool.row) ?? []), tool]);
let isPlain = false;
const rowOf = (tool) => isPlain ? tool.plain : tool.all;
const goes = (row, index) => row.ends == null && row.never[index] == null;
const kinds = {
  maybe: ["✓", "maybe"],
  never: ["✕", "never"],
  unless: ["?", `never, but for ${data.declared}`],
};
const isDeclared = (row) => row.unless.includes(data.declared);
const codeOf = (row) => row.unless.filter((place) => place !== data.declared);
const kind = (row, index) => goes(row, index) ? "maybe" : isDeclared(row) ? "unless" : "never";

function cell(row, index) {
  const name = kind(row, index);
  const [sign, words] = kinds[name];
  return el("span", { class: `verdict ${name}` }, el("span", { "aria-hidden": "true" }, sign), el("span", { class: "unseen" }, words));
}

/** A sentence whose names stand in backticks. */
function sentence(text) {
  const parts = text.split("`");
  return parts.map((part, index) => index % 2 === 1 && index < parts.length - 1 ? el("code", {}, part) : part);
}

const dialog = document.getElementById("why");

const size = (gib) => `${shown(gib)} GiB`;
const count = (number, one) => `${shown(number)} ${number === 1 ? one : `${one}s`}`;
const failures = {
  nowhere: ["bad", "no destination"],
  raised: ["bad", "error"],
  refused: ["maybe", "refused by a rule"],
  away: ["idle", "asks a database"],
  unknown: ["idle", "needs the tool's parameters"],
};

/** What a job got. */
const amounts = (end) => Object.entries(data.units).map(([name, [one, several]]) => {
  const amount = end[name];
  // Most jobs use no GPU.
  if (amount == null || (name === "gpus" && amount === 0)) return null;
  return `${shown(amount)} ${amount === 1 ? one : several}`;
}).filter(Boolean).join(" · ");

/** The end of an ordinary job. */
function ending(end) {
  if (!end) return el("span", { class: "note" }, "not tried");
  if (end.end !== "mapped") {
    const [look, words] = failures[end.end];
    return el("span", { class: `badge ${look}` }, words);
  }
  return el("div", {}, el("div", {}, end.destination), el("div", { class: "note" }, amounts(end)));
}

/** Says where the jobs of a tool go and may go, and why not elsewhere: destinations of the same reasons stand together. */
function why(tool) {
  const row = rowOf(tool);
  const maybe = columns.filter((one) => goes(row, one.index));
  const reasons = new Map();
  for (const one of columns.filter((one) => row.ends == null && row.never[one.index] != null)) {
    const key = JSON.stringify(row.never[one.index]);
    reasons.set(key, [...(reasons.get(key) ?? []), one]);
  }
  const refused = [...reasons].map(([key, ones]) => el("li", {},
    el("b", {}, ones.map((one) => one.id).join(", ")),
    el("ul", {}, ...JSON.parse(key).map((reason) => el("li", {}, ...sentence(data.reasons[reason]))))));
  const others = isPlain ? [] : sharers.get(tool.row).filter((other) => other !== tool);
  const parts = [
    el("button", { type: "button", class: "close", onclick: () => dialog.close() }, "Close"),
    el("h2", { id: "why-title" }, tool.id),
    tool.place && el("p", { class: "at" }, tool.place),
    tool.ends.length && el("h3", {}, "Ordinary jobs"),
    tool.ends.length && el("ul", {}, ...tool.ends.map((end, at) => el("li", {}, `${size(data.tried.sizes[at])} of inputs: `,
      end?.end === "mapped" ? `${end.destination} (${amounts(end) || "no amounts"})` : ending(end)))),
    tool.ends.some((end) => end?.end === "nowhere") && el("p", {}, "Finding T301 of ", el("code", {}, "tpvc check"), " says why no destination takes them."),
    row.unproved && el("p", {}, "Not proved: there is too much to follow."),
    row.ends != null && el("p", {}, ...sentence(data.reasons[row.ends])),
    row.ends == null && el("h3", {}, isPlain ? "Without roles may go to" : "Jobs of any user may go to"),
    row.ends == null && el("p", {}, maybe.length ? maybe.map((one) => one.id).join(", ") : "no destination"),
    refused.length && el("h3", {}, isDeclared(row) ? `Never, but for ${data.declared}` : "Never"),
    refused.length && el("ul", {}, ...refused),
    codeOf(row).length && el("h3", {}, "Code that was taken into account"),
    codeOf(row).length && el("ul", {}, ...codeOf(row).map((place) => el("li", { class: "at" }, place))),
    others.length && el("details", {}, el("summary", {}, `The same is true of ${count(others.length, "other tool")}`),
      el("ul", {}, ...others.map((other) => el("li", {}, other.id, el("span", { class: "at" }, ` ${other.place}`))))),
  ];
  dialog.replaceChildren(...parts.filter(Boolean));
  dialog.showModal();
}

const name = (tool) => el("button", { type: "button", "aria-haspopup": "dialog", title: tool.id, onclick: () => why(tool) }, ...broken(toolName(tool.id)));

/** Those that get no destination first, then those that fail. */
const order = ["nowhere", "raised", "refused", "unknown", "away", "mapped"];
const rank = (tool) => Math.min(...tool.ends.map((end) => end ? order.indexOf(end.end) : order.length));
const changes = (tool) => new Set(tool.ends.filter((end) => end?.end === "mapped").map((end) => end.destination)).size > 1;

function ordinary(host) {
  const tried = tools.filter((tool) => tool.ends.length);
  if (!tried.length) {
    host.replaceChildren(el("p", { class: "note" }, "No job was tried."));
    return;
  }
  const has = (kind) => (tool) => tool.ends.some((end) => end?.end === kind);
  const always = tried.filter((tool) => tool.ends.every((end) => end?.end === "nowhere")).length;
  const some = tried.filter(has("nowhere")).length - always;
  const kept = {
    "get no destination": has("nowhere"),
    "end in an error": has("raised"),
    "are refused by a rule": has("refused"),
    "go elsewhere as inputs grow": changes,
  };
  const table = el("div");
  host.replaceChildren(
    el("p", {}, always + some === 0 ? "Each tool has a destination at each of these sizes." : [
      always && `${count(always, "tool")} ${always === 1 ? "has" : "have"} no destination at any size`,
      some && `${count(some, "tool")} ${always ? "more " : ""}at some`,
    ].filter(Boolean).join(", ") + "."),
    table);
  pagedTable(table, {
    caption: "Jobs of a user without roles, by the size of their inputs; a tool's name shows more",
    rows: tried.sort((a, b) => rank(a) - rank(b)),
    search: (tool) => `${tool.id} ${tool.ends.map((end) => end?.destination ?? "").join(" ")}`,
    size: 25,
    filters: [{ label: "Tools whose jobs", choices: Object.keys(kept).filter((kind) => tried.some(kept[kind])), keep: (tool, kind) => kept[kind](tool) }],
    columns: [
      { title: "Tool", header: true, value: (tool) => toolName(tool.id), cell: name },
      ...data.tried.sizes.map((gib, at) => ({
        title: size(gib), class: gib === 1 ? "" : "wide",
        value: (tool) => tool.ends[at]?.destination ?? tool.ends[at]?.end ?? "", cell: (tool) => ending(tool.ends[at]),
      })),
    ],
  });
}
ordinary(document.getElementById("ordinary"));

const host = document.getElementById("matrix");
const legend = el("p", { class: "legend" }, ...Object.entries(kinds).map(([name, [sign, words]]) =>
  el("span", {}, el("span", { class: `verdict ${name}`, "aria-hidden": "true" }, sign), words)));
const wanted = el("input", { type: "search", autocomplete: "off", oninput: () => draw() });
const whose = el("select", { onchange: () => { isPlain = whose.value === "plain"; draw(); } },
  el("option", { value: "all" }, "all users, with any roles"), el("option", { value: "plain" }, "users without roles"));
const knowsPlain = tools.some((tool) => tool.ordinary != null);
const table = el("div");
host.replaceChildren(legend, el("div", { class: "tools" }, el("label", {}, "Destinations shown", wanted),
  knowsPlain && el("label", {}, "Jobs of", whose)), table);

/** Destinations that get jobs of the same tools stand in one column. */
function together(seen) {
  const same = new Map();
  for (const one of seen) {
    const key = tools.map((tool) => kind(rowOf(tool), one.index)[0]).join("");
    same.set(key, [...(same.get(key) ?? []), one]);
  }
  return [...same.values()];
}

/** Narrow screens have room for the cells if the names are short. */
const narrow = matchMedia("(max-width: 600px)");
narrow.addEventListener("change", () => draw());

function draw() {
  const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
  const seen = columns.filter((one) => words.every((word) => one.id.toLowerCase().includes(word)));
  const reach = (tool) => seen.filter((one) => goes(rowOf(tool), one.index)).length;
  const heads = cut(seen.map((one) => one.id), narrow.matches ? 20 : 40);
  const groups = together(seen);
  const several = groups.filter((ones) => ones.length > 1);
  const paged = el("div");
  table.replaceChildren(paged, ...several.length ? [el("details", {},
    el("summary", {}, `${count(several.length, "column")} of destinations that get the jobs of the same tools`),
    el("ul", {}, ...several.map((ones) => el("li", {}, ones.map((one) => one.id).join(", ")))))] : []);
  pagedTable(paged, {
    caption: "Tools by destinations; a tool's name shows why",
    // Those with nowhere to go first.
    rows: [...tools].sort((a, b) => (reach(a) > 0) - (reach(b) > 0)),
    search: (tool) => tool.id,
    size: 25,
    filters: [
      { label: "Tools that", choices: ["go nowhere", "go somewhere", "depend on code"], keep: (tool, choice) => choice === "depend on code"
        ? codeOf(rowOf(tool)).length > 0 : (reach(tool) === 0) === (choice === "go nowhere") },
      { label: "Tools that may go to", choices: columns.map((one) => one.id), keep: (tool, id) =>
        goes(rowOf(tool), columns.find((one) => one.id === id).index) },
    ],
    columns: [
      { title: "Tool", header: true, value: (tool) => toolName(tool.id), cell: name },
      { title: "Destinations", number: true, value: reach },
      ...groups.map((ones) => ({
        title: ones.length > 1 ? `${heads(ones[0].id)} and ${ones.length - 1} more` : heads(ones[0].id), class: "cell",
        value: (tool) => kind(rowOf(tool), ones[0].index), cell: (tool) => cell(rowOf(tool), ones[0].index),
      })),
    ],
  });
}
draw();

const used = columns.map((one) => ({ id: one.id, tools: tools.filter((tool) => goes(tool.all, one.index)).length })).sort((a, b) => a.tools - b.tools);
const most = 40;
const first = used.slice(0, most);
const places = document.getElementById("destinations");
const figure = el("div"), list = el("div");
places.replaceChildren(figure, list);
plot(figure, {
  caption: used.length > most ? `How many tools may go there: the ${most} destinations with the fewest.` : "How many tools may go there.",
  label: `Tools by destination: ${first.map((one) => `${one.id} ${one.tools}`).join("; ")}`,
  make: (width) => {
    const left = beside(first.map((one) => one.id), width);
    return drawing({
      width, marginLeft: left.margin, height: 72 + 20 * first.length,
      x: { ticks: Math.max(2, Math.floor(width / 100)), ...counts(first.map((one) => one.tools)), label: "tools", grid: true }, y: { label: null, domain: first.map((one) => one.id), tickFormat: left.text },
      marks: [Plot.barX(first, { x: "tools", y: "id", fill: "var(--link)", insetTop: 3, insetBottom: 3 }), Plot.ruleX([0])],
    });
  },
});
pagedTable(list, {
  caption: "Tools that may go to each destination",
  rows: used,
  search: (one) => one.id,
  size: 20,
  columns: [
    { title: "Destination", header: true, value: (one) => one.id },
    { title: "Tools", number: true, value: (one) => one.tools },
  ],
});
