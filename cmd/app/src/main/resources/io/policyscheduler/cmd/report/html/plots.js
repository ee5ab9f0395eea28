/* How full the nodes are, drawn by uPlot: a line a state, the fullest node first, so that states compare whoever the nodes are. */

const SERIES = [["--neither", []], ["--accent", []], ["--different", [8, 4]], ["--same", [3, 3]], ["--gained", [12, 3, 3, 3]]];

/* steps: what the lines of the scale may be apart, where not anything does; states: [{name, values: a number a node}]; top: the end of the scale, so that plots beside each other have the same one */
const WHOLE = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];
const loadPlot = (title, scale, states, format, top, steps) => {
  const sorted = states.map(state => [...state.values].sort((a, b) => b - a));
  const most = Math.max(1, ...sorted.map(values => values.length));
  const ranks = Array.from({ length: most }, (_, i) => i + 1);
  const place = el("div", { role: "img", "aria-label": title + ". " + states.map((state, i) => {
    const values = sorted[i];
    return values.length ? `${state.name}: from ${format(values.at(-1))} to ${format(values[0])}, median ${format(values[values.length >> 1])}` : state.name + ": no node";
  }).join("; ") });
  const fullest = Math.max(0, ...sorted.map(values => values[0] ?? 0));
  const figure = el("figure", {}, el("figcaption", {}, title,
    fullest > top ? el("span", { class: "soft" }, " (the fullest node, above the scale: " + format(fullest) + ")") : null), place);
  let plot = null;
  const size = () => ({ width: Math.max(240, Math.floor(place.clientWidth)), height: 230 });
  const build = () => {
    plot?.destroy();
    const axis = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") }, labelSize: 22, font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif" };
    plot = new uPlot({
      ...size(),
      scales: { x: { time: false, range: [0.5, most + 0.5] }, y: { range: [0, top] } },
      axes: [
        { ...axis, label: "nodes, the fullest first", incrs: WHOLE, values: (self, ticks) => ticks.map(tick => number(tick)) },
        { ...axis, label: scale, size: 58, ...(steps ? { incrs: steps } : {}), values: (self, ticks) => ticks.map(format) },
      ],
      cursor: { y: false, drag: { x: false, y: false } },
      series: [
        { label: "node", value: (self, rank) => rank === null ? "–" : number(rank) },
        ...states.map((state, i) => ({ label: state.name, stroke: colour(SERIES[i % SERIES.length][0]), dash: SERIES[i % SERIES.length][1], width: 2,
          points: { show: most <= 40, size: 6, fill: colour("--back") }, value: (self, value) => value === null || value === undefined ? "–" : format(value) })),
      ],
    }, [ranks, ...sorted.map(values => ranks.map((_, i) => i < values.length ? values[i] : null))], place);
  };
  /* To be called once the figure stands in the page, where it has a width. */
  const start = () => {
    build();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", build);
    let width = place.clientWidth;
    new ResizeObserver(() => { if (place.clientWidth !== width) { width = place.clientWidth; plot.setSize(size()); } }).observe(figure);
  };
  return { figure, start };
};

/* The three resources; values(state, resource) gives a share of allocatable for each node, or the number of pods. */
const loadPlots = (states, values) => {
  const of = resource => states.map(state => ({ name: state.name, values: values(state, resource) }));
  // A few nodes out of hundreds do not press all others down to the axis.
  const highest = all => Math.max(0, ...all.map(({ values: loads }) => {
    const sorted = [...loads].sort((a, b) => b - a);
    return sorted.length < 100 ? sorted[0] ?? 0 : Math.min(sorted[0], 1.5 * sorted[Math.floor(sorted.length / 50)]);
  }));
  const cpu = of("cpu"), memory = of("memory"), pods = of("pods");
  const full = Math.max(1, highest(cpu), highest(memory)) * 1.02;
  const plots = [
    loadPlot("CPU requested", "share of allocatable", cpu, share => percent(share, 0), full),
    loadPlot("Memory requested", "share of allocatable", memory, share => percent(share, 0), full),
    loadPlot("Pods on a node", "pods", pods, value => number(value), Math.max(1, highest(pods)) * 1.05, WHOLE),
  ];
  return { element: el("div", { class: "plots" }, plots.map(plot => plot.figure)), start: () => plots.forEach(plot => plot.start()) };
};
