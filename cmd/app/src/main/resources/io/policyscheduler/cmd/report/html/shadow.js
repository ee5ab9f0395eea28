/* Placements of another scheduler, compared with those of this scheduler. */

const WORDS = { "not on that node": "rejects the node", nowhere: "finds no feasible node", "another node": "prefers another node", undecided: "not decided", "same node": "agrees" };
const OPINIONS = { "not on that node": "--lost", nowhere: "--gained", "another node": "--different", undecided: "--neither", "same node": "--same" };

const shadowView = () => {
  const kinds = Object.keys(OPINIONS);
  section("result", "Result", el("p", { class: "soft" }, `Watched from ${moment(data.since)} to ${moment(data.until)}.`), el("div", { class: "cards" },
    card("Placements", big(number(data.judged)), shares(kinds.map(kind => [WORDS[kind], data.kinds[kind] || 0, OPINIONS[kind]]))),
    card("Agreement", big(data.agreement === null ? "not known" : number(data.agreement, 1) + " %"), el("p", { class: "soft" }, "with " + data.decider))));
  const cause = finding => finding.algorithms[0] || "";
  const pods = table("Placements", [
    { title: "Pod", value: finding => finding.pod, kind: "name", unfolds: true },
    { title: "Result", value: finding => kinds.indexOf(finding.kind), kind: "name", cell: finding => [el("span", { class: "dot", style: { background: `var(${OPINIONS[finding.kind]})` } }), WORDS[finding.kind]] },
    { title: "Node", value: finding => finding.node, kind: "name" },
    { title: "Would choose", value: finding => finding.agrees ? "" : finding.best[0] || "no node", kind: "name" },
    { title: "Cause", value: cause, kind: "name", cell: finding => !finding.agrees && cause(finding) ? opens("cause", cause(finding), cause(finding)) : "" },
    { title: "Seen", value: finding => finding.time, kind: "name", cell: finding => moment(finding.time) },
  ], data.placements, { kind: "pod", key: finding => finding.pod, sorted: [1, false], detail: finding => el("div", {}, finding.cause ? el("p", {}, finding.cause) : el("p", {}, data.decider + " agrees."),
    finding.best.length ? el("p", {}, "Best nodes: " + few(finding.best, 12)) : null) });
  const listed = filtered("placements", pods, [["", "all placements"], ["differ", "those that differ"], ...kinds.filter(kind => data.kinds[kind]).map(kind => [kind, WORDS[kind]])],
    (finding, words, choice) => (!choice || (choice === "differ" ? !finding.agrees : finding.kind === choice)) && (!words || [finding.pod, finding.node, finding.cause, ...finding.best].join(" ").toLowerCase().includes(words)));
  openers.set("pod", name => listed.open(finding => finding.pod === name));
  openers.set("cause", name => listed.only("differences by " + name, finding => !finding.agrees && cause(finding) === name));
  const causes = Object.entries(data.causes);
  if (causes.length) {
    section("causes", "Causes", table("Causes", [
      { title: "Cause", value: row => row[0], kind: "name", cell: row => opens("cause", row[0], row[0], { title: "Show these differences" }) },
      { title: "Pods", value: row => row[1], kind: "n" },
    ], causes, { sorted: [1, true] }).element);
  }
  section("pods", "Placements", data.placementsLeftOut ? el("p", { class: "soft" }, count(data.placementsLeftOut, "earlier placement is", "earlier placements are") + " not in this file. --log FILE keeps all placements.") : null,
    data.placements.length ? listed.element : el("p", {}, "No pod was placed while shadow ran."));
};

begin(shadowView);
