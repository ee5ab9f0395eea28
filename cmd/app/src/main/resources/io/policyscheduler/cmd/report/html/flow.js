/* From where to where pods go: bands as thick as there are pods. */

const NOWHERE = "unschedulable";
const MOST_GROUPS = 24;

/* ways: [from, to, pods] by group; choose(from, to) is told which band was clicked */
const drawFlow = (place, ways, names, choose) => {
  const width = Math.max(300, place.clientWidth);
  const LABEL = Math.min(190, Math.floor(width * 0.3)), GAP = 5, BAR = 9;
  const total = side => {
    const sums = new Map();
    ways.forEach(way => sums.set(way[side], (sums.get(way[side]) || 0) + way[2]));
    return sums;
  };
  const order = sums => [...sums.keys()].sort((a, b) => (a === NOWHERE) - (b === NOWHERE) || byName(a, b));
  const sums = [total(0), total(1)];
  const groups = sums.map(order);
  const pods = ways.reduce((sum, way) => sum + way[2], 0);
  const rows = Math.max(groups[0].length, groups[1].length);
  const height = Math.max(140, Math.min(1400, 26 * rows));
  const unit = (height - GAP * rows) / Math.max(1, pods);
  // A group of one pod in a thousand is to be seen, too; what that takes the picture gets.
  const thick = value => Math.max(1.5, value * unit);
  const tall = side => groups[side].map(group => Math.max(14, ways.filter(way => way[side] === group).reduce((sum, way) => sum + thick(way[2]), 0)));
  const heights = [tall(0), tall(1)];
  const top = side => { let y = 0; return new Map(groups[side].map((group, i) => { const start = y; y += heights[side][i] + GAP; return [group, start]; })); };
  const tops = [top(0), top(1)];
  const end = Math.max(...heights.map(all => all.reduce((sum, one) => sum + one + GAP, 0)));
  const offsets = [new Map(), new Map()];
  const take = (side, group, size) => {
    const y = tops[side].get(group) + (offsets[side].get(group) || 0);
    offsets[side].set(group, (offsets[side].get(group) || 0) + size);
    return y;
  };
  const picture = svg("svg", { viewBox: `0 0 ${width} ${end + 24}`, width, height: end + 24, role: "img",
    "aria-label": `Where ${names[0]} and ${names[1]} place ${pods} pods. The table below has the same numbers.` });
  const x = [LABEL + BAR, width - LABEL - BAR];
  const sorted = groups[0].flatMap(from => groups[1].flatMap(to => ways.filter(way => way[0] === from && way[1] === to)));
  for (const [from, to, n] of sorted) {
    const size = thick(n), y0 = take(0, from, size) + 24 + size / 2, y1 = take(1, to, size) + 24 + size / 2, middle = (x[0] + x[1]) / 2;
    const kind = from === to ? "same" : to === NOWHERE ? "lost" : from === NOWHERE ? "gained" : "moved";
    const title = svg("title", {}, `${count(n, "pod", "pods")}: ${from} to ${to}`);
    picture.append(svg("path", { class: "band " + kind, d: `M${x[0]} ${y0}C${middle} ${y0} ${middle} ${y1} ${x[1]} ${y1}`, "stroke-width": size, click: () => choose(from, to) }, title));
  }
  const text = (words, at, y, anchor, space) => {
    // A letter takes about 6.6 pixels; the whole name is in the title.
    const most = Math.max(4, Math.floor(space / 6.6));
    const shown = words.length > most ? words.slice(0, Math.ceil(most / 2) - 1) + "…" + words.slice(-Math.floor(most / 2)) : words;
    return svg("text", { x: at, y, "text-anchor": anchor }, shown, svg("title", {}, words));
  };
  [0, 1].forEach(side => {
    const anchor = side === 0 ? "end" : "start", edge = side === 0 ? LABEL - 5 : width - LABEL + 5;
    picture.append(text(names[side], side === 0 ? 0 : width, 12, side === 0 ? "start" : "end", width / 2 - 8));
    groups[side].forEach((group, i) => {
      const y = tops[side].get(group) + 24;
      picture.append(svg("rect", { class: group === NOWHERE ? "lost" : "end", x: side === 0 ? LABEL : width - LABEL - BAR, y, width: BAR, height: heights[side][i] }));
      picture.append(text(group + " " + number(sums[side].get(group)), edge, y + heights[side][i] / 2 + 4, anchor, LABEL - 8));
    });
  });
  place.replaceChildren(picture);
};

/* The largest groups by their name, all others as one. */
const grouped = (ways, group) => {
  const weight = new Map();
  ways.forEach(([from, to, n]) => [from, to].forEach(node => weight.set(group(node), (weight.get(group(node)) || 0) + n)));
  const kept = new Set([...weight.keys()].sort((a, b) => weight.get(b) - weight.get(a)).slice(0, weight.size > MOST_GROUPS ? MOST_GROUPS - 2 : MOST_GROUPS).concat(NOWHERE));
  const rest = weight.size > MOST_GROUPS ? number([...weight.keys()].filter(name => !kept.has(name)).length) + " other nodes" : "";
  const named = node => kept.has(group(node)) ? group(node) : rest;
  const sums = new Map();
  for (const [from, to, n] of ways) {
    const key = JSON.stringify([named(from), named(to)]);
    sums.set(key, (sums.get(key) || 0) + n);
  }
  return { ways: [...sums].map(([key, n]) => [...JSON.parse(key), n]), named };
};

/*
 * The section. flows: for each decider [from, to, pods] by node; zoneOf(node); choose(decider, text, fits(from, to)) shows the pods
 * of a band.
 */
const flowSection = (names, flows, zoneOf, choose) => {
  const zones = new Set(flows.flat().flatMap(way => [way[0], way[1]]).filter(node => node !== NOWHERE).map(zoneOf));
  const nodes = new Set(flows.flat().flatMap(way => [way[0], way[1]]));
  const which = names.length > 2 ? el("select", { "aria-label": "Scheduler", change: () => draw() }, names.slice(1).map((name, i) => el("option", { value: i }, name))) : null;
  const by = el("select", { "aria-label": "Groups", change: () => draw() }, el("option", { value: "node" }, "node"),
    zones.size > 1 ? el("option", { value: "zone", selected: nodes.size > MOST_GROUPS }, "zone") : null);
  const place = el("div", { class: "flow" });
  const ends = el("div");
  const draw = () => {
    const index = which ? Number(which.value) : 0;
    const { ways, named } = grouped(flows[index], node => node === NOWHERE || by.value === "node" ? node : zoneOf(node) || "no zone");
    const chosen = (from, to) => choose(index, from === to ? "that stay on " + from : "from " + from + " to " + to, (a, b) => named(a) === from && named(b) === to);
    drawFlow(place, ways, [names[0], names[index + 1]], chosen);
    ends.replaceChildren(table("Flow", [
      { title: names[0], value: way => way[0], kind: "name" },
      { title: names[index + 1], value: way => way[1], kind: "name" },
      { title: "Pods", value: way => way[2], kind: "n", cell: way => el("button", { type: "button", class: "link", "aria-label": `Show ${count(way[2], "pod", "pods")} from ${way[0]} to ${way[1]}`, click: () => chosen(way[0], way[1]) }, number(way[2])) },
    ], ways, { sorted: [2, true], page: 20 }).element);
  };
  section("flow", "Where each scheduler places the pods", el("div", { class: "tools" }, which, el("label", {}, "by ", by),
    legend([["same node", "--line"], ["another node", "--accent"], ["becomes unschedulable", "--lost"], ["becomes schedulable", "--gained"]])),
  place, el("details", {}, el("summary", {}, "Table of the numbers"), ends));
  draw();
  let width = place.clientWidth;
  new ResizeObserver(() => { if (place.clientWidth !== width) { width = place.clientWidth; draw(); } }).observe(place);
};
