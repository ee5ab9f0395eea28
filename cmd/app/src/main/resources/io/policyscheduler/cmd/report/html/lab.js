/* Runs of a trace under one or several schedulers. */

const labView = () => {
  const tones = ["--accent", "--different", "--same", "--gained", "--neither"];
  const tone = index => tones[index % tones.length];
  /* Lines of equal results do not hide each other. */
  const dashes = ["", "8 5", "3 4", "12 4 3 4", "2 8"];

  const left = 64, width = 720, right = 8;
  const text = (at, content) => svg("text", { ...at, style: { fill: "var(--soft)", "font-size": "11px" } }, content);
  const tickText = (part, y, content) => text({ x: left + (width - left - right) * part, y, "text-anchor": part >= 1 ? "end" : part > 0 ? "middle" : "start" }, content);

  /* Seconds in the largest unit of which there are two. */
  const units = [[86400, " days"], [3600, " h"], [60, " min"], [1, " s"]];
  const duration = seconds => {
    const [unit, name] = units.find(([length]) => seconds >= 2 * length) || (seconds >= 1 ? [1, " s"] : [0.001, " ms"]);
    return number(seconds / unit, seconds / unit < 10 && !Number.isInteger(seconds / unit) ? 1 : 0) + name;
  };
  const since = seconds => {
    const parts = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map(part => String(Math.floor(part)).padStart(2, "0")).join(":");
    return (seconds >= 86400 ? Math.floor(seconds / 86400) + " d " : "") + parts;
  };

  /* Axes: the place of a value, from 0 to 1, and the values with a text. */
  const end = data.endSeconds || 1;
  const timeUnit = end > 2 * 86400 ? [86400, " days"] : [3600, " hours"];
  const timeAxis = { at: time => time / end,
    ticks: [0, 0.25, 0.5, 0.75, 1].map(part => [part, number(part * end / timeUnit[0], end / timeUnit[0] < 8 ? 1 : 0) + (part === 1 ? timeUnit[1] : "")]) };
  const times = [0.001, 0.01, 0.1, 1, 10, 60, 600, 3600, 36000, 172800, 864000, 8640000, 86400000];
  const logAxis = (lowest, highest) => {
    // From a time with a text to another one, so that there are at least two.
    const first = Math.min(times.findLastIndex(value => value <= lowest), times.length - 2), last = Math.max(first + 1, times.findIndex(value => value >= highest));
    const low = times[first], at = value => Math.log(value / low) / Math.log(times[last] / low);
    return { low, high: times[last], at, ticks: times.slice(first, last + 1).map(value => [at(value), duration(value)]) };
  };

  /* A line a scheduler; top: the end of the scale, if it is not the highest value. */
  const linePlot = (title, format, series, axis, label, top = Math.max(...series.flatMap(one => one.points.map(point => point[1])), 0) || 1) => {
    const height = 210, bottom = 24;
    const x = value => left + (width - left - right) * axis.at(value), y = value => 8 + (height - 8 - bottom) * (1 - value / top);
    const lines = [0, 0.25, 0.5, 0.75, 1].map(part => [
      svg("line", { x1: left, x2: width - right, y1: y(part * top), y2: y(part * top), style: { stroke: "var(--line)" } }),
      text({ x: left - 6, y: y(part * top) + 4, "text-anchor": "end" }, format(part * top))]);
    const paths = series.map((one, index) => svg("path", { d: one.points.map((point, i) => (i ? "L" : "M") + x(point[0]).toFixed(1) + " " + y(point[1]).toFixed(1)).join(""), fill: "none",
      style: { stroke: `var(${tone(index)})`, "stroke-width": "2", "stroke-dasharray": dashes[index % dashes.length] || "none" } }));
    return el("figure", {}, el("figcaption", {}, title), svg("svg", { viewBox: `0 0 ${width} ${height}`, width: "100%", role: "img", "aria-label": title + ". " + series.map(one => one.name + ": " + label(one)).join("; ") },
      lines, axis.ticks.map(([part, name]) => tickText(part, height - 6, name)), paths), legend(series.map((one, index) => [one.name, tone(index)])));
  };

  const waitPlot = () => {
    const all = data.series.filter(one => one.waits.points.length);
    const axis = logAxis(Math.min(...all.map(one => one.waits.points[0][0])), Math.max(...all.map(one => one.waits.points.at(-1)[0])));
    // Nothing changes before the first point of a curve, nor after its last.
    const series = all.map(one => ({ name: `${one.scheduler} (${count(one.waits.bound, "pod", "pods")} with a node, ${number(one.waits.open)} without)`,
      points: [[axis.low, one.waits.points[0][1]], ...one.waits.points, [axis.high, one.waits.points.at(-1)[1]]] }));
    const within = (one, share) => one.points.find(point => point[1] >= share - 1e-9);
    return linePlot("Pods with a node after this time", share => percent(share, 0), series, axis,
      one => [0.5, 0.9, 0.99].filter(share => within(one, share)).map(share => `${percent(share, 0)} within ${duration(within(one, share)[0])}`).concat("finally " + percent(one.points.at(-1)[1])).join(", "), 1);
  };

  const tenths = "0123456789F";
  const tenth = level => level === 10 ? "100 % or more" : `${10 * level} to ${10 * level + 10} %`;
  const shade = level => String(0.1 + 0.09 * level);
  const resource = data.resource === "cpu" ? "CPU" : data.resource;
  const nodesOf = row => row.first === row.last ? row.first : row.first + " to " + row.last;

  /* Nodes from top to bottom, time from left to right. */
  const heatMap = one => {
    const rows = one.rows, all = rows.reduce((sum, row) => sum + row.nodes, 0), means = rows.map(row => row.mean).filter(mean => mean !== null);
    const height = Math.min(300, Math.max(24, 18 * rows.length)), columns = end / data.cellSeconds;
    const areas = [...tenths].map((character, level) => {
      let d = "";
      rows.forEach((row, y) => {
        for (const run of row.cells.matchAll(new RegExp(character + "+", "g"))) d += `M${run.index} ${y}h${run[0].length}v1h-${run[0].length}z`;
      });
      return d ? svg("path", { d, "data-level": character, style: { fill: "var(--accent)", "fill-opacity": shade(level) } }) : null;
    });
    const names = rows.map((row, y) => svg("rect", { x: 0, y, width: columns, height: 1, "fill-opacity": "0" }, svg("title", {}, `${nodesOf(row)}: ${row.mean === null ? "-" : percent(row.mean)}`)));
    const title = `${one.scheduler}: ${resource} allocated`;
    const label = `${title}, ${count(all, "node", "nodes")} over time. ` + (means.length ? `Means of the rows: from ${percent(Math.min(...means))} to ${percent(Math.max(...means))}` : "No node has it");
    const levels = row => [...row.cells].map(cell => tenths.indexOf(cell)).filter(level => level >= 0);
    const lowest = row => Math.min(...levels(row), 11), highest = row => Math.max(...levels(row), -1);
    return el("figure", {}, el("figcaption", {}, title),
      svg("svg", { viewBox: `0 0 ${width} ${height + 32}`, width: "100%", role: "img", "aria-label": label },
        text({ x: left - 6, y: 17, "text-anchor": "end" }, "1"), all > 1 ? text({ x: left - 6, y: 8 + height, "text-anchor": "end" }, number(all)) : null,
        svg("svg", { x: left, y: 8, width: width - left - right, height, viewBox: `0 0 ${columns} ${rows.length}`, preserveAspectRatio: "none", "shape-rendering": "crispEdges" }, areas, names),
        svg("rect", { x: left, y: 8, width: width - left - right, height, fill: "none", style: { stroke: "var(--line)" } }),
        timeAxis.ticks.map(([part, name]) => tickText(part, height + 26, name))),
      el("details", {}, el("summary", {}, "Numbers"), table(title, [
        { title: "Nodes", value: nodesOf, kind: "name" },
        { title: "Number", value: row => row.nodes, kind: "n" },
        { title: "Mean", value: row => row.mean ?? -1, kind: "n", cell: row => row.mean === null ? "-" : percent(row.mean) },
        { title: "Lowest cell", value: lowest, kind: "n", cell: row => lowest(row) > 10 ? "-" : tenth(lowest(row)) },
        { title: "Highest cell", value: highest, kind: "n", cell: row => highest(row) < 0 ? "-" : tenth(highest(row)) },
      ], rows).element));
  };

  const command = { title: "Cluster at this time", value: row => row.command, kind: "words", cell: row => el("code", { class: "command" }, row.command) };
  const moments = (title, field, columns) => {
    const rows = data.series.flatMap(one => one[field].map(row => ({ scheduler: one.scheduler, ...row })));
    return rows.length ? [el("h3", {}, title), table(title, [...columns, ...(data.series.length > 1 ? [{ title: "Scheduler", value: row => row.scheduler, kind: "name" }] : []), command], rows).element] : [];
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
  const of = (part, scale) => data.series.map(one => ({ name: one.scheduler, points: one.samples.map(sample => [sample[0], sample[part] / scale]) }));
  const range = format => one => `from ${format(Math.min(...one.points.map(point => point[1])))} to ${format(Math.max(...one.points.map(point => point[1])))}`;
  const cores = value => number(value, value < 10 ? 1 : 0), pods = value => number(value, Number.isInteger(value) || value > 9 ? 0 : 2);
  if (data.series.some(one => one.samples.length)) {
    section("series", "Over time", el("div", {}, linePlot("Cores requested by bound pods", cores, of(1, 1000), timeAxis, range(cores)), linePlot("Cores requested by pods without a node", cores, of(2, 1000), timeAxis, range(cores)),
      linePlot("Pods without a node", pods, of(3, 1), timeAxis, range(pods))));
  }
  if (data.series.some(one => one.waits.points.length)) {
    section("waits", "Distribution of waits", el("p", { class: "soft" }, "Of the pods that arrive in the window of the metrics. A pod without a node waits at least until it ends or the run does (Kaplan-Meier), as in wait.p50, so a curve can end below 100 %."), waitPlot());
  }
  if (data.series.some(one => one.rows.length)) {
    const largest = Math.max(...data.series.flatMap(one => one.rows.map(row => row.nodes)));
    section("nodes", "Nodes over time", el("p", { class: "soft" }, `A cell is the part of the allocatable ${resource} that pods request, as the mean over ${largest === 1 ? "one node" : `up to ${number(largest)} nodes with adjacent names`} and ${duration(data.cellSeconds)}. `
      + "The names ascend from top to bottom. Where nothing is drawn, there is no such node."),
      el("ul", { class: "legend" }, [0, 3, 6, 9, 10].map(level => el("li", {}, el("span", { class: "dot", style: { background: "var(--accent)", opacity: shade(level) } }), tenth(level)))), data.series.filter(one => one.rows.length).map(heatMap));
  }
  const longest = moments("Longest waits", "longest", [
    { title: "Pod", value: row => row.pod, kind: "name" },
    { title: "Arrived", value: row => row.arrived, kind: "n", cell: row => since(row.arrived) },
    { title: "Wait", value: row => row.wait, kind: "n", cell: row => duration(row.wait) + (row.bound ? "" : ", no node") },
  ]);
  const peaks = moments("Most waiting pods", "peaks", [
    { title: "Time", value: row => row.at, kind: "name", cell: row => since(row.at) },
    { title: "Pods without a node", value: row => row.pods, kind: "n" },
  ]);
  if (longest.length || peaks.length) {
    section("moments", "Moments", el("p", { class: "soft" }, "Each command prints the cluster at this time as a dump for explain, simulate, and compare: in the middle of the wait, or when most pods wait. A click selects it."), longest, peaks);
  }
};

begin(labView);
