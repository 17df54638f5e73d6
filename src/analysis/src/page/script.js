// What the scripts of all pages use. Text reaches the page as text alone, never as HTML.

const data = JSON.parse(document.getElementById("data").textContent);

/** An element with attributes and children; a child that is no node is text. */
function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value != null) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child != null && child !== false));
  return node;
}

/** A number for people: groups of three digits, at most `digits` after the point. */
function shown(number, digits = 2) {
  return number == null ? "–" : Number(number).toLocaleString("en", { maximumFractionDigits: digits });
}

/** Hours for people: without a fraction from 100. */
function hours(number) {
  return shown(number, Math.abs(number) >= 100 ? 0 : 2);
}

/** Seconds in words. */
function wait(seconds) {
  if (seconds == null) return "–";
  if (seconds >= 172800) return `${shown(seconds / 86400, 1)} d`;
  if (seconds >= 7200) return `${shown(seconds / 3600, 1)} h`;
  if (seconds >= 120) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds)} s`;
}

/** An axis of seconds from 0 to the largest of these: its ticks are at whole minutes, hours or days. */
function waits(all) {
  const most = Math.max(1, ...all.filter((seconds) => seconds != null));
  const minute = 60, hour = 3600, day = 86400;
  const steps = [1, 5, 10, 30, minute, 2 * minute, 5 * minute, 10 * minute, 20 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 8 * hour, 12 * hour, day, 2 * day, 5 * day];
  const step = steps.find((step) => most / step <= 7) ?? Math.ceil(most / (7 * day)) * day;
  const end = Math.ceil(most / step) * step;
  const tickFormat = (seconds) => step >= day ? `${shown(seconds / day)} d` : wait(seconds);
  return { domain: [0, end], ticks: Array.from({ length: Math.round(end / step) + 1 }, (_, index) => index * step), tickFormat, grid: true };
}

/** Marks for numbers on an axis as people write them, with at most three digits of a small one: 0.25, 10, 1,000. */
function plain(number) {
  return Number(number).toLocaleString("en", { maximumSignificantDigits: Math.abs(number) < 100 ? 3 : 15 });
}

/** An axis of counts from 0: no tick stands between two of them. */
function counts(all) {
  const most = Math.max(1, ...all);
  return { zero: true, tickFormat: plain, ...(most < 10 ? { domain: [0, most], ticks: Array.from({ length: Math.ceil(most) + 1 }, (_, index) => index) } : { nice: true }) };
}

/**
 * A table that stays quick with any number of rows: it shows a page of them, can be searched, and sorted by each column.
 * A column is { title, value(row), cell(row), number, header, class, some(row) }: `value` sorts, `cell` gives what is shown (text or a node) where
 * that is something else (it gets the words that are searched for, too), `header` makes the cells headings of their rows. A column of numbers is left
 * out if `some`, or else its value, is nothing or 0 in all rows. `search(row)` gives the text that
 * is searched. A filter is { label, choices, keep(row, choice), value }, the last being what is chosen at first.
 */
function pagedTable(host, { caption, columns: all, rows, search, size = 50, filters = [] }) {
  const columns = all.filter((column) => !column.number || rows.some(column.some ?? column.value));
  const look = (column) => column.class ?? (column.number && "number");
  let sorted = null, descending = false, page = 0, found = rows, wanted = [];
  const words = search && el("input", { type: "search", autocomplete: "off", oninput: () => { page = 0; update(); } });
  const chosen = filters.map(({ label, choices, keep, value }) => ({
    keep, label,
    select: el("select", { onchange: () => { page = 0; update(); } }, el("option", { value: "" }, "all"),
      ...choices.map((choice) => el("option", { value: choice, selected: choice === value }, choice))),
  }));
  const count = el("span", { class: "count", role: "status" });
  const back = el("button", { type: "button", onclick: () => { page -= 1; draw(); } }, "Previous");
  const next = el("button", { type: "button", onclick: () => { page += 1; draw(); } }, "Next");
  const heads = columns.map((column, index) => el("th", { scope: "col", class: look(column) },
    el("button", { type: "button", onclick: () => sort(index) }, column.title)));
  const body = el("tbody");
  const pages = rows.length > size;
  host.replaceChildren(
    el("div", { class: "tools" },
      words && el("label", {}, "Search", words),
      ...chosen.map(({ label, select }) => el("label", {}, label, select)),
      pages && back, pages && next, count),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, ...heads)), body)));

  function sort(index) {
    descending = sorted === index ? !descending : Boolean(columns[index].number);
    sorted = index;
    heads.forEach((head, at) => {
      if (at === index) head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    page = 0;
    update();
  }

  function update() {
    wanted = (words?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    found = rows.filter((row) => {
      const text = wanted.length ? search(row).toLowerCase() : "";
      return wanted.every((word) => text.includes(word))
        && chosen.every(({ keep, select }) => !select.value || keep(row, select.value));
    });
    if (sorted !== null) {
      const value = columns[sorted].value;
      const order = (a, b) => a == null ? (b == null ? 0 : 1) : b == null ? -1 : a < b ? -1 : a > b ? 1 : 0;
      found = [...found].sort((a, b) => descending ? order(value(b), value(a)) : order(value(a), value(b)));
    }
    draw();
  }

  function draw() {
    const last = Math.max(0, Math.ceil(found.length / size) - 1);
    page = Math.min(Math.max(page, 0), last);
    const start = page * size;
    const now = found.slice(start, start + size);
    body.replaceChildren(...now.map((row) => el("tr", {}, ...columns.map((column) => {
      const cell = column.cell ? column.cell(row, wanted) : column.number ? shown(column.value(row)) : column.value(row);
      return column.header ? el("th", { scope: "row" }, cell) : el("td", { class: look(column) }, cell);
    }))));
    back.disabled = page === 0;
    next.disabled = page === last;
    const range = found.length ? `${shown(start + 1)} to ${shown(start + now.length)} of ${shown(found.length)}` : "nothing found";
    count.textContent = found.length === rows.length ? range : `${range} (${shown(rows.length)} in all)`;
  }

  update();
}

/** A tool's id without what all ids of a Tool Shed share, and without the pattern's end: `owner/repo/tool`, with the version where there is one. */
function toolName(id) {
  const found = /^(?:\.\*|[^/]*)\/repos\/([^/]+\/[^/]+\/[^/]+)(?:\/(.*))?$/.exec(id);
  if (!found) return id;
  const version = found[2]?.replace(/^\.[*+]$/, "");
  return version ? `${found[1]}/${version}` : found[1];
}

/** The parts of an id: a line ends behind a slash rather than within a word. */
function broken(id) {
  return id.split("/").flatMap((part, at) => (at ? ["/", el("wbr"), part] : [part]));
}

/**
 * Names cut to `most` characters: a function from each to what is shown. What is left out is in the middle, and two names are never cut to the
 * same text: those that would be are shown with more characters, up to all of them.
 */
function cut(names, most) {
  const result = new Map();
  const shorten = (name, length) => name.length <= length ? name
    : `${name.slice(0, Math.ceil((length - 1) / 2))}…${name.slice(name.length - Math.floor((length - 1) / 2))}`;
  let left = [...new Set(names)];
  for (let length = Math.max(most, 4); left.length; length += 4) {
    const texts = new Map();
    for (const name of left) texts.set(shorten(name, length), (texts.get(shorten(name, length)) ?? 0) + 1);
    for (const name of left) if (texts.get(shorten(name, length)) === 1) result.set(name, shorten(name, length));
    left = left.filter((name) => !result.has(name));
  }
  return (name) => result.get(name) ?? name;
}

/** Names beside a plot of this width: `margin` is the room for them, `text` gives what is shown of each. */
function beside(names, width) {
  const letter = 7.2, most = Math.min(240, width * 0.42);
  const text = cut(names, Math.floor((most - 16) / letter));
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = "12px system-ui, sans-serif";
  return { margin: Math.max(40, 16 + Math.max(...names.map((name) => pen.measureText(text(name)).width))), text };
}

/** What Plot draws, with room for marks and labels of the size of text on pages. */
function drawing(options) {
  return Plot.plot({ marginTop: 32, marginRight: 30, marginBottom: 42, marginLeft: 60, ...options });
}

/** A figure that follows the width of the page. `make(width)` gives a drawing; `label` says in a sentence what is to be seen. */
function plot(host, { caption, label, make }) {
  const frame = el("div");
  host.replaceChildren(el("figure", {}, el("figcaption", {}, caption), frame));
  let drawn = 0;
  const draw = () => {
    const width = Math.floor(frame.clientWidth);
    if (!width || width === drawn) return;
    drawn = width;
    const node = make(width);
    const svg = node.matches("svg") ? node : node.querySelector(":scope > svg:last-of-type");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", label);
    // Its parts are named after the marks that drew them, which tells a listener nothing.
    for (const part of svg.querySelectorAll("[aria-label]")) part.removeAttribute("aria-label");
    frame.replaceChildren(node);
  };
  new ResizeObserver(draw).observe(frame);
  draw();
}
