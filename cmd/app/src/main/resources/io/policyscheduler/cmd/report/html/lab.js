/* Runs of a trace under one or several schedulers. */

const labView = () => {
  const tones = ["--accent", "--different", "--same", "--gained", "--neither"];
  const tone = index => tones[index % tones.length];

  /* A line a scheduler over the time of the trace; times in seconds. */
  const linePlot = (title, format, series) => {
    const width = 720, height = 210, left = 64, bottom = 24;
    const last = Math.max(1, ...series.flatMap(one => one.points.map(point => point[0])));
    const top = Math.max(...series.flatMap(one => one.points.map(point => point[1])), 0) || 1;
    const x = time => left + (width - left - 8) * time / last, y = value => 8 + (height - 8 - bottom) * (1 - value / top);
    const lines = [0, 0.25, 0.5, 0.75, 1].map(part => [
      svg("line", { x1: left, x2: width - 8, y1: y(part * top), y2: y(part * top), style: { stroke: "var(--line)" } }),
      svg("text", { x: left - 6, y: y(part * top) + 4, "text-anchor": "end", style: { fill: "var(--soft)", "font-size": "11px" } }, format(part * top))]);
    const unit = last > 2 * 86400 ? [86400, "days"] : [3600, "hours"];
    const hours = [0, 0.25, 0.5, 0.75, 1].map(part => svg("text", { x: x(part * last), y: height - 6, "text-anchor": part === 1 ? "end" : part ? "middle" : "start", style: { fill: "var(--soft)", "font-size": "11px" } },
      number(part * last / unit[0], last / unit[0] < 8 ? 1 : 0) + (part === 1 ? " " + unit[1] : "")));
    const paths = series.map((one, index) => svg("path", { d: one.points.map((point, i) => (i ? "L" : "M") + x(point[0]).toFixed(1) + " " + y(point[1]).toFixed(1)).join(""), fill: "none",
      style: { stroke: `var(${tone(index)})`, "stroke-width": "2" } }));
    const label = title + ". " + series.map(one => one.name + ": from " + format(Math.min(...one.points.map(point => point[1]))) + " to " + format(Math.max(...one.points.map(point => point[1])))).join("; ");
    return el("figure", {}, el("figcaption", {}, title), svg("svg", { viewBox: `0 0 ${width} ${height}`, width: "100%", role: "img", "aria-label": label }, lines, hours, paths),
      legend(series.map((one, index) => [one.name, tone(index)])));
  };

  const [reference, ...others] = data.runs;
  const names = Object.keys(reference.metrics).filter(name => data.runs.some(run => run.metrics[name]));
  const columns = [
    { title: "Metric", value: name => name, kind: "name" },
    { title: reference.scheduler, value: name => reference.metrics[name] ?? 0, kind: "n", cell: name => shown(reference.metrics[name]) },
    ...others.flatMap(run => [
      { title: run.scheduler, value: name => run.metrics[name] ?? 0, kind: "n", cell: name => shown(run.metrics[name]) },
      { title: "Difference", value: name => run.differences[name] ?? 0, kind: "n", cell: name => run.differences[name] === null || run.differences[name] === undefined ? "-"
        : el("span", { class: run.withinNoise.includes(name) ? "soft" : null }, signed(run.differences[name]) + (run.withinNoise.includes(name) ? " (noise)" : "")) },
      { title: "95% interval", value: name => run.intervals[name] ? run.intervals[name][0] : 0, kind: "name", cell: name => run.differences[name] ? el("span", { class: run.withinNoise.includes(name) ? "soft" : null }, intervalPlot(run.differences[name], run.intervals[name], run.withinNoise.includes(name)),
        run.intervals[name] ? " " + run.intervals[name].map(signed).join("..") : "") : "" },
    ]),
  ];
  section("assumptions", "Assumptions", el("ul", {}, [...data.assumptions, ...(data.caveats || [])].map(text => el("li", {}, text))));
  section("metrics", "Metrics", others.length ? el("p", { class: "soft" }, "A gray difference can be chance: it is not greater than the usual differences between runs of the reference.") : null, table("Metrics", columns, names).element);
  if (data.series.length) {
    const of = (part, scale) => data.series.map(one => ({ name: one.scheduler, points: one.samples.map(sample => [sample[0], sample[part] / scale]) }));
    section("series", "Over time", el("div", {}, linePlot("Cores requested by bound pods", value => number(value, value < 10 ? 1 : 0), of(1, 1000)), linePlot("Cores requested by pods without a node", value => number(value, value < 10 ? 1 : 0), of(2, 1000)),
      linePlot("Pods without a node", value => number(value), of(3, 1))));
  }
};

begin(labView);
