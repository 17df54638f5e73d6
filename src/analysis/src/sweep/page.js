// The plots of a sweep.

const values = data.points.map((point) => point.at);
const isList = values.some((value) => typeof value !== "number");

/** Returns `true` if borders lie so close to each other that they can't be told apart on an even scale, but can by their logarithms. */
function areCrowded([low, high]) {
  const borders = data.points.slice(1).filter((point, index) => place(point) !== place(data.points[index])).map((point) => point.at);
  const nearest = (scale) => {
    const at = [low, ...borders, high].map((value) => (scale(value) - scale(low)) / (scale(high) - scale(low)));
    return Math.min(...at.slice(1).map((value, index) => value - at[index]).filter((gap) => gap > 0));
  };
  return borders.length > 0 && low >= 0 && nearest((value) => value) < 0.02 && nearest((value) => Math.log1p(value)) > 0.02;
}

/** The axis of the field, which all plots share. */
function axis() {
  if (isList) return { type: "point", domain: [...new Set(values)] };
  const domain = [values[0], values.at(-1)];
  if (!data.log && !areCrowded(domain)) return { domain, tickFormat: plain };
  if (domain[0] > 0) return { type: "log", domain, tickFormat: plain };
  const powers = Array.from({ length: 19 }, (_, power) => 10 ** power);
  return { type: "symlog", domain, ticks: [0, ...powers.filter((power) => power <= domain[1])], tickFormat: plain };
}

const place = (point) => point.destination ?? `error: ${(point.error ?? "").split(":")[0]}`;
const x = { ...axis(), label: data.field };
/** A value as people write it. */
const value = (at) => typeof at === "number" ? shown(at, 6) : at;

/** Runs of points that go to one place, each with its first and last value. */
const runs = [];
for (const point of data.points) {
  const last = runs.at(-1);
  if (last && last.place === place(point)) last.to = point.at;
  else runs.push({ place: place(point), from: point.at, to: point.at });
}
const places = [...new Set(runs.map((run) => run.place))];

plot(document.getElementById("places"), {
  caption: "Each bar is a destination, or an error, over the values that lead to it.",
  label: `Destinations by ${data.field}: ${runs.map((run) => `${value(run.from)} to ${value(run.to)}: ${run.place}`).join("; ")}`,
  make: (width) => drawing({
    width, marginLeft: beside(places, width).margin, height: 72 + 34 * places.length, x,
    y: { domain: places, label: null, tickFormat: beside(places, width).text },
    marks: [
      Plot.link(runs, { x1: "from", x2: "to", y1: "place", y2: "place", stroke: "place", strokeWidth: 14, strokeLinecap: "butt" }),
      Plot.dot(runs, { x: "from", y: "place", fill: "place", r: 5, title: (run) => `${run.place}: ${value(run.from)} to ${value(run.to)}` }),
    ],
    color: { domain: places },
  }),
});

const host = document.getElementById("resources");
const used = Object.keys(data.titles).filter((name) => data.points.some((point) => point[name]));
host.replaceChildren(...used.map(() => el("div")));
used.forEach((name, index) => {
  const points = data.points.filter((point) => typeof point[name] === "number");
  const numbers = points.map((point) => point[name]);
  plot(host.children[index], {
    caption: data.titles[name],
    label: `${data.titles[name]} by ${data.field}: from ${Math.min(...numbers)} to ${Math.max(...numbers)}`,
    make: (width) => drawing({
      width, height: 220, x, y: { label: data.titles[name], zero: true, grid: true, nice: true },
      marks: [
        Plot.ruleY([0]),
        isList
          ? Plot.dot(points, { x: "at", y: name, fill: "var(--link)", r: 5 })
          : Plot.line(points, { x: "at", y: name, strokeWidth: 2, stroke: "var(--link)" }),
        Plot.tip(points, Plot.pointerX({ x: "at", y: name, title: (point) => `${value(point.at)}: ${shown(point[name], 3)} (${place(point)})` })),
      ],
    }),
  });
});
if (!used.length) host.replaceChildren(el("p", { class: "note" }, "No value gives the job resources."));
