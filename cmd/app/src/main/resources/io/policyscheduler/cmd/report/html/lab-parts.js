/* Numbers and intervals of runs of a trace. */

const shown = value => value === null || value === undefined ? "-" : number(value, Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : 4);
const signed = value => (value > 0 ? "+" : "") + shown(value);

/* The difference and its interval on a scale of their own, with 0 in the middle. */
const intervalPlot = (difference, interval, isNoise) => {
  const most = Math.max(Math.abs(difference), ...(interval || []).map(Math.abs)) || 1;
  const x = value => 60 + 52 * value / most;
  const ink = isNoise ? "var(--soft)" : "var(--accent)";
  return svg("svg", { viewBox: "0 0 120 16", width: "120", height: "16", role: "img", "aria-label": interval ? `from ${signed(interval[0])} to ${signed(interval[1])}` : signed(difference) },
    svg("line", { x1: 60, x2: 60, y1: 0, y2: 16, style: { stroke: "var(--line)" } }),
    interval ? svg("line", { x1: x(interval[0]), x2: x(interval[1]), y1: 8, y2: 8, style: { stroke: ink, "stroke-width": "3" } }) : null,
    svg("circle", { cx: x(difference), cy: 8, r: 4, style: { fill: ink } }));
};

/* A mean with its standard deviation, on a scale from the lowest to the highest of all. */
const spreadPlot = (mean, deviation, lowest, highest) => {
  const x = value => 6 + 108 * (value - lowest) / (highest - lowest || 1);
  return svg("svg", { viewBox: "0 0 120 16", width: "120", height: "16", role: "img", "aria-label": `${shown(mean)}, standard deviation ${shown(deviation)}` },
    svg("line", { x1: x(mean - deviation), x2: x(mean + deviation), y1: 8, y2: 8, style: { stroke: "var(--accent)", "stroke-width": "3" } }),
    svg("circle", { cx: x(mean), cy: 8, r: 4, style: { fill: "var(--accent)" } }));
};
