/* The placements of pending pods, and the effect of changes of the cluster. */

const simulateView = () => {
  const use = data.utilisation;
  const nodes = use.nodes.map(([name, has, before, after]) => ({ name, has, before, after }));
  const RESOURCES = ["cpu", "memory", "pods"];
  const load = (node, moment, resource) => {
    const i = RESOURCES.indexOf(resource);
    return !node[moment] ? 0 : resource === "pods" ? node[moment][i] : node.has[i] > 0 ? node[moment][i] / node.has[i] : 0;
  };
  const share = (one, resource) => one && one[resource].allocatable > 0 ? one[resource].requested / one[resource].allocatable : 0;
  section("result", "Result", el("div", { class: "cards" },
    card("Pods placed", big(number(data.placed) + " of " + number(data.placed + data.unschedulable)),
      shares([["placed", data.placed, "--same"], ["unschedulable", data.unschedulable, "--lost"]])),
    [["cpu", "CPU requested"], ["memory", "Memory requested"], ["pods", "Pods"]].map(([resource, title]) =>
      card(title, big(percent(share(use.after, resource))), el("p", { class: "soft" }, "of the allocatable amount, " + percent(share(use.before, resource)) + " before"))),
    data.fit ? card("More pods like " + data.fit.pod, big(number(data.fit.count)), el("p", {}, data.fit.message || "This is the limit of --fit-limit.")) : null));
  if (data.changes && data.changes.length) section("changes", "Changes of the cluster", el("ul", {}, data.changes.map(change => el("li", {}, change))));

  const rows = data.pods;
  const pods = table("Pods", [
    { title: "Pod", value: pod => pod.pod, kind: "name", unfolds: true },
    { title: "Result", value: pod => pod.node ? 1 : 0, kind: "name", cell: pod => [el("span", { class: "dot", style: { background: pod.node ? "var(--same)" : "var(--lost)" } }), pod.node ? "placed" : "unschedulable"] },
    { title: "Node", value: pod => pod.node || "-", kind: "name" },
    { title: "Score", value: pod => pod.score === null ? -1 : pod.score, kind: "n", cell: pod => pod.score === null ? "-" : number(pod.score) },
    { title: "Feasible nodes", value: pod => pod.feasible, kind: "n" },
    { title: "Main reason", value: pod => pod.reason || "", kind: "words" },
  ], rows, { kind: "pod", key: pod => pod.pod, sorted: [1, false], detail: pod => el("div", {},
    el("h3", {}, pod.pod, el("span", { class: "soft" }, pod.node ? " is placed on " + pod.node + "; " + count(pod.feasible, "feasible node", "feasible nodes") : " is unschedulable")),
    pod.message ? el("p", {}, pod.message) : null,
    pod.details ? scoreSheet(pod.pod, pod.details, pod.node, [], new Set()) : el("p", { class: "soft" }, "The file has no scores for this pod; simulate --details prints them.")) });
  const states = [["", "all pods"], ["placed", "placed"], ["unschedulable", "unschedulable"]];
  const listed = filtered("pods", pods, states, (pod, words, choice) => (!choice || (choice === "placed") === Boolean(pod.node))
    && (!words || [pod.pod, pod.node, pod.message].join(" ").toLowerCase().includes(words)));
  if (data.causes.length) {
    section("causes", "Unschedulable pods by reason", el("p", { class: "soft" }, "The reason of a pod is the one that rejects most nodes. explain POD shows the smallest change."), table("Unschedulable pods by reason", [
      { title: "Reason", value: row => row.reason, kind: "words", cell: row => opens("cause", row.reason, row.reason, { title: "Show the pods with this reason" }) },
      { title: "Pods", value: row => row.pods, kind: "n" },
      { title: "For example", value: row => row.example, kind: "name", cell: row => opens("pod", row.example, row.example) },
      { title: "What to do", value: row => row.advice, kind: "words" },
    ], data.causes, { page: 10 }).element);
  }
  section("pods", "Pods", data.podsLeftOut ? el("p", { class: "soft" }, count(data.podsLeftOut, "pod is", "pods are") + " not in this file. -o json contains all pods.") : null, listed.element);
  openers.set("pod", name => listed.open(pod => pod.pod === name));
  openers.set("cause", reason => listed.only("pods with reason " + reason, pod => !pod.node && pod.reason === reason));

  const moments = [{ name: "before" }, { name: "after" }];
  const plots = loadPlots(moments, (moment, resource) => nodes.filter(node => node[moment.name]).map(node => load(node, moment.name, resource)));
  section("nodes", "Load of the nodes", plots.element, el("details", {}, el("summary", {}, "Table of the nodes"), table("Nodes", [
    { title: "Node", value: node => node.name, kind: "name" },
    ...moments.flatMap(({ name }) => [
      { title: "CPU % " + name, value: node => 100 * load(node, name, "cpu"), kind: "n", digits: 1 },
      { title: "Memory % " + name, value: node => 100 * load(node, name, "memory"), kind: "n", digits: 1 },
      { title: "Pods " + name, value: node => load(node, name, "pods"), kind: "n" },
    ]),
    ...(data.fit ? [{ title: "More pods", value: node => data.fit.nodes[node.name] || 0, kind: "n" }] : []),
  ], nodes, { page: 30, sorted: [0, false] }).element));
  plots.start();
  warnings(data.warnings);
};

begin(simulateView);
