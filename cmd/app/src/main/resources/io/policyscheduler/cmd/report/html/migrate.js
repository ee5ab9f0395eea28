/* The effect of a migration on each algorithm, and the comparison with the policy. */

const RESULTS = { LOST: "--lost", DIFFERS: "--different", similar: "--neither", same: "--same" };
const LEVELS = { error: "--lost", warn: "--different", info: "--neither" };

const migrateView = () => {
  const results = Object.keys(RESULTS);
  const dot = colour => el("span", { class: "dot", style: { background: `var(${colour})` } });
  const details = row => el("details", {}, el("summary", { class: "soft" }, "Details"), el("p", {}, row.text), row.wayOut ? el("p", {}, "Fix: " + row.wayOut) : null,
    row.line > 0 ? el("p", {}, "Line " + row.line + " of the policy") : null);
  const effect = row => [row.effect, details(row)];
  section("migration", "Migration", el("div", { class: "cards" }, card("Algorithms", big(data.counts.LOST ? "a part is lost" : "nothing is lost"),
    shares(results.map(result => [result.toLowerCase(), data.counts[result], RESULTS[result]])))));
  if (data.algorithms.length) {
    section("findings", "Algorithms", table("Algorithms", [
      { title: "Code", value: row => row.code, kind: "name" },
      { title: "Algorithm", value: row => row.subject, kind: "name" },
      { title: "Plugin", value: row => row.plugin, kind: "name" },
      { title: "Result", value: row => results.indexOf(row.result), kind: "name", cell: row => [dot(RESULTS[row.result]), row.result.toLowerCase()] },
      { title: "Effect", value: row => row.effect, kind: "words", cell: effect },
      { title: "What to do", value: row => row.action, kind: "words" },
    ], data.algorithms, { sorted: [3, false] }).element);
  }
  if (data.others.length) {
    section("others", "Other changes", table("Other changes", [
      { title: "Code", value: row => row.code, kind: "name" },
      { title: "Change", value: row => Object.keys(LEVELS).indexOf(row.level), kind: "name", cell: row => [dot(LEVELS[row.level]), row.subject] },
      { title: "Effect", value: row => row.effect, kind: "words", cell: effect },
      { title: "What to do", value: row => row.action, kind: "words" },
    ], data.others, { sorted: [1, false] }).element);
  }
  section("configuration", "Configuration", el("details", {}, el("summary", {}, data.apiVersion + " for " + data.release), el("pre", {}, data.configuration)),
    data.extenders.map(extender => el("details", {}, el("summary", {}, "Policy for the extender command, for " + extender.items.join(", ")), el("p", {}, el("code", {}, extender.command)), el("pre", {}, extender.policy))));
  if (data.verification) compareView(data.verification);
  warnings((data.warnings || []).map(warning => warning.code + ": " + warning.message));
};

begin(migrateView);
