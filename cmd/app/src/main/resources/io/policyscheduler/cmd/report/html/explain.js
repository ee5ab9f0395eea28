/* Why a pod is placed on a node, and what would make other nodes feasible. */

/* Nodes by reason: [filter, reason, nodes]. */
const against = failures => {
  const groups = new Map();
  for (const [node, obstacles] of Object.entries(failures)) {
    for (const obstacle of obstacles) {
      for (const reason of obstacle.reasons) {
        const key = JSON.stringify([obstacle.filter || "", reason]);
        groups.set(key, [...(groups.get(key) || []), node]);
      }
    }
  }
  return [...groups].map(([key, nodes]) => [...JSON.parse(key), nodes]);
};

const againstTable = (caption, failures) => table(caption, [
  { title: "Reason", value: row => row[1], kind: "words" },
  { title: "Rejected by", value: row => row[0], kind: "name" },
  { title: "Nodes", value: row => row[2].length, kind: "n" },
  { title: "Names", value: row => row[2].join(", "), kind: "words", cell: row => few(row[2], 12) },
], against(failures), { sorted: [2, true] }).element;

const explainView = () => {
  const asked = data.askedNode && data.askedNode !== data.winner ? [[data.askedNode, "--node"]] : [];
  const rejected = Object.keys(data.failures).length;
  section("result", "Result", el("div", { class: "cards" },
    card("Node", big(data.winner || "none"), el("p", { class: "soft" }, data.runsOn ? "runs on " + data.runsOn : "pending")),
    card("Nodes", big(number(data.rankingCount) + " of " + number(data.rankingCount + rejected) + " feasible"),
      shares([["feasible", data.rankingCount, "--same"], ["rejected", rejected, "--lost"]]))),
  data.schedulingGates.length ? el("p", {}, "The pod waits until its scheduling gates are removed: " + data.schedulingGates.join(", ")) : null);
  if (data.gap) {
    section("gap", `Why ${data.gap.better} and not ${data.gap.other}`,
      el("p", { class: "soft" }, "Scores are multiplied by their weights."),
      table("Scores of the two", [
        { title: "Algorithm", value: part => part.algorithm, kind: "name", cell: part => [part.algorithm, part.algorithm === data.gap.tippedBy ? el("span", { class: "badge" }, "decides") : null] },
        { title: "Weight", value: part => part.weight, kind: "n" },
        { title: data.gap.better, value: part => part.better * part.weight, kind: "n" },
        { title: data.gap.other, value: part => part.other * part.weight, kind: "n" },
        { title: "Difference", value: part => part.difference, kind: "n", cell: part => (part.difference > 0 ? "+" : "") + number(part.difference) },
      ], data.gap.parts, { rowClass: part => part.algorithm === data.gap.tippedBy ? "decides" : null }).element);
  }
  if (data.ranking.length) {
    const names = Object.keys(data.weights);
    const weights = names.map(name => data.weights[name]);
    section("ranking", "Feasible nodes", data.ranking.length < data.rankingCount ? el("p", { class: "soft" }, `The best ${number(data.ranking.length)} nodes. -o json contains all nodes.`) : null, scoreSheet(data.decider, {
      algorithms: names, weights, rejected: [],
      nodes: data.ranking.map(row => [row.node, row.total, ...names.map((name, i) => row.scores[name] * weights[i])]),
    }, data.winner, asked, new Set(data.gap && data.gap.tippedBy ? [data.gap.tippedBy] : [])));
  }
  if (rejected) section("against", "Rejected nodes by reason", againstTable("Rejected nodes by reason", data.failures));
  if (data.nearest.length) {
    section("nearest", "Changes that make a node feasible", el("p", { class: "soft" }, "Each change was tested on a copy of the snapshot." + (data.notTried ? ` ${count(data.notTried, "more node was", "more nodes were")} not tested; --nearest tests more.` : "")), table("Changes that make a node feasible", [
      { title: "Change", value: row => row.lifts.map(lift => lift.text).join("; "), kind: "words" },
      { title: "Changes", value: row => row.lifts.length, kind: "n" },
      { title: "Nodes", value: row => row.nodes.length, kind: "n" },
      { title: "Names", value: row => row.nodes.join(", "), kind: "words", cell: row => few(row.nodes, 12) },
    ], data.nearest).element);
  }
  if (Object.keys(data.unknown).length) section("unknown", "No change is known for", againstTable("No change is known for", data.unknown));
  if (data.preemption) {
    const rows = Object.entries(data.preemption.candidates);
    section("preemption", "Preemption", data.preemption.message ? el("p", {}, data.preemption.message) : null,
      rows.length ? table("Preemption", [
        { title: "Node", value: row => row[0], kind: "name", cell: row => [row[0], row[0] === data.preemption.node ? el("span", { class: "badge" }, "chosen") : null] },
        { title: "Evicted pods", value: row => row[1].victims.map(pod => `${pod.pod} (priority ${pod.priority})`).join(", "), kind: "words" },
        { title: "Violated disruption budgets", value: row => row[1].budgetViolations, kind: "n" },
      ], rows, { rowClass: row => row[0] === data.preemption.node ? "chosen" : null }).element : el("p", {}, "Preemption does not help."));
  }
  warnings(data.warnings);
};

begin(explainView);
