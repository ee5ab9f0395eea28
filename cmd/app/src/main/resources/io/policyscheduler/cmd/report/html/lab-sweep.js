/* Runs of a sweep: means by group of traces, scheduler, and way to break ties. */

const sweepView = () => {
  warnings(data.warnings);
  if (data.best) {
    section("best", "Best schedulers", el("p", { class: "soft" }, "A gray name can be chance: the difference to the second best is less than twice its standard error."), table("Best schedulers", [
      { title: "Traces", value: best => best.group, kind: "name" },
      { title: "Metric", value: best => best.is + " " + best.metric, kind: "name" },
      { title: "Ties", value: best => best.tieBreak, kind: "name" },
      { title: "Scheduler", value: best => best.scheduler, kind: "name", cell: best => el("span", { class: best.beyondNoise ? null : "soft" }, best.scheduler + (best.beyondNoise ? "" : " (noise)")) },
    ], data.best).element);
  }
  for (const metric of data.shown) {
    const rows = data.groups.filter(group => group.mean[metric] !== undefined);
    const lowest = Math.min(...rows.map(row => row.mean[metric] - row.sd[metric])), highest = Math.max(...rows.map(row => row.mean[metric] + row.sd[metric]));
    section(metric, metric, table(metric, [
      { title: "Traces", value: row => row.group, kind: "name" },
      { title: "Scheduler", value: row => row.scheduler, kind: "name" },
      { title: "Ties", value: row => row.tieBreak, kind: "name" },
      { title: "Runs", value: row => row.runs, kind: "n" },
      { title: "Mean", value: row => row.mean[metric], kind: "n", cell: row => shown(row.mean[metric]) },
      { title: "Standard deviation", value: row => row.sd[metric], kind: "n", cell: row => shown(row.sd[metric]) },
      { title: "Mean ± deviation", value: row => row.mean[metric], kind: "name", cell: row => spreadPlot(row.mean[metric], row.sd[metric], lowest, highest) },
    ], rows).element);
  }
};

begin(sweepView);
