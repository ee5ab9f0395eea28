// The last decisions, and those that evicted pods.

import {h, fill, table} from './dom.js';
import {clock, round} from './amounts.js';
import {amend, here, link} from './route.js';

const MOST = 100;

export function open(root, stream) {
  const body = h('div', null);
  const filter = h('input', {type: 'search', placeholder: 'filter by pod, node, or message', value: here().parameters.get('search') ?? '',
    'aria-label': 'Show decisions with', change: event => amend({search: event.target.value})});
  root.append(h('h2', null, 'Decisions'), h('p', {class: 'tools'}, filter), body);
  let shown = null;
  return {
    update() {
      const wanted = here().parameters.get('search') ?? '';
      const all = stream.latest.filter(one => `${one.pod} ${one.node ?? ''} ${one.message ?? ''} ${one.outcome}`.includes(wanted)).slice(0, MOST);
      const key = JSON.stringify(all);
      if (key !== shown) {
        shown = key;
        fill(body, decisionTable(all));
      }
    },
    close() {},
  };
}

/** Decisions as a table, with links to their pods. */
export function decisionTable(all) {
  return table('The last decisions', ['#number', 'time', 'pod', 'result', 'node', '#duration', 'message'], all.map(row));
}

function row(one) {
  return [one.number, clock(one.time), h('a', {href: link('pod', {pod: one.pod}), 'data-key': one.number}, one.pod),
    h('span', {class: `outcome ${one.outcome}`}, one.outcome),
    one.node === null ? '' : h('a', {href: link('nodes', {node: one.node})}, one.node),
    `${round(one.micros / 1000)} ms`, one.message ?? ''];
}

export function openPreemptions(root, stream) {
  const body = h('div', null);
  root.append(h('h2', null, 'Preemptions'),
    h('p', {class: 'soft'}, 'Recorded decisions that evicted other pods.'), body);
  let shown = null;
  return {
    update() {
      const all = stream.latest.filter(one => one.preemption !== null);
      const key = JSON.stringify(all);
      if (key !== shown) {
        shown = key;
        fill(body, all.length === 0 ? h('p', null, 'No pod was evicted yet.')
          : table('Preemptions', ['time', 'pod', 'node', '#evictions', 'evicted pods'], all.map(preemption)));
      }
    },
    close() {},
  };
}

function preemption(one) {
  const {node, victims, victimCount} = one.preemption;
  return [clock(one.time), h('a', {href: link('pod', {pod: one.pod})}, one.pod), h('a', {href: link('nodes', {node})}, node), victimCount,
    h('ul', {class: 'plain'}, victims.map(victim => h('li', null, h('a', {href: link('pod', {pod: victim})}, victim))))];
}
