/* A comparison of schedulers. */

const KINDS = {
  "only-reference": ["becomes unschedulable", "--lost"], "error": ["error", "--error"], "different": ["another node", "--different"],
  "only-other": ["becomes schedulable", "--gained"], "neither": ["unschedulable with both", "--neither"],
  "tie": ["may be the same node", "--tie"], "same": ["same node", "--same"],
};
const DIFFERS = ["only-reference", "error", "different", "only-other"];

const SINGLE = "To see the load after the placements of the other schedulers, use --mode run.";

/* In mode steps, the others decide each pod as if the reference had placed the earlier pods, so their placements are no cluster. */
const clusters = (after, mode, first) => mode === "run" ? after : after.slice(0, first);

const compareView = compared => {
  const names = compared.deciders.map(decider => decider.name);
  const text = index => index < 0 ? "" : compared.texts[index];
  const where = index => index < 0 ? NOWHERE : compared.texts[index];
  const many = names.length > 2;

  section("result", "Result", el("p", { class: "soft" }, `The reference is ${names[0]}. ${count(compared.loads.nodes.length, "node", "nodes")}, ${count(compared.podCount, "pod", "pods")}; `
    + (compared.mode === "run" ? "each scheduler starts from its own placements." : "for each pod, all schedulers start from the placements of the reference.")),
  el("div", { class: "cards" }, compared.comparisons.map(pair => card(pair.decider,
    big(percent(pair.agreementRate) + " of the decisions agree"), shares(Object.keys(KINDS).map(kind => [KINDS[kind][0], pair.counts[kind], KINDS[kind][1]])),
    pair.noLongerFit.length ? el("p", {}, "Become unschedulable: " + few(pair.noLongerFit)) : null,
    pair.withoutCause ? el("p", {}, count(pair.withoutCause, "difference", "differences") + " without a known cause") : null))));

  const rows = compared.pods.flatMap(pod => pod.differences.map((difference, i) => ({
    pod: pod.pod, ranOn: pod.ranOn, results: pod.results, details: pod.details, other: i + 1,
    from: where(pod.results[0][0]), to: where(pod.results[i + 1][0]), agreement: text(difference[0]), cause: text(difference[1]), titles: (difference[2] || []).map(text),
  })));
  const pods = table("Pods", [
    { title: "Pod", value: row => row.pod, kind: "name", unfolds: true },
    { title: "Result", value: row => Object.keys(KINDS).indexOf(row.agreement), kind: "name", cell: row => [el("span", { class: "dot", style: { background: `var(${KINDS[row.agreement][1]})` } }), KINDS[row.agreement][0]] },
    ...(rows.some(row => row.ranOn !== undefined) ? [{ title: "Ran on", value: row => text(row.ranOn ?? -1), kind: "name" }] : []),
    { title: names[0], value: row => row.from, kind: "name" },
    { title: many ? "Other" : names[1], value: row => row.to, kind: "name" },
    ...(many ? [{ title: "Scheduler", value: row => names[row.other], kind: "name" }] : []),
    { title: "Cause", value: row => row.cause, kind: "words", cell: row => row.titles.length ? opens("cause", row.titles[0], breakable(row.cause)) : row.cause },
  ], rows, { kind: "pod", key: row => row.pod, detail: row => podDetail(row, names, text), sorted: [1, false] });
  const kinds = Object.keys(KINDS).filter(kind => rows.some(row => row.agreement === kind));
  const fits = (row, words, choice) => (!choice || (choice === "differ" ? DIFFERS.includes(row.agreement) : row.agreement === choice))
    && (!words || [row.pod, row.from, row.to, row.cause, ...row.titles, names[row.other], text(row.ranOn ?? -1)].join(" ").toLowerCase().includes(words));
  const listed = filtered("pods", pods, [["", "all pods"], ["differ", "different decisions"], ...kinds.map(kind => [kind, KINDS[kind][0]])], fits);

  const causes = compared.comparisons.flatMap(pair => pair.causes.map(cause => ({ decider: pair.decider, ...cause })));
  if (causes.length) {
    section("causes", "Causes", el("p", { class: "soft" }, "A pod with several causes counts for each of them. If all causes of a pod are removed, both schedulers agree on it."), table("Causes", [
      { title: "Cause", value: row => row.cause, kind: "words", cell: row => opens("cause", row.cause, breakable(row.cause), { title: "Show the pods of this cause" }) },
      ...(many ? [{ title: "Scheduler", value: row => row.decider, kind: "name" }] : []),
      { title: "Pods", value: row => row.pods, kind: "n" },
      { title: "What to do", value: row => row.advice, kind: "words", cell: row => [row.advice.replace("see both formulas with --details", "the formulas differ").replace("with --details", "in the details of a pod"), row.note ? el("div", { class: "soft" }, row.note) : null] },
    ], causes).element);
  }
  section("pods", "Pods", compared.podsLeftOut ? el("p", { class: "soft" }, count(compared.podsLeftOut, "pod is", "pods are") + " not in this file. -o json contains all pods.") : null, listed.element);

  flowSection(names, compared.flows.map(ways => ways.map(([from, to, n]) => [where(from), where(to), n])), zones(compared.loads),
    (index, words, wanted) => listed.only("pods " + words, row => row.other === index + 1 && wanted(row.from, row.to)));

  openers.set("pod", name => listed.open(row => row.pod === name));
  openers.set("cause", name => listed.only("pods with cause " + name, row => row.titles.includes(name)));
  nodeLoads(compared.loads, compared.mode);
  balance(compared.summaries || [], compared.mode);
  algorithms(compared.deciders);
};

const podDetail = (row, names, text) => {
  const why = row.details?.why?.[row.other - 1];
  const nodes = [0, row.other].map(i => [text(row.results[i][0]), names[i]]);
  const parts = [why && why.text >= 0 ? el("p", {}, text(why.text)) : null];
  for (const i of [0, row.other]) {
    const [node, best, feasible, message] = row.results[i];
    parts.push(el("h3", {}, names[i], el("span", { class: "soft" }, node >= 0
      ? " selects " + text(node) + (best > 1 ? `, one of ${number(best)} best nodes` : "") + "; " + count(feasible, "feasible node", "feasible nodes")
      : " finds no feasible node")));
    if (message >= 0) parts.push(el("p", {}, text(message)));
    const sheet = row.details?.sheets?.[i];
    if (sheet?.algorithms) {
      const deciding = new Set(((i === 0 ? why?.reference : why?.other) || []).map(text));
      parts.push(scoreSheet(names[i], {
        algorithms: sheet.algorithms.map(text), weights: sheet.weights, nodes: sheet.nodes.map(([name, ...rest]) => [text(name), ...rest]),
        rejected: sheet.rejected.map(([algorithm, reason, n, examples]) => [text(algorithm), text(reason), n, examples.map(text)]),
      }, text(node), nodes.filter(other => other[1] !== names[i]).map(other => [other[0], "selected by " + other[1]]), deciding));
    }
  }
  return el("div", {}, parts);
};

const zones = loads => {
  const known = new Map(loads.nodes.map((node, i) => [node, loads.zones[i]]));
  return node => known.get(node) || "";
};

const nodeLoads = (loads, mode) => {
  const states = [{ name: "before", ...loads.before }, ...clusters(loads.after, mode, 1).map(after => ({ ...after, name: after.decider }))];
  const share = (state, resource) => resource === "pods" ? state.pods
    : state[resource].map((value, i) => loads.allocatable[resource][i] > 0 ? value / loads.allocatable[resource][i] : 0);
  const plots = loadPlots(states, share);
  const rows = loads.nodes.map((name, i) => ({ name, i }));
  const columns = states.flatMap(state => {
    const cpu = share(state, "cpu"), memory = share(state, "memory");
    return [
      { title: "CPU % " + state.name, value: row => 100 * cpu[row.i], kind: "n", digits: 1 },
      { title: "Memory % " + state.name, value: row => 100 * memory[row.i], kind: "n", digits: 1 },
      { title: "Pods " + state.name, value: row => state.pods[row.i], kind: "n" },
    ];
  });
  const listed = table("Nodes", [{ title: "Node", value: row => row.name, kind: "name" }, { title: "Zone", value: row => loads.zones[row.i] || "", kind: "name" }, ...columns], rows, { page: 30, sorted: [0, false] });
  section("nodes", "Load of the nodes", mode === "run" ? null : el("p", { class: "soft" }, SINGLE), plots.element, el("details", {}, el("summary", {}, "Table of the nodes"), listed.element));
  plots.start();
};

const balance = (summaries, mode) => {
  const shown = clusters(summaries, mode, 2);
  const rows = shown.flatMap(state => ["nodes", "zones"].flatMap(of => ["cpu", "memory", "pods"].filter(resource => state[of]?.[resource])
    .map(resource => ({ name: state.name, of: resource + " of " + of, resource, ...state[of][resource] }))));
  if (!rows.length) return;
  const show = key => row => row.resource === "pods" ? number(row[key], 1) : percent(row[key]);
  section("balance", "Balance", mode === "run" ? null : el("p", { class: "soft" }, SINGLE), table("Balance", [
    { title: "Load", value: row => row.of, kind: "name" },
    { title: "Cluster", value: row => row.name, kind: "name" },
    ...[["mean", "Mean"], ["deviation", "Standard deviation"], ["min", "Lowest"], ["max", "Highest"]].map(([key, title]) => ({ title, value: row => row[key], kind: "n", cell: show(key) })),
  ], rows, { sorted: [0, false] }).element,
  shown.filter(state => state.emptied && state.emptied.length).map(state => el("p", {}, "Nodes that are empty after " + state.name + ": " + number(state.emptied.length) + ", " + few(state.emptied, 12))));
};

const algorithms = deciders => {
  const rows = [
    ...[...new Set(deciders.flatMap(decider => decider.filters))].map(name => ({ kind: "filter", name, of: deciders.map(decider => decider.filters.includes(name) ? "yes" : "") })),
    ...[...new Set(deciders.flatMap(decider => Object.keys(decider.scores)))].map(name => ({ kind: "score", name, of: deciders.map(decider => name in decider.scores ? "weight " + number(decider.scores[name]) : "") })),
  ];
  section("algorithms", "Algorithms", el("details", {}, el("summary", {}, "The algorithms of each scheduler"), table("Algorithms", [
    { title: "Algorithm", value: row => row.name, kind: "name" }, { title: "Type", value: row => row.kind, kind: "name" },
    ...deciders.map((decider, i) => ({ title: decider.name, value: row => row.of[i], kind: "name" })),
  ], rows, { page: 100 }).element));
};

if (data.comparisons) begin(() => { compareView(data); warnings(data.warnings); });
