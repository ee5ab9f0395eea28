// Throughput, queues and latencies over time.

import {h, fill} from './dom.js';
import {nanos, round} from './amounts.js';
import {Plot} from './plots.js';
import {decisionTable} from './decisions.js';

const FEW = 8;

const rate = key => point => point[key] / point.seconds;
const quantile = (key, index) => point => point[key]?.[index] ?? null;

const PLOTS = [
  ['Pods per second', [
    {label: 'bound', colour: '--same', value: rate('bound')},
    {label: 'attempts', colour: '--accent', value: rate('decided')},
    {label: 'failed', colour: '--different', value: rate('failed')}], round, 1],
  ['Pending pods', [
    {label: 'active', colour: '--accent', value: point => point.active},
    {label: 'backoff', colour: '--different', value: point => point.backoff},
    {label: 'unschedulable', colour: '--lost', value: point => point.unschedulable},
    {label: 'gated', colour: '--neither', value: point => point.gated}], round, 4],
  ['Duration of an attempt', [
    {label: 'median', colour: '--accent', value: quantile('decisionNanos', 0)},
    {label: '99th percentile', colour: '--different', value: quantile('decisionNanos', 1)}], nanos, 1e6],
  ['Response time of the API server', [
    {label: 'median', colour: '--accent', value: quantile('callNanos', 0)},
    {label: '99th percentile', colour: '--different', value: quantile('callNanos', 1)}], nanos, 1e6],
];

export function open(root, stream) {
  const cards = h('dl', {class: 'cards'});
  const figures = PLOTS.map(() => h('figure', {class: 'card'}));
  const latest = h('div', null);
  root.append(h('h2', null, 'Overview'), cards, h('div', {class: 'plots'}, figures), h('h3', null, 'Last decisions'), latest);
  let shown = '';
  const plots = PLOTS.map(([title, lines, format, least], i) => new Plot(figures[i], title, lines, format, least));
  return {
    update() {
      fill(cards, ...numbers(stream).map(([name, value]) => h('div', {class: 'card'}, h('dt', {class: 'soft'}, name), h('dd', {class: 'big'}, value))));
      plots.forEach(plot => plot.show(stream.points));
      const decisions = stream.latest.slice(0, FEW);
      const key = JSON.stringify(decisions);
      if (key !== shown) {
        shown = key;
        fill(latest, decisionTable(decisions));
      }
    },
    close() {
      plots.forEach(plot => plot.close());
    },
  };
}

function numbers(stream) {
  const last = stream.last;
  if (last === null) {
    return [['state', stream.connected ? 'waiting for the scheduler' : 'not connected']];
  }
  return [
    ['pods bound per second', round(last.bound / last.seconds)],
    ['pods in activeQ', round(last.active)],
    ['pods in backoffQ', round(last.backoff)],
    ['unschedulable pods', round(last.unschedulable)],
    ['binds in progress', round(last.binding)],
    ['running pods', round(last.pods)],
    ['nodes', round(stream.nodeCount)],
  ];
}
