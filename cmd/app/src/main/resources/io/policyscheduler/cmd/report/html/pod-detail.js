/* The scores and rejected nodes of one pod with one scheduler. */

/* A cell of a heat map; the number stays readable on any tone. */
const heat = (value, least, most) => {
  const share = most > least ? (value - least) / (most - least) : 0;
  return el("span", { class: "heat", style: { background: `color-mix(in srgb, var(--accent) ${Math.round(share * 45)}%, transparent)` } }, number(value));
};

/*
 * sheet: {algorithms, weights, nodes: [[node, total, score...]], rejected: [[algorithm, reason, nodes, examples]]}
 * chosen: its node; others: other nodes to be marked, [node, mark]; deciding: algorithms that make the difference
 */
const scoreSheet = (name, sheet, chosen, others, deciding) => {
  const parts = [];
  const marks = node => [node === chosen ? "chosen" : null, ...others.filter(other => other[0] === node && node !== chosen).map(other => other[1])].filter(Boolean);
  if (sheet.nodes.length && sheet.algorithms.length) {
    // What decides stands first, where it is seen without scrolling.
    const order = sheet.algorithms.map((algorithm, i) => ({ algorithm, i, decides: deciding.has(algorithm) })).sort((a, b) => b.decides - a.decides || a.i - b.i);
    const ends = order.map(column => sheet.nodes.map(node => node[column.i + 2])).map(values => [Math.min(...values), Math.max(...values)]);
    parts.push(table("Scores of " + name, [
      { title: "Node", value: node => node[0], kind: "name", cell: node => [node[0], ...marks(node[0]).map(mark => el("span", { class: "badge" }, mark))] },
      { title: "Total", value: node => node[1], kind: "n" },
      ...order.map((column, k) => ({
        title: column.algorithm + (sheet.weights[column.i] === 1 ? "" : " × " + number(sheet.weights[column.i])), note: column.decides ? "decides" : null,
        mark: column.decides ? "decides" : null, kind: "n", value: node => node[column.i + 2], cell: node => heat(node[column.i + 2], ...ends[k]),
      })),
    ], sheet.nodes, { rowClass: node => node[0] === chosen ? "chosen" : null, sorted: [1, true] }).element);
  } else if (sheet.nodes.length) {
    parts.push(el("p", {}, sheet.nodes[0][0] + " is the only feasible node, so no scores are computed."));
  }
  if (sheet.rejected.length) {
    parts.push(table("Nodes rejected by " + name, [
      { title: "Rejected by", value: group => group[0], kind: "name", cell: group => [group[0], deciding.has(group[0]) ? el("span", { class: "badge" }, "decides") : null] },
      { title: "Reason", value: group => group[1], kind: "words" },
      { title: "Nodes", value: group => group[2], kind: "n" },
      { title: "For example", value: group => group[3].join(", "), kind: "words" },
    ], sheet.rejected, { rowClass: group => deciding.has(group[0]) ? "decides" : null }).element);
  }
  return parts;
};
