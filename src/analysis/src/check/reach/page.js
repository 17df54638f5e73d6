// The matrix: tools by destinations, and why.

const columns = data.destinations.map((one, index) => ({ ...one, index })).filter((one) => !one.is_abstract);

/** Tools of which the same is true stand in one row. */
const groups = [...data.tools.reduce((groups, tool) => groups.set(tool.row, [...(groups.get(tool.row) ?? []), tool]), new Map())]
  .map(([row, tools]) => ({ row: data.rows[row], tools, text: tools.map((tool) => tool.id).join(" ").toLowerCase() }));
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

/** Says where the jobs of tools may go, and why not elsewhere: destinations of the same reasons stand together. */
function why({ row, tools }, first) {
  const maybe = columns.filter((one) => goes(row, one.index));
  const reasons = new Map();
  for (const one of columns.filter((one) => row.ends == null && row.never[one.index] != null)) {
    const key = JSON.stringify(row.never[one.index]);
    reasons.set(key, [...(reasons.get(key) ?? []), one]);
  }
  const refused = [...reasons].map(([key, ones]) => el("li", {},
    el("b", {}, ones.map((one) => one.id).join(", ")),
    el("ul", {}, ...JSON.parse(key).map((reason) => el("li", {}, ...sentence(data.reasons[reason]))))));
  dialog.replaceChildren(
    el("button", { type: "button", class: "close", onclick: () => dialog.close() }, "Close"),
    el("h2", { id: "why-title" }, first.id),
    first.place ? el("p", { class: "at" }, first.place) : null,
    tools.length > 1 && el("details", {}, el("summary", {}, `The same is true of ${shown(tools.length - 1)} more`),
      el("ul", {}, ...tools.filter((tool) => tool !== first).map((tool) => el("li", {}, tool.id, el("span", { class: "at" }, ` ${tool.place}`))))),
    row.unproved ? el("p", {}, "Not proved: there is too much to follow.") : null,
    ...(row.ends != null ? [el("p", {}, ...sentence(data.reasons[row.ends]))] : [
      el("h3", {}, "May go to"),
      el("p", {}, maybe.length ? maybe.map((one) => one.id).join(", ") : "no destination"),
      ...(refused.length ? [el("h3", {}, isDeclared(row) ? `Never, but for ${data.declared}` : "Never"), el("ul", {}, ...refused)] : []),
    ]),
    ...(codeOf(row).length ? [el("h3", {}, "Code that was taken into account"), el("ul", {}, ...codeOf(row).map((place) => el("li", { class: "at" }, place)))] : []));
  dialog.showModal();
}

const host = document.getElementById("matrix");
const legend = el("p", { class: "legend" }, ...Object.entries(kinds).map(([name, [sign, words]]) =>
  el("span", {}, el("span", { class: `verdict ${name}`, "aria-hidden": "true" }, sign), words)));
const wanted = el("input", { type: "search", autocomplete: "off", oninput: () => draw() });
const table = el("div");
host.replaceChildren(legend, el("div", { class: "tools" }, el("label", {}, "Destinations shown", wanted)), table);

/** The tools of a row, those that are searched for first: each name shows why. */
function names(group, words) {
  const matches = (tool) => words.every((word) => tool.id.toLowerCase().includes(word));
  const tools = words.length ? [...group.tools].sort((a, b) => matches(b) - matches(a)) : group.tools;
  const name = (tool) => el("button", { type: "button", "aria-haspopup": "dialog", title: tool.id, onclick: () => why(group, tool) }, toolName(tool.id));
  const most = 3, more = tools.length - most;
  return el("div", {}, ...tools.slice(0, most).map((tool) => el("div", {}, name(tool))),
    more > 0 && el("div", { class: "note" }, `and ${shown(more)} more`));
}

/** Narrow screens have room for the cells if the names are short. */
const narrow = matchMedia("(max-width: 600px)");
narrow.addEventListener("change", () => draw());

function draw() {
  const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
  const seen = columns.filter((one) => words.every((word) => one.id.toLowerCase().includes(word)));
  const reach = (group) => seen.filter((one) => goes(group.row, one.index)).length;
  const heads = cut(seen.map((one) => one.id), narrow.matches ? 20 : 40);
  pagedTable(table, {
    caption: "Tools by destinations; a tool's name shows why",
    rows: groups,
    search: (group) => group.text,
    size: 25,
    filters: [
      { label: "Tools that", choices: ["go nowhere", "go somewhere", "depend on code"], keep: (group, choice) => choice === "depend on code"
        ? codeOf(group.row).length > 0 : (reach(group) === 0) === (choice === "go nowhere") },
      { label: "Tools that may go to", choices: columns.map((one) => one.id), keep: (group, id) =>
        goes(group.row, columns.find((one) => one.id === id).index) },
    ],
    columns: [
      { title: "Tools", header: true, value: (group) => toolName(group.tools[0].id), cell: names },
      { title: "How many", number: true, value: (group) => group.tools.length },
      { title: "Destinations", number: true, value: reach },
      ...seen.map((one) => ({ title: heads(one.id), class: "cell", value: (group) => kind(group.row, one.index), cell: (group) => cell(group.row, one.index) })),
    ],
  });
}
draw();

const used = columns.map((one) => ({ id: one.id, tools: groups.filter((group) => goes(group.row, one.index)).reduce((sum, group) => sum + group.tools.length, 0) }));
const most = 40;
const first = [...used].sort((a, b) => a.tools - b.tools).slice(0, most);
const places = document.getElementById("destinations");
const figure = el("div"), list = el("div");
places.replaceChildren(figure, list);
plot(figure, {
  caption: used.length > most ? `How many tools may go there: the ${most} destinations with the fewest.` : "How many tools may go there.",
  label: `Tools by destination: ${first.map((one) => `${one.id} ${one.tools}`).join("; ")}`,
  make: (width) => {
    const left = beside(first.map((one) => one.id), width);
    return Plot.plot({
      width, marginLeft: left.margin, height: 60 + 20 * first.length,
      x: { label: "tools", grid: true }, y: { label: null, domain: first.map((one) => one.id), tickFormat: left.text },
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
