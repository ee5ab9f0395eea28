/* A search for weights: the weights, the metrics that it improves, and the Pareto front. */

const tuneView = () => {
  const first = data.goals[0].metric;
  section("weights", "Weights", table("Weights", [
    { title: "Priority", value: weight => weight.name, kind: "name" },
    { title: "Before", value: weight => weight.before, kind: "n" },
    { title: "After", value: weight => weight.after, kind: "n" },
    { title: first + " if only this weight changes", value: weight => weight.alone ?? 0, kind: "n", cell: weight => shown(weight.alone) },
  ], data.weights).element);

  const differences = goal => goal.heldOutAfter === null || goal.heldOutBefore === null ? null : goal.heldOutAfter - goal.heldOutBefore;
  section("metrics", "Metrics", el("p", { class: "soft" }, `Means over blocks. The search tried ${count(data.candidates, "set", "sets")} of weights on ${count(data.blocks.search, "block", "blocks")}, and selected one on ${number(data.blocks.choice)}. The `
    + `${number(data.blocks.judgment)} held-out blocks were used once, at the end.`), table("Metrics", [
    { title: "Metric", value: goal => goal.metric, kind: "name" },
    { title: "Goal", value: goal => goal.goal, kind: "name" },
    { title: "Search, before", value: goal => goal.searchBefore ?? 0, kind: "n", cell: goal => shown(goal.searchBefore) },
    { title: "Search, after", value: goal => goal.searchAfter ?? 0, kind: "n", cell: goal => shown(goal.searchAfter) },
    { title: "Held out, before", value: goal => goal.heldOutBefore ?? 0, kind: "n", cell: goal => shown(goal.heldOutBefore) },
    { title: "Held out, after", value: goal => goal.heldOutAfter ?? 0, kind: "n", cell: goal => shown(goal.heldOutAfter) },
    { title: "Difference, 95% interval", value: goal => differences(goal) ?? 0, kind: "name",
      cell: goal => differences(goal) === null ? "-" : intervalPlot(differences(goal), goal.metric === first ? data.interval : null, false) },
  ], data.goals).element);

  if (data.front) {
    const goals = data.goals.map(goal => goal.metric);
    const width = 720, height = 260, left = 64, bottom = 36;
    const scale = (metric, from, to) => {
      const values = data.front.map(point => point[metric]), low = Math.min(...values), high = Math.max(...values);
      return { low, high, at: value => from + (to - from) * (value - low) / (high - low || 1) };
    };
    const x = scale(goals[0], left + 8, width - 16), y = scale(goals[1], height - bottom - 8, 12);
    const text = (at, content) => svg("text", { ...at, style: { fill: "var(--soft)", "font-size": "11px" } }, content);
    section("front", "Pareto front", el("p", { class: "soft" }, "No other candidate beats one of these in all metrics."),
      svg("svg", { viewBox: `0 0 ${width} ${height}`, width: "100%", role: "img", "aria-label": `${goals[0]} from ${shown(x.low)} to ${shown(x.high)}, ${goals[1]} from ${shown(y.low)} to ${shown(y.high)}` },
        svg("line", { x1: left, x2: width, y1: height - bottom, y2: height - bottom, style: { stroke: "var(--line)" } }),
        svg("line", { x1: left, x2: left, y1: 0, y2: height - bottom, style: { stroke: "var(--line)" } }),
        text({ x: left, y: height - 20 }, shown(x.low)), text({ x: width, y: height - 20, "text-anchor": "end" }, shown(x.high)), text({ x: (left + width) / 2, y: height - 6, "text-anchor": "middle" }, goals[0]),
        text({ x: left - 6, y: height - bottom, "text-anchor": "end" }, shown(y.low)), text({ x: left - 6, y: 16, "text-anchor": "end" }, shown(y.high)), text({ x: left + 6, y: 12 }, goals[1]),
        data.front.map(point => svg("circle", { cx: x.at(point[goals[0]]), cy: y.at(point[goals[1]]), r: 5, style: { fill: "var(--accent)" } }))),
      table("Pareto front", [
        ...data.weights.map((weight, index) => ({ title: weight.name, value: point => point.weights[index], kind: "n" })),
        ...goals.map(metric => ({ title: metric, value: point => point[metric], kind: "n", cell: point => shown(point[metric]) })),
      ], data.front).element);
  }
};

begin(tuneView);
