"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const main = document.getElementById("main");
  const nav = document.getElementById("nav");

  const el = (name, attributes, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key === "onclick" || key === "oninput" || key === "onchange") element[key] = value;
      else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
    }
    for (const child of children.flat()) if (child !== null && child !== undefined) element.append(child);
    return element;
  };
  const svg = (name, attributes, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    for (const child of children) element.append(child);
    return element;
  };
  const number = (value, digits = 0) => Number(value).toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const percent = value => number(100 * value, 1) + " %";
  const count = (value, one, many) => number(value) + " " + (value === 1 ? one : many);

  let sections = 0;
  const section = (title, ...children) => {
    const id = "s" + ++sections;
    nav.append(el("a", { href: "#" + id }, title));
    const made = el("section", { id, "aria-labelledby": id + "h" }, el("h2", { id: id + "h" }, title), ...children);
    main.append(made);
    return made;
  };

  /* A table whose columns sort by a button in their title. A column: title, value of a row, kind "n", "words" or "name", cell of a row. */
  const PAGE = 200;
  const table = (caption, columns, rows, options = {}) => {
    let shown = rows, sorted = -1, down = false, limit = options.page || PAGE;
    const body = el("tbody");
    const heads = columns.map((column, index) => {
      const head = el("th", { scope: "col", class: column.kind === "n" ? "n" : null });
      head.append(el("button", { type: "button", onclick: () => sort(index) }, column.title));
      return head;
    });
    const more = el("button", { type: "button", class: "more", onclick: () => { limit += PAGE; draw(); } });
    const fill = row => {
      const line = el("tr", {}, columns.map(column => {
        const value = column.cell ? column.cell(row, () => toggle(row, line)) : column.value(row);
        return el("td", { class: column.kind || null }, column.kind === "n" && typeof value === "number" ? number(value, column.digits || 0) : value);
      }));
      return line;
    };
    const toggle = (row, line) => {
      const button = line.querySelector("button[aria-expanded]");
      const open = button.getAttribute("aria-expanded") === "true";
      button.setAttribute("aria-expanded", String(!open));
      if (open) line.nextSibling.remove();
      else line.after(el("tr", { class: "detail" }, el("td", { colspan: columns.length }, options.detail(row))));
    };
    const draw = () => {
      body.replaceChildren(...shown.slice(0, limit).map(fill));
      more.hidden = shown.length <= limit;
      more.textContent = "Show more (" + number(shown.length - limit) + " left)";
    };
    const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
    const sort = index => {
      down = sorted === index ? !down : columns[index].kind === "n";
      sorted = index;
      shown = [...shown].sort((a, b) => (down ? -1 : 1) * compare(columns[index].value(a), columns[index].value(b)));
      heads.forEach((head, i) => i === index ? head.setAttribute("aria-sort", down ? "descending" : "ascending") : head.removeAttribute("aria-sort"));
      draw();
    };
    draw();
    const element = el("div", {}, el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      el("table", {}, el("thead", {}, el("tr", {}, heads)), body)), more);
    return { element, filter: accept => { shown = rows.filter(accept); limit = options.page || PAGE; if (sorted >= 0) { down = !down; sort(sorted); } else draw(); return shown.length; } };
  };

  const histogram = (title, series, format) => {
    const W = 360, H = 150, LEFT = 44, BOTTOM = 20;
    const all = series.flatMap(s => s.values);
    const whole = all.every(Number.isInteger);
    const top = all.reduce((a, b) => Math.max(a, b), 1e-9) + (whole ? 1 : 0);
    /* Whole numbers get a bin each as long as there is room, so that none stays empty by rounding. */
    const BINS = whole ? Math.min(30, top) : 20;
    const bins = series.map(s => {
      const counts = new Array(BINS).fill(0);
      for (const value of s.values) counts[Math.min(BINS - 1, Math.floor(value / top * BINS))]++;
      return counts;
    });
    const most = Math.max(1, ...bins.flat());
    const x = i => LEFT + i * (W - LEFT - 6) / BINS;
    const y = n => 6 + (H - BOTTOM - 6) * (1 - n / most);
    const picture = svg("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": title });
    series.forEach((s, k) => {
      let path = `M${x(0)} ${H - BOTTOM}`;
      bins[k].forEach((n, i) => { path += `V${y(n)}H${x(i + 1)}`; });
      path += `V${H - BOTTOM}`;
      picture.append(svg("path", { d: path, fill: k ? "none" : "var(--line)", stroke: colour(k), "stroke-width": k ? 1.8 : 1, "stroke-dasharray": k > 1 ? "4 2" : "none" }));
    });
    const label = (text, px, py, anchor) => { const t = svg("text", { x: px, y: py, "text-anchor": anchor }); t.textContent = text; picture.append(t); };
    label("0", LEFT, H - 5, "middle");
    label(format(whole ? top - 1 : top), W - 6, H - 5, "end");
    label(number(most), LEFT - 4, 14, "end");
    label("nodes", LEFT - 4, 26, "end");
    return el("figure", {}, el("figcaption", {}, title), picture, legend(series.map((s, k) => [s.name, colour(k)])));
  };
  const SERIES = ["var(--neither)", "var(--accent)", "var(--different)", "var(--same)", "var(--gained)"];
  const colour = index => SERIES[index % SERIES.length];
  const legend = entries => el("ul", { class: "legend" }, entries.map(([name, tone]) => el("li", {}, el("span", { class: "dot", style: "background:" + tone }), name)));

  /* A cell of a heat map; the number stays readable on any tone. */
  const heat = (value, max) => {
    const share = max > 0 ? Math.max(0, Math.min(1, value / max)) : 0;
    return `background: color-mix(in srgb, var(--accent) ${Math.round(share * 45)}%, transparent)`;
  };

  const KINDS = {
    "same": ["same node", "var(--same)"], "tie": ["may be the same node", "var(--tie)"], "different": ["another node", "var(--different)"],
    "only-reference": ["no longer fits", "var(--lost)"], "only-other": ["fits only now", "var(--gained)"],
    "neither": ["fits nowhere", "var(--neither)"], "error": ["undecided", "var(--error)"],
  };

  const compareReport = () => {
    const reference = data.deciders[0].name;
    document.title = "compare: " + data.deciders.map(d => d.name).join(", ");
    document.getElementById("subtitle").textContent = "compare of " + data.deciders.map(d => d.name).join(", ") + " on "
      + count(data.loads.nodes.length, "node", "nodes") + ", " + count(data.podCount, "pod", "pods")
      + (data.mode === "run" ? "; each keeps its own placements" : "; one pod at a time, all on the same state");

    section("Agreement", el("div", { class: "cards" }, data.comparisons.map(c => el("div", { class: "card" },
      el("h3", {}, c.decider, el("span", { class: "soft" }, " against " + c.reference)),
      el("div", { class: "big" }, percent(c.agreementRate)),
      el("div", { class: "bar", role: "img", "aria-label": Object.entries(c.counts).filter(e => e[1]).map(e => KINDS[e[0]][0] + " " + e[1]).join(", ") },
        Object.entries(c.counts).filter(e => e[1]).map(([kind, n]) => el("div", { style: `flex:${n};background:${KINDS[kind][1]}` }))),
      legend(Object.entries(c.counts).filter(e => e[1]).map(([kind, n]) => [KINDS[kind][0] + " " + number(n), KINDS[kind][1]])),
      c.noLongerFit.length ? el("p", {}, "No longer fit: " + c.noLongerFit.slice(0, 8).join(", ") + (c.noLongerFit.length > 8 ? " ..." : "")) : null,
      c.withoutCause ? el("p", {}, count(c.withoutCause, "difference", "differences") + " without a cause that was found") : null))));

    let choose = () => {};
    const causes = data.comparisons.flatMap(c => c.causes.map(cause => ({ decider: c.decider, ...cause })));
    if (causes.length) {
      section("Causes", el("p", { class: "soft" }, "The smallest set of algorithms that was found such that, left out on both sides, both agree."),
        table("Causes", [
          { title: "Cause", value: r => r.cause, kind: "words", cell: (r, toggle) => el("button", { type: "button", class: "link", "aria-expanded": "false", onclick: toggle }, r.cause) },
          { title: "Decider", value: r => r.decider, kind: "name" },
          { title: "Pods", value: r => r.pods, kind: "n", cell: r => el("button", { type: "button", class: "link", "aria-label": "Show these " + r.pods + " pods", onclick: () => choose(r.decider, r.cause) }, number(r.pods)) },
          { title: "Such as", value: r => r.examples.join(", "), kind: "words" },
        ], causes, { detail: r => el("p", {}, r.examples[0] + ": " + r.text) }).element);
    }

    const rows = data.pods.flatMap(pod => pod.differences.map(difference => ({ pod, difference })));
    const kinds = [...new Set(rows.map(r => r.difference.agreement))];
    const search = el("input", { type: "search", placeholder: "pod, node or cause", "aria-label": "Search pods", oninput: () => apply() });
    const kind = el("select", { "aria-label": "Kind of difference", onchange: () => apply() }, el("option", { value: "" }, "all"), kinds.map(k => el("option", { value: k }, KINDS[k][0])));
    const found = el("span", { class: "soft", role: "status" });
    const result = (row, name) => row.pod.results.find(r => r.decider === name);
    const where = r => r.node || "-";
    const pods = table("Pods", [
      { title: "Pod", value: r => r.pod.pod, kind: "name", cell: (r, toggle) => el("button", { type: "button", class: "link", "aria-expanded": "false", onclick: toggle }, r.pod.pod) },
      { title: reference, value: r => where(result(r, reference)), kind: "name" },
      { title: "Decider", value: r => r.difference.decider, kind: "name" },
      { title: "Its node", value: r => where(result(r, r.difference.decider)), kind: "name" },
      { title: "Result", value: r => KINDS[r.difference.agreement][0], kind: "name" },
      { title: "Cause", value: r => r.difference.cause || "", kind: "words" },
    ], rows, { page: 50, detail: r => podDetail(r, [reference, r.difference.decider]) });
    let wanted = null;
    const apply = () => {
      const text = search.value.toLowerCase();
      const n = pods.filter(r => (!kind.value || r.difference.agreement === kind.value)
        && (!wanted || (r.difference.decider === wanted[0] && r.difference.cause === wanted[1]))
        && (!text || [r.pod.pod, r.difference.cause, r.difference.decider, ...r.pod.results.map(where)].join(" ").toLowerCase().includes(text)));
      found.textContent = count(n, "row", "rows") + (wanted ? " with cause " + wanted[1] : "");
    };
    const clear = el("button", { type: "button", onclick: () => { wanted = null; search.value = ""; kind.value = ""; apply(); } }, "Clear");
    const podSection = section("Pods",
      data.podsLeftOut ? el("p", { class: "soft" }, number(data.podsLeftOut) + " more pods are not in this file; -o json has all.") : null,
      rows.length ? el("div", { class: "tools" }, search, kind, clear, found) : el("p", {}, "No pod differs."), rows.length ? pods.element : null);
    choose = (decider, cause) => { wanted = [decider, cause]; apply(); podSection.scrollIntoView(); search.focus({ preventScroll: true }); };
    if (rows.length) apply();

    loads();
    summaries();
  };

  const podDetail = (row, names) => {
    const difference = row.difference;
    const parts = [];
    if (difference.text) parts.push(el("p", {}, difference.text));
    for (const name of names) {
      const result = row.pod.results.find(r => r.decider === name);
      parts.push(el("h3", {}, name, el("span", { class: "soft" }, result.node
        ? " chooses " + result.node + (result.best > 1 ? " (one of " + number(result.best) + " best)" : "") + ", " + count(result.feasible, "node fits", "nodes fit")
        : " places it nowhere")));
      if (result.message) parts.push(el("p", {}, result.message));
      const details = result.details;
      if (!details) continue;
      if (details.nodes.length) {
        const max = details.algorithms.map((_, i) => Math.max(...details.nodes.map(n => n.weighted[i])));
        parts.push(table("Scores of " + name, [
          { title: "Node", value: n => n.node, kind: "name" },
          { title: "Total", value: n => n.total, kind: "n" },
          ...details.algorithms.map((algorithm, i) => ({
            title: algorithm + (details.weights[i] === 1 ? "" : " × " + details.weights[i]), value: n => n.weighted[i], kind: "n",
            cell: n => el("span", { style: heat(n.weighted[i], max[i]) + "; padding: 0 .4em; border-radius: 3px" }, number(n.weighted[i])),
          })),
        ], details.nodes).element);
      }
      if (details.rejected.length) {
        parts.push(table("Nodes rejected by " + name, [
          { title: "Rejected by", value: r => r.algorithm || "", kind: "name" },
          { title: "Reason", value: r => r.reason, kind: "words" },
          { title: "Nodes", value: r => r.nodes, kind: "n" },
          { title: "Such as", value: r => r.examples.join(", "), kind: "words" },
        ], details.rejected).element);
      }
    }
    return el("div", {}, parts);
  };

  const loads = () => {
    const loads = data.loads;
    const share = (used, resource) => used[resource].map((value, i) => loads.allocatable[resource][i] > 0 ? value / loads.allocatable[resource][i] : 0);
    const states = [{ name: "before", ...loads.before }, ...loads.after.map(a => ({ name: a.decider || a.name || "after", ...a }))];
    const plots = [["cpu", "CPU requested, share of allocatable", percent], ["memory", "Memory requested, share of allocatable", percent], ["pods", "Pods on a node", v => number(v)]]
      .map(([resource, title, format]) => histogram(title, states.map(s => ({ name: s.name, values: resource === "pods" ? s.pods : share(s, resource) })), format));
    const what = el("select", { "aria-label": "Resource", onchange: () => draw() }, ["cpu", "memory", "pods"].map(r => el("option", { value: r }, r)));
    const state = el("select", { "aria-label": "State", onchange: () => draw() }, states.map((s, i) => el("option", { value: i, selected: i === states.length - 1 ? "" : null }, s.name)));
    const grid = el("div", { class: "grid", role: "img" });
    const draw = () => {
      const values = share(states[state.value], what.value);
      grid.setAttribute("aria-label", what.value + " of " + count(values.length, "node", "nodes") + ", " + states[state.value].name);
      grid.replaceChildren(...values.map((v, i) => el("i", { title: loads.nodes[i] + " (" + (loads.zones[i] || "no zone") + "): " + percent(v), style: "background: color-mix(in srgb, var(--lost) " + Math.round(Math.min(1, v) * 100) + "%, var(--line))" })));
    };
    draw();
    const rows = loads.nodes.map((name, i) => ({ name, i }));
    section("Nodes", el("div", { class: "plots" }, plots),
      el("div", { class: "tools" }, el("span", {}, "Share of allocatable, a square a node:"), what, state), grid,
      el("details", {}, el("summary", {}, "Table of nodes"), table("Nodes", [
        { title: "Node", value: r => r.name, kind: "name" },
        { title: "Zone", value: r => loads.zones[r.i] || "", kind: "name" },
        ...states.flatMap(s => [
          { title: "CPU % " + s.name, value: r => 100 * share(s, "cpu")[r.i], kind: "n", digits: 1 },
          { title: "Memory % " + s.name, value: r => 100 * share(s, "memory")[r.i], kind: "n", digits: 1 },
          { title: "Pods " + s.name, value: r => s.pods[r.i], kind: "n" },
        ]),
      ].map(cached(rows)), rows, { page: 50 }).element));
  };
  /* Works out a column once, not at each look. */
  const cached = rows => column => {
    let values = null;
    return { ...column, value: row => (values = values || rows.map(column.value))[row.i] };
  };

  const summaries = () => {
    if (!data.summaries) return;
    const spread = (s, of, resource) => s[of] && s[of][resource];
    const rows = data.summaries.flatMap(s => [["nodes", "cpu"], ["nodes", "memory"], ["nodes", "pods"], ["zones", "cpu"], ["zones", "memory"], ["zones", "pods"]]
      .filter(([of, resource]) => spread(s, of, resource)).map(([of, resource]) => ({ name: s.name, of, resource, ...spread(s, of, resource) })));
    const show = key => r => r.resource === "pods" ? number(r[key], 1) : percent(r[key]);
    section("Balance", table("Balance", [
      { title: "State", value: r => r.name, kind: "name" },
      { title: "Of", value: r => r.of + ", " + r.resource, kind: "name" },
      ...["mean", "deviation", "min", "max"].map(key => ({ title: key === "deviation" ? "Standard deviation" : key, value: r => r[key], kind: "n", cell: show(key) })),
    ], rows).element,
    data.summaries.filter(s => s.emptied && s.emptied.length).map(s => el("p", {}, s.name + " empties " + count(s.emptied.length, "node", "nodes") + ": " + s.emptied.slice(0, 12).join(", ") + (s.emptied.length > 12 ? " ..." : ""))));
  };

  /* What a simulation comes to, with its changes of the cluster. */
  const simulateReport = () => {
    document.title = "simulate";
    document.getElementById("subtitle").textContent = "simulate: " + count(data.placed, "pod", "pods") + " placed, " + number(data.unschedulable) + " unschedulable";
    const share = (use, resource) => use && use[resource].allocatable > 0 ? use[resource].requested / use[resource].allocatable : 0;
    const use = data.utilisation;
    const states = ["before", "after"];
    section("Result", el("div", { class: "cards" },
      el("div", { class: "card" }, el("h3", {}, "Pods placed"), el("div", { class: "big" }, number(data.placed) + " of " + number(data.placed + data.unschedulable)),
        el("div", { class: "bar", role: "img", "aria-label": data.placed + " placed, " + data.unschedulable + " unschedulable" },
          el("div", { style: `flex:${data.placed};background:var(--same)` }), el("div", { style: `flex:${data.unschedulable};background:var(--lost)` })),
        legend([["placed " + number(data.placed), "var(--same)"], ["unschedulable " + number(data.unschedulable), "var(--lost)"]])),
      ["cpu", "memory", "pods"].map(resource => el("div", { class: "card" }, el("h3", {}, resource + " requested"),
        el("div", { class: "big" }, percent(share(use.before, resource)) + " → " + percent(share(use.after, resource))))),
      data.fit ? el("div", { class: "card" }, el("h3", {}, "More pods like " + data.fit.pod), el("div", { class: "big" }, number(data.fit.count)), el("p", {}, data.fit.message || "")) : null));
    if (data.changes && data.changes.length) section("What if", el("ul", {}, data.changes.map(change => el("li", {}, change))));
    const columns = (name, value) => ({ title: name, value, kind: "n", digits: 1 });
    section("Nodes", el("div", { class: "plots" }, ["cpu", "memory", "pods"].map(resource => histogram(
      resource + ", share of allocatable", states.map(state => ({ name: state, values: use.nodes.filter(n => n[state]).map(n => share(n[state], resource)) })), percent))),
      el("p", { class: "soft" }, "One bar a node, cpu before and after, in the order of the table's first column:"),
      bars(use.nodes.map(n => ({ name: n.node, before: share(n.before, "cpu"), after: share(n.after, "cpu") }))),
      table("Nodes", [
        { title: "Node", value: n => n.node, kind: "name" },
        ...["cpu", "memory"].flatMap(r => [columns(r + " % before", n => 100 * share(n.before, r)), columns(r + " % after", n => 100 * share(n.after, r))]),
        ...states.map(state => ({ title: "Pods " + state, value: n => n[state] ? n[state].pods.requested : 0, kind: "n" })),
        ...(data.fit ? [{ title: "More pods", value: n => data.fit.nodes[n.node] || 0, kind: "n" }] : []),
      ], use.nodes, { page: 50 }).element);
    const pods = table("Pods", [
      { title: "Pod", value: p => p.pod, kind: "name" },
      { title: "Node", value: p => p.node || "-", kind: "name" },
      { title: "Score", value: p => p.score === null ? -1 : p.score, kind: "n", cell: p => p.score === null ? "-" : number(p.score) },
      { title: "Nodes that fit", value: p => p.feasible, kind: "n" },
      { title: "Why not", value: p => p.message || "", kind: "words" },
    ], data.pods, { page: 50 });
    const search = el("input", { type: "search", placeholder: "pod, node or reason", "aria-label": "Search pods", oninput: () => apply() });
    const found = el("span", { class: "soft", role: "status" });
    const apply = () => {
      const text = search.value.toLowerCase();
      found.textContent = count(pods.filter(p => [p.pod, p.node, p.message].join(" ").toLowerCase().includes(text)), "pod", "pods");
    };
    section("Pods", el("div", { class: "tools" }, search, found), pods.element);
    apply();
  };

  /* A pair of bars a node; many nodes become thin bars. */
  const bars = nodes => {
    const W = 1160, H = 160, BOTTOM = 4;
    const width = W / Math.max(1, nodes.length);
    const picture = svg("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": "cpu of each node before and after", preserveAspectRatio: "none" });
    nodes.forEach((node, i) => {
      const bar = (value, offset, tone) => {
        const height = (H - BOTTOM) * Math.min(1, value);
        const rect = svg("rect", { x: (i + offset) * width, y: H - BOTTOM - height, width: Math.max(.5, width * .4), height, fill: tone });
        const title = svg("title", {});
        title.textContent = node.name + ": " + percent(value);
        rect.append(title);
        picture.append(rect);
      };
      bar(node.before, .08, SERIES[0]);
      bar(node.after, .5, SERIES[1]);
    });
    return el("div", {}, picture, legend([["before", SERIES[0]], ["after", SERIES[1]]]));
  };

  if (data.comparisons) compareReport();
  else simulateReport();
  if (data.warnings && data.warnings.length) section("Warnings", el("ul", {}, data.warnings.map(w => el("li", {}, w))));
  main.append(el("footer", {}, "Made by policy-scheduler" + (data.seconds !== undefined ? " in " + number(data.seconds, 1) + " s" : "") + "; this file loads nothing from elsewhere."));
})();
