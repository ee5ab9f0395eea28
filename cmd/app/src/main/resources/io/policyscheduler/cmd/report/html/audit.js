/* Running pods that are not allowed on their nodes, or would score higher on another node. */

const FINDINGS = { violation: ["not allowed", "--lost"], "better-elsewhere": ["better on another node", "--different"], undecided: ["not checked", "--neither"] };

const auditView = () => {
  const fine = data.pods - data.violations - data.betterElsewhere - data.undecided;
  section("result", "Result", el("div", { class: "cards" }, card("Running pods checked", big(number(data.pods)),
    shares([["not allowed", data.violations, "--lost"], ["better on another node", data.betterElsewhere, "--different"], ["not checked", data.undecided, "--neither"], ["allowed", fine, "--same"]]))));
  const why = finding => finding.error || finding.obstacles.map(obstacle => (obstacle.filter ? obstacle.filter + ": " : "") + obstacle.reasons.join(", ")).join("; ");
  const filters = finding => finding.obstacles.map(obstacle => obstacle.filter || "").filter(Boolean);
  const rows = new Map();
  data.findings.forEach(finding => filters(finding).forEach(name => rows.set(name, [...(rows.get(name) || []), finding.pod])));
  const pods = table("Pods", [
    { title: "Pod", value: finding => finding.pod, kind: "name", unfolds: true },
    { title: "Finding", value: finding => Object.keys(FINDINGS).indexOf(finding.kind), kind: "name", cell: finding => [el("span", { class: "dot", style: { background: `var(${FINDINGS[finding.kind][1]})` } }), FINDINGS[finding.kind][0]] },
    { title: "Runs on", value: finding => finding.node, kind: "name" },
    { title: "Would run on", value: finding => finding.better || "-", kind: "name" },
    { title: "Gain %", value: finding => finding.gainPercent, kind: "n", digits: 1 },
    { title: "Reason", value: why, kind: "words" },
  ], data.findings, { kind: "pod", key: finding => finding.pod, sorted: [1, false], detail: finding => el("div", {}, finding.error ? el("p", {}, finding.error) : null,
    el("ul", {}, finding.obstacles.map(obstacle => el("li", {}, (obstacle.filter ? obstacle.filter + ": " : "") + obstacle.reasons.join(", ")))),
    el("p", {}, finding.better ? "It would run on " + finding.better + "." : "No other node is feasible.")) });
  const listed = filtered("pods", pods, [["", "all findings"], ...Object.entries(FINDINGS).map(([kind, [text]]) => [kind, text])],
    (finding, words, choice) => (!choice || finding.kind === choice) && (!words || [finding.pod, finding.node, finding.better, why(finding)].join(" ").toLowerCase().includes(words)));
  openers.set("cause", name => listed.only("pods that " + name + " rejects", finding => filters(finding).includes(name)));
  openers.set("pod", name => listed.open(finding => finding.pod === name));
  if (rows.size) {
    section("causes", "Rejected by", table("Rejected by", [
      { title: "Filter", value: row => row[0], kind: "name", cell: row => opens("cause", row[0], row[0], { title: "Show the pods of this filter" }) },
      { title: "Pods", value: row => row[1].length, kind: "n" },
      { title: "For example", value: row => row[1][0], kind: "name", cell: row => opens("pod", row[1][0], row[1][0]) },
    ], [...rows], { sorted: [1, true] }).element);
  }
  section("pods", "Findings", data.findingsLeftOut ? el("p", { class: "soft" }, count(data.findingsLeftOut, "finding is", "findings are") + " not in this file. -o json contains all findings.") : null,
    data.findings.length ? listed.element : el("p", {}, "All pods are allowed where they run."));
  if (data.evictions && data.evictions.length) {
    section("evictions", "Evictions", table("Evictions", [
      { title: "Pod", value: eviction => eviction.pod, kind: "name" },
      { title: "Would run on", value: eviction => eviction.to || "-", kind: "name" },
      { title: "Result", value: eviction => eviction.result, kind: "name" },
      { title: "Message", value: eviction => eviction.message || "", kind: "words" },
    ], data.evictions).element);
  }
  warnings(data.warnings);
};

begin(auditView);
