// A map of the nodes by free resources, and the pods of one node.

import {h, fill, table} from './dom.js';
import {amount, bytes, cores, round} from './amounts.js';
import {amend, here, link} from './route.js';
import {ask} from './stream.js';
import {at, draw, layout, palette, step} from './node-canvas.js';

const MOST_HEIGHT = 560;
const ZONE = 'zone';
const byName = new Intl.Collator('en', {numeric: true});

export function open(root, stream) {
  const resource = h('select', {id: 'resource', change: event => amend({resource: event.target.value})});
  const by = h('select', {id: 'by', change: event => amend({by: event.target.value})});
  const find = h('input', {type: 'search', id: 'find', 'aria-label': 'Node by name', placeholder: 'node by name', autocomplete: 'off',
    change: event => choose(event.target.value)});
  const canvas = h('canvas', {id: 'nodes', tabindex: 0, role: 'application', 'aria-roledescription': 'map of nodes',
    'aria-label': 'Nodes. Move with the arrow keys; Enter shows the pods of a node.'});
  const said = h('p', {role: 'status', class: 'soft', id: 'said'});
  const groupsTable = h('div', null);
  const panel = h('section', {id: 'node', 'aria-label': 'Node'});
  root.append(h('h2', null, 'Nodes'),
    h('p', {class: 'tools'}, h('label', null, 'color by free ', resource), h('label', null, 'grouped by ', by), find),
    legend(), canvas, said, h('details', null, h('summary', null, 'Table of the groups'), groupsTable), panel);

  let plan = {cells: [], heads: [], size: 1, columns: 1, height: 0};
  let cursor = 0;
  let labels = null;
  let labelKey = null;
  let colours = palette();
  let panelKey = '';
  let frames = -1000;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const again = () => { colours = palette(); update(); };
  dark.addEventListener('change', again);
  const observer = new ResizeObserver(update);
  observer.observe(root);

  function wanted() {
    const {parameters} = here();
    return {resource: parameters.get('resource') ?? 'cpu', by: parameters.get('by') ?? ZONE, node: parameters.get('node') ?? ''};
  }

  function share(name) {
    return node => {
      const known = node.resources[name];
      return known === undefined || known[1] === 0 ? null : (known[1] - known[0]) / known[1];
    };
  }

  function groupOf(node, key) {
    return (key === ZONE ? node.zone : labels?.[node.name]) ?? '';
  }

  function grouped(key) {
    const groups = new Map();
    for (const node of stream.nodes.values()) {
      const title = groupOf(node, key);
      groups.has(title) ? groups.get(title).push(node) : groups.set(title, [node]);
    }
    return [...groups].sort(([a], [b]) => byName.compare(a, b)).map(([value, nodes]) => ({
      title: `${value === '' ? `no ${key}` : value} (${nodes.length})`,
      nodes: nodes.sort((a, b) => byName.compare(a.name, b.name))}));
  }

  async function loadLabels(key) {
    if (key === ZONE || key === labelKey) {
      return;
    }
    labelKey = key;
    labels = null;
    labels = await ask('ui/labels', {key});
    update();
  }

  let planned = '';
  function update() {
    const want = wanted();
    loadLabels(want.by);
    options(resource, resourceNames(stream), want.resource);
    options(by, [ZONE, ...stream.keys], want.by);
    const names = [...stream.nodes.keys()].length;
    const key = `${names} ${want.by} ${labels === null} ${canvas.clientWidth} ${stream.nodes.size > 0 ? [...stream.nodes.values()].at(-1).name : ''}`;
    if (key !== planned) {
      planned = key;
      plan = layout(grouped(want.by), Math.max(120, canvas.clientWidth), MOST_HEIGHT);
      const chosen = plan.cells.findIndex(cell => cell.node.name === want.node);
      cursor = chosen < 0 ? Math.min(cursor, Math.max(0, plan.cells.length - 1)) : chosen;
    } else {
      plan.cells.forEach(cell => { cell.node = stream.nodes.get(cell.node.name) ?? cell.node; });
    }
    const free = share(want.resource);
    draw(canvas, plan, colours, free, document.activeElement === canvas ? plan.cells[cursor]?.node.name : want.node);
    groupRows(want.resource);
    if (want.node !== '' && (want.node !== panelKey || stream.frames - frames > 3)) {
      frames = stream.frames;
      show(want.node);
    }
  }

  let groupText = '';
  function groupRows(name) {
    const sums = new Map();
    for (const cell of plan.cells) {
      const known = cell.node.resources[name];
      const sum = sums.get(cell.group) ?? {nodes: 0, requested: 0, allocatable: 0};
      sum.nodes++;
      sum.requested += known?.[0] ?? 0;
      sum.allocatable += known?.[1] ?? 0;
      sums.set(cell.group, sum);
    }
    const rows = [...sums].map(([group, sum]) => [group, sum.nodes, amount(name, sum.allocatable - sum.requested), amount(name, sum.allocatable)]);
    const text = JSON.stringify(rows);
    if (text !== groupText) {
      groupText = text;
      fill(groupsTable, table('Groups of nodes', ['group', '#nodes', `#free ${name}`, '#allocatable'], rows));
    }
  }

  function tell() {
    const cell = plan.cells[cursor];
    if (cell !== undefined) {
      const {resource: name} = wanted();
      const known = cell.node.resources[name];
      said.textContent = `${cell.node.name}, ${cell.group}: ${known === undefined ? `no ${name}`
        : `${amount(name, known[1] - known[0])} of ${amount(name, known[1])} free`}, ${cell.node.resources.pods[0]} pods${
        cell.node.trouble === '' ? '' : `, ${cell.node.trouble}`}`;
    }
  }

  function choose(name) {
    const found = plan.cells.findIndex(cell => cell.node.name === name);
    const index = found >= 0 ? found : plan.cells.findIndex(cell => cell.node.name.includes(name));
    if (index < 0) {
      said.textContent = `There is no node ${name}.`;
      return;
    }
    cursor = index;
    tell();
    amend({node: plan.cells[index].node.name});
  }

  canvas.addEventListener('keydown', event => {
    const next = step(plan, cursor, event.key);
    if (event.key === 'Enter' && plan.cells[cursor] !== undefined) {
      choose(plan.cells[cursor].node.name);
    } else if (next !== cursor) {
      cursor = next;
      event.preventDefault();
      tell();
      update();
    }
  });
  canvas.addEventListener('focus', () => { tell(); update(); });
  canvas.addEventListener('blur', update);
  canvas.addEventListener('click', event => {
    const index = at(plan, event.offsetX, event.offsetY);
    if (index >= 0) {
      choose(plan.cells[index].node.name);
    }
  });
  canvas.addEventListener('pointermove', event => {
    const index = at(plan, event.offsetX, event.offsetY);
    if (index >= 0 && document.activeElement !== canvas) {
      cursor = index;
      tell();
    }
  });

  let panelText = '';
  async function show(name) {
    panelKey = name;
    try {
      const node = await ask('ui/node', {name});
      const text = JSON.stringify(node);
      if (text !== panelText) {
        panelText = text;
        fill(panel, ...(node === null ? [h('p', null, `There is no node ${name}.`)] : details(node)));
      }
    } catch (error) {
      fill(panel, h('p', {role: 'alert'}, `The request failed: ${error.message}`));
    }
  }

  return {
    update,
    close() {
      observer.disconnect();
      dark.removeEventListener('change', again);
    },
  };
}

function legend() {
  return h('p', {class: 'scale soft'}, '0 % free ', Array.from({length: 11}, (unused, i) => h('i', {class: `free-${i}`})),
    ' 100 % free; crossed out: unschedulable (cordoned)');
}

function resourceNames(stream) {
  const names = new Set(['cpu', 'memory', 'pods']);
  for (const node of stream.nodes.values()) {
    Object.keys(node.resources).forEach(name => names.add(name));
  }
  return [...names];
}

function options(select, values, chosen) {
  const all = values.includes(chosen) ? values : [...values, chosen];
  if (select.dataset.values !== all.join('\n')) {
    select.dataset.values = all.join('\n');
    select.replaceChildren(...all.map(value => h('option', {value}, value)));
  }
  select.value = chosen;
}

function details(node) {
  const labels = Object.entries(node.labels).map(([name, value]) => h('li', null, `${name}=${value}`));
  return [
    h('h3', null, `Node ${node.name}${node.trouble === '' ? '' : ` (${node.trouble})`}`),
    table('Resources', ['resource', '#requested', '#allocatable', '#free'], node.resources.map(one => [one.name,
      amount(one.name, one.requested), amount(one.name, one.allocatable), amount(one.name, one.allocatable - one.requested)])),
    node.taints.length === 0 ? h('p', {class: 'soft'}, 'no taints') : h('p', null, `taints: ${node.taints.join(', ')}`),
    h('details', null, h('summary', {'data-key': 'labels'}, `${round(labels.length)} labels`), h('ul', null, labels)),
    h('h4', null, `${node.pods.length} pods`),
    table(`Pods on ${node.name}`, ['pod', '#cpu', '#memory', '#priority', 'phase', 'scheduler'], node.pods.map(pod => [
      h('a', {href: link('pod', {pod: pod.pod}), 'data-key': pod.pod}, pod.pod), cores(pod.milliCpu), bytes(pod.memory), pod.priority, pod.phase, pod.scheduler])),
  ];
}
