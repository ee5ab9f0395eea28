/* What a migration keeps, changes and loses, and whether pods go where they went. */

const LEVELS = { error: ["error", "--lost"], warn: ["warning", "--different"], info: ["remark", "--neither"] };

const migrateView = () => {
  const levels = Object.keys(LEVELS);
  section("migration", "Migration", el("div", { class: "cards" }, card("Findings", big(data.lossy ? "something is lost" : "nothing is lost"),
    shares(levels.map(level => [LEVELS[level][0] + "s", data.findings.filter(finding => finding.level === level).length, LEVELS[level][1]])))));
  if (data.findings.length) {
    section("findings", "Findings", table("Findings", [
      { title: "Code", value: finding => finding.code, kind: "name" },
      { title: "Level", value: finding => levels.indexOf(finding.level), kind: "name", cell: finding => [el("span", { class: "dot", style: { background: `var(${LEVELS[finding.level][1]})` } }), LEVELS[finding.level][0]] },
      { title: "Of the policy", value: finding => finding.item, kind: "name" },
      { title: "Line", value: finding => finding.line, kind: "n", cell: finding => finding.line > 0 ? number(finding.line) : "" },
      { title: "Becomes", value: finding => finding.fidelity, kind: "name" },
      { title: "What", value: finding => finding.text, kind: "words", cell: finding => [finding.text, finding.wayOut ? el("div", { class: "soft" }, "Way out: " + finding.wayOut) : null] },
    ], data.findings, { sorted: [1, false] }).element);
  }
  section("configuration", "Configuration", el("details", {}, el("summary", {}, data.apiVersion + " for " + data.release), el("pre", {}, data.configuration)),
    data.extenders.map(extender => el("details", {}, el("summary", {}, "Policy of the extender for " + extender.items.join(", ")), el("p", {}, el("code", {}, extender.command)), el("pre", {}, extender.policy))));
  if (data.verification) compareView(data.verification);
  warnings((data.warnings || []).map(warning => warning.code + ": " + warning.message));
};

begin(migrateView);
