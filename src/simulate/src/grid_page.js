// The plots of a grid.

/** The name of a point, or of its values but for one axis. */
function name(point, without = -1) {
  return data.axes.map((axis, index) => index === without ? "" : `${axis}=${point.values[index]}`).filter((text) => text).join(" ");
}

// Where no job ends well there is no wait.
const points = data.points.filter((point) => point.figures.wait_mean !== null).map((point) => ({
  ...point, wait: point.figures.wait_mean, waste: point.core_hours_idle + point.figures.core_hours_wasted,
}));
const told = (point) => `${name(point)}\n${shown(point.figures.failed)} jobs fail\nmean wait ${wait(point.wait)}\n${shown(point.waste)} core·h idle or wasted\n${shown(point.gib_hours_idle + point.figures.gib_hours_wasted)} GiB·h idle or wasted\n${shown(point.gpu_hours_idle + point.figures.gpu_hours_wasted)} GPU·h idle or wasted`;
const fails = (point) => point.figures.failed > 0;
const onFront = points.filter((point) => point.on_front);

plot(document.getElementById("front"), {
  caption: "Mean wait against core·h that were idle or wasted: the lower left is best. Filled points are on the front; of the others, crosses are those at which jobs fail.",
  label: `Points of the front: ${onFront.map((point) => `${name(point)} waits ${wait(point.wait)} and leaves ${shown(point.waste)} core·h`).join("; ")}`,
  make: (width) => drawing({
    width, height: 360,
    x: { label: "core·h idle or wasted", grid: true, nice: true, ticks: Math.max(2, Math.floor(width / 140)), tickFormat: plain }, y: { label: "mean wait", ...waits(points.map((point) => point.wait)) },
    marks: [
      Plot.dot(points.filter((point) => !point.on_front && fails(point)), { x: "waste", y: "wait", stroke: "var(--bad)", symbol: "times", r: 5 }),
      Plot.dot(points.filter((point) => !point.on_front && !fails(point)), { x: "waste", y: "wait", stroke: "currentColor", strokeOpacity: 0.6, r: 5 }),
      Plot.dot(onFront, { x: "waste", y: "wait", stroke: "var(--link)", fill: "var(--link)", r: 5 }),
      Plot.tip(points, Plot.pointer({ x: "waste", y: "wait", title: told })),
    ],
  }),
});

// A line for each combination of the other axes.
const hosts = document.getElementById("axes");
hosts.replaceChildren(...data.axes.map(() => el("div")));
data.axes.forEach((axis, index) => {
  const rows = points.map((point) => ({ ...point, at: point.values[index], others: name(point, index) }));
  const others = [...new Set(rows.map((row) => row.others))];
  plot(hosts.children[index], {
    caption: `Mean wait by ${axis}`,
    label: `Mean wait by ${axis}: ${rows.slice(0, 50).map((row) => `${name(row)} ${wait(row.wait)}`).join("; ")}`,
    make: (width) => drawing({
      width, height: 280,
      color: { domain: others, legend: others.length > 1 && others.length <= 10 },
      x: { label: axis, grid: true, ticks: Math.max(2, Math.floor(width / 100)), tickFormat: plain }, y: { label: "mean wait", ...waits(rows.map((point) => point.wait)) },
      marks: [
        Plot.lineY(rows, { x: "at", y: "wait", z: "others", stroke: "others", sort: "at", marker: "dot" }),
        Plot.tip(rows, Plot.pointer({ x: "at", y: "wait", title: told })),
      ],
    }),
  });
});
