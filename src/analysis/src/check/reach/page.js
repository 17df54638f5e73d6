// The matrix: tools by destinations, and why.

const columns = data.destinations.map((one, index) => ({ ...one, index })).filter((one) => !one.is_abstract);
const rowOf = (tool) => data.rows[tool.row];
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

/** Says where the jobs of a tool may go, and why not elsewhere: destinations of the same reasons stand together. */
function why(tool) {
  const row = rowOf(tool);
  const maybe = columns.filter((one) => goes(row, one.index));
  const groups = new Map();
  for (const one of columns.filter((one) => row.ends == null && row.never[one.index] != null)) {
    const key = JSON.stringify(row.never[one.index]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const refused = [...groups].map(([key, ones]) => el("li", {},
    el("b", {}, ones.map((one) => one.id).join(", ")),
    el("ul", {}, ...JSON.parse(key).map((reason) => el("li", {}, ...sentence(data.reasons[reason]))))));
  dialog.replaceChildren(
    el("button", { type: "button", class: "close", onclick: () => dialog.close() }, "Close"),
    el("h2", { id: "why-title" }, tool.id),
    tool.place ? el("p", { class: "at" }, tool.place) : null,
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

function draw() {
  const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
  const seen = columns.filter((one) => words.every((word) => one.id.toLowerCase().includes(word)));
  const reach = (row) => seen.filter((one) => goes(row, one.index)).length;
  pagedTable(table, {
    caption: "Tools by destinations; a tool's name shows why",
    rows: data.tools,
    search: (tool) => tool.id,
    size: 25,
    filters: [
      { label: "Tools that", choices: ["go nowhere", "go somewhere", "depend on code"], keep: (tool, choice) => choice === "depend on code"
        ? codeOf(rowOf(tool)).length > 0 : (reach(rowOf(tool)) === 0) === (choice === "go nowhere") },
      { label: "Tools that may go to", choices: columns.map((one) => one.id), keep: (tool, id) =>
        goes(rowOf(tool), columns.find((one) => one.id === id).index) },
    ],
    columns: [
      { title: "Tool", header: true, value: (tool) => tool.id, cell: (tool) => el("button", { type: "button", "aria-haspopup": "dialog", onclick: () => why(tool) }, tool.id) },
      { title: "Destinations", number: true, value: (tool) => reach(rowOf(tool)) },
      ...seen.map((one) => ({ title: one.id, class: "cell", value: (tool) => kind(rowOf(tool), one.index), cell: (tool) => cell(rowOf(tool), one.index) })),
    ],
  });
}
draw();

const used = columns.map((one) => ({ id: one.id, tools: data.tools.filter((tool) => goes(rowOf(tool), one.index)).length }));
const most = 40;
const first = [...used].sort((a, b) => a.tools - b.tools).slice(0, most);
const places = document.getElementById("destinations");
const figure = el("div"), list = el("div");
places.replaceChildren(figure, list);
plot(figure, {
  caption: used.length > most ? `How many tools may go there: the ${most} destinations with the fewest.` : "How many tools may go there.",
  label: `Tools by destination: ${first.map((one) => `${one.id} ${one.tools}`).join("; ")}`,
  make: (width) => Plot.plot({
    width, marginLeft: margin(first.map((one) => one.id), width), height: 60 + 20 * first.length,
    x: { label: "tools", grid: true }, y: { label: null, domain: first.map((one) => one.id), tickFormat: short(width) },
    marks: [Plot.barX(first, { x: "tools", y: "id", fill: "var(--link)", insetTop: 3, insetBottom: 3 }), Plot.ruleX([0])],
  }),
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
