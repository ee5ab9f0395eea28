// One pod: its node, and its recorded decisions.

import {h, fill, table} from './dom.js';
import {bytes, clock, cores, reloads, round} from './amounts.js';
import {link} from './route.js';
import {ask} from './stream.js';

const STEPS = 9;

export function open(root, stream, parameters) {
  const key = parameters.get('pod') ?? '';
  const body = h('div', {'aria-live': 'polite'}, h('p', {class: 'soft'}, 'loading'));
  root.append(h('h2', null, `Pod ${key}`), body);
  let shown = '';
  let frames = -1000;
  async function load() {
    try {
      const [pod, history] = await Promise.all([ask('ui/pod', {pod: key}), ask('debug/decisions', {pod: key, limit: 20})]);
      const text = JSON.stringify([pod, history?.decisions]);
      if (text !== shown) {
        shown = text;
        fill(body, state(pod), decisions(history, pod));
      }
    } catch (error) {
      fill(body, h('p', {role: 'alert'}, `The request failed: ${error.message}`));
    }
  }
  return {
    update() {
      if (stream.frames - frames > 3) {
        frames = stream.frames;
        load();
      }
    },
    close() {},
  };
}

function state(pod) {
  if (pod === null) {
    return h('p', null, 'The pod no longer exists. Recorded decisions are shown.');
  }
  const place = pod.node !== null ? h('span', null, 'on ', h('a', {href: link('nodes', {node: pod.node})}, pod.node))
    : h('span', null, `pending${pod.queue === null ? '' : ` (${pod.queue})`}`);
  return h('section', {class: 'card'},
    h('p', null, place, pod.nominatedNode === null ? '' : `, nominated node: ${pod.nominatedNode}`),
    pod.message === null || pod.node !== null ? null : h('p', null, pod.message),
    h('p', {class: 'soft'}, `requests ${requests(pod)}; priority ${pod.priority}; ${pod.scheduler}; ${pod.phase || 'Pending'}`),
    h('p', {class: 'soft'}, Object.entries(pod.labels).map(([name, value]) => `${name}=${value}`).join(', ')));
}

function requests(pod) {
  const amounts = [pod.milliCpu === 0 ? null : cores(pod.milliCpu), pod.memory === 0 ? null : bytes(pod.memory)].filter(text => text !== null);
  return amounts.length === 0 ? 'no CPU and no memory' : amounts.join(', ');
}

function decisions(history, pod) {
  if (history === null) {
    return h('p', null, 'This scheduler does not record decisions.');
  }
  if (history.decisions.length === 0) {
    const cause = pod !== null && pod.node === null ? 'the scheduler has not attempted the pod yet' : 'another scheduler placed the pod';
    return h('p', null, `No decision is recorded. Either ${cause}, or the record was dropped.`);
  }
  const [last, ...earlier] = history.decisions;
  return h('div', null, h('h3', null, 'Why'), why(last), earlier.length === 0 ? null : h('h3', null, 'Earlier attempts'),
    earlier.length === 0 ? null : table('Earlier attempts', ['#attempt', 'time', 'result', 'node', 'message'],
      earlier.map(one => [one.attempt, clock(one.time), one.outcome, one.node ?? '', one.message ?? ''])));
}

const RESULTS = {
  bound: one => `The pod is bound to ${one.node}`,
  binding: one => `The pod is being bound to ${one.node}`,
  'bind-refused': one => `The pod could not be bound to ${one.node}`,
  unschedulable: () => 'The pod is unschedulable',
};

function why(one) {
  const {examined, feasible, total} = one.nodes;
  const result = (RESULTS[one.outcome] ?? (() => 'The pod could not be scheduled because of an error'))(one);
  const [first] = one.rejections;
  // The number of feasible nodes explains a decision, but not an error after it.
  const separator = one.outcome === 'bound' || one.outcome === 'binding' || one.outcome === 'unschedulable' ? ':' : '.';
  return h('section', null,
    h('p', null, `${result}${separator} ${feasible} of ${examined} nodes ${feasible === 1 ? 'is' : 'are'} feasible${examined === total ? '' : ` (the cluster has ${total} nodes)`}.`),
    one.tie !== null ? h('p', null, `${one.tie.nodes} nodes have the highest total; tie break: ${one.tie.brokenBy}.`)
      : one.runnerUp !== null ? h('p', null, `${one.node} beats ${one.runnerUp.node} by ${round(one.runnerUp.behind)}.`)
      : one.node === null && first ? h('p', null, `Most common reason: ${first.reason} (${first.nodes} ${first.nodes === 1 ? 'node' : 'nodes'}).`) : null,
    one.message === null ? null : h('p', null, `Message: ${one.message}`),
    one.preemption === null ? null : h('p', null, `Preemption evicts ${one.preemption.victimCount} pods from ${one.preemption.node}: ${
      one.preemption.victims.join(', ')}.`),
    one.best.length === 0 ? null : heatMap(one.best),
    one.rejections.length === 0 ? null : against(one.rejections),
    h('p', {class: 'soft'}, `Attempt ${one.attempt} at ${clock(one.time)}, ${round(one.micros / 1000)} ms, profile ${one.profile}${reloads(one.generation)}.`));
}

/** Reasons with the nodes that they reject. */
export function against(rejections) {
  return table('Rejected nodes', ['reason', '#nodes', 'examples'],
    rejections.map(rejection => [rejection.reason, rejection.nodes, rejection.names.slice(0, 8).join(', ')]));
}

/** Algorithms by nodes; the more an algorithm gives to a node, of what it gives to the best, the darker. */
export function heatMap(best) {
  const algorithms = best[0].scores;
  const head = [h('th', {scope: 'col'}, 'algorithm'), h('th', {scope: 'col', class: 'n'}, 'weight'), ...best.map(node =>
    h('th', {scope: 'col', class: 'n'}, h('a', {href: link('nodes', {node: node.node})}, node.node)))];
  const rows = algorithms.map((algorithm, i) => {
    const values = best.map(node => node.scores[i].weighted);
    return line(algorithm.policyName ?? algorithm.algorithm, algorithm.weight, values);
  });
  rows.push(line('total', '', best.map(node => node.total), 'sum'));
  return h('div', {class: 'scroll heat', tabindex: 0, role: 'region', 'aria-label': 'Scores of the best nodes'},
    h('table', null, h('caption', {class: 'unseen'}, 'Weighted scores of the best nodes, the selected node first'),
      h('thead', null, h('tr', null, head)), h('tbody', null, rows)));
}

function line(name, weight, values, extra = '') {
  const least = Math.min(...values);
  const most = Math.max(...values);
  return h('tr', {class: extra || null}, h('th', {scope: 'row'}, name), h('td', {class: 'n'}, weight), values.map(value => {
    const step = most === least ? 0 : Math.round(STEPS * (value - least) / (most - least));
    return h('td', {class: `n heat-${step}`}, value.toLocaleString('en'));
  }));
}
